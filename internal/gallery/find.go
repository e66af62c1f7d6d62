package gallery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/store/history"
)

// mostWorlds is how many worlds of a folder are shown.
const mostWorlds = 10_000

// place is where a world is, and its name here.
type place struct{ path, name string }

// find returns the worlds in the folder, or the world at path if that is a world or has none
// below. passed names the files that were passed over, and says why.
func find(ctx context.Context, path string) (found []place, passed []string, err error) {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() && port.Detect(path) != nil {
		if found, passed, err = below(ctx, path); err != nil || len(found) > 0 {
			return found, passed, err
		}
	}
	src, err := port.Open(path, port.Options{Salvage: true})
	if errors.Is(err, format.ErrNoWorld) {
		err = fmt.Errorf("%s: no world is in this folder or below", path)
		for _, p := range passed {
			err = fmt.Errorf("%w; passed over: %s", err, p)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	return []place{{path, NameOf(filepath.Base(absolute(path)), nil)}}, nil, src.Close()
}

// mostPassed is how many are named that were passed over.
const mostPassed = 20

// below returns the worlds in a folder, and what looks like one there and cannot be read, with the reason.
func below(ctx context.Context, path string) (out []place, passed []string, err error) {
	taken, more := map[string]bool{}, 0
	err = filepath.WalkDir(path, func(at string, e fs.DirEntry, err error) error {
		if ctx.Err() != nil || at == path || len(out) == mostWorlds {
			return cmp.Or(ctx.Err(), err)
		}
		rel, why := at, err
		if r, err := filepath.Rel(path, at); err == nil {
			rel = r
		}
		if why == nil {
			why = port.Detect(at)
		}
		switch {
		case errors.Is(why, format.ErrNoWorld):
			return nil
		case why != nil && len(passed) == mostPassed:
			more++
		case why != nil:
			passed = append(passed, rel+": "+strings.TrimPrefix(why.Error(), at+": "))
		default:
			out = append(out, place{at, NameOf(filepath.ToSlash(rel), taken)})
		}
		if e.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	if more > 0 {
		passed = append(passed, fmt.Sprintf("and %d more", more))
	}
	return out, passed, err
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// NameOf makes the name of a world of its path, which has slashes, so that history.Unescape shows each part as it
// is on disk, the last without its extension. It differs from the names that are taken, and is taken afterwards.
func NameOf(path string, taken map[string]bool) string {
	parts := strings.Split(path, "/")
	if n := len(parts) - history.MaxParts; n > 0 {
		parts = append([]string{strings.Join(parts[:n+1], "/")}, parts[n+1:]...)
	}
	file := parts[len(parts)-1]
	for i, part := range parts {
		parts[i] = history.Escape(part)
	}
	last := &parts[len(parts)-1]
	*last = history.Escape(port.TrimExt(file))
	name := strings.Join(parts, "/")
	for n := 1; taken[name]; n++ {
		if *last = history.Escape(file); n > 1 {
			*last = history.Escape(fmt.Sprintf("%s-%d", file, n))
		}
		name = strings.Join(parts, "/")
	}
	if taken != nil {
		taken[name] = true
	}
	return name
}
