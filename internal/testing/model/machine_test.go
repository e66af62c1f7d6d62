package model_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn"
	"github.com/cairnvoxel/cairn/game/undo"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/local"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// machine does operations on worlds of a store and on their twins. It belongs to one
// goroutine.
type machine struct {
	ctx context.Context
	r   *rand.Rand
	now time.Time

	st      history.Store
	dir     string                          // of a store on disk, else empty
	saved   map[string]map[history.ID]*twin // of every world, by commit
	name    string                          // of the open world
	w       *world.World
	have    *twin
	whole   bool
	held    []*world.Held
	steps   *undo.History
	blocks  *cairn.World // the author cat, who has steps of its own
	past    map[string]*author
	names   names
	dense   chunkAt // the last chunk of noise
	made    int     // worlds and names that were made
	said    []string
	publish func(*machine)
	plant   bool
}

// author has steps that can be taken back, and steps that were.
type author struct{ undo, redo []step }

// difference is what a run found.
type difference struct{ text string }

func (m *machine) fail(format string, args ...any) { panic(difference{fmt.Sprintf(format, args...)}) }

// must ends the run with an error that nothing explains.
func (m *machine) must(what string, err error) {
	if err != nil {
		m.fail("%s: %v", what, err)
	}
}

func (m *machine) say(format string, args ...any) {
	m.said = append(m.said, fmt.Sprintf(format, args...))
}

// clock goes on by a minute with each look.
func (m *machine) clock() time.Time {
	m.now = m.now.Add(time.Minute)
	return m.now
}

// task is a run: operations of a seed, each of them by its number.
type task struct {
	seed       uint64
	operations []int
	plant      bool
	publish    func(*machine)
}

// run does a task. It returns what it said and what it found, "" if nothing.
func (k task) run(ctx context.Context) (said []string, found string) {
	m := &machine{ctx: ctx, now: time.UnixMilli(0), saved: map[string]map[history.ID]*twin{}, plant: k.plant, publish: k.publish, names: names{""}}
	defer func() {
		said = m.said
		switch p := recover().(type) {
		case nil:
		case difference:
			found = p.text
		default:
			found = fmt.Sprintf("panic: %v\n%s", p, debug.Stack())
		}
		if m.dir != "" {
			os.RemoveAll(m.dir)
		}
		if ctx.Err() != nil { // it was stopped
			found = ""
		}
	}()
	m.r = rand.New(rand.NewPCG(k.seed, 1<<40))
	m.begin()
	for _, n := range k.operations {
		if ctx.Err() != nil {
			return m.said, ""
		}
		m.r = rand.New(rand.NewPCG(k.seed, uint64(n)))
		m.operate()
		m.show()
	}
	m.compareAll()
	m.end()
	return m.said, ""
}

func (m *machine) show() {
	if m.publish != nil {
		m.publish(m)
	}
}

// operations by how often they come.
var operations = []struct {
	often int
	do    func(*machine)
}{
	{16, (*machine).edit}, {8, (*machine).noise}, {8, (*machine).pepper}, {8, (*machine).takeBack}, {6, (*machine).edits},
	{6, (*machine).objects}, {3, (*machine).fileOrFact}, {3, (*machine).addDimension},
	{12, (*machine).commit}, {4, (*machine).restore}, {3, (*machine).pack}, {3, (*machine).collect},
	{3, (*machine).reopen}, {2, (*machine).fork}, {2, (*machine).another}, {2, (*machine).export}, {2, (*machine).replace},
	{2, (*machine).look}, {2, (*machine).snapshot}, {2, (*machine).capture}, {2, (*machine).remove}, {6, (*machine).compareAll},
}

func (m *machine) operate() {
	sum := 0
	for _, o := range operations {
		sum += o.often
	}
	k := m.r.IntN(sum)
	for _, o := range operations {
		if k -= o.often; k < 0 {
			o.do(m)
			return
		}
	}
}

