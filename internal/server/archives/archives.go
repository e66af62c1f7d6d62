// Package archives answers POST /v1/archives: a Store gives out and takes in whole
// worlds, for backups and migrations. It begins at Serve.
package archives

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"

	"github.com/cairnvoxel/cairn/internal/store/archive"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// Serve answers one call. in has the records of the body, each of at most limit
// bytes. out sends bytes of the answer. again says that it is another try of a call whose
// answer was lost.
func Serve(ctx context.Context, st history.Archiver, do string, again bool, in *wire.RecordReader, limit int64, out func([]byte) error) error {
	s := &serving{ctx: ctx, st: st, again: again, in: in, limit: limit, out: out}
	what := map[string]func() error{
		wire.DoIdentity: s.identity, wire.DoOutlines: s.outlines, wire.DoArchive: s.archive, wire.DoStone: s.stone,
		wire.DoLacks: s.lacks, wire.DoGive: s.give, wire.DoAdopt: s.adopt,
	}[do]
	if what == nil {
		return &wire.Error{Code: wire.BadRequest, Message: "do: want identity, outlines, archive, stone, lacks, give or adopt"}
	}
	if err := what(); err != nil {
		return err
	}
	return out(append(s.buf, 0)) // an empty record ends the answer
}

// serving is one Serve.
type serving struct {
	ctx   context.Context
	st    history.Archiver
	again bool
	in    *wire.RecordReader
	limit int64
	out   func([]byte) error
	buf   []byte
}

const sendBytes = 64 << 10

// send sends a record, or keeps it until there are more.
func (s *serving) send(record []byte) error {
	s.buf = append(binary.AppendUvarint(s.buf, uint64(len(record))), record...)
	if len(s.buf) < sendBytes {
		return nil
	}
	b := s.buf
	s.buf = nil
	return s.out(b)
}

// next reads a record of the body.
func next[T any](s *serving, limit int64, parse func([]byte) (T, error)) (v T, err error) {
	b, err := s.in.Next(min(limit, s.limit))
	if err == io.EOF {
		err = &stone.CorruptError{Part: "records", Err: io.ErrUnexpectedEOF}
	}
	if err == nil {
		v, err = parse(b)
	}
	return v, wire.OfCaller(err)
}

// last reads the last record of the body.
func last[T any](s *serving, limit int64, parse func([]byte) (T, error)) (v T, err error) {
	if v, err = next(s, limit, parse); err == nil {
		err = wire.OfCaller(s.in.End())
	}
	return v, err
}

func (s *serving) identity() error {
	id, err := s.st.Identity(s.ctx)
	if err != nil {
		return err
	}
	return s.send([]byte(id))
}

func (s *serving) outlines() error {
	return s.st.Outlines(s.ctx, func(m history.Outline) error { return s.send(wire.AppendOutline(nil, m)) })
}

func (s *serving) archive() error {
	m, err := last(s, 4<<10, wire.ParseOutline)
	if err != nil {
		return err
	}
	a, err := s.st.Archive(s.ctx, m)
	if err != nil {
		return err
	}
	return s.send(archive.Append(nil, &a))
}

func (s *serving) stone() error {
	p, err := last(s, 1<<10, wire.ParsePiece)
	if err != nil {
		return err
	}
	st, release, err := s.st.ReadStone(s.ctx, p.ID)
	if err != nil {
		return err
	}
	off := max(0, min(p.Off, st.Size()))
	n := max(0, min(p.N, st.Size()-off, wire.MaxPiece))
	b := binary.BigEndian.AppendUint64(make([]byte, 0, 8+n), uint64(st.Size()))
	_, err = io.ReadFull(io.NewSectionReader(st.Open(), off, n), b[8:8+n])
	if err = errors.Join(err, release()); err != nil {
		return err
	}
	return s.send(b[:8+n])
}

func (s *serving) lacks() error {
	refs, err := last(s, 1<<20, wire.ParseRefs)
	if err != nil {
		return err
	}
	refs, err = s.st.Lacks(s.ctx, refs)
	if err != nil || len(refs) == 0 {
		return err
	}
	return s.send(wire.AppendRefs(nil, refs))
}

func (s *serving) give() error {
	var stones []history.Stone
	for {
		b, err := s.in.Next(s.limit)
		if err == io.EOF {
			return s.st.Give(s.ctx, stones...)
		}
		if err != nil {
			return wire.OfCaller(err)
		}
		stones = append(stones, history.Stone{ID: sha256.Sum256(b), Data: b})
	}
}

func (s *serving) adopt() error {
	a, err := next(s, s.limit, archive.Parse)
	if err != nil {
		return err
	}
	base, err := last(s, 1<<10, wire.ParseHead)
	if err != nil {
		return err
	}
	err = s.st.Adopt(s.ctx, a, base)
	if s.again && base.Commit != a.Head.Commit && (errors.Is(err, history.ErrConflict) || errors.Is(err, history.ErrFenced)) {
		return s.made(&a, err)
	}
	return err
}

// made returns nil if an earlier try of the call has made a world equal to the archive, and
// that is on stable storage; otherwise refused.
func (s *serving) made(a *history.Archive, refused error) error {
	st, ok := s.st.(history.Commits)
	if !ok {
		return refused
	}
	h, err := st.Head(s.ctx, a.Name)
	if err != nil || h.Commit != a.Head.Commit {
		return errors.Join(refused, err)
	}
	if c, ok := s.st.(history.Confirmer); ok {
		err = c.Confirm(s.ctx, a.Name, h.Commit)
	}
	return err
}
