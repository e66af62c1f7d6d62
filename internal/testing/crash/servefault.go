package main

import (
	"context"
	"errors"
	"path"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/local"
)

// Faults that can be planted into the server, to show that they are found.
const (
	plantEarly    = "early"    // it acknowledges saves that are still in memory
	plantUnfenced = "unfenced" // it accepts saves after the lease was lost
)

// unfenced is a store that uses the current fence for every commit.
type unfenced struct{ *local.Store }

func (u unfenced) Commit(ctx context.Context, name string, base history.Head, c history.Commit, stones ...history.Stone) (history.Commit, error) {
	done, err := u.Store.Commit(ctx, name, base, c, stones...)
	if !errors.Is(err, history.ErrFenced) {
		return done, err
	}
	if now, err := u.Head(ctx, name); err == nil {
		base.Fence = now.Fence
	}
	return u.Store.Commit(ctx, name, base, c, stones...)
}

// earlyFS keeps what is written to logs in memory for a while, synced or not.
type earlyFS struct{ vfs.FS }

const earlyBy = 20 * time.Millisecond

type earlyFile struct {
	vfs.File
	waits   []byte
	written time.Time
}

func newEarlyFS() vfs.FS { return earlyFS{vfs.Default} }

func (e earlyFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return early(name)(e.FS.Create(name, c))
}

func (e earlyFS) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return early(name)(e.FS.ReuseForWrite(old, name, c))
}

func early(name string) func(vfs.File, error) (vfs.File, error) {
	return func(f vfs.File, err error) (vfs.File, error) {
		if err != nil || path.Ext(name) != ".log" {
			return f, err
		}
		return &earlyFile{File: f, written: time.Now()}, nil
	}
}

func (f *earlyFile) Write(p []byte) (int, error) {
	f.waits = append(f.waits, p...)
	if time.Since(f.written) < earlyBy {
		return len(p), nil
	}
	return len(p), f.flush()
}

func (f *earlyFile) flush() error {
	_, err := f.File.Write(f.waits)
	f.waits, f.written = f.waits[:0], time.Now()
	return err
}

func (f *earlyFile) Sync() error { return nil }

func (f *earlyFile) SyncData() error { return nil }

func (f *earlyFile) SyncTo(int64) (bool, error) { return false, nil }

func (f *earlyFile) Fd() uintptr { return vfs.InvalidFd }

func (f *earlyFile) Close() error { return errors.Join(f.flush(), f.File.Close()) }
