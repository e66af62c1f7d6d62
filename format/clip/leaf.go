package clip

import (
	"io"

	"github.com/cairnvoxel/cairn/internal/format"
)

// WriteOptions say how a clip is written. The zero value is the default.
type WriteOptions struct {
	// Version of the format. Default: the one that the clip was read from, or the newest.
	Version int
}

// Leaf is a format of clips: how its files are detected, read and written.
type Leaf struct {
	Name, Ext string
	Versions  []int
	Detect    func(head []byte) bool
	Read      func(r io.ReaderAt, size int64, o ReadOptions) (*Clip, error)
	Write     func(w io.Writer, c *Clip, o WriteOptions) (lost map[string]int, err error)
	// Beside says that Write takes Clip.Beside.
	Beside bool
}

// Kind returns the leaf as a format of worlds. A file becomes a world whose least corner lies
// at 0,0,0. A world becomes the clip of its box with blocks, or of the box that it was read
// from if that is larger.
func (l Leaf) Kind() format.Kind {
	return format.Kind{
		Name: l.Name, Ext: l.Ext, Versions: l.Versions, Single: true, Piece: true, Detect: l.Detect,
		Open: func(r io.ReaderAt, size int64, o format.ReadOptions) (format.Source, error) {
			c, err := l.Read(r, size, ReadOptions{MaxBytes: o.MaxBytes, Palette: o.Palette})
			if err != nil {
				return nil, err
			}
			return c.Source(), nil
		},
		Create: func(w io.Writer, o format.WriteOptions) (format.Writer, error) {
			return &writer{Collector: NewCollector(nil), out: w, leaf: l, o: o}, nil
		},
	}
}

// writer is a Collector that writes a file when it is closed.
type writer struct {
	*Collector
	out  io.Writer
	leaf Leaf
	o    format.WriteOptions
	lost map[string]int
}

func (w *writer) Lost() map[string]int { return w.lost }

func (w *writer) Abort() error { return nil }

func (w *writer) Close() error {
	c, err := w.Clip()
	if err != nil {
		return err
	}
	if c.Version == 0 {
		c.Version = w.o.DataVersion
	}
	if c.Format == "" && w.o.Version == 0 && w.o.Head.Format == w.leaf.Name {
		w.o.Version = w.o.Head.Version // of the file that the clip is a piece of
	}
	if w.lost, err = w.leaf.Write(w.out, c, WriteOptions{Version: w.o.Version}); err != nil {
		return err
	}
	for name, n := range c.Lost {
		lose(w.lost, name, n)
	}
	if !w.leaf.Beside {
		for name := range c.Beside {
			lose(w.lost, "volume "+name, 1)
		}
	}
	return nil
}

// ReadOptions say how a file is read. The zero value is the default.
type ReadOptions struct {
	// MaxBytes bounds the memory of the clip; the file may have 16 times as many bytes when
	// inflated. Default: 4 GiB of memory, and any number of bytes.
	MaxBytes int64
	// Palette is the number, from 0, of the palette that is shown of a structure with several.
	Palette int
}
