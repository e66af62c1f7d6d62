package tiff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/raster"
)

// input is a file with its byte order.
type input struct {
	raster.Input
	bigEndian bool
	big       bool // BigTIFF
}

// newInput reads what a file begins with, which says where the first directory is.
func newInput(in raster.Input) (r input, first int64, err error) {
	r.Input = in
	b, err := r.Bytes(nil, "header", 0, 8)
	if err != nil {
		return r, 0, err
	}
	r.bigEndian = b[0] == 'M'
	switch begin := string(b); {
	case begin[:4] == "II*\x00" || begin[:4] == "MM\x00*":
		return r, int64(r.number(b[4:])), nil
	case begin == "II+\x00\x08\x00\x00\x00" || begin == "MM\x00+\x00\x08\x00\x00":
		r.big = true
		if b, err = r.Bytes(b, "header", 8, 8); err != nil {
			return r, 0, err
		}
		return r, int64(r.number(b)), nil
	}
	return r, 0, &cursor.CorruptError{Part: "header", Err: fmt.Errorf("it begins with %q", b)}
}

// number reads a number, which is all of b.
func (r *input) number(b []byte) (n uint64) {
	for i := range b {
		if !r.bigEndian {
			i = len(b) - 1 - i
		}
		n = n<<8 | uint64(b[i])
	}
	return n
}

// A directory has the tags of one picture.
type directory struct {
	*input
	at   int64
	tags map[uint16]values
	next int64 // 0 at the last
}

// values says where the values of a tag are.
type values struct {
	kind  uint16
	count uint64
	at    int64
}

// kinds has the size of the kinds of values that are read: bytes, texts, numbers, offsets.
var kinds = map[uint16]int64{1: 1, 2: 1, 3: 2, 4: 4, 13: 4, 16: 8, 18: 8}

func (r *input) directory(at int64) (*directory, error) {
	head, entry, link := int64(2), int64(12), int64(4)
	if r.big {
		head, entry, link = 8, 20, 8
	}
	b, err := r.Bytes(nil, "directory", at, head)
	if err != nil {
		return nil, err
	}
	n := int64(min(r.number(b), 1<<16))
	if b, err = r.Bytes(nil, "directory", at+head, n*entry+link); err != nil {
		return nil, err
	}
	d := &directory{input: r, at: at, tags: make(map[uint16]values, n), next: int64(r.number(b[n*entry:]))}
	for i := range n {
		e := b[i*entry:][:entry]
		v := values{uint16(r.number(e[2:4])), r.number(e[4 : 4+link]), at + head + i*entry + 4 + link}
		if int64(v.count)*kinds[v.kind] > link {
			v.at = int64(r.number(e[4+link:]))
		}
		d.tags[uint16(r.number(e[:2]))] = v
	}
	return d, nil
}

// fault returns the error of a tag.
func (d *directory) fault(tag uint16, format string, args ...any) error {
	return &cursor.CorruptError{Offset: d.at, Part: fmt.Sprintf("tag %d", tag), Err: fmt.Errorf(format, args...)}
}

// numbers returns the first n values of a tag, which has at least as many.
func (d *directory) numbers(tag uint16, n int64) ([]uint64, error) {
	v := d.tags[tag]
	size := kinds[v.kind]
	if int64(v.count) < n || size == 0 || v.kind == 2 {
		return nil, d.fault(tag, "%d values of kind %d: want %d numbers", v.count, v.kind, n)
	}
	b, err := d.Bytes(nil, fmt.Sprintf("tag %d", tag), v.at, n*size)
	if err != nil {
		return nil, err
	}
	all := make([]uint64, n)
	for i := range all {
		all[i] = d.number(b[int64(i)*size:][:size])
	}
	return all, nil
}

// one returns the value of a tag, of which each sample of a pixel may have one, but all the same.
// missing is the value if the directory lacks it.
func (d *directory) one(tag uint16, samples, missing int) (int, error) {
	v, ok := d.tags[tag]
	if !ok {
		return missing, nil
	}
	all, err := d.numbers(tag, max(1, min(int64(v.count), int64(samples))))
	if err != nil {
		return 0, err
	}
	if slices.Max(all) != slices.Min(all) {
		return 0, fmt.Errorf("%w: samples with different values of tag %d", raster.ErrUnsupported, tag)
	}
	return int(min(all[0], 1<<32)), nil // the greatest stands for all greater ones
}

// text returns the text of a tag, "" if the directory lacks it.
func (d *directory) text(tag uint16) (string, error) {
	v := d.tags[tag]
	if v.kind != 2 {
		return "", nil
	}
	b, err := d.Bytes(nil, fmt.Sprintf("tag %d", tag), v.at, int64(min(v.count, 256)))
	text, _, _ := strings.Cut(string(b), "\x00")
	return text, err
}
