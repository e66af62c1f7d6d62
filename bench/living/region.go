package living

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

const sectorBytes = 4096

// regionFile is a region file as the game keeps it: each write takes new sectors, the first that are free,
// and the old bytes stay behind as garbage.
type regionFile struct {
	path   string
	data   []byte
	used   []bool
	change bool
}

func openRegion(path string) (*regionFile, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(data) < 2*sectorBytes {
		return nil, fmt.Errorf("%s: %d bytes", path, len(data))
	}
	r := &regionFile{path: path, data: data, used: []bool{true, true}}
	for i := range 1024 {
		if at, n := r.place(i); n > 0 {
			r.mark(at, n, true)
		}
	}
	return r, nil
}

func (r *regionFile) place(slot int) (at, n int) {
	v := binary.BigEndian.Uint32(r.data[4*slot:])
	return int(v >> 8), int(v & 255)
}

func (r *regionFile) stamp(slot int) uint32 {
	return binary.BigEndian.Uint32(r.data[sectorBytes+4*slot:])
}

func (r *regionFile) mark(at, n int, used bool) {
	for len(r.used) < at+n {
		r.used = append(r.used, false)
	}
	for i := range n {
		r.used[at+i] = used
	}
}

// get returns the tags of a slot, nil if there is no chunk.
func (r *regionFile) get(slot int) ([]byte, error) {
	at, n := r.place(slot)
	if n == 0 {
		return nil, nil
	}
	b := r.data[at*sectorBytes:]
	size := int(binary.BigEndian.Uint32(b))
	payload := b[5 : 4+size]
	var in io.Reader = bytes.NewReader(payload)
	var err error
	switch b[4] {
	case 1:
		in, err = gzip.NewReader(in)
	case 2:
		in, err = zlib.NewReader(in)
	case 3:
	default:
		err = fmt.Errorf("%s: slot %d: compression %d", r.path, slot, b[4])
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(in)
}

func (r *regionFile) put(slot int, doc []byte, stamp uint32) {
	var z bytes.Buffer
	z.Write(make([]byte, 5))
	w, _ := zlib.NewWriterLevel(&z, 6)
	_, _ = w.Write(doc) // to memory
	_ = w.Close()
	b := z.Bytes()
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	b[4] = 2
	n := (len(b) + sectorBytes - 1) / sectorBytes
	at, free := 0, 0
	for at = 2; free < n; at++ {
		if at < len(r.used) && r.used[at] {
			free = 0
		} else {
			free++
		}
	}
	at -= n
	old, oldN := r.place(slot)
	r.mark(at, n, true)
	if end := (at + n) * sectorBytes; len(r.data) < end {
		r.data = append(r.data, make([]byte, end-len(r.data))...)
	}
	copy(r.data[at*sectorBytes:], b)
	binary.BigEndian.PutUint32(r.data[4*slot:], uint32(at<<8|n))
	binary.BigEndian.PutUint32(r.data[sectorBytes+4*slot:], stamp)
	if oldN > 0 {
		r.mark(old, oldN, false)
	}
	r.change = true
}

func (r *regionFile) close() error {
	if !r.change {
		return nil
	}
	return os.WriteFile(r.path, r.data, 0o644)
}

// regions keeps the region files of a folder open.
type regions struct {
	dir  string
	open map[string]*regionFile
}

// at returns the region file of a column and the column's slot; no file if there is none.
func (r *regions) at(c column) (*regionFile, int, error) {
	name := fmt.Sprintf("%s/r.%d.%d.mca", r.dir, c.x>>5, c.z>>5)
	slot := (c.z&31)<<5 | c.x&31
	if f, ok := r.open[name]; ok {
		return f, slot, nil
	}
	info, err := os.Stat(name)
	if errors.Is(err, os.ErrNotExist) || err == nil && info.Size() < 2*sectorBytes {
		return nil, slot, nil
	}
	if err != nil {
		return nil, slot, err
	}
	f, err := openRegion(name)
	if err == nil {
		r.open[name] = f
	}
	return f, slot, err
}

func (r *regions) close() error {
	var errs []error
	for _, f := range r.open {
		errs = append(errs, f.close())
	}
	return errors.Join(errs...)
}
