package arena

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/store/history"
)

// snapshots is the part of a name that stands between a world and its snapshots.
const snapshots = ".snapshots"

// SnapshotName returns the name of the world that is the snapshot of a world under a name of one
// part, which adds two parts: a world with snapshots has a name of at most six. The error wraps
// history.ErrName.
func SnapshotName(world, snapshot string) (string, error) {
	full := world + "/" + snapshots + "/" + snapshot
	switch err := history.CheckName(full); {
	case strings.Count(world, "/") > history.MaxParts-3:
		return "", fmt.Errorf("arena: snapshot %q of %q: %w: a world with snapshots has a name of at most %d parts", snapshot, world, history.ErrName, history.MaxParts-2)
	case err != nil:
		return "", fmt.Errorf("arena: snapshot %q of %q: %w", snapshot, world, err)
	case strings.Contains(snapshot, "/"):
		return "", fmt.Errorf("arena: snapshot %q: %w: want one part", snapshot, history.ErrName)
	case slices.Contains(strings.Split(world, "/"), snapshots):
		return "", fmt.Errorf("arena: %q is a snapshot: %w: a snapshot has no snapshots", world, history.ErrName)
	}
	return full, nil
}

// SplitSnapshotName undoes SnapshotName. ok is false if name is not that of a snapshot.
func SplitSnapshotName(name string) (world, snapshot string, ok bool) {
	world, snapshot, ok = strings.Cut(name, "/"+snapshots+"/")
	if full, err := SnapshotName(world, snapshot); !ok || err != nil || full != name {
		return "", "", false
	}
	return world, snapshot, true
}
