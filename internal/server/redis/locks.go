package redis

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/store/history"
)

// lockHolder begins the holder of a lease that was taken here; the value of the key follows. So a server that starts
// again knows its locks, and every server of a cluster those of the others.
const lockHolder = "redis "

// longestLock is how long a lock lasts that names no time.
const longestLock = 24 * time.Hour

// lock is the value of the key of a lock.
type lock struct {
	value string
	fence uint64
	until time.Time
}

// lockOf returns the lock of a world, nil if it has none. A lease that was taken otherwise is a lock of its holder.
func (s *Door) lockOf(ctx context.Context, world string) (*lock, error) {
	l, err := s.st.Leased(ctx, world)
	if noWorld(err) || err == nil && l.Until.IsZero() {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &lock{strings.TrimPrefix(l.Holder, lockHolder), l.Fence, l.Until}, nil
}

// fence returns the number of the lease that was taken here by a lock, 0 if there is none. The protocol does not say who
// locked, so every caller saves under the lock.
func (s *Door) fence(ctx context.Context, world string) (uint64, error) {
	l, err := s.st.Leased(ctx, world)
	if noWorld(err) || err == nil && !isOurs(l) {
		return 0, nil
	}
	return l.Fence, err
}

// isOurs reports whether a lease was taken here by a lock.
func isOurs(l history.Lease) bool { return strings.HasPrefix(l.Holder, lockHolder) }

// setLock is SET of a lock. The values that said "not locked" in 2021 delete it.
func (c *session) setLock(ctx context.Context, world, value string, o setOptions) (any, error) {
	s := c.s
	s.locks.Lock()
	defer s.locks.Unlock()
	have, err := s.lockOf(ctx, world)
	switch {
	case err != nil:
		return nil, err
	case o.none && have != nil, o.some && have == nil:
		return nil, nil
	case value == "0" || value == "\x00":
		_, err := s.unlock(ctx, world)
		return "OK", err
	case len(value) > history.MaxHolder-len(lockHolder):
		return nil, refusef("a lock has at most %d bytes", history.MaxHolder-len(lockHolder))
	}
	if o.for_ == 0 || o.for_ > longestLock {
		o.for_ = longestLock
	}
	fence, err := s.fence(ctx, world)
	if err != nil {
		return nil, err
	}
	if err := s.inbox.Settle(ctx, world); err != nil {
		return nil, err
	}
	if fence > 0 { // another value in place of the one before
		if err := s.st.Release(ctx, world, fence); err != nil && !errors.Is(err, history.ErrFenced) {
			return nil, err
		}
	}
	take := func() error { _, err := s.st.Lease(ctx, world, lockHolder+value, o.for_); return err }
	if err = take(); noWorld(err) {
		if err = c.store().Create(ctx, world); err == nil || errors.Is(err, history.ErrExists) {
			err = take()
		}
	}
	if err != nil {
		return nil, err
	}
	return "OK", nil
}

// unlock ends the lock of a world.
func (s *Door) unlock(ctx context.Context, world string) (bool, error) {
	fence, err := s.fence(ctx, world)
	if err != nil {
		return false, err
	}
	if fence == 0 {
		l, err := s.lockOf(ctx, world)
		if l != nil {
			err = fmt.Errorf("redis: %q: %w", world, history.ErrLeased)
		}
		return false, err
	}
	if err := s.inbox.Settle(ctx, world); err != nil { // what was saved under the lock comes before what others save
		return false, err
	}
	err = s.st.Release(ctx, world, fence)
	if errors.Is(err, history.ErrFenced) || noWorld(err) {
		return false, nil
	}
	return err == nil, err
}

func (c *session) expire(ctx context.Context, args [][]byte) (any, error) {
	return c.expireIn(ctx, args, time.Second)
}

func (c *session) pexpire(ctx context.Context, args [][]byte) (any, error) {
	return c.expireIn(ctx, args, time.Millisecond)
}

func (c *session) expireIn(ctx context.Context, args [][]byte, unit time.Duration) (any, error) {
	d, err := span(args[1], unit)
	if err != nil {
		return nil, err
	}
	k, world, err := c.parse(args[0])
	switch {
	case err != nil:
		return nil, err
	case k == isWorld || k == isList:
		return nil, refusef("a world does not expire")
	case k != isLock:
		return int64(0), nil
	}
	fence, err := c.s.fence(ctx, world)
	if err != nil || fence == 0 {
		return int64(0), err
	}
	_, err = c.s.st.Renew(ctx, world, fence, min(d, longestLock))
	if errors.Is(err, history.ErrFenced) || noWorld(err) {
		return int64(0), nil
	}
	return number(err == nil), err
}

func (c *session) ttl(ctx context.Context, args [][]byte) (any, error) {
	return c.ttlIn(ctx, args[0], time.Second)
}

func (c *session) pttl(ctx context.Context, args [][]byte) (any, error) {
	return c.ttlIn(ctx, args[0], time.Millisecond)
}

// ttlIn is how long a key lasts: -2 if it is not there, -1 for ever.
func (c *session) ttlIn(ctx context.Context, key []byte, unit time.Duration) (any, error) {
	k, world, err := c.parse(key)
	if err != nil {
		return nil, err
	}
	if k == isLock {
		l, err := c.s.lockOf(ctx, world)
		if err != nil || l == nil {
			return int64(-2), err
		}
		return int64((max(0, time.Until(l.until)) + unit - 1) / unit), nil
	}
	_, there, err := c.isThere(ctx, key)
	return number(there) - 2, err
}
