package move_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/move"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
)

// both is a place and a store, and what moves between them.
type both struct {
	*testing.T
	place move.Depot
	home  *move.Worlds
	o     move.Options
	last  []move.Moved
}

func newBoth(t *testing.T, place move.Depot) *both {
	home := &move.Worlds{Store: memory.New(memory.Options{}), Prefix: "isles/", URL: "memory:"}
	return &both{T: t, place: place, home: home}
}

func folderPlace(t *testing.T) move.Depot {
	t.Helper()
	p, err := move.Open(t.Context(), filepath.Join(t.TempDir(), "worlds"), true)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// do moves, and checks what became of each world: "name state, name state".
func (b *both) do(how func(*move.Mover, context.Context) error, want string) {
	b.Helper()
	b.last = nil
	m := &move.Mover{Place: b.place, Home: b.home, Options: b.o, Each: func(w move.Moved) { b.last = append(b.last, w) }}
	if err := how(m, b.Context()); err != nil || m.Note != nil {
		b.Fatal(err, m.Note)
	}
	var got []string
	for _, w := range b.last {
		got = append(got, w.Name+" "+string(w.State))
	}
	if text := strings.Join(got, ", "); text != want {
		b.Errorf("worlds: %s; want %s", text, want)
		for _, w := range b.last {
			b.Log(w.Name, w.Why)
		}
	}
}

// put makes a side have a world.
func (b *both) put(side move.Depot, name string, number uint64) {
	b.Helper()
	was, err := side.Sign(b.Context(), name)
	if err == nil || errors.Is(err, os.ErrNotExist) {
		_, err = put(b.T, side, name, world(b, number), move.Wanted{}, was)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// has checks the world of both sides.
func (b *both) has(name string, place, home uint64) {
	b.Helper()
	for side, number := range map[move.Depot]uint64{b.place: place, b.home: home} {
		sign, err := side.Sign(b.Context(), name)
		if number == 0 {
			if !errors.Is(err, os.ErrNotExist) {
				b.Errorf("%v has %s (%v)", side, name, err)
			}
			continue
		}
		if err != nil {
			b.Fatal(err)
		}
		holds(b.T, side, name, sign, world(b, number))
	}
}

func (b *both) versions(name string) int {
	b.Helper()
	log, err := b.home.Store.Log(b.Context(), b.home.Name(name), history.ID{}, 100)
	if err != nil {
		b.Fatal(err)
	}
	return len(log)
}

func TestImport(t *testing.T) {
	b := newBoth(t, folderPlace(t))
	b.put(b.place, "Hub", 1)
	b.put(b.place, "hub", 2)
	b.put(b.home, "mine", 9)
	b.o.DryRun = true
	b.do((*move.Mover).Import, "Hub copied, hub copied")
	b.has("Hub", 1, 0)
	b.o.DryRun = false
	b.do((*move.Mover).Import, "Hub copied, hub copied")
	b.has("Hub", 1, 1)
	b.has("hub", 2, 2)
	b.do((*move.Mover).Import, "Hub unchanged, hub unchanged")
	b.put(b.place, "Hub", 3)
	b.do((*move.Mover).Import, "Hub changed, hub unchanged")
	b.has("Hub", 3, 3)
	if n := b.versions("Hub"); n != 2 {
		t.Errorf("%d versions", n)
	}
	b.put(b.home, "Hub", 4) // the place did not change, so its old version does not come again
	b.do((*move.Mover).Import, "Hub unchanged, hub unchanged")
	b.has("Hub", 3, 4)
	b.has("mine", 0, 9)
}

// What a crash forgot of an import is compared, and makes no second version.
func TestImportAgain(t *testing.T) {
	b := newBoth(t, folderPlace(t))
	for i := range 5 {
		b.put(b.place, fmt.Sprint(i), uint64(i))
	}
	b.do((*move.Mover).Import, "0 copied, 1 copied, 2 copied, 3 copied, 4 copied")
	if _, err := b.home.Store.Purge(t.Context(), b.home.StateName(b.place), 0); err != nil {
		t.Fatal(err)
	}
	b.o.DryRun = true
	b.do((*move.Mover).Import, "0 unknown, 1 unknown, 2 unknown, 3 unknown, 4 unknown")
	b.o.DryRun = false
	b.do((*move.Mover).Import, "0 same, 1 same, 2 same, 3 same, 4 same")
	b.do((*move.Mover).Import, "0 unchanged, 1 unchanged, 2 unchanged, 3 unchanged, 4 unchanged")
	if n := b.versions("3"); n != 1 {
		t.Errorf("%d versions", n)
	}
}

// A world that cannot be read does not stop the others, and what is in the store of it stays.
func TestImportDamaged(t *testing.T) {
	b := newBoth(t, folderPlace(t))
	for _, name := range []string{"a", "b", "c"} {
		b.put(b.place, name, 1)
	}
	b.do((*move.Mover).Import, "a copied, b copied, c copied")
	path := filepath.Join(b.place.String(), "b.slime")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data[:len(data)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	b.put(b.place, "c", 2)
	b.do((*move.Mover).Import, "a unchanged, b failed, c changed")
	if why := b.last[1].Why; !strings.Contains(why, "b.slime") {
		t.Errorf("it says %q", why)
	}
	b.do((*move.Mover).Mirror, "a unchanged, b failed, c unchanged")
	if sign, _ := b.home.Sign(t.Context(), "b"); sign == "" || b.versions("b") != 1 {
		t.Error("the version in the store is gone")
	}
}

func TestExport(t *testing.T) {
	b := newBoth(t, folderPlace(t))
	b.put(b.home, "SkyWars Map 1", 1)
	b.put(b.home, "hub", 2)
	b.put(b.place, "mine", 9)
	b.o.DryRun = true
	b.do((*move.Mover).Export, "SkyWars Map 1 copied, hub copied")
	b.has("hub", 0, 2)
	b.o.DryRun = false
	b.do((*move.Mover).Export, "SkyWars Map 1 copied, hub copied")
	b.has("SkyWars Map 1", 1, 1)
	b.do((*move.Mover).Export, "SkyWars Map 1 unchanged, hub unchanged")
	b.put(b.home, "hub", 3)
	b.do((*move.Mover).Export, "SkyWars Map 1 unchanged, hub changed")
	b.has("hub", 3, 3)
	b.put(b.place, "hub", 4)
	b.do((*move.Mover).Export, "SkyWars Map 1 unchanged, hub left")
	b.has("hub", 4, 3)
	b.o.Force = true
	b.do((*move.Mover).Export, "SkyWars Map 1 unchanged, hub changed")
	b.has("hub", 3, 3)
	b.has("mine", 9, 0)
}

// anvilWorld returns a world with what only a folder holds.
func anvilWorld(t *testing.T) *move.Loaded {
	t.Helper()
	w := &move.Loaded{Opened: port.FromSource(terrain.Island(terrain.Options{Seed: 7, Size: 1, Version: terrain.Modern}), port.Options{})}
	var err error
	if w.Content, err = w.Parts(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return w
}

// An export to a form that does not hold all of a world goes on after a crash that forgot what it wrote.
func TestExportAgain(t *testing.T) {
	b := newBoth(t, folderPlace(t))
	made := anvilWorld(t)
	if _, err := put(t, b.home, "hub", made, move.Wanted{}, ""); err != nil {
		t.Fatal(err)
	}
	b.o.Form.Format = port.Slime
	b.do((*move.Mover).Export, "hub copied")
	if len(b.last[0].Lost) == 0 {
		t.Error("the file of a world that was a folder lost nothing")
	}
	if _, err := b.home.Store.Purge(t.Context(), b.home.StateName(b.place), 0); err != nil {
		t.Fatal(err)
	}
	b.do((*move.Mover).Export, "hub same")
	b.do((*move.Mover).Mirror, "hub unchanged")
}

func TestMirror(t *testing.T) {
	for name, place := range map[string]func() move.Depot{
		"folder": func() move.Depot { return folderPlace(t) },
		"redis": func() move.Depot {
			p, err := move.Open(t.Context(), "redis://"+newRedisTwin(t, "", false, nil).addr, false)
			if err != nil {
				t.Fatal(err)
			}
			return p
		},
		"store": func() move.Depot {
			return &move.Worlds{Store: memory.New(memory.Options{}), Prefix: "", URL: "other"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBoth(t, place())
			b.put(b.place, "a", 1)
			b.put(b.home, "b", 2)
			b.put(b.place, "equal", 3)
			b.put(b.home, "equal", 3)
			b.put(b.place, "other", 4)
			b.put(b.home, "other", 5)
			b.do((*move.Mover).Mirror, "a copied, b copied, equal same, other left")
			b.has("a", 1, 1)
			b.has("b", 2, 2)
			b.has("other", 4, 5)
			b.do((*move.Mover).Mirror, "a unchanged, b unchanged, equal unchanged, other left")

			b.put(b.place, "a", 6)
			b.put(b.home, "b", 7)
			b.put(b.place, "equal", 8)
			b.put(b.home, "equal", 9)
			b.do((*move.Mover).Mirror, "a changed, b changed, equal left, other left")
			b.has("a", 6, 6)
			b.has("b", 7, 7)
			b.has("equal", 8, 9)
			b.put(b.home, "equal", 8)
			b.do((*move.Mover).Mirror, "a unchanged, b unchanged, equal same, other left")

			if err := b.home.Store.Delete(t.Context(), b.home.Name("a"), 0); err != nil {
				t.Fatal(err)
			}
			b.do((*move.Mover).Mirror, "a left, b unchanged, equal unchanged, other left")
			b.has("a", 6, 0)
			b.put(b.place, "a", 7) // that it changed does not bring it back
			b.do((*move.Mover).Mirror, "a left, b unchanged, equal unchanged, other left")
			b.do((*move.Mover).Import, "a copied, b unchanged, equal unchanged, other changed")
			b.do((*move.Mover).Mirror, "a unchanged, b unchanged, equal unchanged, other unchanged")
		})
	}
}

// A world that is gone from the place is named and stays; one that is gone from both is forgotten.
func TestMirrorGone(t *testing.T) {
	b := newBoth(t, folderPlace(t))
	b.put(b.place, "a", 1)
	b.do((*move.Mover).Mirror, "a copied")
	if err := os.Remove(filepath.Join(b.place.String(), "a.slime")); err != nil {
		t.Fatal(err)
	}
	b.do((*move.Mover).Mirror, "a left")
	if err := b.home.Store.Delete(t.Context(), b.home.Name("a"), 0); err != nil {
		t.Fatal(err)
	}
	b.do((*move.Mover).Mirror, "")
	b.put(b.place, "a", 2)
	b.do((*move.Mover).Mirror, "a copied")
}

// A move that is interrupted goes on where it was.
func TestInterrupted(t *testing.T) {
	b := newBoth(t, folderPlace(t))
	for i := range 6 {
		b.put(b.place, fmt.Sprint(i), uint64(i))
	}
	ctx, cancel := context.WithCancel(t.Context())
	m := &move.Mover{Place: b.place, Home: b.home, Each: func(w move.Moved) {
		if w.Name == "2" {
			cancel()
		}
	}}
	if err := m.Import(ctx); !errors.Is(err, context.Canceled) || m.Note != nil {
		t.Fatal(err, m.Note)
	}
	b.do((*move.Mover).Import, "0 unchanged, 1 unchanged, 2 unchanged, 3 copied, 4 copied, 5 copied")
}

// Names that the store cuts come back at another place as they were, and a world below a world has its path.
func TestNames(t *testing.T) {
	b := newBoth(t, folderPlace(t))
	names := []string{"Hub", "hub", "SkyWars Map 1", "a/b", "ünï", strings.Repeat("very long ", 9) + "a", strings.Repeat("very long ", 9) + "b"}
	for i, name := range names {
		b.put(b.place, name, uint64(i))
	}
	for _, hidden := range []string{"isles/hub/.snapshots/x", "isles/.inbox", "isles/.moved/x"} {
		if err := b.home.Store.Create(t.Context(), hidden); err != nil {
			t.Fatal(err)
		}
	}
	if err := (&move.Mover{Place: b.place, Home: b.home}).Import(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.place = folderPlace(t)
	if err := (&move.Mover{Place: b.place, Home: b.home}).Export(t.Context()); err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	if got, err := b.place.List(t.Context()); err != nil || !slices.Equal(got, names) {
		t.Errorf("there are %q (%v)", got, err)
	}
	deep := &move.Worlds{Store: b.home.Store, URL: "memory:"}
	if got, err := deep.List(t.Context()); err != nil || !slices.Contains(got, "isles/Hub") || deep.Name("isles/Hub") != "isles/-.hub" {
		t.Errorf("there are %q (%v)", got, err)
	}
}

// A name of a place that the store hides is refused, not lost.
func TestHiddenName(t *testing.T) {
	b := newBoth(t, folderPlace(t))
	for _, name := range []string{".inbox", ".hub"} {
		if _, err := put(t, b.home, name, world(t, 1), move.Wanted{}, ""); !errors.Is(err, history.ErrName) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A place that does not keep what it gets is found out, and so is one that changes while it is read.
func TestReadBack(t *testing.T) {
	r := newRedisTwin(t, "", true, nil)
	p, err := move.Open(t.Context(), "redis://"+r.addr, false)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	b := newBoth(t, p)
	b.put(b.home, "hub", 1)
	r.breaks = true
	b.do((*move.Mover).Export, "hub failed")
	if why := b.last[0].Why; !strings.Contains(why, "read back is not what") {
		t.Errorf("it says %q", why)
	}
	r.breaks = false
	b.do((*move.Mover).Mirror, "hub failed") // what is there cannot be read
	b.o.Force = true
	b.do((*move.Mover).Export, "hub changed")
	b.has("hub", 1, 1)

	b.place = &changing{Depot: p, number: 2, b: b}
	b.put(p, "hub", 3)
	b.do((*move.Mover).Import, "hub failed")
	if why := b.last[0].Why; !strings.Contains(why, move.ErrChanged.Error()) {
		t.Errorf("it says %q", why)
	}
}

// changing is a place in which someone changes each world after it was opened.
type changing struct {
	move.Depot
	number uint64
	b      *both
}

func (c *changing) Open(ctx context.Context, name string, o port.Options) (*move.Loaded, error) {
	w, err := c.Depot.Open(ctx, name, o)
	c.b.put(c.Depot, name, c.number)
	return w, err
}

// A world that is made otherwise than it was is found out before it takes the place of another, or after a commit.
func TestMadeOtherwise(t *testing.T) {
	b := newBoth(t, folderPlace(t))
	b.put(b.home, "hub", 1)
	in := b.place
	b.place = otherwise{in, b}
	b.do((*move.Mover).Export, "hub failed")
	if why := b.last[0].Why; !strings.Contains(why, "nothing was written") || !strings.Contains(why, " cells, ") {
		t.Errorf("it says %q", why)
	}
	if list, err := os.ReadDir(in.String()); err != nil || len(list) > 0 {
		t.Errorf("there are %v (%v)", list, err)
	}
	w := world(t, 2)
	c := &swapped{Content: w.Content}
	w.Content = c
	b.home.Store = &swapping{b.home.Store, func() { c.Content = world(t, 3).Content }}
	if _, err := put(t, b.home, "new", w, move.Wanted{}, ""); err == nil || !strings.Contains(err.Error(), " cells, ") {
		t.Errorf("a commit of another world: %v", err)
	}
}

// otherwise is a place whose worlds come back as another.
type otherwise struct {
	move.Depot
	b *both
}

func (o otherwise) Make(ctx context.Context, name string, w *move.Loaded, f move.Wanted) (*move.Made, error) {
	m, err := o.Depot.Make(ctx, name, w, f)
	if err != nil {
		return nil, err
	}
	return m.ReadAs(world(o.b, 2)), nil
}

// swapped is a world that swapping makes another when it was committed.
type swapped struct{ stone.Content }

type swapping struct {
	history.Store
	swap func()
}

func (s *swapping) Commit(ctx context.Context, name string, base history.Head, c history.Commit, stones ...history.Stone) (history.Commit, error) {
	c, err := s.Store.Commit(ctx, name, base, c, stones...)
	s.swap()
	return c, err
}

// A file of a database that is larger than the memory is refused before it is read.
func TestMemory(t *testing.T) {
	b := newBoth(t, nil)
	p, err := move.Open(t.Context(), "redis://"+newRedisTwin(t, "", true, nil).addr, false)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	b.place = p
	b.put(p, "hub", 1)
	b.o.Read.Memory = 100
	b.do((*move.Mover).Import, "hub failed")
	if why := b.last[0].Why; !strings.Contains(why, "--memory allows more") {
		t.Errorf("it says %q", why)
	}
}

// The worlds that are at hand go into a store, and out again as they were.
func TestRealWorlds(t *testing.T) {
	root := os.Getenv("CAIRN_WORLDS")
	if root == "" {
		t.Skip("needs CAIRN_WORLDS")
	}
	found, err := filepath.Glob(filepath.Join(root, "slime", "*", "*.slime"))
	if err != nil || len(found) == 0 {
		t.Skip("no Slime files there", err)
	}
	b := newBoth(t, folderPlace(t))
	if err := os.Mkdir(b.place.String(), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		data, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(filepath.Join(b.place.String(), filepath.Base(filepath.Dir(path))+".slime"), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	in := b.place
	if err := (&move.Mover{Place: in, Home: b.home}).Import(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := newRedisTwin(t, "", true, nil)
	if b.place, err = move.Open(t.Context(), "redis://"+r.addr, false); err != nil {
		t.Fatal(err)
	}
	defer b.place.Close()
	if err := (&move.Mover{Place: b.place, Home: b.home}).Export(t.Context()); err != nil {
		t.Fatal(err)
	}
	names, err := in.List(t.Context())
	if err != nil || len(names) != len(found) {
		t.Fatalf("there are %d of %d (%v)", len(names), len(found), err)
	}
	for _, name := range names {
		w, err := in.Open(t.Context(), name, port.Options{})
		if err == nil {
			w.Content, err = w.Parts(t.Context(), nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		sign, err := b.place.Sign(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		holds(t, b.place, name, sign, w)
	}
}

// TestPassed: what lies in a folder and is no world is named.
func TestPassed(t *testing.T) {
	dir := t.TempDir()
	place, err := move.Open(t.Context(), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	b := newBoth(t, place)
	b.put(place, "hub", 1)
	for _, name := range []string{"plugins/deep.slime", "notes.txt", ".hidden"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte("none"), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	m := &move.Mover{Place: b.place, Home: b.home}
	if err := m.Import(t.Context()); err != nil || !slices.Equal(m.Passed, []string{"notes.txt", "plugins"}) {
		t.Errorf("passed over %q, %v", m.Passed, err)
	}
}
