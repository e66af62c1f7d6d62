package redis

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/server/inbox"
	"github.com/cairnvoxel/cairn/internal/server/limits"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/server/versions"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
)

// slimeFormat is the format of the files, and the key of the bytes in an inbox.
const slimeFormat = "slime"

// who is whom queues count a command for.
func (c *session) who() (h limits.Caller) {
	if c.grant != nil {
		h = c.grant.Hash
	}
	return h
}

// there reports whether a world has a version, or something waits for it.
func (c *session) there(ctx context.Context, world string) (bool, error) {
	head, err := c.s.st.Head(ctx, world)
	if err == nil && head.Commit != (history.ID{}) {
		return true, nil
	}
	if err != nil && !noWorld(err) {
		return false, err
	}
	at, err := c.s.inbox.At(ctx, world)
	return at != (history.ID{}), err
}

// File returns the Slime file of a world: what was saved last, as it came, or what the newest version is. It is
// history.ErrNoWorld without one.
func (s *Door) File(ctx context.Context, who limits.Caller, name string) ([]byte, error) {
	at, err := s.inbox.At(ctx, name)
	if err != nil {
		return nil, err
	}
	if at != (history.ID{}) {
		b, err := versions.Keep(ctx, s.made, at.String(), func() ([]byte, int64, error) {
			w, err := s.inbox.Open(ctx, name)
			if err != nil || w == nil {
				return nil, 0, cmp.Or(err, errEmptied)
			}
			defer w.Close()
			b, ok, err := w.Read(ctx, slimeFormat)
			if err == nil && (!ok || w.At != at) {
				err = errEmptied
			}
			return b, int64(len(b)), err
		})
		if !errors.Is(err, errEmptied) {
			return b, err
		}
		return s.File(ctx, who, name)
	}
	head, err := s.st.Head(ctx, name)
	if err == nil && head.Commit == (history.ID{}) {
		err = history.ErrNoWorld
	}
	if err != nil {
		return nil, err
	}
	return versions.Keep(ctx, s.made, head.Commit.String(), func() ([]byte, int64, error) {
		leave, err := s.heavy.Enter(ctx, who, 0)
		if err != nil {
			return nil, 0, err
		}
		defer leave()
		b, err := s.export(ctx, name, head.Commit)
		return b, int64(len(b)), err
	})
}

// errEmptied says that an inbox was emptied, or has something else, since it was asked.
var errEmptied = errors.New("redis: the inbox has changed")

// export writes a version of a world as a file.
func (s *Door) export(ctx context.Context, name string, at history.ID) ([]byte, error) {
	snap, err := world.OpenSnapshot(ctx, s.st, name, at, world.Options{})
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	lost := map[string]int{}
	w, err := port.Pick(ctx, snap, "", true, lost)
	if err == nil {
		err = port.CheckGame(snap, slimeFormat)
	}
	var out bytes.Buffer
	if err == nil {
		err = port.WriteFile(ctx, convert.Within(w, s.o.Limits.WorldMemory), &out, port.Target{Format: slimeFormat}, nil, lost)
	}
	if err != nil {
		s.o.Log.Error("redis: a world is no Slime file", "world", name, "err", err)
		return nil, refusef("the world is no Slime file: %.200s", err.Error())
	}
	if len(lost) > 0 {
		s.o.Log.Warn("redis: a Slime file does not hold all of a world", "world", name, "version", at.String(), "lost", fmt.Sprint(lost))
	}
	return out.Bytes(), nil
}

