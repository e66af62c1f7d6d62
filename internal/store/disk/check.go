package disk

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/internal/store/rules"
	"github.com/cairnvoxel/cairn/stone"
)

// Report is the result of Check.
type Report = record.Report

// Hurt is a world with something that cannot be read.
type Hurt = record.Hurt

// Check reads and verifies everything in the current Store: names, heads, logs,
// commits, packs and the bytes of all stones. It calls progress, which may be nil,
// with the bytes of stones that are done and their total. The error says why Check
// could not continue. The Report lists what is wrong with the Store: up to 100
// faults and the number of the others.
func (s *Store) Check(ctx context.Context, progress func(done, total int64)) (Report, error) {
	if progress == nil {
		progress = func(int64, int64) {}
	}
	c := &checker{Store: s, progress: progress}
	c.Ctx, c.Stone = ctx, func(stone.ID, record.Info) error { return nil }
	c.Report.Faults = append(c.Report.Faults, s.damage...)
	err := s.calls.OnStore(ctx, "check", func() error {
		s.alone.Lock() // otherwise Collect could delete files of the snapshot
		defer s.alone.Unlock()
		snap := s.db.NewSnapshot()
		defer snap.Close()
		skip := skipReader{snap, s.db, func(kind string, err error) { c.Report.Fault("some %s cannot be read: %v", kind, err) }}
		c.Reads, c.Each = frozen(snap), skip.each
		for _, step := range []func() error{c.Records, func() error { return c.data(skip) }, c.bytes, c.Hurt} {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	})
	c.Report.End()
	return c.Report, err
}

// checker is one Check.
type checker struct {
	*Store
	rules.Check
	progress func(done, total int64)
}

// data finds bytes of stones that no record names.
func (c *checker) data(skip skipReader) error {
	known := func(it *pebble.Iterator) error {
		key := it.Key()
		id := stone.ID(key[len(key)-len(stone.ID{}):])
		in, there, err := c.Info(id)
		if err == nil && (!there || in.File || !bytes.Equal(dataKey(id, in), key)) {
			err = errors.New("no record names these bytes")
		}
		if err != nil {
			c.Report.Fault("%c %x: %v", key[0], key[1:], err)
		}
		return c.Ctx.Err()
	}
	return skip.walk('d', known)
}

// bytes checks the bytes of all stones.
func (c *checker) bytes() error {
	done := int64(0)
	return c.Each(record.Stones, func(key, value []byte) error {
		in, err := record.ParseInfo(value)
		if err != nil {
			return nil // Records reported it
		}
		id := stone.ID(key[1:])
		if err := c.stone(id, in); err != nil {
			c.Lost(id, in.Size, err)
		}
		done += in.Size
		c.progress(done, c.Report.Bytes)
		return c.Ctx.Err()
	})
}

// stone reads a stone twice: to compare its hash, and to check its content.
func (c *checker) stone(id stone.ID, in record.Info) error {
	b, err := c.openBytes(c.Reads, id, in)
	if err != nil {
		return err
	}
	h := sha256.New()
	if _, err = io.Copy(h, io.NewSectionReader(b, 0, in.Size)); err == nil {
		if got := stone.ID(h.Sum(nil)); got != id {
			err = fmt.Errorf("its bytes have the hash %v", got)
		}
	}
	if err == nil {
		err = checkContent(c.Ctx, b, in.Size)
	}
	return errors.Join(err, b.Close())
}

// checkContent reads everything that a stone holds.
func checkContent(ctx context.Context, b io.ReaderAt, size int64) error {
	r, err := stone.Open(b, size)
	if err == nil {
		err = r.Check(ctx)
	}
	return err
}
