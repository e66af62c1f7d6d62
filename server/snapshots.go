package server

import (
	"errors"

	"github.com/cairnvoxel/cairn/game/arena"
	"github.com/cairnvoxel/cairn/internal/server/cells"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/store/history"
)

// snapshots are the named snapshots of worlds.
type snapshots struct {
	arenas arena.Opener // nil: no game has worlds open
	saved  func(name string, number uint64)
}

func (h *snapshots) routes() []route {
	return []route{
		{method: "GET", path: "/v1/snapshots/NAME", role: token.Read, about: "the named snapshots of a world", status: 200, handler: gives(h.list)},
		{method: "POST", path: "/v1/snapshots/NAME", role: token.Write, about: "saves a version of a world, or what it is now, as a named snapshot", status: 201, handler: takes(h.save)},
		{method: "DELETE", path: "/v1/snapshots/NAME", role: token.Write, about: "deletes a named snapshot", query: []param{words("snapshot", "its name")}, needs: []string{"snapshot"}, status: 204, handler: done(h.remove)},
	}
}

// snapshotAnswer is a named snapshot.
type snapshotAnswer struct {
	World     string      `json:"world"`
	Snapshot  string      `json:"snapshot"`
	Stored    string      `json:"stored"` // the name of the world that it is
	Commit    wire.Commit `json:"commit"` // its head
	Message   string      `json:"message"`
	Dimension string      `json:"dimension"` // "" for all, or for the first if there is a region
	Region    string      `json:"region"`    // "" for everything
	Mask      string      `json:"mask"`      // "" for every cell
	Bytes     int64       `json:"bytes"`     // of stones that the newest version of the world does not use
}

type snapshotsAnswer struct {
	Snapshots []snapshotAnswer `json:"snapshots"`
}

func (c *call) snapshotAnswer(s *arena.Snapshot) (snapshotAnswer, error) {
	kept, err := s.Kept(c.ctx, c.st)
	return snapshotAnswer{World: s.World, Snapshot: s.Name, Stored: s.Stored(), Commit: wire.CommitOf(s.Commit), Message: s.Message,
		Dimension: s.Dimension, Region: s.Region, Mask: s.Mask, Bytes: kept}, err
}

func (h *snapshots) list(c *call) (a snapshotsAnswer, err error) {
	all, err := arena.List(c.ctx, c.st, c.name)
	if err != nil {
		return a, nameFault(err)
	}
	a.Snapshots = make([]snapshotAnswer, len(all))
	for i, s := range all {
		if a.Snapshots[i], err = c.snapshotAnswer(s); err != nil {
			return a, err
		}
	}
	return a, nil
}

// nameFault says what is wrong with the name of a snapshot.
func nameFault(err error) error {
	if errors.Is(err, history.ErrName) {
		return fault(wire.BadName, "%v", err)
	}
	return err
}

type snapshotCall struct {
	Snapshot string `json:"snapshot"`
	At       string `json:"at,omitempty"`
	cells.Note
	areaForm
	Replace bool `json:"replace,omitempty"`
}

// areaForm is an arena.Area in JSON.
type areaForm struct {
	Dimension string `json:"dimension,omitempty"`
	Region    string `json:"region,omitempty"`
	Mask      string `json:"mask,omitempty"`
}

func (h *snapshots) save(c *call, to *snapshotCall) (a snapshotAnswer, err error) {
	if to.Snapshot == "" {
		return a, bad("snapshot must name it")
	}
	if to.Author, err = c.note(to.Message, to.Author); err != nil {
		return a, err
	}
	s, err := h.saveOf(c, to)
	if err != nil {
		return a, nameFault(err)
	}
	h.saved(s.Stored(), s.Commit.Number)
	return c.snapshotAnswer(s)
}

func (h *snapshots) saveOf(c *call, to *snapshotCall) (*arena.Snapshot, error) {
	o := arena.SaveOptions{Area: arena.Area(to.areaForm), Message: to.Message, Author: to.Author, Replace: to.Replace}
	if to.At == "" && h.arenas != nil {
		now, err := h.arenas.Capture(c.ctx, c.name)
		if err != nil {
			return nil, err
		}
		if now != nil {
			defer now.Close()
			return arena.SaveCapture(c.ctx, c.st, now, c.name, to.Snapshot, o)
		}
	}
	var err error
	if o.At, err = c.version(c.name, to.At); err != nil {
		return nil, err
	}
	if o.At == (history.ID{}) {
		return nil, history.ErrNoCommit
	}
	return arena.Save(c.ctx, c.st, c.name, to.Snapshot, o)
}

func (h *snapshots) remove(c *call) error {
	name := c.query.Get("snapshot")
	if name == "" {
		return bad("snapshot must name it")
	}
	return nameFault(arena.Delete(c.ctx, c.st, c.name, name))
}
