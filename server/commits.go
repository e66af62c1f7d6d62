package server

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/internal/server/cells"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/store/history"
)

// commits is the history of worlds.
type commits struct {
	st     history.Store // without limits of tokens
	worlds *worlds
	checks *checker
	saved  func(name string, number uint64)
}

func (h *commits) routes() []route {
	fenced := []string{"If-Match", wire.FenceHeader}
	commit := jsonOf(wire.Commit{})
	return []route{
		{method: "GET", path: "/v1/head/NAME", role: token.Read, about: "the head", headers: stale, status: 200, tells: staleHeaders, handler: gives(h.head)},
		{method: "GET", path: "/v1/log/NAME", role: token.Read, about: "commits, newest first; as records if Accept asks for them",
			query: []param{commitOf("from", "id of the first commit; default the head"), most(wire.MaxLog)}, status: 200, also: records, handler: plain(h.log, jsonOf(logAnswer{}))},
		{method: "POST", path: "/v1/commits/NAME", role: token.Write, about: "stores stones and makes a commit with them the head",
			headers: append(fenced, wire.RetryHeader), needs: []string{"If-Match"}, status: 201, also: records, tells: headHeaders, handler: plain(h.commit, commit).from(records)},
		{method: "POST", path: "/v1/restore/NAME", role: token.Write, about: "makes a commit that restores a version",
			headers: fenced, status: 201, also: records, tells: headHeaders, handler: plain(h.restore, commit).from(jsonOf(restoreCall{}))},
	}
}

func (h *commits) head(c *call) (a wire.HeadAnswer, err error) {
	head, err := h.worlds.head(c)
	if err != nil {
		return a, err
	}
	return c.headAnswer(head), nil
}

// wantsRecords reports whether the caller asks for an answer in records.
func (c *call) wantsRecords() bool {
	return slices.ContainsFunc(c.r.Header["Accept"], func(s string) bool { return strings.Contains(s, wire.RecordsType) })
}

// logBatch is the number of commits in memory at a time.
const logBatch = 64

func (h *commits) log(c *call) error {
	from, err := c.commitID("from")
	if err != nil {
		return err
	}
	n := c.number("n", defaultListed)
	media, buf, end := jsonType, []byte(`{"commits":[`), "]}\n"
	if c.wantsRecords() {
		media, buf, end = wire.RecordsType, nil, ""
	}
	known := 0 // commits of the batch that were in the last one
	for first := true; ; {
		batch, err := c.st.Log(c.ctx, c.name, from, int(min(n, logBatch))+known)
		if err != nil {
			return err
		}
		full := len(batch) == int(min(n, logBatch))+known
		for _, commit := range batch[min(known, len(batch)):] {
			if n--; media == wire.RecordsType {
				b := commit.Append(nil)
				buf = append(binary.AppendUvarint(buf, uint64(len(b))), b...)
				continue
			}
			b, err := json.Marshal(wire.CommitOf(commit))
			if err != nil {
				return err
			}
			if !first {
				buf = append(buf, ',')
			}
			first, buf = false, append(buf, b...)
		}
		if n == 0 || !full {
			return c.finish(http.StatusOK, media, append(buf, end...))
		}
		from, known = batch[len(batch)-1].ID(), 1
		if err := c.part(media, &buf); err != nil {
			return err
		}
	}
}

type logAnswer struct {
	Commits []wire.Commit `json:"commits"`
}

func (h *commits) commit(c *call) error {
	base, err := c.base()
	if err != nil {
		return err
	}
	r, err := c.records()
	if err != nil {
		return err
	}
	defer recycle(r)
	commit, stones, err := wire.ReadCommit(r, c.limits.StoneBytes)
	if err != nil {
		return wire.OfCaller(err)
	}
	c.step("receive")
	if err := h.checkCommit(c, base, commit, stones); err != nil {
		return err
	}
	c.step("check")
	done, err := h.commitWithin(c, base, commit, stones)
	if err != nil && c.r.Header.Get(wire.RetryHeader) == "1" {
		done, err = h.madeBefore(c, base, commit, err)
	}
	if err != nil {
		return err
	}
	c.step("commit")
	return h.committed(c, base, done)
}

// commitWithin makes a commit within the limits of the token.
func (h *commits) commitWithin(c *call, base history.Head, commit history.Commit, stones []history.Stone) (made history.Commit, err error) {
	done, err := token.Room(c.ctx, c.st, commit)
	if err != nil {
		return history.Commit{}, err
	}
	defer done()
	err = h.worlds.guard.Change(c.ctx, c.in.n, func(ctx context.Context) (err error) {
		made, err = h.st.Commit(ctx, c.name, base, commit, stones...)
		return err
	})
	return made, err
}

// base returns the head that a save is based on.
func (c *call) base() (history.Head, error) {
	on, fence, err := c.conditions()
	if err == nil && on == nil {
		err = fault(wire.NeedsMatch, "If-Match must name the commit that the save is based on")
	}
	if err != nil {
		return history.Head{}, err
	}
	return history.Head{Commit: *on, Fence: fence}, nil
}

