// Package month simulates a month of very many islands: their players' saves, the
// packs, the collections and the backups. It shows what a store with a catalogue and
// a bucket holds at the end of each day, and that nothing grows without bound.
//
// The rules are those of package history: which versions stay, and which layers
// become a pack. A test compares the simulation with a Store. Sizes are what
// cairn-bench store and islands measured.
package month

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/store/history"
)

const (
	defaultWorlds = 1_000_000
	defaultDays   = 30
	highStack     = 7    // what server/keeper leaves of a stack
	template      = 9000 // bytes of a template's stone
	overlap       = 0.6  // a pack has this part of the bytes that it stands for
	inline        = 4 << 10
	saveMinutes   = 6   // between two saves of an open island
	sessionSaves  = 15  // on average
	sessions      = 120 // a day, for each thousand islands: the article's rate
	bundleBytes   = 16 << 20
	keepBackups   = 21 // days
	saveBytes     = 1800
)

// Bytes that PostgreSQL 15 takes for a record with its part of the index, measured with
// 100,000 records of each size. A small stone takes its own bytes too.
const (
	nameRows  = 170 + 185 // a world's name and its head
	logRow    = 170
	commitRow = 277
	packRow   = 220
	stoneRow  = 171
	smallRow  = 300
)

// Day is what is there at the end of a day, and what happened on it.
type Day struct {
	Day      int   `json:"day"`
	Saves    int   `json:"saves"`
	Loads    int   `json:"loads"`
	Packs    int   `json:"packs"`
	Dropped  int   `json:"dropped_versions"`
	Records  int64 `json:"catalogue_records"`
	Rows     int64 `json:"catalogue_bytes"`
	Objects  int64 `json:"bucket_objects"`
	Bytes    int64 `json:"bucket_bytes"`
	Garbage  int64 `json:"condemned_bytes"`
	Puts     int64 `json:"bucket_puts"`
	Deletes  int64 `json:"bucket_deletes"`
	Changed  int64 `json:"backup_changed_worlds"` // of both backups
	Bundles  int64 `json:"backup_objects"`
	Backup   int64 `json:"backup_bytes"`
	Copied   int64 `json:"backup_new_bytes"`
	BackCall int64 `json:"backup_calls"`
}

// Report is a simulated month.
type Report struct {
	Worlds int   `json:"worlds"`
	Played int   `json:"played_worlds"`
	Days   []Day `json:"days"`
	// Growth says for each series by which part it grew over the last quarter of
	// the days, beside the quarter before.
	Growth map[string]float64 `json:"growth"`
}

// rules are what all islands share, and room to work in. They are for one goroutine.
type rules struct {
	policy   history.Policy
	start    time.Time
	template uint32
	stack    []history.Layer
	times    []time.Time
	logged   []*version
	needed   map[uint32]bool
}

func newRules() *rules {
	return &rules{start: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), template: template, needed: make(map[uint32]bool)}
}

// bundle is an object of the backups with many stones.
type bundle struct {
	bytes, live int64
	into        uint32 // the bundle that took over what was live
}

// simulation is a month under way.
type simulation struct {
	*rules
	rng     *rand.Rand
	islands []island
	bundles []bundle
	end     map[int][]kept // by the day on which no backup has the stone any more
	day     Day
	now     int // day
	garbage []kept
	total   Day   // what is there
	small   int64 // stones in the catalogue
}

