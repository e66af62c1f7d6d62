package client

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"time"

	"github.com/cairnvoxel/cairn/internal/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// The calls of POST /v1/archives. Package server/archives answers them.
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
	maxOutline = outlineBytes + history.MaxParts*(history.MaxPart+1)
)

var _ history.Archiver = (*Store)(nil)

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

// archives makes a call of POST /v1/archives and calls read with each record of the
// answer, of at most limit bytes. An empty record ends the answer.
func (s *Store) archives(ctx context.Context, do string, repeat repeat, limit int64, read func(n int, b []byte) error, records ...[]byte) error {
	c := &call{what: do, method: http.MethodPost, path: "archives", query: "do=" + do, body: new(Body), bodyType: RecordsType, accept: RecordsType, repeat: repeat, saysRetry: do == DoAdopt}
	for _, r := range records {
		c.body.Add(r)
	}
	c.carries, c.endless = c.body.Size()+limit, do == DoOutlines
	c.read = s.readRecords(math.MaxInt64, func(r *Records) error {
		for n := 0; ; n++ {
			b, err := r.one(limit)
			if err == nil && len(b) > 0 {
				err = read(n, b)
			}
			if err != nil || len(b) == 0 {
				return err
			}
		}
	})
	return s.do(ctx, c)
}

// into reads the only record of an answer.
func into(to *[]byte) func(int, []byte) error {
	return func(n int, b []byte) error {
		if *to = b; n > 0 {
			return fmt.Errorf("%w: more than one record", errAnswer)
		}
		return nil
	}
}

// Identity is for history.ArchiveReader.
func (s *Store) Identity(ctx context.Context) (string, error) {
	var b []byte
	err := s.archives(ctx, DoIdentity, always, 1<<10, into(&b))
	return string(b), err
}

// Outlines is for history.ArchiveReader. It gets all outlines before it calls what.
func (s *Store) Outlines(ctx context.Context, what func(history.Outline) error) error {
	var all []history.Outline
	err := s.archives(ctx, DoOutlines, always, maxOutline, func(n int, b []byte) error {
		m, err := ParseOutline(b)
		all = append(all[:n], m)
		return err
	})
	if err != nil {
		return err
	}
	for _, m := range all {
		if err := errors.Join(what(m), ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

// Archive is for history.ArchiveReader.
func (s *Store) Archive(ctx context.Context, m history.Outline) (a history.Archive, err error) {
	var b []byte
	if err = s.archives(ctx, DoArchive, always, MaxArchive, into(&b), AppendOutline(nil, m)); err == nil {
		a, err = history.ParseArchive(b)
	}
	return a, err
}

// ReadStone is for history.ArchiveReader. A large stone is read when it is used, so a
// read may fail because of the network.
func (s *Store) ReadStone(ctx context.Context, id stone.ID) (history.Stone, func() error, error) {
	size, b, err := s.piece(ctx, Piece{ID: id, N: MaxPiece})
	nothing := func() error { return nil }
	if err != nil {
		return history.Stone{}, nil, err
	}
	if int64(len(b)) == size {
		return history.Stone{ID: id, Data: b}, nothing, nil
	}
	return history.Stone{ID: id, File: io.NewSectionReader(&pieces{s, ctx, id}, 0, size)}, nothing, nil
}

// piece returns the size of a stone and a part of it.
func (s *Store) piece(ctx context.Context, p Piece) (size int64, b []byte, err error) {
	if err = s.archives(ctx, DoStone, always, MaxPiece+8, into(&b), p.Append(nil)); err != nil {
		return 0, nil, err
	}
	if len(b) < 8 {
		return 0, nil, fmt.Errorf("client: stone %v: %w: no size", p.ID, errAnswer)
	}
	size, b = int64(binary.BigEndian.Uint64(b)), b[8:]
	if size < p.Off || int64(len(b)) != min(p.N, size-p.Off) {
		return 0, nil, fmt.Errorf("client: stone %v: %w: %d bytes from %d of %d", p.ID, errAnswer, len(b), p.Off, size)
	}
	return size, b, nil
}

// pieces reads a large stone.
type pieces struct {
	s   *Store
	ctx context.Context // of reads: io.ReaderAt has none
	id  stone.ID
}

func (r *pieces) ReadAt(p []byte, off int64) (int, error) {
	done := 0
	for done < len(p) {
		n := min(int64(len(p)-done), MaxPiece)
		_, b, err := r.s.piece(r.ctx, Piece{r.id, off + int64(done), n})
		if done += copy(p[done:], b); err == nil && int64(len(b)) < n {
			err = io.EOF
		}
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// Lacks is for history.ArchiveWriter.
func (s *Store) Lacks(ctx context.Context, stones []history.StoneRef) ([]history.StoneRef, error) {
	if len(stones) == 0 {
		return nil, nil
	}
	var b []byte
	if err := s.archives(ctx, DoLacks, always, int64(len(stones)*refBytes), into(&b), AppendRefs(nil, stones)); err != nil {
		return nil, err
	}
	return ParseRefs(b)
}

// Give is for history.ArchiveWriter. A server takes at most 64 MiB in one call.
func (s *Store) Give(ctx context.Context, stones ...history.Stone) error {
	var records [][]byte
	for _, st := range stones {
		if err := st.Check(); err != nil { // the server computes the ID from the bytes
			return err
		}
		b, err := st.Bytes()
		if err != nil {
			return err
		}
		records = append(records, b)
	}
	return s.archives(ctx, DoGive, always, 0, nil, records...)
}

// Adopt is for history.ArchiveWriter. If an answer is lost, it repeats the call, and the
// server finds what the first try made.
func (s *Store) Adopt(ctx context.Context, a history.Archive, base history.Head) error {
	again := always
	if !a.Deleted.IsZero() {
		again = unbegun // each call makes one more deleted world
	}
	return s.archives(ctx, DoAdopt, again, 0, nil, a.Append(nil), AppendHead(nil, base))
}