// checkCommit returns what is wrong with a commit, with a text for the caller. The
// Store checks most of it too, but its errors go to the log.
func (h *commits) checkCommit(c *call, base history.Head, commit history.Commit, stones []history.Stone) error {
	if commit.Parent != base.Commit {
		return bad("the commit's parent is not the commit in If-Match")
	}
	if commit.HasTime() && c.role < token.Admin {
		return refuse("only admins may say the time of a version") // others restore worlds to what they were then
	}
	for i, s := range stones {
		if sha256.Sum256(s.Data) != s.ID {
			return bad("stone %d: its hash is not the one that the commit names", i+1)
		}
		named := slices.ContainsFunc(commit.Stones, func(ref history.StoneRef) bool {
			return ref == history.StoneRef{ID: s.ID, Size: int64(len(s.Data))}
		})
		if !named {
			return bad("stone %d: the commit does not name it with its size", i+1)
		}
		if err := h.checks.check(c, s.Data, false); err != nil {
			return err
		}
	}
	return nil
}

// madeWithin is how many commits made searches for the commit of an earlier try.
const madeWithin = 1024

// madeBefore returns the commit that an earlier try of the same call made: the one with
// the same parent, content and history.Commit.IdempotencyKey, once it is on stable storage. If there is none, it returns err, the reason why the
// commit cannot be made now.
func (h *commits) madeBefore(c *call, base history.Head, commit history.Commit, err error) (history.Commit, error) {
	if over := (*token.OverError)(nil); !errors.As(err, &over) && !errors.Is(err, history.ErrConflict) && !errors.Is(err, history.ErrFenced) && !errors.Is(err, history.ErrLeased) {
		return history.Commit{}, err
	}
	from := history.ID{}
	for seen := 0; seen < madeWithin; seen += logBatch {
		log, logErr := c.st.Log(c.ctx, c.name, from, logBatch)
		if logErr != nil {
			return history.Commit{}, logErr
		}
		for _, l := range log {
			if l.Parent == base.Commit {
				if !same(l, commit) {
					return history.Commit{}, err
				}
				return l, h.confirm(c, l.ID(), err)
			}
		}
		if len(log) < logBatch {
			break
		}
		from = log[len(log)-1].ID()
	}
	return history.Commit{}, err
}

// confirm returns nil if a commit that was read is on stable storage. If it is there no
// more, it returns refused.
func (h *commits) confirm(c *call, id history.ID, refused error) error {
	st, ok := h.st.(history.Confirmer)
	if !ok {
		return nil
	}
	err := h.worlds.guard.Change(c.ctx, 0, func(ctx context.Context) error { return st.Confirm(ctx, c.name, id) })
	if errors.Is(err, history.ErrNoCommit) {
		return refused
	}
	return err
}

// same reports whether two commits are equal except for number and time.
func same(a, b history.Commit) bool {
	a.Number, a.Time = b.Number, b.Time
	return a.ID() == b.ID()
}

// committed sends the commit that was made, with the fence under which the caller's
// lease continues.
func (h *commits) committed(c *call, base history.Head, done history.Commit) error {
	h.saved(c.name, done.Number)
	c.w.Header()["Etag"] = []string{etag(done.ID())}
	if base.Fence != 0 && base.Fence != history.Force {
		if done.Base != done.Parent {
			base.Fence++
		}
		c.w.Header()[wire.FenceHeader] = []string{strconv.FormatUint(base.Fence, 10)}
	}
	if c.wantsRecords() {
		return c.sendRecords(http.StatusCreated, wire.LogBody(done))
	}
	return c.answer(http.StatusCreated, wire.CommitOf(done))
}

type restoreCall struct {
	At string `json:"at"`
	cells.Note
}

func (h *commits) restore(c *call) error {
	var to restoreCall
	if err := c.json(c.limits.JSONBytes, &to); err != nil {
		return err
	}
	on, fence, err := c.conditions()
	if err != nil {
		return err
	}
	commit := history.Commit{Message: to.Message}
	if commit.Author, err = c.note(to.Message, to.Author); err != nil {
		return err
	}
	if to.At == "" {
		return bad("at must name the version to restore")
	}
	if commit.Base, err = c.version(c.name, to.At); err != nil {
		return err
	}
	for {
		head := history.Head{Fence: fence}
		if on != nil {
			head.Commit = *on
		} else if now, err := c.st.Head(c.ctx, c.name); err == nil {
			head.Commit = now.Commit
		} else {
			return err
		}
		commit.Parent = head.Commit
		done, err := c.st.Commit(c.ctx, c.name, head, commit)
		switch {
		case err == nil:
			return h.committed(c, head, done)
		case on != nil || !errors.Is(err, history.ErrConflict):
			return err
		}
	}
}