func (m *machine) begin() {
	if m.r.IntN(8) == 0 {
		dir, err := os.MkdirTemp("", "cairn-model")
		m.must("a directory", err)
		m.dir = dir
	}
	m.openStore()
	m.name = "w"
	m.must("create", m.st.Create(m.ctx, m.name))
	m.saved[m.name] = map[history.ID]*twin{}
	m.have = newTwin()
	m.open()
	m.have.spaces[spaceAt{cairn.Main, voxel.Block}] = &space{voxel.Palette, m.fillerOf(cairn.Main, voxel.Block), map[geom.ChunkPos]*flat{}}
	m.commit()
}

func (m *machine) openStore() {
	if m.dir == "" {
		m.st = memory.New(memory.Options{Now: m.clock})
		return
	}
	st, err := local.Open(m.dir, local.Options{Now: m.clock, CacheBytes: 1 << 20})
	m.must("open the store", err)
	m.st = st
}

// open opens the world m.name, whose content is m.have.
func (m *machine) open() {
	m.whole = m.r.IntN(2) == 0
	o := world.Options{Whole: m.whole, Manual: m.r.IntN(3) == 0, Relight: m.r.IntN(2) == 0, Parallel: m.r.IntN(3), Author: "ann"}
	m.say("open %s: whole %v, manual %v, relight %v", m.name, o.Whole, o.Manual, o.Relight)
	var err error
	m.w, err = world.Open(m.ctx, m.st, m.name, o)
	m.must("open", err)
	m.steps, m.past = undo.New(m.w, undo.Options{}), map[string]*author{"ann": {}, "bob": {}, "cat": {}}
	m.blocks, err = cairn.From(m.ctx, m.w, cairn.Options{Author: "cat"})
	m.must("From", err)
}

// shut closes the world, and what is not committed is lost.
func (m *machine) shut() {
	m.must("close", m.w.Close())
	for _, h := range m.held {
		h.Release()
	}
	m.held = nil
}

func (m *machine) end() {
	m.shut()
	m.must("close the store", m.st.Close())
}

// bring has all of the world in memory until the next call, and the last few calls.
func (m *machine) bring() {
	if m.whole {
		return
	}
	for _, d := range m.w.View().Dimensions() {
		h, err := m.w.Load(m.ctx, d.Name(), world.Everywhere)
		m.must("load", err)
		m.held = append(m.held, h)
	}
	for len(m.held) > 4+m.r.IntN(6) {
		i := m.r.IntN(len(m.held) - 4)
		m.held[i].Release()
		m.held = slices.Delete(m.held, i, i+1)
	}
}

func (m *machine) mark(name string) mark {
	i := slices.Index(m.names, name)
	if i < 0 {
		i = len(m.names)
		m.names = append(m.names, name)
	}
	return mark(i)
}

func (m *machine) fillerOf(dim, volume string) mark {
	v := m.w.View().Dimension(dim).Volume(volume)
	if v.Schema == voxel.Palette {
		return m.mark(v.CellName(v.Default()))
	}
	return mark(v.Default())
}

