package move

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/stone"
)

// Options of a Mover. The zero value is the default.
type Options struct {
	Read port.Options
	Form Wanted
	// Force lets Export replace worlds that it did not write.
	Force bool
	// DryRun changes nothing, and says what would be done as far as that is known without reading worlds.
	DryRun bool
	// Progress is called before each world: n of all are done. Default: nobody.
	Progress func(n, all int, next string)
}

// Fate says what became of a world.
type Fate string

// What became of a world.
const (
	Copied    Fate = "copied"    // to where it was not
	Changed   Fate = "changed"   // it was copied over an older version
	Unchanged Fate = "unchanged" // since both were last equal
	Same      Fate = "same"      // both were compared
	Left      Fate = "left"      // alone, for the reason in Why
	Failed    Fate = "failed"
	Unknown   Fate = "unknown" // of a dry run: both would be compared
)

// Moved is what became of one world.
type Moved struct {
	Name  string `json:"name"`  // at the place
	World string `json:"world"` // in the store
	State Fate   `json:"state"`
	// To says in which direction it went: "store" or "place".
	To      string         `json:"to,omitempty"`
	Why     string         `json:"why,omitempty"`
	Lost    map[string]int `json:"lost,omitempty"`
	Damaged []string       `json:"damaged,omitempty"` // chunks that are kept as they were stored
	Remarks []string       `json:"remarks,omitempty"`
}

// Mover moves worlds between a place and a store. One goroutine uses it at a time.
type Mover struct {
	Place Depot
	Home  *Worlds
	Options
	// Each is called for each world when it is done. Default: nobody.
	Each func(Moved)
	// Passed is what the last move passed over at the place, because it is no world.
	Passed []string
	// Note is the error of keeping what both sides were. The next move then compares all worlds.
	Note error

	state *state
}

// pair is one world on both sides.
type pair struct {
	name, full  string // at the place, in the store
	place, home string // signs; "" where it is not
	last        equal  // both were; zero if that is not known
}

// plan decides what is done with a pair: where it goes, "store" or "place", with a Fate for when that is done; or the
// Fate it has, and why.
type plan func(p pair) (to string, s Fate, why string)

const (
	toStore = "store"
	toPlace = "place"
)

// Import copies the worlds of the place that changed since the last move into the store.
func (m *Mover) Import(ctx context.Context) error { return m.run(ctx, importPlan) }

func importPlan(p pair) (string, Fate, string) {
	switch {
	case p.place == "":
		return "", "", ""
	case p.home == "":
		return toStore, Copied, ""
	case p.place == p.last.Place:
		return "", Unchanged, ""
	case p.last == equal{}:
		return toStore, Unknown, "" // the import finds out
	}
	return toStore, Changed, ""
}

// Export copies the worlds of the store that changed since the last move to the place. A world that is there is replaced
// only if it is what the last move left there, or by force.
func (m *Mover) Export(ctx context.Context) error {
	return m.run(ctx, func(p pair) (string, Fate, string) {
		switch {
		case p.home == "":
			return "", "", ""
		case p.place == "":
			return toPlace, Copied, ""
		case p.place == p.last.Place && p.home == p.last.Home:
			return "", Unchanged, ""
		case p.place == p.last.Place || m.Force:
			return toPlace, Changed, ""
		}
		return "", Unknown, "another world is there; --force replaces it"
	})
}

// Mirror copies each world that changed on one side to the other. It leaves alone what changed on both, and what is gone
// from one.
func (m *Mover) Mirror(ctx context.Context) error { return m.run(ctx, m.mirrorPlan) }

func (m *Mover) mirrorPlan(p pair) (string, Fate, string) {
	known := p.last != equal{}
	switch {
	case known && p.place == "":
		return "", Left, fmt.Sprintf("it is gone from %v, and stays in %v", m.Place, m.Home)
	case known && p.home == "":
		return "", Left, fmt.Sprintf("it is gone from %v, and stays in %v", m.Home, m.Place)
	case p.home == "":
		return toStore, Copied, ""
	case p.place == "":
		return toPlace, Copied, ""
	case known && p.place == p.last.Place && p.home == p.last.Home:
		return "", Unchanged, ""
	case known && p.home == p.last.Home:
		return toStore, Changed, ""
	case known && p.place == p.last.Place:
		return toPlace, Changed, ""
	case known:
		return "", Unknown, "it changed on both sides since they were equal"
	}
	return "", Unknown, "both sides have another world of this name"
}

// run does a plan with all worlds. It returns an error only if it could not go on.
func (m *Mover) run(ctx context.Context, do plan) (err error) {
	if m.state, err = m.Home.readState(ctx, m.Place); err != nil {
		return err
	}
	names, err := m.names(ctx)
	if err != nil {
		return err
	}
	defer func() { m.keep(context.WithoutCancel(ctx), true) }()
	for i, name := range names {
		if m.Progress != nil {
			m.Progress(i, len(names), name)
		}
		done, err := m.one(ctx, name, do)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			done.State, done.Why = Failed, strings.TrimPrefix(err.Error(), "move: ")
		}
		if m.Each != nil && done.State != "" {
			m.Each(done)
		}
		m.keep(ctx, false)
	}
	return nil
}

