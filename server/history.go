package server

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

func historyRoutes() []route {
	records := bytesOf(wire.RecordsType)
	return []route{
		{method: "GET", path: "/v1/head/NAME", role: Read, about: "the head", headers: stale, status: 200, gives: jsonOf(wire.HeadAnswer{}), tells: staleHeaders, serve: (*call).head},
		{method: "GET", path: "/v1/log/NAME", role: Read, about: "commits, newest first; as records if Accept asks for them", query: []param{
			commitOf("from", "id of the first commit; default the head"),
			most(wire.MaxLog),
		}, status: 200, gives: jsonOf(logAnswer{}), also: records, serve: (*call).history},
		{method: "POST", path: "/v1/commits/NAME", role: Write, about: "stores stones and makes a commit with them the head",
			headers: []string{"If-Match", wire.FenceHeader, wire.RetryHeader}, needs: []string{"If-Match"}, takes: records, status: 201, gives: jsonOf(wire.Commit{}), also: records, tells: headHeaders, serve: (*call).commit},
		{method: "POST", path: "/v1/restore/NAME", role: Write, about: "makes a commit that restores a version",
			headers: []string{"If-Match", wire.FenceHeader}, takes: jsonOf(restoreCall{}), status: 201, gives: jsonOf(wire.Commit{}), also: records, tells: headHeaders, serve: (*call).restore},
	}
}

func (c *call) head() error {
	h, err := c.headNow()
	if err != nil {
		return err
	}
	return c.answerHead(http.StatusOK, h)
}

// wantsRecords reports whether the caller asks for an answer in records.
func (c *call) wantsRecords() bool {
	return slices.ContainsFunc(c.r.Header["Accept"], func(s string) bool { return strings.Contains(s, wire.RecordsType) })
}

// logBatch is the number of commits in memory at a time.
const logBatch = 64

func (c *call) history() error {
	from, err := c.commitID("from")
	if err != nil {
		return err
	}
	n, err := c.number("n", defaultListed)
	if err != nil {
		return err
	}
	w := logWriter{records: c.wantsRecords()}
	w.begin()
	known := 0 // commits of the batch that were in the last one
	for {
		batch, err := c.st.Log(c.ctx, c.name, from, int(min(n, logBatch))+known)
		if err != nil {
			return err
		}
		full := len(batch) == int(min(n, logBatch))+known
		for _, commit := range batch[min(known, len(batch)):] {
			if err := w.add(commit); err != nil {
				return err
			}
			n--
		}
		if n == 0 || !full {
			break
		}
		from, known = batch[len(batch)-1].ID(), 1
		if err := c.part(w.media(), &w.buf); err != nil {
			return err
		}
	}
	w.end()
	return c.finish(http.StatusOK, w.media(), w.buf)
}

// logAnswer is the answer to GET /v1/log in JSON.
type logAnswer struct {
	Commits []wire.Commit `json:"commits"`
}

// logWriter writes commits as an answer to GET /v1/log.
type logWriter struct {
	records bool
	some    bool
	buf     []byte
}

func (w *logWriter) media() string {
	if w.records {
		return wire.RecordsType
	}
	return jsonType
}

func (w *logWriter) begin() {
	if !w.records {
		w.buf = append(w.buf, `{"commits":[`...)
	}
}

func (w *logWriter) add(c history.Commit) error {
	if w.records {
		b := c.Append(nil)
		w.buf = append(binary.AppendUvarint(w.buf, uint64(len(b))), b...)
		return nil
	}
	if w.some {
		w.buf = append(w.buf, ',')
	}
	w.some = true
	b, err := json.Marshal(wire.CommitOf(c))
	w.buf = append(w.buf, b...)
	return err
}

func (w *logWriter) end() {
	if !w.records {
		w.buf = append(w.buf, "]}\n"...)
	}
}

// commit is POST /v1/commits.
func (c *call) commit() error {
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
		return ofCaller(err)
	}
	c.step("receive")
	if err := c.checkCommit(base, commit, stones); err != nil {
		return err
	}
	c.step("check")
	done, err := c.commitWithin(base, commit, stones)
	if err != nil && c.r.Header.Get(wire.RetryHeader) == "1" {
		done, err = c.madeBefore(base, commit, err)
	}
	if err != nil {
		return err
	}
	c.step("commit")
	return c.committed(base, done)
}

// commitWithin makes a commit within the limits of the token.
func (c *call) commitWithin(base history.Head, commit history.Commit, stones []history.Stone) (made history.Commit, err error) {
	if c.token != nil {
		done, err := c.token.Room(c.ctx, c.Server.st, c.began, c.name, commit)
		if err != nil {
			return history.Commit{}, err
		}
		defer done()
	}
	err = c.guard.Change(c.ctx, c.in.n, func(ctx context.Context) (err error) {
		made, err = c.Server.st.Commit(ctx, c.name, base, commit, stones...)
		return err
	})
	return made, err
}

// base returns the head that a save is based on.
func (c *call) base() (history.Head, error) {
	id, given, err := c.match()
	if err == nil && !given {
		err = fault(wire.NeedsMatch, "If-Match must name the commit that the save is based on")
	}
	if err != nil {
		return history.Head{}, err
	}
	fence, err := c.fence()
	return history.Head{Commit: id, Fence: fence}, err
}

// checkCommit returns what is wrong with a commit, with a text for the caller. The
// Store checks most of it too, but its errors go to the log.
func (c *call) checkCommit(base history.Head, commit history.Commit, stones []history.Stone) error {
	if commit.Parent != base.Commit {
		return bad("the commit's parent is not the commit in If-Match")
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
		if err := c.checkStone(s.Data, false); err != nil {
			return err
		}
	}
	return nil
}

