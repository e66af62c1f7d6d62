package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/server/cells"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
)

// factsAnswer is the answer to GET /v1/worlds/NAME.
type factsAnswer struct {
	Name       string           `json:"name"`
	Commit     *wire.Commit     `json:"commit"` // nil for a world without commits
	Fence      uint64           `json:"fence"`
	Lease      *wire.Lease      `json:"lease"` // nil if there is none, or it has ended
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

// facts is GET /v1/worlds/NAME.
func (c *call) facts() error {
	v, err := c.at(false)
	if err != nil {
		return err
	}
	head, err := c.st.Head(c.ctx, c.name)
	if err != nil {
		return err
	}
	f := factsAnswer{Name: c.name, Fence: head.Fence, Properties: []property{}, Dimensions: []dimensionFacts{}}
	lease, err := c.st.Leased(c.ctx, c.name)
	if err != nil {
		return err
	}
	if lease != (history.Lease{}) {
		l := wire.LeaseOf(lease)
		f.Lease = &l
	}
	if v.at != (history.ID{}) {
		if err := c.reading(v, func(s *world.Snapshot) error { return f.look(c, s) }); err != nil {
			return err
		}
	}
	body, err := json.Marshal(f)
	if err != nil || c.tagged(v, string(body)) { // a lease and a pack change no version
		return err
	}
	c.send(http.StatusOK, jsonType, append(body, '\n'))
	return nil
}

// look adds the facts of a version.
func (f *factsAnswer) look(c *call, s *world.Snapshot) error {
	log, err := c.st.Log(c.ctx, c.name, s.ID(), 1)
	if err == nil && len(log) == 0 {
		err = history.ErrNoCommit
	}
	if err != nil {
		return err
	}
	commit := wire.CommitOf(log[0])
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

// propertiesAnswer is the answer to GET /v1/properties.
type propertiesAnswer struct {
	Properties []property `json:"properties"`
}

// properties is GET /v1/properties.
func (c *call) properties() error {
	v, err := c.at(false)
	if err != nil || c.tagged(v) {
		return err
	}
	answer := propertiesAnswer{Properties: []property{}}
	if v.at != (history.ID{}) {
		err := c.reading(v, func(s *world.Snapshot) error {
			answer.Properties = propertiesOf(s.About().Properties)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return c.answer(http.StatusOK, answer)
}

// propertiesCall is the body of PATCH /v1/properties.
type propertiesCall struct {
	Set     map[string]string `json:"set,omitempty"`
	Remove  []string          `json:"remove,omitempty"`
	Message string            `json:"message,omitempty"`
	Author  string            `json:"author,omitempty"`
}

// check returns what is wrong with the call.
func (p *propertiesCall) check() error {
	if len(p.Set)+len(p.Remove) == 0 {
		return bad("set or remove must name a property")
	}
	for _, key := range p.Remove {
		if _, twice := p.Set[key]; twice {
			return bad("%.100q is in both set and remove", key)
		}
	}
	for key, value := range p.Set {
		if key == "" || value == "" {
			return bad("a property needs a key and a value; use remove to delete one")
		}
	}
	return nil
}

// author returns who a commit is by: whom the call names, else the note of its token.
func (c *call) author(named string) string {
	if named == "" && c.token != nil {
		named = strings.ToValidUTF8(c.token.Note[:min(len(c.token.Note), history.MaxAuthor)], "")
	}
	return named
}

func noteFault(message, author string) error {
	if len(message) > history.MaxMessage || len(author) > history.MaxAuthor {
		return bad("message at most %d bytes, author at most %d", history.MaxMessage, history.MaxAuthor)
	}
	if !utf8.ValidString(message) || !utf8.ValidString(author) {
		return bad("message and author must be UTF-8")
	}
	return nil
}

// setProperties is PATCH /v1/properties.
func (c *call) setProperties() error {
	var p propertiesCall
	if err := c.json(&p); err != nil {
		return err
	}
	if err := p.check(); err != nil {
		return err
	}
	done, err := c.change(cells.Note{Message: p.Message, Author: p.Author}, "", p.setProperties)
	if err != nil {
		return err
	}
	if done.Commit == nil { // a game saves it later
		head, err := inspect.Find(c.ctx, c.st, c.name, "")
		if err != nil {
			return err
		}
		made := wire.CommitOf(head)
		done.Commit = &made
	}
	return c.answer(http.StatusOK, done.Commit)
}

// setProperties sets the properties of a world.
func (p *propertiesCall) setProperties(_ context.Context, w *world.World) (done cells.Done, err error) {
	_, err = w.Update(func(tx *world.Tx) error {
		for key, value := range p.Set {
			tx.SetProperty(key, value)
		}
		for _, key := range p.Remove {
			tx.SetProperty(key, "")
		}
		return nil
	})
	if err != nil {
		err = bad("the properties cannot be set: %v", err)
	}
	return done, err
}

// changing calls do, which opens the world for a change on an open version of it and may come to
// know of so many chunks and columns. If they are too few, do runs again and may know of more, when
// its turn comes.
func (c *call) changing(do func(s *world.Snapshot, part int) error) error {
	head, err := c.st.Head(c.ctx, c.name)
	if err != nil {
		return err
	}
	v, most := version{name: c.name, at: head.Commit}, int(c.limits.WorldMemory/inspect.PlaceBytes)
	err = c.reading(v, func(s *world.Snapshot) error { return do(s, most/lightCalls) })
	if errors.Is(err, world.ErrPart) {
		err = c.heavily(v, func(s *world.Snapshot) error { return do(s, most) })
	}
	if errors.Is(err, world.ErrPart) {
		err = worldFault(convert.ErrTooLarge)
	}
	return err
}
