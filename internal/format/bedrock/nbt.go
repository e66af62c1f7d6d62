package bedrock

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
)

const maxDepth = 512 // of tags in each other, as in package nbt

// little turns NBT of Bedrock on disk, which is little-endian and has UTF-8, into that of Java.
type little struct {
	b     []byte
	at    int
	dst   []byte
	depth int
}

// eachCompound calls take with the payload of each of the compounds that follow each other.
func eachCompound(b []byte, part string, take func(payload []byte) error) error {
	l := little{b: b}
	for l.at < len(b) {
		payload, err := l.compound()
		if err == nil {
			err = take(payload)
		}
		if err != nil {
			return corrupt(l.at, part, err)
		}
	}
	return nil
}

var errNamed = errors.New("a root that is no compound without a name")

// compound reads a compound with a root of no name and returns its payload.
func (l *little) compound() ([]byte, error) {
	if len(l.b)-l.at < 3 {
		return nil, io.ErrUnexpectedEOF
	}
	if l.b[l.at] != byte(nbt.Compound) || l.b[l.at+1]|l.b[l.at+2] != 0 {
		return nil, errNamed
	}
	l.at, l.dst = l.at+3, nil
	err := l.payload(nbt.Compound)
	return l.dst, err
}

func (l *little) take(n int) ([]byte, error) {
	if n > len(l.b)-l.at {
		return nil, io.ErrUnexpectedEOF
	}
	l.at += n
	return l.b[l.at-n : l.at], nil
}

// number copies a number of that many bytes, and returns the lowest 32 bits.
func (l *little) number(size int) (int, error) {
	b, err := l.take(size)
	if err != nil {
		return 0, err
	}
	v := 0
	for i := range b {
		l.dst = append(l.dst, b[size-1-i])
		if i < 4 {
			v |= int(b[i]) << (8 * i)
		}
	}
	return int(int32(v)), nil
}

func (l *little) text() error {
	b, err := l.take(2)
	if err == nil {
		b, err = l.take(int(binary.LittleEndian.Uint16(b)))
	}
	if err != nil {
		return err
	}
	if s := string(b); utf8.ValidString(s) && strings.ContainsFunc(s, func(r rune) bool { return r == 0 || r > math.MaxUint16 }) {
		if len(s)*2 > math.MaxUint16 { // modified UTF-8 needs at most twice the bytes
			return fmt.Errorf("a text of %d bytes that Java's form cannot hold", len(s))
		}
		l.dst = nbt.AppendStringPayload(l.dst, s)
		return nil
	}
	l.dst = append(binary.BigEndian.AppendUint16(l.dst, uint16(len(b))), b...)
	return nil
}

// sizes are the bytes of numbers by type.
var sizes = [...]int{nbt.Byte: 1, nbt.Short: 2, nbt.Int: 4, nbt.Long: 8, nbt.Float: 4, nbt.Double: 8}

func (l *little) payload(t nbt.Type) error {
	if l.depth++; l.depth > maxDepth {
		return fmt.Errorf("more than %d tags in each other", maxDepth)
	}
	defer func() { l.depth-- }()
	switch t {
	case nbt.String:
		return l.text()
	case nbt.Compound:
		return l.entries()
	case nbt.List:
		elem, err := l.number(1)
		if err != nil {
			return err
		}
		return l.many(nbt.Type(elem))
	case nbt.ByteArray:
		return l.many(nbt.Byte)
	case nbt.IntArray:
		return l.many(nbt.Int)
	case nbt.LongArray:
		return l.many(nbt.Long)
	case nbt.Byte, nbt.Short, nbt.Int, nbt.Long, nbt.Float, nbt.Double:
		_, err := l.number(sizes[t])
		return err
	}
	return fmt.Errorf("unknown %v", t)
}

func (l *little) entries() error {
	for {
		t, err := l.number(1)
		if err != nil || nbt.Type(t) == nbt.End {
			return err
		}
		if err := l.text(); err != nil {
			return err
		}
		if err := l.payload(nbt.Type(t)); err != nil {
			return err
		}
	}
}

// many reads a count and so many payloads.
func (l *little) many(t nbt.Type) error {
	n, err := l.number(4)
	if n > len(l.b)-l.at || n > 0 && t == nbt.End || !t.Valid() {
		return fmt.Errorf("%d elements of %v in %d bytes", n, t, len(l.b)-l.at)
	}
	for range max(n, 0) {
		if err != nil {
			return err
		}
		err = l.payload(t)
	}
	return err
}
