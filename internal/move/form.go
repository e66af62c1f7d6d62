package move

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/diff"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/stone"
)

// formatOf returns the format that a world was read from, or Anvil if that is not written.
func formatOf(c stone.Content) string {
	if k, ok := port.Format(convert.HeadOf(c.About().Properties).Format); ok {
		return k.Name
	}
	return port.Anvil
}

// file writes a world as a file of a format.
func (m *Made) file(ctx context.Context, w *Loaded, to io.Writer, t port.Target) (err error) {
	if m.content, err = pick(ctx, w, t, m.Lost); err == nil {
		err = port.WriteFile(ctx, m.content, to, t, nil, m.Lost)
	}
	return err
}

// folder writes a world as a folder of a format.
func (m *Made) folder(ctx context.Context, w *Loaded, dir string, t port.Target) (err error) {
	if m.content, err = pick(ctx, w, t, m.Lost); err == nil {
		err = port.WriteFolder(ctx, m.content, dir, t, nil, m.Lost)
	}
	return err
}

// pick returns what of a world a format takes. It refuses worlds of other games and those that a program made, which need
// words of the user.
func pick(ctx context.Context, w *Loaded, t port.Target, lost map[string]int) (stone.Content, error) {
	if err := port.CheckGame(w.Content, t.Format); err != nil {
		return nil, err
	}
	if made, err := port.IsMade(ctx, w.Content); err != nil {
		return nil, err
	} else if made && !port.TakesMade(t.Format) {
		return nil, errors.New("a program made it, so it has no version of the game: cairn export --version writes it")
	}
	k, _ := port.Format(t.Format)
	c, err := port.Pick(ctx, w.Content, "", k.Single, lost)
	if many := (*inspect.DimensionError)(nil); errors.As(err, &many) {
		err = fmt.Errorf("%s holds one dimension and the world has %s: cairn export --dimension writes one", t.Format, format.SomeOf(many.Have))
	}
	return c, err
}

// compare says in which way b is not the world that a is, "" if in none. What lost names may be missing in b.
func compare(ctx context.Context, a, b stone.Content, lost map[string]int) (string, error) {
	d, err := diff.Worlds(ctx, a, b, diff.Options{})
	if err != nil {
		return "", err
	}
	n := d.Cells + d.Objects + d.Columns + d.Files
	if len(lost) > 0 { // then what is left is told by what nobody may lose
		n = 0
		for volume, cells := range d.Volumes {
			if inspect.IsMatter(volume) {
				n += cells
			}
		}
	}
	if n == 0 {
		return "", nil
	}
	why := fmt.Sprintf("%d cells, %d objects, %d columns and %d files differ", d.Cells, d.Objects, d.Columns, d.Files)
	if len(d.First) > 0 {
		why += ": " + d.First[0]
	}
	return why, nil
}
