package fleet

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn"
	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/game/autosave"
	"github.com/cairnvoxel/cairn/store"
	_ "github.com/cairnvoxel/cairn/store/cluster" // opens cluster:FILE
	"github.com/cairnvoxel/cairn/world"
)

// ChildName is the only argument with which Bench starts its own program again; that
// program then calls Child.
const ChildName = "fleet-child"

// task is what a game does. Of all worlds it has those whose number is its own, plus a
// multiple of Games.
type task struct {
	URL    string
	Number int
	Games  int
	Worlds int // that all games have open together
	Seed   uint64
}

// tally is what a game did.
type tally struct {
	Open    int `json:"open_worlds"`
	Opening int `json:"-"`
	Edits   int `json:"edits"`
	Loads   int `json:"loads"`
	Closed  int `json:"closed"`
	Failed  int `json:"failed_saves"` // each was repeated
	Lost    int `json:"lost_worlds"`
	Refused int `json:"refused_opens"` // each was repeated
	Unsaved int `json:"unsaved_worlds"`
	// LoadTimes are those of opening worlds, in milliseconds.
	LoadTimes []float64         `json:"-"`
	P50       float64           `json:"load_p50_ms"`
	P99       float64           `json:"load_p99_ms"`
	Longest   float64           `json:"load_longest_ms"`
	Late      float64           `json:"latest_save_s"` // behind its time
	Unsure    int               `json:"unsure_leases"` // at most at a time
	Left      map[string]uint64 `json:"-"`
	First     string            `json:"first_error,omitempty"`
}

// spoken is a tally on its way to the parent.
type spoken struct {
	tally
	Opening   int
	LoadTimes []float64
	Left      map[string]uint64
}

// UnmarshalJSON decodes what was spoken.
func (t *tally) UnmarshalJSON(b []byte) error {
	type plain tally
	var s struct {
		plain
		Opening   int
		LoadTimes []float64
		Left      map[string]uint64
	}
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	*t = tally(s.plain)
	t.Opening, t.LoadTimes, t.Left = s.Opening, s.LoadTimes, s.Left
	return nil
}

func (t *tally) add(u tally) {
	t.Open += u.Open
	t.Edits, t.Loads, t.Closed = t.Edits+u.Edits, t.Loads+u.Loads, t.Closed+u.Closed
	t.Failed, t.Lost, t.Refused, t.Unsaved = t.Failed+u.Failed, t.Lost+u.Lost, t.Refused+u.Refused, t.Unsaved+u.Unsaved
	t.LoadTimes = append(slices.Clip(t.LoadTimes), u.LoadTimes...)
	t.P50, t.P99, t.Longest = lab.Percentile(t.LoadTimes, 50), lab.Percentile(t.LoadTimes, 99), lab.Percentile(t.LoadTimes, 100)
	t.Late, t.Unsure = max(t.Late, u.Late), t.Unsure+u.Unsure
	if t.First == "" {
		t.First = u.First
	}
}

// Times of the players: a stay as in the source, which had 904 loads a minute for 15,000
// worlds. There is an edit a minute, so that two processors can play all worlds, and leases
// are renewed every 100 s: with the Fleet's default of 20 s the catalogue does little else.
const (
	editEvery = time.Minute
	lease     = 5 * time.Minute
	stay      = 16 * time.Minute
	gameTick  = 50 * time.Millisecond
	openers   = 4
	countFile = "count"
)

// Child plays on worlds until in ends. It reports to out each second.
func Child(ctx context.Context, in io.Reader, out io.Writer) error {
	from := json.NewDecoder(in)
	var j task
	if err := from.Decode(&j); err != nil {
		return fmt.Errorf("fleet: this is for measurements alone: %w", err)
	}
	over := make(chan struct{})
	go func() { // ends with the process
		_, _ = from.Token() // returns when in has ended
		close(over)
	}()
	st, err := store.Open(ctx, j.URL)
	if err != nil {
		return err
	}
	defer st.Close()
	p := &play{task: j, rng: rand.New(rand.NewPCG(j.Seed, uint64(j.Number)+uint64(time.Now().UnixNano()))), open: make(map[string]*cairn.World), wanted: make(chan string, 2*j.Worlds), counts: make(map[string]uint64)}
	p.fleet = autosave.NewFleet(st, fmt.Sprintf("game-%d", j.Number), time.Now(), autosave.Options{Lease: lease, World: world.Options{Manual: true, Memory: 64 << 20}})
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var opening sync.WaitGroup
	for range openers {
		opening.Go(func() { p.openWanted(ctx) })
	}
	for i := j.Number; i < j.Worlds; i += j.Games {
		p.want(nameOf(i))
	}
	to := json.NewEncoder(out)
	tick := time.NewTicker(gameTick)
	defer tick.Stop()
	for n := 0; ; n++ {
		p.step(time.Now())
		if n%20 == 0 {
			if err := to.Encode(p.say(nil)); err != nil {
				return err
			}
		}
		select {
		case <-tick.C:
			continue
		case <-over:
		}
		break
	}
	stop()
	opening.Wait()
	return p.close(to)
}

