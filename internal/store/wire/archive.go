package wire

import (
	"encoding/binary"
	"fmt"
	"io"
	"time"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// The calls of POST /v1/archives. Package internal/server/archives answers them.
const (
	DoIdentity = "identity"
	DoOutlines = "outlines"
	DoArchive  = "archive"
	DoStone    = "stone"
	DoLacks    = "lacks"
	DoGive     = "give"
	DoAdopt    = "adopt"
)

// Bounds of the records of POST /v1/archives.
const (
	MaxArchive = 64 << 20
	MaxPiece   = 8 << 20 // bytes of a stone in one answer
	MaxOutline = outlineBytes + history.MaxParts*(history.MaxPart+1)
)

const outlineBytes = 8 + 8 + 8 + 32 + 16

// AppendOutline appends the record of an outline.
func AppendOutline(dst []byte, m history.Outline) []byte {
	dst = binary.BigEndian.AppendUint64(dst, m.World)
	deleted := int64(0)
	if !m.Deleted.IsZero() {
		deleted = m.Deleted.UnixMilli()
	}
	dst = binary.BigEndian.AppendUint64(dst, uint64(deleted))
	dst = binary.BigEndian.AppendUint64(dst, m.Head.Fence)
	return append(append(append(dst, m.Head.Commit[:]...), m.Sum[:]...), m.Name...)
}

// ParseOutline is the inverse of AppendOutline.
func ParseOutline(b []byte) (m history.Outline, err error) {
	if len(b) < outlineBytes {
		return m, &stone.CorruptError{Part: "outline", Err: io.ErrUnexpectedEOF}
	}
	m.World = binary.BigEndian.Uint64(b)
	if deleted := int64(binary.BigEndian.Uint64(b[8:])); deleted != 0 {
		m.Deleted = time.UnixMilli(deleted).UTC()
	}
	m.Head.Fence = binary.BigEndian.Uint64(b[16:])
	copy(m.Head.Commit[:], b[24:])
	copy(m.Sum[:], b[56:])
	m.Name = string(b[outlineBytes:])
	if err := history.CheckName(m.Name); err != nil {
		return m, &stone.CorruptError{Part: "outline", Err: err}
	}
	return m, nil
}

const refBytes = 32 + 8

// AppendRefs appends the record of names of stones.
func AppendRefs(dst []byte, refs []history.StoneRef) []byte {
	for _, r := range refs {
		dst = binary.BigEndian.AppendUint64(append(dst, r.ID[:]...), uint64(r.Size))
	}
	return dst
}

// ParseRefs is the inverse of AppendRefs.
func ParseRefs(b []byte) (refs []history.StoneRef, err error) {
	if len(b)%refBytes != 0 {
		return nil, &stone.CorruptError{Part: "stones", Err: io.ErrUnexpectedEOF}
	}
	for ; len(b) > 0; b = b[refBytes:] {
		refs = append(refs, history.StoneRef{ID: stone.ID(b[:32]), Size: int64(binary.BigEndian.Uint64(b[32:]))})
	}
	return refs, nil
}

// Piece is a part of a stone that POST /v1/archives?do=stone asks for.
type Piece struct {
	ID     stone.ID
	Off, N int64
}

// Append appends the record of the Piece.
func (p Piece) Append(dst []byte) []byte {
	dst = append(dst, p.ID[:]...)
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(dst, uint64(p.Off)), uint64(p.N))
}

// ParsePiece is the inverse of Append.
func ParsePiece(b []byte) (p Piece, err error) {
	if len(b) != 48 {
		return p, &stone.CorruptError{Part: "piece", Err: fmt.Errorf("%d bytes", len(b))}
	}
	p.ID, p.Off, p.N = stone.ID(b[:32]), int64(binary.BigEndian.Uint64(b[32:])), int64(binary.BigEndian.Uint64(b[40:]))
	return p, nil
}

// AppendHead appends the record of a head.
func AppendHead(dst []byte, h history.Head) []byte {
	return binary.BigEndian.AppendUint64(append(dst, h.Commit[:]...), h.Fence)
}

// ParseHead is the inverse of AppendHead.
func ParseHead(b []byte) (h history.Head, err error) {
	if len(b) != 40 {
		return h, &stone.CorruptError{Part: "head", Err: fmt.Errorf("%d bytes", len(b))}
	}
	return history.Head{Commit: history.ID(b[:32]), Fence: binary.BigEndian.Uint64(b[32:])}, nil
}
