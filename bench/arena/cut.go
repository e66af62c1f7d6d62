package arena

import (
	"context"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/savings"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// part is the columns of a world's overworld in a square.
type part struct {
	format.Source
	at geom.ColumnPos
}

// cut returns the part of a world that has most columns.
func cut(ctx context.Context, p savings.Place) (format.Source, error) {
	src, err := anvil.Open(p.Path, anvil.Options{})
	if err != nil {
		return nil, err
	}
	found := &places{Sink: &convert.Filter{}, columns: make(map[geom.ColumnPos]int)}
	if err := src.Read(ctx, found); err != nil {
		src.Close()
		return nil, err
	}
	return &part{src, found.most()}, nil
}

func (p *part) Read(ctx context.Context, s format.Sink) error {
	return p.Source.Read(ctx, &convert.Filter{Sink: s, Hold: func(d *format.Dimension) func(*format.Column) bool {
		return func(c *format.Column) bool {
			return d.Name == dimension && within(c.Pos, p.at)
		}
	}})
}

func within(pos, least geom.ColumnPos) bool {
	return least.X <= pos.X && pos.X < least.X+edge && least.Z <= pos.Z && pos.Z < least.Z+edge
}

// places is a Sink that notes how many sections of several blocks the columns of a world have.
type places struct {
	format.Sink
	in      bool
	columns map[geom.ColumnPos]int
}

func (p *places) Dimension(d *format.Dimension) error {
	p.in = d.Name == dimension
	return nil
}

func (p *places) Column(c *format.Column) error {
	for _, cells := range c.Cells {
		if p.in && len(cells.Block) > 1 {
			p.columns[c.Pos]++
		}
	}
	return nil
}

func (p *places) File(format.File) error { return nil }

// most returns the square with most sections that begins at a column on an even place.
func (p *places) most() (best geom.ColumnPos) {
	most := -1
	for pos := range p.columns {
		at := geom.ColumnPos{X: pos.X &^ 1, Z: pos.Z &^ 1}
		n := 0
		for i := range edge * edge {
			n += p.columns[geom.ColumnPos{X: at.X + i%edge, Z: at.Z + i/edge}]
		}
		if n > most || n == most && at.Compare(best) < 0 {
			best, most = at, n
		}
	}
	return best
}