func sorted[K comparable, V any](all map[K]V) []K {
	return slices.SortedFunc(maps.Keys(all), func(a, b K) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
}

func pick[T any](m *machine, all []T) T { return all[m.r.IntN(len(all))] }

// anyVolume returns a volume that is compared.
func (m *machine) anyVolume() spaceAt {
	return pick(m, slices.DeleteFunc(sorted(m.have.spaces), func(at spaceAt) bool { return derived(at.volume) }))
}

// place returns one of a few points, so that operations meet; some lie far away, within the
// range of volumes of a scale.
func (m *machine) place(scale int) geom.Point {
	p := geom.Point{X: m.r.IntN(3)*31 - 33, Y: m.r.IntN(3)*30 - 2, Z: m.r.IntN(2)*33 - 1}
	if m.r.IntN(40) == 0 {
		far := []int{-1 << 24, 1<<24 - 40, 1 << 20, -1 << 22}
		p = geom.Point{X: pick(m, far) / scale, Y: pick(m, far) / scale, Z: pick(m, far) / scale}
	}
	return p
}

func (m *machine) author() string { return pick(m, []string{"ann", "bob"}) }

// content returns a cell of a volume and what it means, one of n.
func (m *machine) content(v *world.VolumeTx, s *space, n int) (voxel.Cell, mark) {
	k := m.r.IntN(n)
	switch s.schema {
	case voxel.Terrain:
		c := voxel.TerrainCell(uint8(k%64), uint8(k*37))
		return c, mark(c)
	case voxel.Level:
		return voxel.Cell(k % 16), mark(k % 16)
	}
	name := fmt.Sprint("kind ", k)
	switch {
	case k == 0:
		return v.Volume.Default, s.filler
	case m.r.IntN(30) == 0:
		m.made++
		name = fmt.Sprint("new ", m.made)
	}
	return v.Named(name), m.mark(name)
}

// update changes the world as an author, or as nobody, and says what that wrote.
func (m *machine) update(who, what string, f func(tx *world.Tx)) {
	m.bring()
	before := m.have.clone()
	g := func(tx *world.Tx) error { f(tx); return nil }
	var err error
	if who == "" {
		_, err = m.w.Update(g)
	} else {
		_, err = m.steps.Update(m.ctx, who, what, g)
	}
	m.must(what, err)
	m.remember(who, before)
}

// remember keeps what the twin's last update wrote as a step.
func (m *machine) remember(who string, before *twin) {
	if a := m.past[who]; a != nil {
		if s := m.have.since(before); len(s) > 0 {
			a.undo, a.redo = append(a.undo, s), nil
		}
	}
}

// box returns a box at a place.
func (m *machine) box(edge, scale int) geom.Box {
	at := m.place(scale)
	return geom.Box{Min: at, Max: at.Add(geom.Point{X: 1 + m.r.IntN(edge), Y: 1 + m.r.IntN(edge), Z: 1 + m.r.IntN(edge)})}
}

func inBox(b geom.Box, f func(p geom.Point)) {
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for z := b.Min.Z; z < b.Max.Z; z++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				f(geom.Point{X: x, Y: y, Z: z})
			}
		}
	}
}

func (m *machine) commit() {
	m.say("commit")
	c, err := m.w.Commit(m.ctx, "a commit")
	m.must("commit", err)
	if c.ID() != m.w.Head() || m.w.Dirty() {
		m.fail("commit: %v, the head is %v, dirty %v", c.ID(), m.w.Head(), m.w.Dirty())
	}
	m.saved[m.name][m.w.Head()] = m.have.clone()
}

// version returns a commit of the open world.
func (m *machine) version() history.ID {
	log := m.log(m.name)
	return log[m.r.IntN(len(log))]
}

// log returns the commits of a world, which must be those that the twins have.
func (m *machine) log(name string) (out []history.ID) {
	for c, err := range world.Commits(m.ctx, m.st, name) {
		m.must("log", err)
		if m.saved[name][c.ID()] == nil {
			m.fail("the log of %s has a commit that nobody made or that was dropped", name)
		}
		out = append(out, c.ID())
	}
	if len(out) == 0 {
		m.fail("the log of %s is empty", name)
	}
	return out
}

func (m *machine) restore() {
	id := m.version()
	m.say("restore %v", id)
	_, err := m.w.Restore(m.ctx, id, "back")
	m.must("restore", err)
	m.have = m.saved[m.name][id].clone()
	m.saved[m.name][m.w.Head()] = m.have.clone()
}

func (m *machine) pack() {
	if m.r.IntN(2) == 0 {
		m.say("pack")
		m.must("pack", m.w.Pack(m.ctx))
		return
	}
	high := 1 + m.r.IntN(6)
	m.say("pack to %d stones", high)
	height, _, err := world.PackStack(m.ctx, m.st, m.name, world.PackStackOptions{High: high})
	m.must("pack", err)
	if height > high {
		m.fail("packed to %d stones, want at most %d", height, high)
	}
}

