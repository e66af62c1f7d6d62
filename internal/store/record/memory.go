package record

import (
	"hash/maphash"
	"time"

	"github.com/cairnvoxel/cairn/store/history"
)

// Memory remembers what Reads read lately: the worlds of names, and of commits what a stack
// needs. Whoever changes records tells it by Changed. All methods are safe for any number of
// goroutines; a nil Memory remembers nothing.
type Memory struct {
	worlds *cache[nameHash, uint64]
	links  *cache[history.ID, knownLink]
}

// NewMemory returns a Memory of this many bytes: a link for each world and more.
func NewMemory(size int64) *Memory {
	n := size / (linkBytes + nameBytes)
	return &Memory{
		worlds: newCache[nameHash, uint64](n, func(key nameHash) uint64 { return key[0] }),
		links:  newCache[history.ID, knownLink](n, func(at history.ID) uint64 { return be.Uint64(at[:]) }),
	}
}

// nameHash stands for a name. Two names have different hashes, except by a chance
// that nobody can influence.
type nameHash [2]uint64

var nameSeeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

func hashOf(name string) nameHash {
	return nameHash{maphash.String(nameSeeds[0], name), maphash.String(nameSeeds[1], name)}
}

const nameBytes = 16 + 8 + 8

// knownLink is what a stack needs of a commit: at most one stone, and the commit
// below.
type knownLink struct {
	below  history.ID
	stone  history.StoneRef // size 0 if there is none
	data   uint64           // number of the stone's bytes, 0 if unknown
	number uint64           // of the commit, 0 if unknown
	time   int64            // of the commit, if its number is known
	pack   bool
}

const linkBytes = 32 + (32 + 40 + 8 + 8 + 8 + 8) + 8

// linkOf returns the link of a commit without a pack. It returns false if the
// commit has too many stones for a link.
func linkOf(c history.Commit) (s knownLink, ok bool) {
	s = knownLink{below: c.Base, number: c.Number, time: c.Time.UnixMilli()}
	if len(c.Stones) == 1 {
		s.stone = c.Stones[0]
	}
	return s, len(c.Stones) <= 1
}

// what returns what a link says about the commit at: its pack, or else the base and
// the stones of the commit.
func (s knownLink) what(at history.ID) (p history.Pack, packed bool, c history.Commit) {
	if s.pack {
		return history.Pack{After: s.below, Upto: at, Stone: s.stone}, true, c
	}
	c.Base = s.below
	if s.stone.Size > 0 {
		c.Stones = []history.StoneRef{s.stone}
	}
	return p, false, c
}

// step returns the pack for the commit at, or else the base and the stones of the
// commit.
func (r Reads) step(at history.ID) (p history.Pack, packed bool, c history.Commit, err error) {
	s, ok, t := r.Memory.link(at)
	if ok {
		p, packed, c = s.what(at)
		return p, packed, c, nil
	}
	if p, packed, err = r.Pack(at); err == nil && !packed {
		c, err = r.Commit(at)
	}
	switch {
	case err != nil || r.Memory == nil:
		return p, packed, c, err
	case packed:
		s, ok = knownLink{below: p.After, stone: p.Stone, pack: true}, true
	default:
		s, ok = linkOf(c)
	}
	if ok {
		r.Memory.links.put(at, s, t)
	}
	return p, packed, c, nil
}

func (m *Memory) link(at history.ID) (s knownLink, ok bool, t Ticket) {
	if m == nil {
		return s, false, 0
	}
	return m.links.get(at)
}

// placed returns the entry that a commit has in logs, if it is remembered.
func (m *Memory) placed(at history.ID) (e Entry, ok bool) {
	s, _, _ := m.link(at)
	return Entry{Number: s.number, Commit: at, Time: time.UnixMilli(s.time).UTC()}, s.number > 0
}

// Data returns the number of the bytes of a layer's stone, 0 if unknown.
func (m *Memory) Data(l history.Layer) uint64 {
	s, _, _ := m.link(l.Upto)
	if s.stone != l.Stone {
		return 0
	}
	return s.data
}

// SetData remembers the number of the bytes of a layer's stone.
func (m *Memory) SetData(l history.Layer, number uint64) {
	if s, ok, t := m.link(l.Upto); ok && s.stone == l.Stone {
		s.data = number
		m.links.put(l.Upto, s, t)
	}
}

// Before returns what Saved needs. It is called before the commit is stored.
func (m *Memory) Before(id history.ID) Ticket {
	_, _, t := m.link(id)
	return t
}

// Saved remembers a new commit. data is the number of the bytes of its stone.
func (m *Memory) Saved(id history.ID, c history.Commit, data uint64, t Ticket) {
	if s, ok := linkOf(c); ok {
		s.data = data
		m.links.put(id, s, t)
	}
}

// packed remembers a new pack. data is the number of the bytes of its stone.
func (m *Memory) packed(p history.Pack, data uint64) {
	had, ok, _ := m.links.get(p.Upto)
	t := m.links.drop(p.Upto)
	m.links.put(p.Upto, knownLink{below: p.After, stone: p.Stone, data: data, number: had.number, time: had.time, pack: true}, t)
	for at := had.below; ok && at != p.After; at = had.below {
		had, ok, _ = m.links.get(at)
		m.links.fade(at) // few walks pass it from now on
	}
}

// Changed forgets what changes made wrong. data returns the number of the bytes of a stone
// of theirs, 0 if it is unknown; nil says that the changes may not have been made.
func (m *Memory) Changed(changes []Change, data func(history.StoneRef) uint64) {
	for _, c := range changes {
		switch kind := c.Key[0]; {
		case kind == Names:
			m.worlds.drop(hashOf(string(c.Key[1:])))
		case kind == Packs && (c.Value == nil || data == nil):
			m.Forget(Thing(c.Key))
		case kind == Packs:
			if p, err := ParsePack(history.ID(c.Key[1:]), c.Value); err == nil {
				m.packed(p, data(p.Stone))
			}
		}
	}
}

// Forget forgets a thing that is deleted.
func (m *Memory) Forget(t Thing) {
	if t.Kind() != Stones {
		m.links.drop(history.ID(t[1:]))
	}
}
