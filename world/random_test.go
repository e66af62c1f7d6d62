package world_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

func (p *player) commit() {
	commit(p.t, p.w)
	p.versions[p.w.Head()] = p.have.clone()
	p.onlyHeld()
}

// onlyHeld checks that of a world without changes exactly what is held is in
// memory.
func (p *player) onlyHeld() {
	p.t.Helper()
	if read, err := p.w.Log(ctx, 1); err != nil || len(read) == 0 {
		p.t.Fatal("no log", err)
	}
	for _, d := range p.w.View().Dimensions() {
		for _, v := range d.Volumes() {
			for pos, c := range v.Chunks() {
				b := pos.Box()
				b = geom.Box{Min: times(b.Min, v.Scale), Max: times(b.Max, v.Scale)}
				if want := p.keeps(d.Name(), v.Name, b); want && c == nil {
					p.t.Fatalf("chunk %v of %q in %q is held and not in memory", pos, v.Name, d.Name())
				} else if !want && c != nil && !p.whole {
					p.t.Fatalf("chunk %v of %q in %q is in memory, and nobody holds it", pos, v.Name, d.Name())
				}
			}
		}
		for pos, c := range d.Columns(world.Everywhere) {
			b := geom.Box{Min: pos.Min(-1 << 20), Max: pos.Min(1 << 20).Add(geom.Point{X: 16, Z: 16})}
			if want := p.keeps(d.Name(), world.Columns, b); want && c == nil || !want && c != nil && !p.whole {
				p.t.Fatalf("column %v of %q in memory: %v, held: %v", pos, d.Name(), c != nil, want)
			}
		}
	}
}

func times(q geom.Point, n int) geom.Point { return geom.Point{X: q.X * n, Y: q.Y * n, Z: q.Z * n} }

func (p *player) keeps(dim, volume string, b geom.Box) bool {
	return slices.ContainsFunc(p.held, func(k *ticket) bool {
		return k.dim == dim && k.has(volume) && !k.box.Intersect(b).Empty()
	})
}

func (p *player) version() history.ID {
	ids := slices.SortedFunc(maps.Keys(p.versions), func(a, b history.ID) int { return bytes.Compare(a[:], b[:]) })
	return ids[p.r.IntN(len(ids))]
}

func (p *player) restore() {
	id := p.version()
	_, err := p.w.Restore(ctx, id, "back")
	p.check(err)
	p.have = p.versions[id].clone()
	p.versions[p.w.Head()] = p.have.clone()
	p.onlyHeld()
}

func (p *player) reopen() {
	for _, k := range p.held {
		if p.r.IntN(2) == 0 {
			k.Release()
		}
	}
	head := p.w.Head()
	view := p.w.View()
	closeWorld(p.t, p.w)
	for _, k := range p.held {
		k.Release()
	}
	for _, d := range view.Dimensions() { // views stay good
		for _, v := range d.Volumes() {
			for range v.Chunks() {
			}
		}
	}
	p.st.noneOpen(p.t, "closed")
	p.have = p.versions[head].clone()
	p.open()
}

func (p *player) fork() {
	p.forks++
	name := fmt.Sprint("fork/", p.forks)
	head := p.w.Head()
	p.check(p.w.Fork(ctx, name))
	p.reopen()
	closeWorld(p.t, p.w)
	p.name = name
	p.open()
	p.versions = map[history.ID]*content{head: p.versions[head]}
}

func (p *player) look() {
	id := p.version()
	old, err := world.OpenAt(ctx, p.st, p.name, id, world.Options{Whole: true})
	p.check(err)
	defer closeWorld(p.t, old)
	read(p.t, old).compare(p.t, p.versions[id], "an old version")
}

