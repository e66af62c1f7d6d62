package anviltest

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"testing"
)

// Slot is the data of one chunk in a region file.
type Slot struct {
	Stamp uint32 // time of writing
	Raw   []byte // length, type, payload; nil if there is no chunk
}

// Doc returns the slot's document. It must be of type 2, zlib.
func (s Slot) Doc() ([]byte, error) {
	if len(s.Raw) < 5 || s.Raw[4] != 2 {
		return nil, fmt.Errorf("%d bytes", len(s.Raw))
	}
	r, err := zlib.NewReader(bytes.NewReader(s.Raw[5:]))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// Slots reads the region file of that name, which must be valid. Slot 32z+x is the
// chunk at x, z in the region. Slots without chunk and stamp are left out.
func Slots(t testing.TB, name string) map[int]Slot {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	out := map[int]Slot{}
	if len(b) == 0 {
		return out
	}
	for i := range 1024 {
		at, s := binary.BigEndian.Uint32(b[4*i:]), Slot{Stamp: binary.BigEndian.Uint32(b[4096+4*i:])}
		if at != 0 {
			off := int(at >> 8 * 4096)
			s.Raw = b[off : off+4+int(binary.BigEndian.Uint32(b[off:]))]
		}
		if at != 0 || s.Stamp != 0 {
			out[i] = s
		}
	}
	return out
}
