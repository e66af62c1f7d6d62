package client

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/store/history"
)

// named returns a call about a world, or an error if the name is not valid. The
// path is route and then the name.
func named(ctx context.Context, what, method, route, name string) (*call, error) {
	err := ctx.Err()
	if err == nil {
		err = history.CheckName(name)
	}
	if err != nil {
		return nil, fmt.Errorf("client: %s %.80q: %w", what, name, err)
	}
	return &call{what: what, name: name, method: method, path: route + name}, nil
}

func (s *store) Create(ctx context.Context, name string) error {
	c, err := named(ctx, "create", http.MethodPut, "worlds/", name)
	if err != nil {
		return err
	}
	return s.do(ctx, c)
}

func (s *store) Rename(ctx context.Context, from, to string, fence uint64) error {
	c, err := named(ctx, "rename", http.MethodPost, "rename/", from)
	if err == nil {
		_, err = named(ctx, "rename to", "", "", to)
	}
	if err != nil {
		return err
	}
	c.fence = fence
	return s.do(ctx, c.sendJSON(wire.RenameCall{To: to}))
}

func (s *store) Delete(ctx context.Context, name string, fence uint64) error {
	c, err := named(ctx, "delete", http.MethodDelete, "worlds/", name)
	if err != nil {
		return err
	}
	c.fence = fence
	return s.do(ctx, c)
}

func (s *store) Undelete(ctx context.Context, name string) error {
	c, err := named(ctx, "undelete", http.MethodPost, "undelete/", name)
	if err != nil {
		return err
	}
	return s.do(ctx, c)
}

func (s *store) Purge(ctx context.Context, name string, fence uint64) (history.Purged, error) {
	c, err := named(ctx, "purge", http.MethodPost, "purge/", name)
	if err != nil {
		return history.Purged{}, err
	}
	var p history.Purged
	c.fence, c.endless, c.read = fence, true, readJSON(&p)
	err = s.do(ctx, c)
	return p, err
}

// Collect is for history.Store. It needs the token of an admin.
func (s *store) Collect(ctx context.Context, p history.Policy) (history.Collected, error) {
	var done history.Collected
	c := &call{what: "collect", name: "garbage", method: http.MethodPost, path: "collect", endless: true, read: readJSON(&done)}
	err := s.do(ctx, c.sendJSON(wire.CollectCallOf(p)))
	return done, err
}

func (s *store) List(ctx context.Context, prefix, after string, n int) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var all []string
	for len(all) < n {
		batch, err := s.listBatch(ctx, prefix, after, min(n-len(all), wire.MaxNames))
		if err != nil {
			return nil, err
		}
		all = append(all, batch.Worlds...)
		if !batch.More || len(batch.Worlds) == 0 {
			break
		}
		after = all[len(all)-1]
	}
	return all, nil
}

func (s *store) listBatch(ctx context.Context, prefix, after string, n int) (wire.WorldList, error) {
	q := url.Values{"n": {strconv.Itoa(n)}}
	if prefix != "" {
		q.Set("prefix", prefix)
	}
	if after != "" {
		q.Set("after", after)
	}
	var batch wire.WorldList
	c := &call{what: "list", name: "worlds", method: http.MethodGet, path: "worlds", query: q.Encode(), repeat: always, read: readJSON(&batch)}
	if err := s.do(ctx, c); err != nil {
		return wire.WorldList{}, err
	}
	last := after
	for _, name := range batch.Worlds {
		if len(batch.Worlds) > n || name <= last {
			return wire.WorldList{}, fmt.Errorf("client: list worlds: %w: names out of order", errAnswer)
		}
		last = name
	}
	return batch, nil
}

// Lease is for history.Leases. It repeats the call only if holder is not "": the
// repetition takes over the lease of the first try.
func (s *store) Lease(ctx context.Context, name, holder string, d time.Duration) (history.Lease, error) {
	again := unbegun
	if holder != "" {
		again = always
	}
	if !utf8.ValidString(holder) {
		return history.Lease{}, fmt.Errorf("client: lease %.80q: holder %.80q: not UTF-8", name, holder)
	}
	return s.lease(ctx, http.MethodPost, name, 0, again, &wire.LeaseCall{Holder: holder, Seconds: wire.SecondsOf(d)})
}

func (s *store) Renew(ctx context.Context, name string, fence uint64, d time.Duration) (history.Lease, error) {
	return s.lease(ctx, http.MethodPut, name, fence, always, &wire.LeaseCall{Seconds: wire.SecondsOf(d)})
}

func (s *store) Leased(ctx context.Context, name string) (history.Lease, error) {
	return s.lease(ctx, http.MethodGet, name, 0, always, nil)
}

func (s *store) lease(ctx context.Context, method, name string, fence uint64, again repeat, body *wire.LeaseCall) (history.Lease, error) {
	c, err := named(ctx, "lease", method, "leases/", name)
	if err != nil {
		return history.Lease{}, err
	}
	if body != nil {
		c.sendJSON(body)
	}
	var l *wire.Lease // null where there is none
	c.fence, c.repeat, c.read = fence, again, readJSON(&l)
	if err := s.do(ctx, c); err != nil {
		return history.Lease{}, err
	}
	if l == nil && method != http.MethodGet {
		return history.Lease{}, fmt.Errorf("client: lease %s: %w: no lease", name, errAnswer)
	}
	if l == nil {
		return history.Lease{}, nil
	}
	return history.Lease{Fence: l.Fence, Holder: l.Holder, Until: l.Until.UTC()}, nil
}

func (s *store) Release(ctx context.Context, name string, fence uint64) error {
	c, err := named(ctx, "release", http.MethodDelete, "leases/", name)
	if err != nil {
		return err
	}
	c.fence = fence
	return s.do(ctx, c)
}
