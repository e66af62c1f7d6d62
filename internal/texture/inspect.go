package texture

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
)

// Stats says what tiles a file has.
type Stats struct {
	Tiles    int   `json:"tiles"`
	Constant int   `json:"constant"` // tiles of one pixel, which take no bytes
	Repeated int   `json:"repeated"` // tiles that are stored already
	Plain    int64 `json:"plain"`    // bytes of all pixels
	Stored   int64 `json:"stored"`   // bytes of the tiles that are neither
}

// place is that of a tile.
type place struct {
	*picture
	level, x, y int
}

// places yields all tiles in the order of the directory.
func (a *Atlas) places() iter.Seq[place] {
	return func(yield func(place) bool) {
		for i := range a.dir.pictures {
			p := &a.dir.pictures[i]
			for l := range p.header.Levels {
				across, down := p.header.Blocks(l)
				for n := range across * down {
					if !yield(place{p, l, n % across, n / across}) {
						return
					}
				}
			}
		}
	}
}

// Stats counts the tiles.
func (a *Atlas) Stats() (s Stats) {
	seen := make([]bool, len(a.starts))
	for t := range a.places() {
		s.Tiles++
		s.Plain += int64(t.shape(t.level, t.x, t.y).bytes())
		switch ref, _ := t.ref(t.level, t.x, t.y); {
		case ref&constant != 0:
			s.Constant++
		case seen[ref]:
			s.Repeated++
		default:
			seen[ref] = true
			s.Stored += a.start(int(ref)+1) - a.start(int(ref))
		}
	}
	return s
}

// Check reads every tile.
func (a *Atlas) Check(ctx context.Context) error {
	var dst []byte
	for t := range a.places() {
		dst = sized(dst, t.shape(t.level, t.x, t.y).bytes())
		if err := t.ReadBlock(t.level, t.x, t.y, dst); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// Dump writes what each tile is and where its bytes lie.
func (a *Atlas) Dump(w io.Writer) error {
	out := bufio.NewWriter(w)
	h, n := &a.dir.header, a.start(len(a.starts)-1)
	fmt.Fprintf(out, "directory at %d: %d bytes, %d images of %q as %v, tiles of %d\n",
		n, a.in.Size-int64(footerBytes)-n, len(a.dir.pictures), h.Channels, h.Type, h.Block.Width)
	for t := range a.places() {
		s := t.shape(t.level, t.x, t.y)
		fmt.Fprintf(out, "image %d level %d tile %d,%d of %d x %d: ", t.number, t.level, t.x, t.y, s.Width, s.Height)
		if pixel, ok := t.Constant(t.level, t.x, t.y); ok {
			fmt.Fprintf(out, "pixels %x\n", pixel)
			continue
		}
		ref, _ := t.ref(t.level, t.x, t.y)
		b, err := a.stored(nil, int(ref))
		if err != nil {
			return fmt.Errorf("texture: %w", err)
		}
		fmt.Fprintf(out, "at %d: %d bytes for %d, %v\n", a.start(int(ref)), len(b)+sumBytes, s.bytes(), head(b[0]))
	}
	return out.Flush()
}

func (h head) String() string {
	s := [...]string{"pixels", "huffman", "zipped", ""}[h&how]
	if h&ranked != 0 {
		s += ", ranked"
	}
	if h&folded != 0 {
		s += ", folded"
	}
	return s
}
