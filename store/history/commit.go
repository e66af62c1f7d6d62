package history

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cairnvoxel/cairn/internal/cursor"
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
	// IdempotencyKey is a random number of the caller of Commit, or 0. It tells equal
	// saves of several callers apart, so that a caller whose answer was lost can find
	// out whether the commit is its own.
	IdempotencyKey uint64
}

// Bounds of a commit.
const (
	MaxAuthor  = 256
	MaxMessage = 1 << 16
	MaxStones  = 256
)

// The versions of the format: one without an idempotency key, and one with it.
const (
	plainVersion = 1
	keyedVersion = 2
)

// Append appends the commit's canonical bytes to dst. FORMAT.md describes them.
func (c Commit) Append(dst []byte) []byte {
	dst = slices.Grow(dst, 128+len(c.Author)+len(c.Message)+40*len(c.Stones))
	version := byte(plainVersion)
	if c.IdempotencyKey != 0 {
		version = keyedVersion
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
	if c.IdempotencyKey != 0 {
		dst = binary.LittleEndian.AppendUint64(dst, c.IdempotencyKey)
	}
	return dst
}

// ID returns the hash that names the commit, and the zero ID of the zero Commit, which is none.
func (c Commit) ID() ID {
	if c.Number == 0 && c.Time.IsZero() && c.Parent == (ID{}) && c.Base == (ID{}) && len(c.Stones) == 0 && c.Author+c.Message == "" && c.IdempotencyKey == 0 {
		return ID{}
	}
	var most [512]byte // of nearly all commits
	return sha256.Sum256(c.Append(most[:0]))
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
	p := cursor.New(b, "commit")
	var c Commit
	version := p.Byte()
	if version != plainVersion && version != keyedVersion {
		p.Fail(fmt.Errorf("version %d: want %d or %d", version, plainVersion, keyedVersion))
	}
	copy(c.Parent[:], p.Bytes(len(c.Parent)))
	copy(c.Base[:], p.Bytes(len(c.Base)))
	c.Number = p.Uvarint()
	c.Time = time.UnixMilli(p.Varint()).UTC()
	c.Author = string(p.Bytes(p.AtMost(MaxAuthor)))
	c.Message = string(p.Bytes(p.AtMost(MaxMessage)))
	for n := p.AtMost(MaxStones); n > 0 && p.Err() == nil; n-- {
		var s StoneRef
		copy(s.ID[:], p.Bytes(len(s.ID)))
		s.Size = int64(p.Uvarint())
		c.Stones = append(c.Stones, s)
	}
	if version == keyedVersion {
		c.IdempotencyKey = p.Uint64()
	}
	err := p.End()
	if err == nil && string(c.Append(nil)) != string(b) {
		err = &stone.CorruptError{Part: "commit", Err: errors.New("not in its shortest form")}
	}
	if err != nil {
		return Commit{}, err
	}
	return c, nil
}
