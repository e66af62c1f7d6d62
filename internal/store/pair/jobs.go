package pair

import (
	"context"
	"fmt"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/rules"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// claims is the kind of the records of claims: see FORMAT.md.
const claims = 'j'

// Bounds of a claim.
const (
	maxJob   = 1024           // bytes
	maxClaim = 24 * time.Hour // a longer claim is cut to it
	// wrongBy is by how much a time may be ahead that was written by another clock.
	wrongBy = time.Hour
	// jobStays is how long a job that was finished is remembered.
	jobStays = 31 * 24 * time.Hour
)

// claim says who has a job, and when the job was finished last. Its times are zero if
// nobody has the job, or if it never was finished.
type claim struct {
	until, finished time.Time
	holder          string
}

func (c claim) value() []byte {
	b := make([]byte, 0, 16+len(c.holder))
	return append(be.AppendUint64(be.AppendUint64(b, millisOf(c.until)), millisOf(c.finished)), c.holder...)
}

// millisOf returns 0 for the zero time.
func millisOf(t time.Time) uint64 {
	if t.IsZero() {
		return 0
	}
	return uint64(t.UnixMilli())
}

// parseClaim is the inverse of value. A nil record is the zero claim.
func parseClaim(b []byte) (c claim, err error) {
	switch {
	case b == nil:
		return c, nil
	case len(b) < 16 || len(b) > 16+history.MaxHolder:
		return c, &stone.CorruptError{Part: "claim", Err: fmt.Errorf("%d bytes: want 16 to %d", len(b), 16+history.MaxHolder)}
	}
	for i, t := range []*time.Time{&c.until, &c.finished} {
		if ms := be.Uint64(b[8*i:]); ms != 0 {
			*t = time.UnixMilli(int64(ms))
		}
	}
	c.holder = string(b[16:])
	return c, nil
}

// over reports whether nobody needs the record of the claim.
func (c claim) over(now time.Time) bool {
	return !now.Before(c.until) && now.Sub(c.finished) > jobStays
}

func checkJob(job, holder string) error {
	switch {
	case job == "" || len(job) > maxJob:
		return fmt.Errorf("job of %d bytes: want 1 to %d", len(job), maxJob)
	case holder == "" || len(holder) > history.MaxHolder:
		return fmt.Errorf("holder of %d bytes: want 1 to %d", len(holder), history.MaxHolder)
	}
	return nil
}

// job calls what to change a claim.
func (s *Pair) job(ctx context.Context, op, job, holder string, what func(*claim, time.Time) error) error {
	return s.calls.On(ctx, op, job, func() error {
		if err := checkJob(job, holder); err != nil {
			return err
		}
		return s.change(ctx, func(d *rules.Proposal) error {
			key := append([]byte{claims}, job...)
			had, err := d.Get(key)
			if err != nil {
				return err
			}
			c, err := parseClaim(had)
			if err != nil {
				return err
			}
			was := c
			if err := what(&c, d.Now); err != nil || c == was {
				return err
			}
			var value []byte
			if c != (claim{}) {
				value = c.value()
			}
			d.Set(key, value)
			return nil
		})
	})
}

// Claim gives a job for at most 24 hours. A job that was finished more than 31 days ago may
// count as never finished.
func (s *Pair) Claim(ctx context.Context, job, holder string, every, d time.Duration) (got bool, err error) {
	err = s.job(ctx, "claim", job, holder, func(c *claim, now time.Time) error {
		if d < time.Millisecond {
			return fmt.Errorf("for %v: at least a millisecond", d)
		}
		// What lies further ahead than claims last was written while a clock was wrong.
		live := now.Before(c.until) && c.until.Sub(now) <= maxClaim+wrongBy
		done := !c.finished.IsZero() && now.Sub(c.finished) < every && c.finished.Sub(now) <= wrongBy
		got = live && c.holder == holder || !live && !done
		if got {
			c.holder, c.until = holder, now.Add(min(d, maxClaim))
		}
		return nil
	})
	return got && err == nil, err
}

func (s *Pair) Finish(ctx context.Context, job, holder string, done bool) error {
	return s.job(ctx, "finish", job, holder, func(c *claim, now time.Time) error {
		if c.holder != holder {
			return fmt.Errorf("claim of %q: %w", holder, history.ErrFenced)
		}
		c.holder, c.until = "", time.Time{}
		if done {
			c.finished = now
		}
		return nil
	})
}