func (m *machine) collect() {
	newest := 1 + m.r.IntN(6)
	p := history.Policy{Keep: history.Retention{Newest: newest, Hourly: 1, Daily: 1, Monthly: 1}, Grace: -1, Deleted: -1}
	p.Keep.All = m.r.IntN(2) == 0
	m.say("collect: all %v, newest %d", p.Keep.All, newest)
	_, err := m.st.Collect(m.ctx, p)
	m.must("collect", err)
	for _, name := range sorted(m.saved) {
		left := m.log(name)
		if p.Keep.All && len(left) != len(m.saved[name]) {
			m.fail("%d of %d commits of %s are left", len(left), len(m.saved[name]), name)
		}
		maps.DeleteFunc(m.saved[name], func(id history.ID, _ *twin) bool { return !slices.Contains(left, id) })
	}
}

// reopen closes the world and opens it, or another.
func (m *machine) reopen() {
	head := m.w.Head()
	m.shut()
	if m.dir != "" && m.r.IntN(2) == 0 {
		m.say("open the store again")
		m.must("close the store", m.st.Close())
		m.openStore()
	}
	m.have = m.saved[m.name][head].clone()
	m.open()
}

func (m *machine) newName(kind string) string {
	m.made++
	return fmt.Sprint(kind, "/", m.made)
}

func (m *machine) fork() {
	name := m.newName("fork")
	m.say("fork to %s", name)
	m.must("fork", m.w.Fork(m.ctx, name))
	m.saved[name] = map[history.ID]*twin{m.w.Head(): m.saved[m.name][m.w.Head()]}
}

// another goes on with another world.
func (m *machine) another() {
	m.shut()
	m.name = pick(m, sorted(m.saved))
	head, err := m.st.Head(m.ctx, m.name)
	m.must("head", err)
	if m.have = m.saved[m.name][head.Commit]; m.have == nil {
		m.fail("the head of %s is %v, which nobody made", m.name, head.Commit)
	}
	m.have = m.have.clone()
	m.open()
	m.compareAll()
}

// remove deletes a world beside the open one.
func (m *machine) remove() {
	others := slices.DeleteFunc(sorted(m.saved), func(name string) bool { return name == m.name })
	if len(others) < 3 {
		return
	}
	name := pick(m, others)
	m.say("delete %s", name)
	m.must("delete", m.st.Delete(m.ctx, name, 0))
	delete(m.saved, name)
}

// fileOrFact writes files and properties.
func (m *machine) fileOrFact() {
	name, value := fmt.Sprint("f", m.r.IntN(5)), fmt.Sprint(m.r.IntN(100))
	kind := m.r.IntN(5)
	m.say("file or property %s: %d %s", name, kind, value)
	m.update("", "file", func(tx *world.Tx) {
		switch kind {
		case 0:
			tx.SetFile(name, nil)
			delete(m.have.files, name)
		case 1, 2:
			data := bytes.Repeat([]byte(value), kind*kind*m.r.IntN(3))
			tx.SetFile(name, append([]byte{}, data...))
			m.have.files[name] = string(data)
		case 3:
			tx.SetProperty(name, "")
			delete(m.have.facts, name)
		case 4:
			tx.SetProperty(name, value)
			m.have.facts[name] = value
		}
	})
}

// compareAll compares all of the world.
func (m *machine) compareAll() {
	m.bring()
	m.say("compare")
	m.compare("the world", m.w, m.have)
	m.log(m.name)
}

func (m *machine) compare(what string, w *world.World, want *twin) {
	if err := m.names.compare(w.View(), want); err != nil {
		m.fail("%s: %v", what, err)
	}
	for path, data := range want.files {
		f, err := w.OpenFile(path)
		m.must("a file", err)
		got, err := io.ReadAll(f)
		m.must("a file", errors.Join(err, f.Close()))
		if string(got) != data {
			m.fail("%s: file %s: %d bytes, want %d", what, path, len(got), len(data))
		}
	}
}
