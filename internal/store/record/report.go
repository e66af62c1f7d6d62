package record

import (
	"fmt"

	"github.com/cairnvoxel/cairn/store/history"
)

// MaxLost is the largest number of lost stones in a Report.
const MaxLost = 1 << 20

// Report is the result of the Check of a Store. A Store without faults has everything that its
// worlds need, and all of it is unchanged.
type Report struct {
	Worlds  int      `json:"worlds"` // including deleted worlds that can be restored
	Commits int      `json:"commits"`
	Packs   int      `json:"packs"`
	Stones  int      `json:"stones"`
	Bytes   int64    `json:"bytes"` // of the stones
	Faults  []string `json:"faults"`
	Hurt    []Hurt   `json:"hurt,omitempty"` // worlds with something that cannot be read
	// Lost are the stones whose bytes are missing or damaged, at most MaxLost.
	Lost []history.StoneRef `json:"-"`

	more int // number of faults that are not in Faults
}

const maxFaults = 100

// Fault adds a fault, or counts it if there are 100 already.
func (r *Report) Fault(format string, args ...any) {
	if len(r.Faults) == maxFaults {
		r.more++
		return
	}
	r.Faults = append(r.Faults, fmt.Sprintf(format, args...))
}

// End adds how many faults were only counted.
func (r *Report) End() {
	if r.more > 0 {
		r.Faults = append(r.Faults, fmt.Sprintf("and %d more", r.more))
		r.more = 0
	}
}

// Hurt is a world with something that cannot be read.
type Hurt struct {
	World    string `json:"world"`
	Versions int    `json:"versions"` // versions in its log
	Lost     int    `json:"lost"`     // versions that cannot be read
	Newest   bool   `json:"newest"`   // the newest version is lost, or nothing is known
	Deleted  bool   `json:"deleted,omitempty"`
}

func (h Hurt) String() string {
	what := "world"
	if h.Deleted {
		what = "deleted world"
	}
	s := fmt.Sprintf("%s %q: %d of %d versions cannot be read", what, h.World, h.Lost, h.Versions)
	if h.Versions == 0 {
		s = fmt.Sprintf("%s %q cannot be read", what, h.World)
	} else if h.Newest {
		s += ", the newest is one of them"
	}
	return s
}

// Stacks finds the commits whose whole stack can be read.
type Stacks struct {
	Reads
	Has     func(history.StoneRef) bool // whether a stone can be read
	NoPacks bool                        // the commits below a pack stand for it if it cannot be read
	known   map[history.ID]bool
}

// maxStacks is how many commits Stacks remembers.
const maxStacks = 1 << 20

// Entry reports whether a commit of a log and everything below it can be read.
func (s *Stacks) Entry(at history.ID) bool {
	_, err := s.Reads.Commit(at)
	return err == nil && s.stack(at)
}

func (s *Stacks) stack(at history.ID) bool {
	if s.known == nil || len(s.known) > maxStacks {
		s.known = make(map[history.ID]bool)
	}
	var path []history.ID
	ok := true
	for ok && at != (history.ID{}) {
		was, known := s.known[at]
		if known {
			ok = was
			break
		}
		path = append(path, at)
		s.known[at] = false // a circle ends here
		at, ok = s.link(at)
	}
	for _, id := range path {
		s.known[id] = ok
	}
	return ok
}

// link checks the pack or the stones of a commit and returns the commit below.
func (s *Stacks) link(at history.ID) (below history.ID, ok bool) {
	p, packed, err := s.Reads.Pack(at)
	if packed && s.Has(p.Stone) {
		return p.After, true
	}
	if (packed || err != nil) && !s.NoPacks {
		return at, false
	}
	c, err := s.Reads.Commit(at)
	for _, ref := range c.Stones {
		if err != nil || !s.Has(ref) {
			return at, false
		}
	}
	return c.Base, err == nil
}