// play is a game under way.
type play struct {
	task
	fleet  *autosave.Fleet
	rng    *rand.Rand
	wanted chan string

	mu     sync.Mutex // guards what follows
	tally  tally
	open   map[string]*cairn.World
	counts map[string]uint64 // of open worlds
}

func (p *play) want(name string) {
	p.mu.Lock()
	p.tally.Opening++
	p.mu.Unlock()
	p.wanted <- name
}

func (p *play) openWanted(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case name := <-p.wanted:
			p.openOne(ctx, name)
		}
	}
}

// openOne opens a world as a game does when a player comes, and tries again until it
// succeeds.
func (p *play) openOne(ctx context.Context, name string) {
	for ctx.Err() == nil {
		start := time.Now()
		w, n, err := p.ready(ctx, name)
		p.mu.Lock()
		if err == nil {
			p.tally.Loads++
			p.tally.Opening--
			p.tally.LoadTimes = append(p.tally.LoadTimes, time.Since(start).Seconds()*1000)
			p.open[name], p.counts[name] = w, n
			p.mu.Unlock()
			return
		}
		p.fault(err)
		p.tally.Refused++
		p.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

func (p *play) fault(err error) {
	if p.tally.First == "" && !errors.Is(err, context.Canceled) {
		p.tally.First = err.Error()
	}
}

func (p *play) ready(ctx context.Context, name string) (*cairn.World, uint64, error) {
	kept, err := p.fleet.Open(ctx, name)
	if err != nil {
		return nil, 0, err
	}
	w, err := cairn.FromFleet(ctx, kept, cairn.Options{Author: "player"})
	if err != nil {
		return nil, 0, err
	}
	n, err := countOf(w.World())
	w.Players(1)
	return w, n, err
}

// countOf returns the number of edits that a world has seen.
func countOf(w interface {
	OpenFile(string) (io.ReadCloser, error)
}) (uint64, error) {
	f, err := w.OpenFile(countFile)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	b, err := io.ReadAll(f)
	if err = errors.Join(err, f.Close()); err != nil || len(b) != 8 {
		return 0, errors.Join(err, fmt.Errorf("fleet: a count of %d bytes", len(b)))
	}
	return binary.LittleEndian.Uint64(b), nil
}

// step is a tick of the game.
func (p *play) step(now time.Time) {
	for _, e := range p.fleet.Step(now) {
		p.mu.Lock()
		switch e.Kind {
		case autosave.Failed:
			p.tally.Failed++
		case autosave.Lost:
			p.tally.Lost++
			delete(p.open, e.Name)
		case autosave.Closed:
			p.tally.Closed++
			delete(p.open, e.Name)
		}
		if e.Err != nil {
			p.fault(e.Err)
		}
		p.mu.Unlock()
		if e.Kind != autosave.Failed {
			p.want(nameOf(p.Number + p.Games*p.rng.IntN(2*p.Worlds/p.Games)))
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for name, w := range p.open {
		switch u := p.rng.Float64(); {
		case u < float64(gameTick)/float64(editEvery):
			p.edit(name, w)
		case u > 1-float64(gameTick)/float64(stay):
			w.Players(0) // the fleet closes it soon
		}
	}
	p.tally.Open = len(p.open)
}

// edit sets some blocks and counts.
func (p *play) edit(name string, w *cairn.World) {
	at := cairn.Point{X: p.rng.IntN(100), Y: 60 + p.rng.IntN(20), Z: p.rng.IntN(100)}
	_, err := w.Edit(context.Background(), func(b cairn.Blocks) error {
		for i := range 8 {
			b.Set(cairn.Point{X: at.X + i, Y: at.Y, Z: at.Z}, []string{"minecraft:stone", "minecraft:oak_planks", "minecraft:air"}[p.rng.IntN(3)])
		}
		return nil
	})
	if err == nil {
		p.counts[name]++
		_, err = w.World().Update(func(tx *world.Tx) error {
			tx.SetFile(countFile, binary.LittleEndian.AppendUint64(nil, p.counts[name]))
			return nil
		})
	}
	if err != nil {
		p.fault(err) // the world may have been closed just now
		return
	}
	p.tally.Edits++
}

// say returns what is said of the game.
func (p *play) say(left map[string]uint64) spoken {
	b := p.fleet.Backlog()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tally.Late, p.tally.Unsure = max(p.tally.Late, b.Late.Seconds()), max(p.tally.Unsure, b.Unsure)
	return spoken{p.tally, p.tally.Opening, slices.Clone(p.tally.LoadTimes), left}
}

// close saves all worlds and says what they are left with.
func (p *play) close(to *json.Encoder) error {
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Minute)
	defer stop()
	unsaved, err := p.fleet.Close(ctx)
	p.tally.Unsaved = len(unsaved)
	left := make(map[string]uint64)
	for name := range p.open {
		left[name] = p.counts[name]
	}
	for _, u := range unsaved {
		p.fault(u.Err)
		delete(left, u.Name)
	}
	return errors.Join(err, to.Encode(p.say(left)))
}