// Bench simulates a month.
func Bench(ctx context.Context, o lab.Options) (*Report, error) {
	if o.Worlds == 0 {
		o.Worlds = defaultWorlds
	}
	if o.Days == 0 {
		o.Days = defaultDays
	}
	s := newSimulation(o.Worlds, o.Seed)
	r := &Report{Worlds: o.Worlds}
	for d := range o.Days {
		o.Step(d, o.Days, "a day on the islands")
		for half := range 2 {
			s.play(d, half)
			s.backup()
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		s.collect()
		r.Days = append(r.Days, s.close())
	}
	for i := range s.islands {
		if len(s.islands[i].versions) > 0 {
			r.Played++
		}
	}
	r.grow()
	return r, nil
}

func newSimulation(worlds int, seed uint64) *simulation {
	s := &simulation{rules: newRules(), rng: rand.New(rand.NewPCG(seed, 1)), islands: make([]island, worlds), bundles: make([]bundle, 2), end: make(map[int][]kept)}
	for i := range s.islands {
		s.islands[i].full = template
	}
	return s
}

// play makes the sessions of half a day. How often an island is played on falls with
// its number: half of all sessions are on an eighth of the islands.
func (s *simulation) play(day, half int) {
	s.now = day
	n := len(s.islands) * sessions / 2000
	type session struct{ minute, island, saves int }
	all := make([]session, max(n, 1))
	for i := range all {
		u := s.rng.Float64()
		all[i] = session{day*1440 + half*720 + s.rng.IntN(600), int(float64(len(s.islands)) * u * u * u), 1 + int(s.rng.ExpFloat64()*(sessionSaves-1))}
	}
	slices.SortFunc(all, func(a, b session) int { return a.minute - b.minute })
	for _, p := range all {
		i := &s.islands[p.island]
		if v := len(i.versions); v > 0 && int(i.versions[v-1].minute) >= p.minute {
			continue // somebody plays on it
		}
		s.day.Loads++
		for n := range min(p.saves, 20) {
			i.full = min(i.full+uint32(s.rng.IntN(40)), 40_000)
			size := uint32(200 + s.rng.ExpFloat64()*(saveBytes-200))
			s.put(size)
			s.day.Saves++
			if pack := i.save(uint32(p.minute+n*saveMinutes), size, s.rules); pack > 0 {
				s.put(pack)
				s.day.Packs++
			}
		}
	}
}

// put counts a stone. Small stones are in the catalogue.
func (s *simulation) put(size uint32) {
	if size > inline {
		s.day.Puts++
		s.total.Objects++
		s.total.Bytes += int64(size)
	} else {
		s.small++
		s.total.Rows += int64(size)
	}
}

func (s *simulation) delete(k kept) {
	if k.size > inline {
		s.day.Deletes++
		s.total.Objects--
		s.total.Bytes -= int64(k.size)
	} else {
		s.small--
		s.total.Rows -= int64(k.size)
	}
}

// collect deletes what was condemned at the last collection, and condemns.
func (s *simulation) collect() {
	for _, k := range s.garbage {
		s.delete(k)
	}
	s.garbage = s.garbage[:0]
	s.day.Garbage = 0
	drop := func(k kept) {
		s.garbage = append(s.garbage, k)
		s.day.Garbage += int64(k.size)
		if k.bundle > 0 {
			at := s.now + keepBackups
			s.end[at] = append(s.end[at], k)
		}
	}
	now := s.start.Add(time.Duration(s.now+1) * 24 * time.Hour)
	for i := range s.islands {
		if len(s.islands[i].versions) > 0 {
			s.day.Dropped += s.islands[i].collect(now, s.rules, drop)
		}
	}
}

// backup copies the stones that no bundle has, and ends stones that only backups had
// that are not kept any more.
func (s *simulation) backup() {
	for i := range s.islands {
		l := &s.islands[i]
		if !l.changed {
			continue
		}
		l.changed = false
		s.day.Changed++
		for at := range l.versions {
			for _, k := range []*kept{&l.versions[at].stone, &l.versions[at].pack} {
				if k.size > 0 && k.bundle == 0 {
					k.bundle = s.bundle(int64(k.size))
				}
			}
		}
	}
	s.day.BackCall += 3 + s.day.Changed*manifestBytes/bundleBytes // claim, manifest, its index
	for _, k := range s.end[s.now] {
		s.expire(k)
	}
	delete(s.end, s.now)
}

// manifestBytes is what the manifest of a backup has for each changed island.
const manifestBytes = 600

// bundle puts bytes into the newest bundle and returns its number.
func (s *simulation) bundle(size int64) uint32 {
	n := uint32(len(s.bundles) - 1)
	if s.bundles[n].bytes > bundleBytes {
		s.bundles = append(s.bundles, bundle{})
		n++
		s.day.BackCall++
	}
	if s.bundles[n].bytes == 0 {
		s.total.Bundles++
	}
	s.bundles[n].bytes += size
	s.bundles[n].live += size
	s.day.Copied += size
	s.total.Backup += size
	return n
}

// expire takes a stone out of its bundle. A bundle that is half garbage is written
// anew without it.
func (s *simulation) expire(k kept) {
	n := k.bundle
	for s.bundles[n].into > 0 {
		n = s.bundles[n].into
	}
	b := &s.bundles[n]
	b.live -= int64(k.size)
	if b.bytes <= bundleBytes || b.live > b.bytes/2 {
		return
	}
	s.total.Bundles--
	s.total.Backup -= b.bytes
	s.day.BackCall += 2 // read, delete
	if live := b.live; live > 0 {
		into := s.bundle(live)
		s.bundles[n].into = into
	}
}

// close ends a day.
func (s *simulation) close() Day {
	d := s.day
	d.Day = s.now + 1
	d.Records, d.Rows = s.small, s.total.Rows+s.small*smallRow
	for i := range s.islands {
		logs, commits, packs, stones := s.islands[i].count()
		d.Records += int64(2 + logs + commits + packs + stones) // and its name and head
		d.Rows += int64(nameRows + logs*logRow + commits*commitRow + packs*packRow + stones*stoneRow)
	}
	d.Objects, d.Bytes, d.Bundles, d.Backup = s.total.Objects, s.total.Bytes, s.total.Bundles, s.total.Backup
	s.day = Day{}
	return d
}

// count returns how many records of each kind an island has.
func (i *island) count() (logs, commits, packs, stones int) {
	for at := range i.versions {
		v := &i.versions[at]
		commits++
		if v.logged {
			logs++
		}
		if v.stone.size > 0 {
			stones++
		}
		if v.packed {
			packs++
			stones++
		}
	}
	return logs, commits, packs, stones
}

// series are what must not grow without bound.
var series = []struct {
	name string
	of   func(Day) int64
}{
	{"catalogue records", func(d Day) int64 { return d.Records }},
	{"catalogue bytes", func(d Day) int64 { return d.Rows }},
	{"bucket objects", func(d Day) int64 { return d.Objects }},
	{"bucket bytes", func(d Day) int64 { return d.Bytes }},
	{"condemned bytes", func(d Day) int64 { return d.Garbage }},
	{"backup objects", func(d Day) int64 { return d.Bundles }},
	{"backup bytes", func(d Day) int64 { return d.Backup }},
}

// grow compares the last two quarters of the days.
func (r *Report) grow() {
	r.Growth = make(map[string]float64)
	q := max(len(r.Days)/4, 1)
	if len(r.Days) < 2*q {
		return
	}
	for _, s := range series {
		mean := func(days []Day) (sum float64) {
			for _, d := range days {
				sum += float64(s.of(d))
			}
			return sum / float64(len(days))
		}
		n := len(r.Days)
		r.Growth[s.name] = mean(r.Days[n-q:])/max(mean(r.Days[n-2*q:n-q]), 1) - 1
	}
}

// Table prints the days, and how each series grew.
func (r *Report) Table(w io.Writer) {
	fmt.Fprintf(w, "%d islands, %d of them played on\n\n", r.Worlds, r.Played)
	t := table.New(w, "day", "saves", "loads", "packs", "records", "catalogue", "objects", "bucket", "condemned", "puts", "deletes", "backup of", "new", "objects", "backups", "calls")
	for _, d := range r.Days {
		n := func(v int64) string { return fmt.Sprint(v) }
		t.Row(fmt.Sprint(d.Day), n(int64(d.Saves)), n(int64(d.Loads)), n(int64(d.Packs)), n(d.Records), table.Size(d.Rows), n(d.Objects), table.Size(d.Bytes), table.Size(d.Garbage),
			n(d.Puts), n(d.Deletes), n(d.Changed), table.Size(d.Copied), n(d.Bundles), table.Size(d.Backup), n(d.BackCall))
	}
	t.Flush()
	fmt.Fprintf(w, "\nGrowth of the last quarter of the days over the quarter before:\n")
	g := table.New(w, "series", "growth")
	for _, s := range series {
		g.Row(s.name, fmt.Sprintf("%+.1f %%", 100*r.Growth[s.name]))
	}
	g.Flush()
}
