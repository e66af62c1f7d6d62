package anvil_test

import (
	"errors"
	"io"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// taker is a Sink that keeps copies of all it is given.
type taker struct {
	dims    []*format.Dimension
	columns []format.Column // of all dimensions
	files   map[string]string
	keep    bool
}

func (s *taker) Dimension(d *format.Dimension) error {
	s.dims = append(s.dims, d)
	return nil
}

func (s *taker) Chunk(string, geom.ChunkPos, *voxel.Chunk) error { return errors.New("a chunk") }

func (s *taker) File(f format.File) error {
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if s.files == nil {
		s.files = map[string]string{}
	}
	s.files[f.Path] = string(b)
	return err
}

func (s *taker) Column(c *format.Column) error {
	if s.keep {
		s.columns = append(s.columns, clone(c))
	}
	return nil
}

// clone returns a column that shares nothing with c.
func clone(c *format.Column) format.Column {
	d := *c
	d.Sections, d.Maps, d.Lists, d.Parts = slices.Clone(c.Sections), slices.Clone(c.Maps), slices.Clone(c.Lists), slices.Clone(c.Parts)
	d.Cells, d.Biomes = slices.Clone(c.Cells), slices.Clone(c.Biomes)
	for i := range d.Sections {
		d.Sections[i].Tags = slices.Clone(d.Sections[i].Tags)
	}
	for i := range d.Cells {
		e := &d.Cells[i]
		e.Block, e.Biome, e.Sky, e.Light = slices.Clone(e.Block), slices.Clone(e.Biome), slices.Clone(e.Sky), slices.Clone(e.Light)
	}
	for i := range d.Lists {
		d.Lists[i].Objects = slices.Clone(d.Lists[i].Objects)
		for j := range d.Lists[i].Objects {
			o := &d.Lists[i].Objects[j]
			o.Payload = slices.Clone(o.Payload)
		}
	}
	for i := range d.Parts {
		d.Parts[i].Data = slices.Clone(d.Parts[i].Data)
	}
	return d
}
