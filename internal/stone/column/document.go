package column

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/stone/pages"
	"github.com/cairnvoxel/cairn/internal/stone/patch"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Deltas is what the number of a form has more of whose pages some things are patches.
const Deltas = 4

// A Document is a column without its lists, or a list, alone: what a patch is made of and what it makes.
type Document []byte

// DocumentOf returns the document of a column.
func DocumentOf(c *voxel.Column) (d Document) {
	var p pageWriter
	p.column(c)
	p.spell()
	for _, s := range p.streams {
		d = append(binary.AppendUvarint(d, uint64(len(s))), s...)
	}
	return d
}

// Column returns the column at a position.
func (d Document) Column(ctx context.Context, pos geom.ColumnPos) (*voxel.Column, error) {
	c := cursor.New(d, "column")
	streams := make([][]byte, numColumnStreams)
	for i := range streams {
		streams[i] = c.Bytes(c.Size())
	}
	if err := c.End(); err != nil {
		return nil, err
	}
	page, err := Decode(ctx, Plain, streams, []geom.ColumnPos{pos}, nil)
	if err != nil {
		return nil, err
	}
	return &page.columns[0], nil
}

// DocumentOfList returns the document of a list of a column.
func DocumentOfList(pos geom.ColumnPos, objects []voxel.Object) (d Document) {
	min := pos.Min(0)
	for i := range objects {
		o := &objects[i]
		if d = append(d, byte(o.Place)); o.Place != voxel.Nowhere {
			at := o.At.Sub(min)
			for _, v := range []int{at.X, at.Y, at.Z} {
				d = binary.AppendVarint(d, int64(v))
			}
		}
		d = append(binary.AppendUvarint(d, uint64(len(o.Payload))), o.Payload...)
	}
	return d
}

// List returns the list of the column at a position.
func (d Document) List(ctx context.Context, pos geom.ColumnPos) (objects []voxel.Object, err error) {
	c := cursor.New(d, "list")
	for c.Left() > 0 {
		if n := len(objects); n%objectsAtOnce == 0 && ctx.Err() != nil || n == maxColumnObjects {
			c.Fail(fmt.Errorf("%d objects", n))
			break
		}
		o := voxel.Object{Place: voxel.Place(c.Byte())}
		if o.Place > voxel.Moved {
			c.Fail(fmt.Errorf("place %d", o.Place))
		}
		if o.Place != voxel.Nowhere {
			o.At = pos.Min(0).Add(geom.Point{X: c.Int(), Y: c.Int(), Z: c.Int()})
		}
		o.Payload = c.Bytes(c.Size())
		objects = append(objects, o)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return objects, c.End()
}

// Apply returns what a patch makes of the document.
func (d Document) Apply(p *patch.Patch) (Document, error) { return p.Apply(d, pages.MaxPage) }

// AddPatches returns candidates for a page of which some things are patches; nil stands for those that
// the candidates have.
func AddPatches(candidates []pages.Page, all []*patch.Patch) []pages.Page {
	if !slices.ContainsFunc(all, func(p *patch.Patch) bool { return p != nil }) {
		return candidates
	}
	streams := patch.Streams(all)
	if !slices.Contains(all, nil) {
		return []pages.Page{{Form: Plain | Deltas, Streams: streams}}
	}
	for i, c := range candidates {
		candidates[i] = pages.Page{Form: c.Form | Deltas, Streams: slices.Concat(streams, c.Streams)}
	}
	return candidates
}

// takePatches takes the patches off a page of n things: nil of things that are whole, and the form and streams of these, none if there
// are none.
func takePatches(ctx context.Context, form byte, streams [][]byte, n int) (all []*patch.Patch, _ byte, _ [][]byte, err error) {
	if form != Plain|Deltas && form != Tags|Deltas {
		return make([]*patch.Patch, n), form, streams, nil
	}
	if all, streams, err = patch.Decode(ctx, streams, n); err != nil {
		return nil, 0, nil, err
	}
	if slices.Contains(all, nil) == (len(streams) == 0) {
		return nil, 0, nil, corruptf("delta", "%d streams for what is whole", len(streams))
	}
	return all, form &^ Deltas, streams, nil
}

// patchMemory is about how much memory patches take.
func patchMemory(all []*patch.Patch) (n int64) {
	for _, p := range all {
		if n += 8; p != nil {
			n += p.Memory()
		}
	}
	return n
}
