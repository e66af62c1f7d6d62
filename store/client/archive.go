package client

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"

	"github.com/cairnvoxel/cairn/internal/store/archive"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// archives makes a call of POST /v1/archives and calls read with each record of the
// answer, of at most limit bytes. An empty record ends the answer.
func (s *store) archives(ctx context.Context, do string, repeat repeat, limit int64, read func(n int, b []byte) error, records ...[]byte) error {
	c := &call{what: do, method: http.MethodPost, path: "archives", query: "do=" + do, body: new(wire.Body), bodyType: wire.RecordsType, accept: wire.RecordsType, repeat: repeat, saysRetry: do == wire.DoAdopt}
	for _, r := range records {
		c.body.Add(r)
	}
	c.carries, c.endless = c.body.Size()+limit, do == wire.DoOutlines
	c.read = s.readRecords(math.MaxInt64, func(r *wire.RecordReader) error {
		for n := 0; ; n++ {
			b, err := r.Required(limit)
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

func (s *store) Identity(ctx context.Context) (string, error) {
	var b []byte
	err := s.archives(ctx, wire.DoIdentity, always, 1<<10, into(&b))
	return string(b), err
}

// Outlines is for history.ArchiveReader. It gets all outlines before it calls what.
func (s *store) Outlines(ctx context.Context, what func(history.Outline) error) error {
	var all []history.Outline
	err := s.archives(ctx, wire.DoOutlines, always, wire.MaxOutline, func(n int, b []byte) error {
		m, err := wire.ParseOutline(b)
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

func (s *store) Archive(ctx context.Context, m history.Outline) (a history.Archive, err error) {
	var b []byte
	if err = s.archives(ctx, wire.DoArchive, always, wire.MaxArchive, into(&b), wire.AppendOutline(nil, m)); err == nil {
		a, err = archive.Parse(b)
	}
	return a, err
}

// ReadStone is for history.ArchiveReader. A large stone is read when it is used, so a
// read may fail because of the network.
func (s *store) ReadStone(ctx context.Context, id stone.ID) (history.Stone, func() error, error) {
	size, b, err := s.piece(ctx, wire.Piece{ID: id, N: wire.MaxPiece})
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
func (s *store) piece(ctx context.Context, p wire.Piece) (size int64, b []byte, err error) {
	if err = s.archives(ctx, wire.DoStone, always, wire.MaxPiece+8, into(&b), p.Append(nil)); err != nil {
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
	s   *store
	ctx context.Context // of reads: io.ReaderAt has none
	id  stone.ID
}

func (r *pieces) ReadAt(p []byte, off int64) (int, error) {
	done := 0
	for done < len(p) {
		n := min(int64(len(p)-done), wire.MaxPiece)
		_, b, err := r.s.piece(r.ctx, wire.Piece{ID: r.id, Off: off + int64(done), N: n})
		if done += copy(p[done:], b); err == nil && int64(len(b)) < n {
			err = io.EOF
		}
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

func (s *store) Lacks(ctx context.Context, stones []history.StoneRef) ([]history.StoneRef, error) {
	if len(stones) == 0 {
		return nil, nil
	}
	var b []byte
	refs := wire.AppendRefs(nil, stones)
	if err := s.archives(ctx, wire.DoLacks, always, int64(len(refs)), into(&b), refs); err != nil {
		return nil, err
	}
	return wire.ParseRefs(b)
}

// Give is for history.ArchiveWriter. A server takes at most 64 MiB in one call.
func (s *store) Give(ctx context.Context, stones ...history.Stone) error {
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
	return s.archives(ctx, wire.DoGive, always, 0, nil, records...)
}

// Adopt is for history.ArchiveWriter. If an answer is lost, it repeats the call, and the
// server finds what the first try made.
func (s *store) Adopt(ctx context.Context, a history.Archive, base history.Head) error {
	again := always
	if !a.Deleted.IsZero() {
		again = unbegun // each call makes one more deleted world
	}
	return s.archives(ctx, wire.DoAdopt, again, 0, nil, archive.Append(nil, &a), wire.AppendHead(nil, base))
}
