package port

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"slices"

	"github.com/cairnvoxel/cairn/convert"
	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/world"
)

// Version is a version of a world that is kept.
type Version struct {
	Store history.Store
	Name  string
	At    history.ID
}

func (v Version) open(ctx context.Context) (*world.World, error) {
	return world.OpenAt(ctx, v.Store, v.Name, v.At, world.Options{})
}

// Write writes the version as one stone.
func (v Version) Write(ctx context.Context, to io.Writer) error {
	w, err := v.open(ctx)
	if err != nil {
		return err
	}
	_, err = w.WriteStone(ctx, to, stone.Options{Effort: stone.Quick})
	return errors.Join(err, w.Close())
}

// Load reads all of the version. If that takes more than maxBytes of memory it is
// convert.ErrTooLarge, found out before most of it is taken; 0 is no bound.
func (v Version) Load(ctx context.Context, maxBytes int64) (*convert.World, error) {
	if err := v.weigh(ctx, maxBytes); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := v.Write(ctx, &b); err != nil {
		return nil, err
	}
	r, err := stone.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		return nil, err
	}
	return convert.FromContentWithin(ctx, r, maxBytes)
}

// indexBytes is about what opening a world takes for each chunk, column and file
// that its stones speak of. A few bytes speak of millions.
const indexBytes = 128

// Indexed returns about how much memory it takes to open the version, before
// anything of it is loaded. It does not count on above most.
func (v Version) Indexed(ctx context.Context, most int64) (n int64, err error) {
	if v.At == (history.ID{}) {
		return 0, nil // a world without commits
	}
	layers, err := v.Store.Stack(ctx, v.Name, v.At)
	for i := 0; i < len(layers) && err == nil && n <= most; i++ {
		var o *history.Opened
		if o, err = v.Store.Open(ctx, v.Name, layers[i].Stone.ID); err == nil {
			n += IndexBytes(o.Reader, most-n)
			err = o.Close()
		}
	}
	return n, err
}

// IndexBytes returns what a stone takes of Indexed. It does not count on above most.
func IndexBytes(r *stone.Reader, most int64) int64 {
	return indexBytes * int64(spoken(r, int(most/indexBytes)))
}

// spoken returns how many chunks, columns and files a stone speaks of, from its
// directory alone.
func spoken(r *stone.Reader, most int) (n int) {
	for _, d := range r.Dimensions() {
		for _, v := range d.Volumes {
			for _, level := range v.Levels {
				n += count(r.Spoken(d.Name, v.Volume.Name, level), most-n)
			}
		}
		n += count(r.SpokenColumns(d.Name), most-n)
		for _, list := range d.Lists {
			for range r.SpokenLists(d.Name, list) {
				if n++; n > most {
					break
				}
			}
		}
	}
	return n + count(r.SpokenFiles(), most-n)
}

// count returns the length of all, more than most if that is more.
func count[K, V any](all iter.Seq2[K, V], most int) (n int) {
	for range all {
		if n++; n > most {
			break
		}
	}
	return n
}

// weigh fails if the stones of the version hold more than maxBytes.
func (v Version) weigh(ctx context.Context, maxBytes int64) error {
	if maxBytes <= 0 {
		return nil
	}
	layers, err := v.Store.Stack(ctx, v.Name, v.At)
	if err != nil {
		return err
	}
	return v.weighLayers(ctx, layers, maxBytes, payloads)
}

// weighLayers fails if the cells and columns of stones take more than left, and
// what more says of each beside them.
func (v Version) weighLayers(ctx context.Context, layers []history.Layer, left int64, more func(*stone.Reader) (int64, error)) error {
	for _, l := range layers {
		o, err := v.Store.Open(ctx, v.Name, l.Stone.ID)
		if err != nil {
			return err
		}
		weight := most(o.Reader)
		if weight > left {
			weight, err = exact(ctx, o.Reader, left)
		}
		if left -= weight; err == nil {
			weight, err = more(o.Reader)
		}
		if err = errors.Join(err, o.Close()); err != nil {
			return err
		}
		if left -= weight; left < 0 {
			return convert.ErrTooLarge
		}
	}
	return nil
}

// payloads returns how many bytes of columns and objects a stone unpacks to.
func payloads(r *stone.Reader) (n int64, err error) {
	pages, err := r.Pages()
	for _, p := range pages {
		if p.Holds != "columns" && p.Holds != "objects" {
			continue
		}
		for _, s := range p.Streams {
			n += int64(s.Plain) * int64(p.Uses)
		}
	}
	return n, err
}

// nothing is what a reader of cells takes of columns.
func nothing(*stone.Reader) (int64, error) { return 0, nil }

// mostColumn is more than columns take of which nothing is odd.
const mostColumn = 16 << 10

// most returns what a stone may take in memory, from its directory alone, if its
// columns are like those of games.
func most(r *stone.Reader) (n int64) {
	for _, d := range r.Dimensions() {
		for _, v := range d.Volumes {
			for range r.Spoken(d.Name, v.Volume.Name, 0) {
				n += 2 * voxel.ChunkCells
			}
		}
		for range r.SpokenColumns(d.Name) {
			n += mostColumn
		}
	}
	return n + r.Size()
}

// exact returns what a stone takes in memory, if it is not more than most.
func exact(ctx context.Context, r *stone.Reader, most int64) (n int64, err error) {
	for _, d := range r.Dimensions() {
		for _, v := range d.Volumes {
			for p, err := range r.Chunks(ctx, d.Name, v.Volume.Name, 0) {
				if err = errors.Join(err, ctx.Err()); err != nil {
					return n, err
				}
				if p.Chunk != nil {
					n += int64(p.Chunk.Bytes())
				}
				if n += indexBytes; n > most {
					return n, convert.ErrTooLarge
				}
			}
		}
		for range r.SpokenColumns(d.Name) {
			n += mostColumn
		}
	}
	if n += r.Size(); n > most {
		err = convert.ErrTooLarge
	}
	return n, err
}

// weighFar is weigh for reading a level of a volume that a full pack may have: then
// what lies below the pack is not read.
func (v Version) weighFar(ctx context.Context, dimension, volume string, level int, maxBytes int64) error {
	layers, err := v.Store.Stack(ctx, v.Name, v.At)
	if err != nil || len(layers) == 0 {
		return err
	}
	o, err := v.Store.Open(ctx, v.Name, layers[0].Stone.ID)
	if err != nil {
		return err
	}
	if hasLevel(o.Reader, dimension, volume, level) {
		layers = layers[1:]
	}
	return errors.Join(v.weighLayers(ctx, layers, maxBytes, nothing), o.Close())
}

func hasLevel(r *stone.Reader, dimension, volume string, level int) bool {
	for _, d := range r.Dimensions() {
		for _, v := range d.Volumes {
			if d.Name == dimension && v.Volume.Name == volume {
				return slices.Contains(v.Levels, level)
			}
		}
	}
	return false
}