// makeVersion makes the newest version of a world of the file that was saved.
func (s *Door) makeVersion(ctx context.Context, w *inbox.Waiting) (c history.Commit, err error) {
	leave, err := s.heavy.Enter(ctx, limits.Caller{}, 0)
	if err != nil {
		return c, err
	}
	defer leave()
	data, ok, err := w.Read(ctx, slimeFormat)
	if err != nil {
		return c, err
	}
	if !ok || !isSlime(data) {
		return c, errors.New("redis: not a Slime file")
	}
	have, err := s.lockOf(ctx, w.World)
	if err != nil {
		return c, err
	}
	fence, err := s.fence(ctx, w.World)
	if err == nil && have != nil && fence == 0 {
		err = history.ErrLeased // a version would be refused
	}
	if err != nil {
		return c, err
	}
	memory := s.o.Limits.WorldMemory
	src, err := port.OpenReader(bytes.NewReader(data), int64(len(data)), port.Options{MaxBytes: memory, Memory: memory})
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	parts, err := src.Parts(ctx, nil)
	if err != nil {
		return c, err
	}
	done, err := src.Import(ctx, func(context.Context) (history.Store, error) { return s.st, nil }, w.World, parts,
		port.ImportOptions{Note: port.Note{Author: w.Author, Message: "saved", Fence: fence, MaxBytes: memory}, Write: port.WriteOptions{Options: stone.Options{Effort: stone.Quick}, Memory: memory / 2}}) // a pack has far levels, and is smaller
	if err != nil {
		return c, err
	}
	if lost := src.Remarks().Lost; len(lost) > 0 {
		s.o.Log.Warn("redis: not all of a file has a place in a version", "world", w.World, "version", done.Commit.Number, "lost", fmt.Sprint(lost))
	}
	s.remember(done.Commit.ID(), data)
	return done.Commit, nil
}

func isSlime(data []byte) bool { return len(data) > 2 && data[0] == 0xB1 && data[1] == 0x0B }

// remember keeps the file that a version is, of a world or of an inbox.
func (s *Door) remember(at history.ID, data []byte) {
	_, _ = versions.Keep(context.Background(), s.made, at.String(), func() ([]byte, int64, error) { return data, int64(len(data)), nil }) // it does not fail
}

func (c *session) get(ctx context.Context, args [][]byte) (any, error) {
	k, world, err := c.parse(args[0])
	switch {
	case err != nil:
		return nil, err
	case k == isList:
		return nil, errType
	case k == isLock:
		l, err := c.s.lockOf(ctx, world)
		if err != nil || l == nil {
			return nil, err
		}
		return []byte(l.value), nil
	case k == isNothing:
		return nil, nil
	}
	b, err := c.s.File(ctx, c.who(), world)
	if noWorld(err) {
		return nil, nil
	}
	return b, err
}

const errType = reply("WRONGTYPE Operation against a key holding the wrong kind of value")

func (c *session) strlen(ctx context.Context, args [][]byte) (any, error) {
	v, err := c.get(ctx, args)
	b, _ := v.([]byte)
	return int64(len(b)), err
}

// isThere reports whether a key has something, and what it stands for.
func (c *session) isThere(ctx context.Context, key []byte) (k kind, there bool, err error) {
	k, world, err := c.parse(key)
	switch {
	case err != nil:
	case k == isWorld:
		there, err = c.there(ctx, world)
	case k == isLock:
		l, failed := c.s.lockOf(ctx, world)
		there, err = l != nil, failed
	case k == isList:
		names, failed := c.names(ctx)
		there, err = len(names) > 0, failed
	}
	return k, there, err
}

func (c *session) exists(ctx context.Context, args [][]byte) (any, error) {
	var n int64
	for _, key := range args {
		_, there, err := c.isThere(ctx, key)
		if err != nil {
			return nil, err
		}
		n += number(there)
	}
	return n, nil
}

func (c *session) kind(ctx context.Context, args [][]byte) (any, error) {
	k, there, err := c.isThere(ctx, args[0])
	switch {
	case err != nil || !there:
		return "none", err
	case k == isList:
		return "set", nil
	}
	return "string", nil
}

// setOptions are the options of SET.
type setOptions struct {
	none, some bool          // NX, XX
	for_       time.Duration // PX, EX; 0 for ever
}