// checkedBytes is the size up to which all of a stone is read before it is stored. Of a
// larger one only the directory and the checksums are: its pages may take minutes.
const checkedBytes = 256 << 10

// Reading a stone takes longer than all else in a save. So a caller of whom provenStones in a
// row were read and right is trusted with the next: one of sampledStones is read. A stone that
// lies then hurts its own world alone.
const (
	provenStones  = 256
	sampledStones = 16
)

// provenStones returns how many stones of the caller in a row were read and right.
func (c *call) provenStones() *atomic.Int64 {
	if c.token != nil {
		return &c.token.Proven
	}
	return &c.Server.proven
}

// checkStone returns an error unless a stone can be stored. With sure it trusts nobody: a pack
// takes the place of stones that are right.
func (c *call) checkStone(data []byte, sure bool) error {
	proven := c.provenStones()
	whole := len(data) <= checkedBytes && (sure || proven.Load() < provenStones || rand.IntN(sampledStones) == 0)
	err := c.readStone(bytes.NewReader(data), int64(len(data)), whole)
	switch {
	case errors.As(err, new(*stone.CorruptError)):
		proven.Store(0)
	case err == nil && whole:
		proven.Add(1)
	}
	return ofCaller(err)
}

// readStone reads a stone, whole or what says where its pages are. What the whole takes is
// reckoned before, as it may need 10,000 times the stone's own bytes.
func (c *call) readStone(from io.ReaderAt, size int64, whole bool) error {
	r, need, err := c.openStone(from, size, whole)
	if err != nil {
		return err
	}
	leave, err := c.checks.enter(c.ctx, c.who(), need)
	if err != nil {
		return err
	}
	defer leave()
	if whole {
		return r.Check(c.ctx)
	}
	return r.CheckSums(c.ctx)
}

// openStone opens a stone, and says how much memory it needs to be read whole.
func (c *call) openStone(from io.ReaderAt, size int64, whole bool) (r *stone.Reader, need int64, err error) {
	leave, err := c.checks.enter(c.ctx, c.who(), 0) // a small stone may have a large directory
	if err != nil {
		return nil, 0, err
	}
	defer leave()
	r, err = stone.Open(from, size)
	most := c.limits.WorldMemory
	if err == nil && (r.Memory() > most/16 || inspect.IndexBytes(r, most) > most) {
		return nil, 0, fault(wire.TooLarge, "the stone has entries for too many chunks")
	}
	if err == nil && whole {
		need, err = r.CheckMemory()
	}
	switch {
	case errors.Is(err, stone.ErrNewer):
		return nil, 0, fault(wire.Unsupported, "the stone has a newer version")
	case err == nil && need > most/2:
		return nil, 0, fault(wire.TooLarge, "a page of the stone needs too much memory")
	}
	return r, need, err
}

// madeWithin is how many commits made searches for the commit of an earlier try.
const madeWithin = 1024

// madeBefore returns the commit that an earlier try of the same call made: the one with
// the same parent, content and history.Commit.IdempotencyKey, once it is on stable storage. If there is none, it returns err, the reason why the
// commit cannot be made now.
func (c *call) madeBefore(base history.Head, commit history.Commit, err error) (history.Commit, error) {
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
				return l, c.confirm(l.ID(), err)
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
func (c *call) confirm(id history.ID, refused error) error {
	st, ok := c.Server.st.(history.Confirmer)
	if !ok {
		return nil
	}
	err := c.guard.Change(c.ctx, 0, func(ctx context.Context) error { return st.Confirm(ctx, c.name, id) })
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
func (c *call) committed(base history.Head, done history.Commit) error {
	c.saved(c.name, done.Number)
	id := done.ID()
	h := c.w.Header()
	h["Etag"] = []string{etag(id)}
	if base.Fence != 0 && base.Fence != history.Force {
		if done.Base != done.Parent {
			base.Fence++
		}
		h[wire.FenceHeader] = []string{strconv.FormatUint(base.Fence, 10)}
	}
	if c.wantsRecords() {
		var b bytes.Buffer
		if _, err := wire.LogBody(done).WriteTo(&b); err != nil {
			return err
		}
		c.send(http.StatusCreated, wire.RecordsType, b.Bytes())
		return nil
	}
	return c.answer(http.StatusCreated, wire.CommitOf(done))
}

// restoreCall is the body of POST /v1/restore.
type restoreCall struct {
	At      string `json:"at"`
	Message string `json:"message,omitempty"`
	Author  string `json:"author,omitempty"`
}

func (c *call) restore() error {
	var to restoreCall
	if err := c.json(&to); err != nil {
		return err
	}
	fence, err := c.fence()
	if err != nil {
		return err
	}
	commit := history.Commit{Message: to.Message, Author: c.author(to.Author)}
	if err := commit.Check(); err != nil {
		return bad("message at most %d bytes, author at most %d", history.MaxMessage, history.MaxAuthor)
	}
	if to.At == "" {
		return bad("at must name the version to restore")
	}
	if commit.Base, err = c.version(c.name, to.At); err != nil {
		return err
	}
	want, given, err := c.match()
	if err != nil {
		return err
	}
	for {
		head := history.Head{Commit: want, Fence: fence}
		if !given {
			now, err := c.st.Head(c.ctx, c.name)
			if err != nil {
				return err
			}
			head.Commit = now.Commit
		}
		commit.Parent = head.Commit
		done, err := c.st.Commit(c.ctx, c.name, head, commit)
		switch {
		case err == nil:
			return c.committed(head, done)
		case given || !errors.Is(err, history.ErrConflict):
			return err
		}
	}
}
