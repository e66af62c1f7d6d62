package pair_test

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// two is a Store made of two Stores with the same halves. Each call goes to the next
// one.
type two struct {
	stores [2]*pair.Pair
	turn   atomic.Uint64
}

func (s *two) next() *pair.Pair { return s.stores[s.turn.Add(1)*0x9e3779b97f4a7c15>>63] }

func (s *two) Close() error { return errors.Join(s.stores[0].Close(), s.stores[1].Close()) }

func (s *two) Create(ctx context.Context, name string) error { return s.next().Create(ctx, name) }

func (s *two) Rename(ctx context.Context, from, to string, fence uint64) error {
	return s.next().Rename(ctx, from, to, fence)
}

func (s *two) Delete(ctx context.Context, name string, fence uint64) error {
	return s.next().Delete(ctx, name, fence)
}

func (s *two) Undelete(ctx context.Context, name string) error { return s.next().Undelete(ctx, name) }

func (s *two) Head(ctx context.Context, name string) (history.Head, error) {
	return s.next().Head(ctx, name)
}

func (s *two) Log(ctx context.Context, name string, from history.ID, n int) ([]history.Commit, error) {
	return s.next().Log(ctx, name, from, n)
}

func (s *two) Commit(ctx context.Context, name string, base history.Head, c history.Commit, stones ...history.Stone) (history.Commit, error) {
	return s.next().Commit(ctx, name, base, c, stones...)
}

func (s *two) Fork(ctx context.Context, from string, at history.ID, name string) error {
	return s.next().Fork(ctx, from, at, name)
}

func (s *two) Stack(ctx context.Context, name string, at history.ID) ([]history.Layer, error) {
	return s.next().Stack(ctx, name, at)
}

func (s *two) Fetch(ctx context.Context, name string, at history.ID, room int64) (history.Fetched, error) {
	return s.next().Fetch(ctx, name, at, room)
}

// Open opens a stone with the first Store, because only the Store that has a stone
// open keeps its bytes.
func (s *two) Open(ctx context.Context, name string, id stone.ID) (*history.Opened, error) {
	return s.stores[0].Open(ctx, name, id)
}

func (s *two) Reaches(ctx context.Context, name string, id stone.ID) (bool, error) {
	return s.next().Reaches(ctx, name, id)
}

func (s *two) PutPack(ctx context.Context, name string, p history.Pack, st history.Stone) error {
	return s.next().PutPack(ctx, name, p, st)
}

func (s *two) Lease(ctx context.Context, name, holder string, d time.Duration) (history.Lease, error) {
	return s.next().Lease(ctx, name, holder, d)
}

func (s *two) Renew(ctx context.Context, name string, fence uint64, d time.Duration) (history.Lease, error) {
	return s.next().Renew(ctx, name, fence, d)
}

func (s *two) Release(ctx context.Context, name string, fence uint64) error {
	return s.next().Release(ctx, name, fence)
}

func (s *two) Leased(ctx context.Context, name string) (history.Lease, error) {
	return s.next().Leased(ctx, name)
}

func (s *two) List(ctx context.Context, prefix, after string, n int) ([]string, error) {
	return s.next().List(ctx, prefix, after, n)
}

func (s *two) Claim(ctx context.Context, job, holder string, every, d time.Duration) (bool, error) {
	return s.next().Claim(ctx, job, holder, every, d)
}

func (s *two) Finish(ctx context.Context, job, holder string, done bool) error {
	return s.next().Finish(ctx, job, holder, done)
}

// Purge and Collect run in the first Store, for the same reason as Open.
func (s *two) Purge(ctx context.Context, name string, fence uint64) (history.Purged, error) {
	return s.stores[0].Purge(ctx, name, fence)
}

func (s *two) Collect(ctx context.Context, p history.Policy) (history.Collected, error) {
	return s.stores[0].Collect(ctx, p)
}