func parseSet(args [][]byte) (o setOptions, err error) {
	for i := 0; i < len(args); i++ {
		switch strings.ToUpper(string(args[i])) {
		case "NX":
			o.none = true
		case "XX":
			o.some = true
		case "KEEPTTL":
		case "PX", "EX":
			unit := time.Millisecond
			if strings.EqualFold(string(args[i]), "EX") {
				unit = time.Second
			}
			if i++; i == len(args) {
				return o, errSyntax
			}
			if o.for_, err = span(args[i], unit); err != nil {
				return o, err
			}
		default:
			return o, errSyntax
		}
	}
	if o.none && o.some {
		return o, errSyntax
	}
	return o, nil
}

// span parses a time in units. It is positive.
func span(text []byte, unit time.Duration) (time.Duration, error) {
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || n <= 0 || n > int64(24*365*time.Hour/unit) {
		return 0, refusef("invalid expire time")
	}
	return time.Duration(n) * unit, nil
}

func (c *session) setNew(ctx context.Context, args [][]byte) (any, error) {
	v, err := c.set(ctx, append(args, []byte("NX")))
	return number(v != nil), err
}

func (c *session) set(ctx context.Context, args [][]byte) (any, error) {
	o, err := parseSet(args[2:])
	if err != nil {
		return nil, err
	}
	k, world, err := c.parse(args[0])
	switch {
	case err != nil:
		return nil, err
	case k == isLock:
		return c.setLock(ctx, world, string(args[1]), o)
	case k == isList:
		return nil, errType
	case k == isNothing:
		return nil, refusef("there is no place for the key %.60q: only worlds are kept here", args[0])
	case o.for_ > 0:
		return nil, refusef("a world does not expire")
	}
	if o.none || o.some {
		there, err := c.there(ctx, world)
		if err != nil || there == o.none {
			return nil, err
		}
	}
	if err := c.save(ctx, world, args[1]); err != nil {
		return nil, err
	}
	return "OK", nil
}

// save keeps a file until a version is made of it.
func (c *session) save(ctx context.Context, world string, data []byte) error {
	st := c.store()
	if c.grant != nil && c.grant.Limits != (token.Quota{}) { // it counts the worlds
		if err := st.Create(ctx, world); err != nil && !errors.Is(err, history.ErrExists) {
			return err
		}
	}
	at, err := c.s.inbox.Put(ctx, st, inbox.Save{World: world, Author: c.author(), Mine: isOurs, Whole: true, Items: []inbox.Item{{Key: slimeFormat, Data: data}}})
	if err == nil {
		c.s.remember(at, data)
	}
	return err
}

// author is who a version is by: the note of the token, or the name that the client gave itself.
func (c *session) author() string {
	by := c.name
	if c.grant != nil && c.grant.Note != "" {
		by = c.grant.Note
	}
	return strings.ToValidUTF8(by[:min(len(by), history.MaxAuthor)], "")
}

// del is DEL. A deleted world can be brought back, with what was saved last.
func (c *session) del(ctx context.Context, args [][]byte) (any, error) {
	var n int64
	for _, key := range args {
		k, world, err := c.parse(key)
		gone := false
		switch {
		case err != nil:
		case k == isWorld:
			gone, err = c.deleteWorld(ctx, world)
		case k == isLock:
			gone, err = c.s.unlock(ctx, world)
		case k == isList:
			err = refusef("the list has the worlds that are there: delete these")
		}
		if err != nil {
			return nil, err
		}
		n += number(gone)
	}
	return n, nil
}

func (c *session) deleteWorld(ctx context.Context, world string) (bool, error) {
	there, err := c.there(ctx, world)
	if err != nil || !there {
		return false, err
	}
	if err := c.s.inbox.Settle(ctx, world); err != nil {
		return false, err
	}
	fence, err := c.s.fence(ctx, world)
	if err != nil {
		return false, err
	}
	if err := c.store().Delete(ctx, world, fence); err != nil && !noWorld(err) {
		return false, err
	}
	return true, c.s.inbox.Discard(ctx, world)
}
