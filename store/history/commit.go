package history

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cairnvoxel/cairn/stone"
)

// ID names a commit: the SHA-256 of its bytes. The zero ID names no commit.
type ID [sha256.Size]byte

func (id ID) String() string { return hex.EncodeToString(id[:]) }

// ParseID is the inverse of String.
func ParseID(s string) (ID, error) {
	var id ID
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(id) {
		return id, fmt.Errorf("history: commit %q: want %d hex digits", s, 2*len(id))
	}
	return ID(b), nil
}

// StoneRef is a stone's name and size.
type StoneRef struct {
	ID   stone.ID
	Size int64
}

// Commit is one version of a world.
type Commit struct {
	Parent ID // the previous head; zero for the first commit
	// Base is the commit whose stack is below Stones: the parent, or the commit
	// that was restored, or zero if nothing is below.
	Base    ID
	Number  uint64     // 1 for the first commit; a fork continues the count
	Time    time.Time  // UTC, in milliseconds, never below the parent's
	Author  string     // at most MaxAuthor bytes
	Message string     // at most MaxMessage bytes
	Stones  []StoneRef // added by this commit, bottom first
	// Call is a number that the caller of Commit chose by chance, or 0. It tells equal
	// saves of several callers apart, so that a caller whose answer was lost can find
	// out whether the commit is its own.
	Call uint64
}

// Bounds of a commit.
const (
	MaxAuthor  = 256
	MaxMessage = 1 << 16
	MaxStones  = 256
)

// The versions of the format: one without a Call, and one with it.
const (
	plainVersion  = 1
	calledVersion = 2
)

// Append appends the commit's canonical bytes to dst. FORMAT.md describes them.
func (c Commit) Append(dst []byte) []byte {
	dst = slices.Grow(dst, 128+len(c.Author)+len(c.Message)+40*len(c.Stones))
	version := byte(plainVersion)
	if c.Call != 0 {
		version = calledVersion
	}
	dst = append(dst, version)
	dst = append(dst, c.Parent[:]...)
	dst = append(dst, c.Base[:]...)
	dst = binary.AppendUvarint(dst, c.Number)
	dst = binary.AppendVarint(dst, c.Time.UnixMilli())
	for _, s := range []string{c.Author, c.Message} {
		dst = binary.AppendUvarint(dst, uint64(len(s)))
		dst = append(dst, s...)
	}
	dst = binary.AppendUvarint(dst, uint64(len(c.Stones)))
	for _, s := range c.Stones {
		dst = append(dst, s.ID[:]...)
		dst = binary.AppendUvarint(dst, uint64(s.Size))
	}
	if c.Call != 0 {
		dst = binary.LittleEndian.AppendUint64(dst, c.Call)
	}
	return dst
}

// ID returns the hash that names the commit, and the zero ID of the zero Commit, which is none.
func (c Commit) ID() ID {
	if c.Number == 0 && c.Time.IsZero() && c.Parent == (ID{}) && c.Base == (ID{}) && len(c.Stones) == 0 && c.Author+c.Message == "" && c.Call == 0 {
		return ID{}
	}
	return sha256.Sum256(c.Append(nil))
}

// Check returns an error if the commit is beyond the bounds.
func (c Commit) Check() error {
	switch {
	case len(c.Author) > MaxAuthor:
		return fmt.Errorf("history: commit: author of %d bytes: at most %d", len(c.Author), MaxAuthor)
	case len(c.Message) > MaxMessage:
		return fmt.Errorf("history: commit: message of %d bytes: at most %d", len(c.Message), MaxMessage)
	case len(c.Stones) > MaxStones:
		return fmt.Errorf("history: commit: %d stones: at most %d", len(c.Stones), MaxStones)
	}
	return nil
}

// ParseCommit is the inverse of Append. It accepts only bytes that Append writes,
// so a commit has one name. Its errors are *stone.CorruptError.
func ParseCommit(b []byte) (Commit, error) {
	p := commitParser{rest: b, size: len(b)}
	var c Commit
	called := false
	if v := p.bytes(1, "version"); len(v) == 1 {
		if called = v[0] == calledVersion; !called && v[0] != plainVersion {
			p.fail("version", fmt.Errorf("%d: want %d or %d", v[0], plainVersion, calledVersion))
		}
	}
	copy(c.Parent[:], p.bytes(len(c.Parent), "parent"))
	copy(c.Base[:], p.bytes(len(c.Base), "base"))
	c.Number = p.uvarint("number")
	c.Time = time.UnixMilli(p.varint("time")).UTC()
	c.Author = string(p.bytes(p.count(MaxAuthor, "author"), "author"))
	c.Message = string(p.bytes(p.count(MaxMessage, "message"), "message"))
	for n := p.count(MaxStones, "stones"); n > 0 && p.err == nil; n-- {
		var s StoneRef
		copy(s.ID[:], p.bytes(len(s.ID), "stone"))
		s.Size = int64(p.uvarint("stone size"))
		c.Stones = append(c.Stones, s)
	}
	if called {
		if b := p.bytes(8, "call"); b != nil {
			c.Call = binary.LittleEndian.Uint64(b)
		}
	}
	if len(p.rest) > 0 {
		p.fail("end", fmt.Errorf("%d bytes too many", len(p.rest)))
	}
	if p.err == nil && string(c.Append(nil)) != string(b) {
		p.rest = b
		p.fail("commit", errors.New("not in its shortest form"))
	}
	if p.err != nil {
		return Commit{}, p.err
	}
	return c, nil
}

// commitParser reads fields. After an error it returns zeros.
type commitParser struct {
	rest []byte
	size int
	err  error
}

func (p *commitParser) fail(part string, err error) {
	if p.err == nil {
		p.err = &stone.CorruptError{Offset: int64(p.size - len(p.rest)), Part: part, Err: err}
		p.rest = nil
	}
}

var errShort = errors.New("cut short")

func (p *commitParser) bytes(n int, part string) []byte {
	if n > len(p.rest) {
		p.fail(part, errShort)
		return nil
	}
	b := p.rest[:n]
	p.rest = p.rest[n:]
	return b
}

func (p *commitParser) uvarint(part string) uint64 {
	v, n := binary.Uvarint(p.rest)
	if n <= 0 {
		p.fail(part, errShort)
		return 0
	}
	p.rest = p.rest[n:]
	return v
}

func (p *commitParser) varint(part string) int64 {
	v := p.uvarint(part)
	return int64(v>>1) ^ -int64(v&1)
}

func (p *commitParser) count(limit uint64, part string) int {
	n := p.uvarint(part)
	if n > limit {
		p.fail(part, fmt.Errorf("%d: at most %d", n, limit))
		return 0
	}
	return int(n)
}
