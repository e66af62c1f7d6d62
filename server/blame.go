package server

import (
	"net/http"

	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/store/history"
)

// blameAnswer is the answer to GET /v1/blame.
type blameAnswer struct {
	Name     string       `json:"name"`
	Commit   *wire.Commit `json:"commit"` // null if no version that was searched changed it
	Before   string       `json:"before"`
	Searched int          `json:"searched"`
	Next     wire.HexID   `json:"next"` // where to go on, "" at the end
}

// blame is GET /v1/blame.
func (c *call) blame() error {
	v, err := c.versionOf(c.name, c.query.Get("at"))
	if err != nil {
		return err
	}
	from, err := c.commitID("from")
	if err != nil {
		return err
	}
	if from != (history.ID{}) {
		v.at = from
	}
	spot := inspect.Spot{Dimension: c.query.Get("dimension"), Volume: c.query.Get("volume")}
	for axis, to := range map[string]*int{"x": &spot.At.X, "y": &spot.At.Y, "z": &spot.At.Z} {
		n, err := c.number(axis, 0)
		if err != nil {
			return err
		}
		*to = int(n)
	}
	leave, err := c.light.enter(c.ctx, c.who(), 0)
	if err != nil {
		return err
	}
	defer leave()
	b, err := inspect.Blame(c.ctx, c.st, c.name, v.at, spot, inspect.BlameOptions{Cache: c.snapshots.Cache})
	if err != nil {
		return worldFault(err)
	}
	a := blameAnswer{Name: b.Name, Before: b.Before, Searched: b.Searched, Next: wire.HexID(b.Next)}
	if b.Commit != nil {
		commit := wire.CommitOf(*b.Commit)
		a.Commit = &commit
	}
	return c.answer(http.StatusOK, a)
}
