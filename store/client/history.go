package client

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/store/history"
)

func (s *store) Head(ctx context.Context, name string) (history.Head, error) {
	c, err := named(ctx, "head", http.MethodGet, "head/", name)
	if err != nil {
		return history.Head{}, err
	}
	var h wire.HeadAnswer
	c.repeat, c.stale, c.read = always, true, readJSON(&h)
	if err := s.do(ctx, c); err != nil {
		return history.Head{}, err
	}
	return history.Head{Commit: history.ID(h.Commit), Fence: h.Fence}, nil
}

func (s *store) Log(ctx context.Context, name string, from history.ID, n int) ([]history.Commit, error) {
	if n <= 0 {
		_, err := s.log(ctx, name, from, 1)
		return nil, err
	}
	log, err := s.log(ctx, name, from, min(n, wire.MaxLog))
	for asked := wire.MaxLog; err == nil && len(log) == asked && len(log) < n; {
		var more []history.Commit
		last := log[len(log)-1].ID() // the next answer begins with it
		more, err = s.log(ctx, name, last, min(n-len(log)+1, wire.MaxLog))
		if err == nil && (len(more) == 0 || more[0].ID() != last) {
			err = fmt.Errorf("client: log %s: %w: it begins with another commit", name, errAnswer)
		}
		if err == nil {
			log = append(log, more[1:]...)
			asked += wire.MaxLog - 1
		}
	}
	if err != nil {
		return nil, err
	}
	return log, nil
}

func (s *store) log(ctx context.Context, name string, from history.ID, n int) (log []history.Commit, err error) {
	c, err := named(ctx, "log", http.MethodGet, "log/", name)
	if err != nil {
		return nil, err
	}
	c.query = "n=" + strconv.Itoa(n)
	if from != (history.ID{}) {
		c.query += "&from=" + from.String()
	}
	c.repeat, c.accept = always, wire.RecordsType
	c.read = s.readRecords(int64(n)*(wire.MaxCommit+8), func(r *wire.RecordReader) error {
		log, err = wire.ReadLog(r, n)
		return err
	})
	if err := s.do(ctx, c); err != nil {
		return nil, err
	}
	return log, nil
}

// Commit is for history.Commits. If an answer is lost, it repeats the call; if the
// first try made the commit, it returns that commit. A commit without a Call gets one,
// so that an equal commit of someone else is not taken for it.
func (s *store) Commit(ctx context.Context, name string, base history.Head, commit history.Commit, stones ...history.Stone) (history.Commit, error) {
	c, err := named(ctx, "commit", http.MethodPost, "commits/", name)
	if err == nil {
		err = commit.Check()
	}
	if err != nil {
		return history.Commit{}, err
	}
	if commit.IdempotencyKey == 0 {
		commit.IdempotencyKey = max(1, s.o.Unique())
	}
	stones = slices.Clone(stones)
	for i, s := range stones {
		if stones[i].Data, err = s.Bytes(); err != nil {
			return history.Commit{}, err
		}
	}
	c.match = match(base.Commit)
	c.fence, c.repeat, c.saysRetry = base.Fence, always, true
	c.accept, c.bodyType = wire.RecordsType, wire.RecordsType
	c.body = wire.CommitBody(commit, stones...)
	c.carries = c.body.Size()
	var made history.Commit
	c.read = s.readRecords(wire.MaxCommit+8, func(r *wire.RecordReader) error {
		b, err := r.Required(wire.MaxCommit)
		if err == nil {
			made, err = history.ParseCommit(b)
		}
		if err == nil {
			err = r.End()
		}
		if err == nil && !completes(made, commit) {
			err = fmt.Errorf("%w: another commit", errAnswer)
		}
		return err
	})
	if err := s.do(ctx, c); err != nil {
		return history.Commit{}, err
	}
	return made, nil
}

// match returns the If-Match header for a head.
func match(id history.ID) string {
	if id == (history.ID{}) {
		return `"0"`
	}
	return `"` + id.String() + `"`
}

// completes reports whether made is c except for its number, and for its time if c has none.
func completes(made, c history.Commit) bool {
	return (!c.HasTime() || made.Time.UnixMilli() == c.Time.UnixMilli()) && made.Parent == c.Parent && made.Base == c.Base && made.Author == c.Author && made.Message == c.Message && made.IdempotencyKey == c.IdempotencyKey &&
		slices.Equal(made.Stones, c.Stones)
}

func (s *store) Fork(ctx context.Context, from string, at history.ID, name string) error {
	c, err := named(ctx, "fork", http.MethodPost, "fork/", name)
	if err == nil {
		_, err = named(ctx, "fork", "", "", from)
	}
	if err != nil {
		return err
	}
	return s.do(ctx, c.sendJSON(wire.ForkCall{From: from, At: at.String()}))
}