// keep saves the state.
func (m *Mover) keep(ctx context.Context, now bool) {
	if !m.DryRun {
		m.Note = cmp.Or(m.state.save(ctx, m.Place, now), m.Note)
	}
}

// names returns the names of the worlds of both sides at the place.
func (m *Mover) names(ctx context.Context) ([]string, error) {
	inStore, err := m.Home.List(ctx)
	if err != nil {
		return nil, err
	}
	names, err := m.Place.List(ctx)
	if err != nil {
		return nil, err
	}
	if f, ok := m.Place.(*folder); ok {
		m.Passed = f.rest
	}
	paired := map[string]bool{}
	for _, name := range names {
		paired[m.Home.Name(name)] = true
	}
	for _, name := range inStore {
		full := m.Home.Name(name)
		if last, ok := m.state.Worlds[full]; ok { // its name in the store may be cut
			name = last.Name
		}
		if !paired[full] {
			names = append(names, name)
		}
	}
	for full, last := range m.state.Worlds { // gone from both
		if !paired[full] && !slices.Contains(names, last.Name) {
			delete(m.state.Worlds, full)
			m.state.changed = true
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// one does a plan with one world.
func (m *Mover) one(ctx context.Context, name string, do plan) (done Moved, err error) {
	p := pair{name: name, full: m.Home.Name(name)}
	done = Moved{Name: name, World: p.full}
	p.last = m.state.Worlds[p.full]
	if p.place, err = m.Place.Sign(ctx, name); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return done, err
	}
	if p.home, err = m.Home.Sign(ctx, name); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return done, err
	}
	done.To, done.State, done.Why = do(p)
	switch {
	case m.DryRun:
	case done.To == toStore:
		err = m.carry(ctx, m.Place, m.Home, p.home, &done, func(place, home string) { m.state.set(p.full, equal{name, place, home}) })
	case done.To == toPlace:
		err = m.carry(ctx, m.Home, m.Place, p.place, &done, func(home, place string) { m.state.set(p.full, equal{name, place, home}) })
	case done.State == Unknown:
		var same bool
		if same, err = m.same(ctx, name); err == nil && same {
			done.State, done.Why = Same, ""
			m.state.set(p.full, equal{name, p.place, p.home})
		} else if err == nil {
			done.State = Left
		}
	}
	return done, err
}

// open opens a world and reads what of it does not stay where it is.
func (m *Mover) open(ctx context.Context, from Depot, name string) (*Loaded, error) {
	w, err := from.Open(ctx, name, m.Read)
	if err != nil {
		return nil, err
	}
	if w.Content == nil {
		w.Content, err = w.Parts(ctx, nil)
	}
	if damage := (*format.DamageError)(nil); errors.As(err, &damage) {
		first := damage.Columns[0]
		err = fmt.Errorf("%d damaged chunks, which --salvage keeps as they are stored; the first: %s chunk %v: %w", len(damage.Columns), first.File, first.Pos, first.Err)
	}
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// carry copies a world to a place where it has the sign was. It reads back what it made. keep gets the signs of both.
func (m *Mover) carry(ctx context.Context, from, to Depot, was string, done *Moved, keep func(from, to string)) (err error) {
	w, err := m.open(ctx, from, done.Name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	remarks := w.Remarks()
	done.Lost, done.Damaged, done.Remarks = maps.Clone(remarks.Lost), remarks.Damaged, remarks.Notes
	if remark, _ := port.LevelRemark(w.Content); remark != "" {
		done.Remarks = append(done.Remarks, remark)
	}
	if after, err := from.Sign(ctx, done.Name); err != nil || after != w.Sign {
		return errors.Join(err, fmt.Errorf("%w: it changed while it was read", ErrChanged))
	}
	made, err := to.Make(ctx, done.Name, w, m.Form)
	if err != nil {
		return err
	}
	defer made.drop()
	maps.Copy(done.Lost, made.Lost)
	if made.open != nil {
		if why, err := m.differs(ctx, made.content, made, made.Lost); err != nil || why != "" {
			return errors.Join(err, fmt.Errorf("nothing was written: %w: %s", errOther, why))
		}
	}
	sign, err := made.put(ctx, was)
	if err != nil {
		return err
	}
	switch keep(w.Sign, sign); {
	case sign == was:
		done.State = Same
	case done.State == Unknown:
		done.State = Changed
	}
	return nil
}

// differs says how a world that was made differs from c.
func (m *Mover) differs(ctx context.Context, c stone.Content, made *Made, lost map[string]int) (why string, err error) {
	back, err := made.open(m.Read)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, back.Close()) }()
	is, err := back.Parts(ctx, nil)
	if err != nil {
		return "", err
	}
	return compare(ctx, c, is, lost)
}

// same reports whether a world is the same on both sides, as far as the place can hold it.
func (m *Mover) same(ctx context.Context, name string) (_ bool, err error) {
	w, err := m.open(ctx, m.Home, name)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	there, err := m.open(ctx, m.Place, name)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, there.Close()) }()
	why, err := compare(ctx, w.Content, there.Content, nil)
	if err != nil || why == "" {
		return err == nil, err
	}
	made, err := m.Place.Make(ctx, name, w, m.Form)
	if err != nil || made.open == nil {
		return false, nil // it cannot be what this would write
	}
	defer made.drop()
	why, err = m.differs(ctx, there.Content, made, nil)
	return err == nil && why == "", err
}
