// Package format reads the worlds and schematics of games, and writes them. Import brings a
// world folder, a Slime file, a schematic, a .cairn file, or a zip or tar of one into a store.
// Export writes a version of a stored world as one. ReadClip and WriteClip do the same for
// pieces of worlds, which game/edit pastes.
package format

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/atomicfile"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
)

// Memory is how much memory a call takes for a world if its options do not say. What does not
// fit lies in temporary files meanwhile.
const Memory = 512 << 20

// ImportOptions of Import. The zero value is the default.
type ImportOptions struct {
	Author, Message string
	Time            time.Time // of the version, not before its parent's; by default now, by the store's clock
	Fence           uint64    // the number of the caller's lease, 0 without one
	Salvage         bool      // keep damaged chunks as they are stored; by default they are an error
	Memory          int64     // default Memory
	Palette         int       // which is shown of a structure with several, from 0; all are kept
}

// Imported says what Import did.
type Imported struct {
	Commit history.Commit
	Same   bool // nothing differed, so Commit is the head's

	Lost    map[string]int // what cairn does not keep, by name and count
	Damaged []string       // chunks that are kept as they were stored
	Remarks []string       // what is odd, and lost nothing
}

// Import makes the world at path the newest version of a world in a store: its first, or a
// commit of the differences. path is a file or a folder in any format that cairn knows; it is
// found by content and never written to. An error of path itself is a *fs.PathError. Bytes of
// the world that are damaged are an error, and then nothing is stored.
func Import(ctx context.Context, st history.Store, name, path string, o ImportOptions) (done Imported, err error) {
	memory := cmp.Or(o.Memory, Memory)
	src, err := port.Open(path, port.Options{Salvage: o.Salvage, Memory: memory, Palette: o.Palette})
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	w, err := src.Parts(ctx, nil)
	if err != nil {
		return done, fmt.Errorf("format: import: %s: %w", path, err)
	}
	note := port.Note{Author: o.Author, Time: o.Time, Message: cmp.Or(o.Message, "import "+filepath.Base(path)), Fence: o.Fence, MaxBytes: memory}
	open := func(context.Context) (history.Store, error) { return st, nil }
	made, err := src.Import(ctx, open, name, w, port.ImportOptions{Note: note})
	if err != nil {
		return done, fmt.Errorf("format: import: %s: %w", path, err)
	}
	r := src.Remarks()
	return Imported{Commit: made.Commit, Same: made.Same, Lost: r.Lost, Damaged: r.Damaged, Remarks: r.Notes}, nil
}

// ExportOptions of Export. The zero value is the default.
type ExportOptions struct {
	// Format is anvil, slime, sponge, mcedit, structure, litematic, vox,
	// maptemplate or prefab. By default the extension of the path
	// says it, and a path without one becomes an Anvil folder.
	Format  string
	Version int // of the format, for formats that have versions; by default the newest that fits
	// DataVersion names the game for a world that a program made: 3955 is 1.21.1. Its names of
	// blocks must be the game's. A world that was read from a game has a version already.
	DataVersion int32
	Dimension   string // for formats that hold one; may be empty if the world has one
	Memory      int64  // default Memory
}

// Export writes a version of a world as a file or a folder, which appears at path only when it is
// complete. The zero ID is the newest version. It returns what the format cannot hold, by name
// and count.
func Export(ctx context.Context, st history.Store, name string, at history.ID, path string, o ExportOptions) (lost map[string]int, err error) {
	if at == (history.ID{}) {
		head, err := st.Head(ctx, name)
		if err != nil {
			return nil, err
		}
		at = head.Commit
	}
	s, err := world.OpenSnapshot(ctx, st, name, at, world.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	lost = map[string]int{}
	if err = write(ctx, s, path, o, lost); err != nil {
		return nil, fmt.Errorf("format: export: %s: %w", name, err)
	}
	return lost, nil
}

func write(ctx context.Context, s *world.Snapshot, path string, o ExportOptions, lost map[string]int) error {
	if strings.HasSuffix(path, port.Ext) && o.Format == "" {
		return toFile(path, func(to io.Writer) error {
			_, _, err := s.Write(ctx, to, stone.Options{})
			return err
		})
	}
	to := port.Target{Format: cmp.Or(o.Format, port.FormatFor(path, s)), Version: o.Version, DataVersion: o.DataVersion, Name: filepath.Base(path)}
	kind, ok := port.Format(to.Format)
	if !ok {
		return fmt.Errorf("%q is none of the formats %s", to.Format, strings.Join(port.Formats(), ", "))
	}
	if err := port.CheckGame(s, to.Format); err != nil {
		return err
	}
	w, err := forGame(ctx, s, strings.TrimSuffix(to.Name, kind.Ext), port.TakesMade(to.Format), o, lost)
	if err == nil {
		w, err = port.Pick(ctx, w, o.Dimension, kind.Single, lost)
	}
	if err != nil {
		return err
	}
	if kind.Ext != "" {
		return toFile(path, func(file io.Writer) error { return port.WriteFile(ctx, w, file, to, nil, lost) })
	}
	folder, err := atomicfile.NewFolder(path)
	if err != nil {
		return err
	}
	defer folder.Abort()
	if err := port.WriteFolder(ctx, w, folder.Temp, to, nil, lost); err != nil {
		return err
	}
	return folder.Commit()
}

// forGame gives a world that a program made the game that the options name. A format may take
// it as it is.
func forGame(ctx context.Context, w stone.Content, title string, asIs bool, o ExportOptions, lost map[string]int) (stone.Content, error) {
	made, err := port.IsMade(ctx, w)
	switch {
	case err != nil, asIs && made:
		return w, err
	case made && o.DataVersion == 0:
		return nil, errors.New("a program made the world: ExportOptions.DataVersion must name a game")
	case !made && o.DataVersion != 0:
		return nil, errors.New("the world has a version of a game already, and cairn does not convert it")
	case !made:
		return w, nil
	}
	loaded, err := convert.FromContent(ctx, w, cmp.Or(o.Memory, Memory))
	if err == nil {
		err = port.ForGame(ctx, loaded, title, o.DataVersion, lost)
	}
	if err != nil {
		return nil, err
	}
	return loaded.Content(), nil
}

// ReadClip reads the schematic at path. Of a whole world it returns the dimension that has
// columns.
func ReadClip(ctx context.Context, path string) (*clip.Clip, error) {
	return port.ReadClip(ctx, path, port.Options{})
}

// WriteClip writes a clip as a schematic of the format that the extension of path says: .schem,
// .schematic or .nbt. The file appears only when it is complete. It returns what the format
// cannot hold.
func WriteClip(path string, c *clip.Clip) (lost map[string]int, err error) {
	lost = map[string]int{}
	err = toFile(path, func(to io.Writer) error {
		return port.WriteClip(to, c, port.Target{Format: port.FormatOf(path)}, lost)
	})
	if err != nil {
		return nil, fmt.Errorf("format: %w", err)
	}
	return lost, nil
}

// toFile writes a file that appears only when it is complete.
func toFile(path string, write func(io.Writer) error) error {
	file, err := atomicfile.NewFile(path, 0o666)
	if err != nil {
		return err
	}
	defer file.Abort()
	if err := write(file.File); err != nil {
		return err
	}
	return file.Commit()
}
