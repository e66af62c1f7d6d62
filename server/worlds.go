package server

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/server/away"
	"github.com/cairnvoxel/cairn/internal/server/limits"
	"github.com/cairnvoxel/cairn/internal/server/versions"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
)

// worlds opens versions of worlds for calls, within bounds of how many do so at a time.
type worlds struct {
	guard   *away.Guard
	open    *versions.Open
	made    *versions.Made
	light   *limits.Queue // calls that read parts of worlds
	heavy   *limits.Queue // calls that read whole worlds
	program string        // another text for each program whose answers differ
}

// lightCalls is the number of calls that read parts of worlds at a time.
const lightCalls = 8

// version is a commit of a world; at is zero for a world without commits.
type version struct {
	name   string
	at     history.ID
	stored string // how; "" if that does not matter
}

// head returns the head of the world. If the Store is away that may be an old one; the
// answer then says so.
func (w *worlds) head(c *call) (history.Head, error) {
	oldest, err := w.oldest(c)
	if err != nil {
		return history.Head{}, err
	}
	h, age, err := w.guard.Head(c.ctx, c.name, oldest)
	c.setStale(age)
	return h, err
}

// oldest returns the largest age of an answer that the caller accepts.
func (w *worlds) oldest(c *call) (time.Duration, error) {
	h := c.r.Header[wire.StaleHeader]
	if len(h) == 0 {
		return w.guard.Oldest(), nil
	}
	n, err := strconv.ParseUint(h[0], 10, 31)
	if err != nil || len(h) > 1 {
		return 0, bad("%s: want a number of seconds", wire.StaleHeader)
	}
	return time.Duration(n) * time.Second, nil
}

// at returns the version that the call names, and sets the headers of a head. If commits is
// set, a world without commits is an error.
func (w *worlds) at(c *call, commits bool) (v version, err error) {
	head, err := w.head(c)
	if err != nil {
		return v, err
	}
	v = version{name: c.name, at: head.Commit}
	if named := c.query.Get("at"); named != "" && (named != head.Commit.String() || head.Commit == (history.ID{})) {
		if v, err = c.versionOf(c.name, named); err != nil {
			return v, err
		}
	}
	if commits && v.at == (history.ID{}) {
		return v, history.ErrNoCommit
	}
	c.setHead(history.Head{Commit: v.at, Fence: head.Fence})
	return v, nil
}

// unknown is at for an answer that depends on the version alone, which has commits. It reports
// known if the caller has that answer; it is then sent.
func (w *worlds) unknown(c *call) (v version, known bool, err error) {
	v, err = w.at(c, true)
	return v, err == nil && w.tagged(c, v), err
}

// unknownStored is unknown for an answer that also depends on how the version is stored now: packs
// have far levels, and a stone may be sent as it is.
func (w *worlds) unknownStored(c *call) (v version, known bool, err error) {
	if v, err = w.at(c, true); err != nil {
		return v, false, err
	}
	err = w.reading(c, v, func(s *world.Snapshot) error {
		n, bytes := s.Stones()
		v.stored = fmt.Sprint(n, bytes)
		return nil
	})
	return v, err == nil && w.tagged(c, v), err
}

// versionOf returns the version of a world that a text names.
func (c *call) versionOf(name, text string) (v version, err error) {
	v.name = name
	if v.at, err = c.version(name, text); err != nil || v.at == (history.ID{}) {
		return v, err
	}
	// The id may be that of a commit of another world, whose Snapshot is open.
	_, err = c.commitAt(name, v.at)
	return v, err
}

// version returns the commit that a VERSION of a world names.
func (c *call) version(name, version string) (history.ID, error) {
	if id, err := history.ParseID(version); err == nil {
		if id != (history.ID{}) {
			return id, nil // the Store checks whether it exists
		}
		if _, err = c.st.Head(c.ctx, name); err == nil {
			err = history.ErrNoCommit // restoring it would empty the world
		}
		return id, err
	}
	commit, err := inspect.Find(c.ctx, c.st, name, version)
	if err != nil {
		return history.ID{}, err
	}
	return commit.ID(), nil
}

// commitAt returns a commit of a world.
func (c *call) commitAt(name string, at history.ID) (history.Commit, error) {
	log, err := c.st.Log(c.ctx, name, at, 1)
	if err == nil && len(log) == 0 {
		err = history.ErrNoCommit
	}
	if err != nil {
		return history.Commit{}, err
	}
	return log[0], nil
}

// reading calls do with a version. Few calls run at a time: each may decode pages,
// and a small stone may have a large directory.
func (w *worlds) reading(c *call, v version, do func(*world.Snapshot) error) error {
	return within(w.light, c, func() error { return w.opened(c, v, do) })
}

// heavily calls do with a version. Very few calls run at a time, because do may
// take much memory.
func (w *worlds) heavily(c *call, v version, do func(*world.Snapshot) error) error {
	return w.alone(c, func() error { return w.opened(c, v, do) })
}

// alone calls do, which takes much memory, when its turn comes.
func (w *worlds) alone(c *call, do func() error) error {
	return within(w.heavy, c, func() error {
		c.step("wait")
		return do()
	})
}

// within calls do when its turn in a queue comes.
func within(q *limits.Queue, c *call, do func() error) error {
	leave, err := q.Enter(c.ctx, c.who(), 0)
	if err != nil {
		return err
	}
	defer leave()
	return do()
}

func (w *worlds) opened(c *call, v version, do func(*world.Snapshot) error) error {
	s, release, err := w.open.Of(c.ctx, v.name, v.at)
	if err != nil {
		return err
	}
	defer release()
	if err = do(s); errors.Is(err, history.ErrGone) { // another server has packed the world and deleted stones
		w.open.Forget(v.at)
	}
	return err
}

// fits checks that the index of a world fits the memory for one.
func (c *call) fits(s *world.Snapshot) error {
	if most := c.limits.WorldMemory; inspect.IndexBytes(s, most) > most {
		return convert.ErrTooLarge
	}
	return nil
}

// changing calls do, which opens the world for a change on an open version of it and may come to
// know of so many chunks and columns. If they are too few, do runs again and may know of more, when
// its turn comes.
func (w *worlds) changing(c *call, do func(s *world.Snapshot, part int) error) error {
	head, err := c.st.Head(c.ctx, c.name)
	if err != nil {
		return err
	}
	v, most := version{name: c.name, at: head.Commit}, int(c.limits.WorldMemory/inspect.PlaceBytes)
	err = w.reading(c, v, func(s *world.Snapshot) error { return do(s, most/lightCalls) })
	if errors.Is(err, world.ErrPart) {
		err = w.heavily(c, v, func(s *world.Snapshot) error { return do(s, most) })
	}
	return err
}

// keep returns what do makes of a version, from memory if it was made before. do also says how many
// bytes it takes.
func keep[T any](w *worlds, c *call, v version, what string, do func() (made T, bytes int64, err error)) (T, error) {
	return versions.Keep(c.ctx, w.made, fmt.Sprintf("%s %v %s", what, v.at, v.stored), do)
}
