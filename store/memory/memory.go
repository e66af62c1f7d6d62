// Package memory is a history.Store in memory, for tests and for worlds that need
// not outlive the process.
//
// One lock guards everything. Nothing is written anywhere, and opened stones
// are the bytes that were committed, not copies.
package memory

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/stone"
)

// Options of a Store. The zero value is the default.
type Options struct {
	Now func() time.Time // default time.Now
}

// Store is a history.Store.
type Store struct {
	now func() time.Time

	mu      sync.RWMutex
	names   map[string]*line
	graves  map[string][]grave // by name, the last deleted last
	commits map[history.ID]history.Commit
	packs   map[history.ID]history.Pack // by Upto
	stones  map[stone.ID]*kept
}

// line is a world's log and who may add to it.
type line struct {
	log   []history.ID // oldest first
	lease history.Lease
}

// head is the last of the log.
func (l *line) head() history.Head {
	h := history.Head{Fence: l.lease.Fence}
	if n := len(l.log); n > 0 {
		h.Commit = l.log[n-1]
	}
	return h
}

type grave struct {
	line    *line
	deleted time.Time
}

type kept struct {
	data      []byte
	condemned time.Time // zero if not
}

var _ history.Store = (*Store)(nil)

// New returns an empty Store.
func New(o Options) *Store {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Store{
		now:     o.Now,
		names:   make(map[string]*line),
		graves:  make(map[string][]grave),
		commits: make(map[history.ID]history.Commit),
		packs:   make(map[history.ID]history.Pack),
		stones:  make(map[stone.ID]*kept),
	}
}

// Close does nothing.
func (s *Store) Close() error { return nil }

// begin checks what every method is called with.
func begin(ctx context.Context, names ...string) error {
	for _, name := range names {
		if err := history.CheckName(name); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// fail says of which call and world err is.
func fail(op, name string, err error) error {
	if err != nil {
		err = fmt.Errorf("memory: %s %q: %w", op, name, err)
	}
	return err
}

func (s *Store) line(name string) (*line, error) {
	if l := s.names[name]; l != nil {
		return l, nil
	}
	return nil, history.ErrNoWorld
}

// under returns a world of which something may be done under a fence.
func (s *Store) under(name string, fence uint64) (*line, error) {
	l, err := s.line(name)
	if err == nil {
		err = l.lease.Admit(fence, s.now())
	}
	return l, err
}

// free returns an error unless name may be given to a world.
func (s *Store) free(name string) error {
	if s.names[name] != nil {
		return fmt.Errorf("%q: %w", name, history.ErrExists)
	}
	return nil
}

// List is for history.Store.
func (s *Store) List(ctx context.Context, prefix, after string, n int) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	var out []string
	for _, name := range slices.Sorted(maps.Keys(s.names)) {
		if len(out) < n && name > after && strings.HasPrefix(name, prefix) {
			out = append(out, name)
		}
	}
	return out, nil
}

// Create is for history.Names.
func (s *Store) Create(ctx context.Context, name string) error {
	return fail("create", name, s.put(ctx, name, func() (*line, error) { return &line{}, nil }))
}

// put gives name to the world that what returns.
func (s *Store) put(ctx context.Context, name string, what func() (*line, error)) error {
	if err := begin(ctx, name); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.free(name); err != nil {
		return err
	}
	l, err := what()
	if err == nil {
		s.names[name] = l
	}
	return err
}

// Rename is for history.Names.
func (s *Store) Rename(ctx context.Context, from, to string, fence uint64) error {
	err := begin(ctx, from)
	if err == nil {
		err = s.put(ctx, to, func() (*line, error) {
			l, err := s.under(from, fence)
			if err != nil {
				return nil, err
			}
			l.lease = l.lease.After(fence, true)
			delete(s.names, from)
			return l, nil
		})
	}
	return fail("rename", from, err)
}

// Delete is for history.Names.
func (s *Store) Delete(ctx context.Context, name string, fence uint64) error {
	if err := begin(ctx, name); err != nil {
		return fail("delete", name, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l, err := s.under(name, fence)
	if err != nil {
		return fail("delete", name, err)
	}
	l.lease = history.Lease{Fence: l.lease.Fence + 1}
	delete(s.names, name)
	s.graves[name] = append(s.graves[name], grave{l, s.now()})
	return nil
}

// Undelete is for history.Names.
func (s *Store) Undelete(ctx context.Context, name string) error {
	return fail("undelete", name, s.put(ctx, name, func() (*line, error) {
		graves := s.graves[name]
		if len(graves) == 0 {
			return nil, history.ErrNoWorld
		}
		last := len(graves) - 1
		s.graves[name] = graves[:last]
		return graves[last].line, nil
	}))
}

// Fork is for history.Commits.
func (s *Store) Fork(ctx context.Context, from string, at history.ID, name string) error {
	err := begin(ctx, from)
	if err == nil {
		err = s.put(ctx, name, func() (*line, error) {
			l, err := s.line(from)
			if err != nil {
				return nil, err
			}
			if _, err := s.place(l, at); err != nil {
				return nil, err
			}
			return &line{log: []history.ID{at}}, nil
		})
	}
	return fail("fork", from, err)
}

// place returns where in the log of l the commit at is.
func (s *Store) place(l *line, at history.ID) (int, error) {
	i, ok := slices.BinarySearchFunc(l.log, s.commits[at].Number, func(id history.ID, n uint64) int {
		return cmp.Compare(s.commits[id].Number, n)
	})
	if !ok || l.log[i] != at {
		return 0, fmt.Errorf("%v: %w", at, history.ErrNoCommit)
	}
	return i, nil
}

// Open is for history.Stacks.
func (s *Store) Open(ctx context.Context, name string, id stone.ID) (*history.Opened, error) {
	data, err := s.data(ctx, name, id)
	if err != nil {
		return nil, fail("open", name, fmt.Errorf("stone %v: %w", id, err))
	}
	r, err := stone.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fail("open", name, fmt.Errorf("stone %v: %w", id, err))
	}
	return &history.Opened{Reader: r, Closer: io.NopCloser(nil)}, nil
}

func (s *Store) data(ctx context.Context, name string, id stone.ID) ([]byte, error) {
	if err := begin(ctx, name); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	l, err := s.line(name)
	if err != nil {
		return nil, err
	}
	k := s.stones[id]
	if k == nil || !s.reaches(l, id) {
		return nil, history.ErrGone
	}
	return k.data, nil
}
