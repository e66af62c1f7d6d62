package hytale

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// reader reads big-endian numbers of a binary field. After an error, which sticks, it returns zeros.
type reader struct {
	b    []byte
	off  int
	at   int // of b in its document
	part string
	err  error
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = corrupt(r.at+r.off, r.part, err)
	}
}

func (r *reader) bytes(n int) []byte {
	if r.err == nil && n > len(r.b)-r.off {
		r.fail(io.ErrUnexpectedEOF)
	}
	if r.err != nil {
		return nil
	}
	r.off += n
	return r.b[r.off-n : r.off : r.off]
}

func (r *reader) u8() int {
	if b := r.bytes(1); b != nil {
		return int(b[0])
	}
	return 0
}

func (r *reader) u16() int {
	if b := r.bytes(2); b != nil {
		return int(binary.BigEndian.Uint16(b))
	}
	return 0
}

func (r *reader) u32() int {
	if b := r.bytes(4); b != nil {
		return int(binary.BigEndian.Uint32(b))
	}
	return 0
}

// flag reads a byte that is 0 or 1.
func (r *reader) flag() bool {
	v := r.u8()
	if v > 1 {
		r.off--
		r.fail(fmt.Errorf("a flag of %d", v))
	}
	return v == 1
}

// end reports what is wrong, also if bytes are left.
func (r *reader) end() error {
	if r.err == nil && r.off != len(r.b) {
		r.fail(errors.New("bytes behind the end"))
	}
	return r.err
}