func (p *player) diff() {
	a, b := p.version(), p.version()
	d, err := apartIn(ctx, p.w, a, b)
	p.check(err)
	old, err := p.w.SnapshotAt(ctx, a)
	p.check(err)
	defer closeWorld(p.t, old)
	now, err := p.w.SnapshotAt(ctx, b)
	p.check(err)
	defer closeWorld(p.t, now)
	if got := old.Apart(now).Properties; got == maps.Equal(p.versions[a].facts, p.versions[b].facts) {
		p.t.Fatalf("properties differ: %v", got)
	}
	cells, columns, files := p.versions[a].differences(p.versions[b])
	if d.Cells != cells || (d.Columns+d.Objects > 0) != (columns > 0) || d.Files != files || d.Properties == 0 && !maps.Equal(p.versions[a].facts, p.versions[b].facts) {
		p.t.Fatalf("diff of %d cells, %d columns and objects, %d files, %d properties; want %d, %d, %d", d.Cells, d.Columns+d.Objects, d.Files, d.Properties, cells, columns, files)
	}
}

func (p *player) become() {
	id := p.version()
	old, err := world.OpenAt(ctx, p.st, p.name, id, world.Options{})
	p.check(err)
	defer closeWorld(p.t, old)
	var out bytes.Buffer
	_, err = old.WriteStone(ctx, &out, stone.Options{})
	p.check(err)
	r, err := stone.Open(bytes.NewReader(out.Bytes()), int64(out.Len()))
	p.check(err)
	_, err = p.w.Replace(ctx, r)
	p.check(err)
	volumes := p.have.volumes
	p.have = p.versions[id].clone()
	maps.Copy(p.have.volumes, volumes) // they stay, empty
}

// packStack packs beside the open world.
func (p *player) packStack() {
	high := 1 + p.r.IntN(8)
	height, _, err := world.PackStack(ctx, p.st, p.name, world.PackStackOptions{High: high})
	if errors.Is(err, history.ErrGone) { // so it seems
		return
	}
	p.check(err)
	layers, err := p.st.Stack(ctx, p.name, p.w.Head())
	if err != nil || len(layers) > high || height != len(layers) {
		p.t.Fatalf("packed to %d stones: %d, %v", high, len(layers), err)
	}
}

// compare loads everything and checks it.
func (p *player) compare() {
	p.t.Helper()
	var all []*world.Held
	for _, d := range p.w.View().Dimensions() {
		h, err := p.w.Load(ctx, d.Name(), world.Everywhere)
		p.check(err)
		all = append(all, h)
	}
	read(p.t, p.w).compare(p.t, p.have, "now")
	for _, h := range all {
		h.Release()
	}
	if !p.w.Dirty() {
		p.onlyHeld()
	}
}

// step does something.
func (p *player) step() {
	switch k := p.r.IntN(40); {
	case k < 10:
		p.edit()
	case k < 15:
		p.column()
	case k < 17:
		p.clear()
	case k < 19:
		p.fileOrFact()
	case k < 20:
		p.addVolumes()
	case k < 28:
		p.commit()
	case k < 30:
		p.restore()
	case k < 31 && p.r.IntN(2) == 0:
		p.check(p.w.Pack(ctx))
	case k < 31:
		p.packStack()
	case k < 33:
		p.reopen()
	case k < 34:
		p.fork()
	case k < 35:
		p.look()
	case k < 36:
		p.diff()
	case k < 37:
		p.become()
	default:
		_, err := p.st.Collect(ctx, history.Policy{Keep: history.Retention{All: true}, Grace: -1})
		p.check(err)
	}
}

// Random work on several dimensions, volumes, columns, lists and files, of which
// only a part is in memory, is what maps make of it; no stone stays open, and
// nothing stays in memory that nobody holds.
func TestRandomWork(t *testing.T) {
	for seed := range uint64(10) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			p := newPlayer(t, seed)
			p.st.trouble = func(n int, method string) (error, bool) {
				if method == "open" && n%29 == 0 { // collected in between, so it seems
					return fmt.Errorf("stone: %w", history.ErrGone), n%2 == 0
				}
				return nil, false
			}
			for range 150 {
				p.step()
				p.compare()
			}
			closeWorld(t, p.w)
			p.st.noneOpen(t, "at the end")
		})
	}
}
