package server

import (
	"encoding/json"
	"net/http"

	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// facts describes versions of worlds.
type facts struct {
	*worlds
	folders map[string]GameFolder
}

func (h *facts) routes() []route {
	return []route{
		{method: "GET", path: "/v1/worlds/NAME", role: token.Read, about: "describes a world", query: []param{atVersion}, headers: []string{"If-None-Match"}, status: 200, tells: headHeaders, handler: plain(h.facts, jsonOf(factsAnswer{}))},
		{method: "GET", path: "/v1/properties/NAME", role: token.Read, about: "the properties of the world", query: []param{atVersion}, headers: known, status: 200, tells: staleHeaders, handler: plain(h.properties, jsonOf(propertiesAnswer{}))},
		{method: "GET", path: "/v1/blame/NAME", role: token.Read, about: "which version changed a cell last", query: []param{
			atVersion, commitOf("from", "id of the version where the search begins or goes on; in place of at"), words("dimension", "default the first with solid content"),
			words("volume", "default the solid content"), blocks("x"), blocks("y"), blocks("z"),
		}, status: 200, handler: gives(h.blame)},
	}
}

type factsAnswer struct {
	Name       string           `json:"name"`
	Commit     *wire.Commit     `json:"commit"` // nil for a world without commits
	Fence      uint64           `json:"fence"`
	Lease      *wire.Lease      `json:"lease"`  // nil if there is none, or it has ended
	Folder     bool             `json:"folder"` // POST /v1/put works
	Stones     int              `json:"stones"`
	Bytes      int64            `json:"bytes"` // of the stones
	Spawn      *spawnFacts      `json:"spawn"` // nil if the world does not say where players begin
	Properties []property       `json:"properties"`
	Dimensions []dimensionFacts `json:"dimensions"`
}

// spawnFacts say where players begin.
type spawnFacts struct {
	Dimension string  `json:"dimension"`
	At        [3]int  `json:"at"`
	Yaw       float32 `json:"yaw"` // in degrees as the game counts them: 0 is south, 90 west
}

type property struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

type dimensionFacts struct {
	Name    string        `json:"name"`
	Columns int           `json:"columns"`
	Volumes []volumeFacts `json:"volumes"`
}

type volumeFacts struct {
	Name   string `json:"name"`
	Schema string `json:"schema"`
	Scale  int    `json:"scale"`
	Names  int    `json:"names"` // number of names
}

func (h *facts) facts(c *call) error {
	v, err := h.at(c, false)
	if err != nil {
		return err
	}
	head, err := c.st.Head(c.ctx, c.name)
	if err != nil {
		return err
	}
	f := factsAnswer{Name: c.name, Fence: head.Fence, Folder: h.folders[c.name] != nil, Properties: []property{}, Dimensions: []dimensionFacts{}}
	lease, err := c.st.Leased(c.ctx, c.name)
	if err != nil {
		return err
	}
	if lease != (history.Lease{}) {
		l := wire.LeaseOf(lease)
		f.Lease = &l
	}
	if v.at != (history.ID{}) {
		if err := h.reading(c, v, func(s *world.Snapshot) error { return f.look(c, s) }); err != nil {
			return err
		}
	}
	body, err := json.Marshal(f)
	if err != nil || h.tagged(c, v, string(body)) { // a lease and a pack change no version
		return err
	}
	return c.send(http.StatusOK, jsonType, append(body, '\n'))
}

// look adds the facts of a version.
func (f *factsAnswer) look(c *call, s *world.Snapshot) error {
	made, err := c.commitAt(c.name, s.ID())
	if err != nil {
		return err
	}
	commit := wire.CommitOf(made)
	f.Commit = &commit
	f.Stones, f.Bytes = s.Stones()
	about := s.About()
	f.Properties = propertiesOf(about.Properties)
	if l, in, ok := port.Spawn(s); ok {
		f.Spawn = &spawnFacts{in, [3]int{l.Spawn.X, l.Spawn.Y, l.Spawn.Z}, l.Angle}
	}
	for _, d := range about.Dimensions {
		facts := dimensionFacts{Name: d.Name, Columns: s.ColumnCount(d.Name), Volumes: []volumeFacts{}}
		for _, v := range d.Volumes {
			facts.Volumes = append(facts.Volumes, volumeFacts{v.Volume.Name, v.Schema.String(), v.Scale, len(v.Names)})
		}
		f.Dimensions = append(f.Dimensions, facts)
	}
	return nil
}

func propertiesOf(all []stone.Property) []property {
	out := make([]property, len(all))
	for i, p := range all {
		out[i] = property{p.Key, p.Value}
	}
	return out
}

type propertiesAnswer struct {
	Properties []property `json:"properties"`
}

func (h *facts) properties(c *call) error {
	v, err := h.at(c, false)
	if err != nil || h.tagged(c, v) {
		return err
	}
	answer := propertiesAnswer{Properties: []property{}}
	if v.at != (history.ID{}) {
		err = h.reading(c, v, func(s *world.Snapshot) error {
			answer.Properties = propertiesOf(s.About().Properties)
			return nil
		})
	}
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, answer)
}

type blameAnswer struct {
	Name     string       `json:"name"`
	Commit   *wire.Commit `json:"commit"` // null if no version that was searched changed it
	Before   string       `json:"before"`
	Searched int          `json:"searched"`
	Next     wire.HexID   `json:"next"` // where to go on, "" at the end
}

func (h *facts) blame(c *call) (a blameAnswer, err error) {
	v, err := c.versionOf(c.name, c.query.Get("at"))
	if err != nil {
		return a, err
	}
	from, err := c.commitID("from")
	if err != nil {
		return a, err
	}
	if from != (history.ID{}) {
		v.at = from
	}
	spot := inspect.Spot{Dimension: c.query.Get("dimension"), Volume: c.query.Get("volume"),
		At: geom.Point{X: int(c.number("x", 0)), Y: int(c.number("y", 0)), Z: int(c.number("z", 0))}}
	err = within(h.light, c, func() error {
		b, err := inspect.Blame(c.ctx, c.st, c.name, v.at, spot, inspect.BlameOptions{Cache: h.open.Cache})
		if err != nil {
			return err
		}
		a = blameAnswer{Name: b.Name, Before: b.Before, Searched: b.Searched, Next: wire.HexID(b.Next)}
		if b.Commit != nil {
			commit := wire.CommitOf(*b.Commit)
			a.Commit = &commit
		}
		return nil
	})
	return a, err
}
