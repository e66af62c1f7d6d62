package anviltest

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
)

const (
	// ScribeChunks is how many chunks each region file of a Scribe has.
	ScribeChunks = 24
	// scribeHot is how many things a Scribe writes at a time, until it moves on.
	scribeHot = 12
	// scribeStay is when it does so at the latest.
	scribeStay = time.Second
)

// Scribe writes a world's folder as games do, in pieces, as fast as it can. Every byte of a chunk or a file depends
// on its state, and states are counted: so who reads it can tell of what moment each is, and whether it is torn.
type Scribe struct {
	Items   []*Item
	random  *rand.Rand
	stopped atomic.Bool
	done    sync.WaitGroup
}

// Item is a chunk or a file that a Scribe writes.
type Item struct {
	Path string // of the file, below the folder
	X    int    // of the chunk, whose z is 0

	dir          string
	region       *scribed // nil for a file
	seed         uint64
	slot         int
	place        uint32 // of the chunk, as the header has it
	begun, ended atomic.Int64
}

// Name names the item as cairn names what is torn: its path, and the chunk.
func (i *Item) Name() string {
	if i.region == nil {
		return i.Path
	}
	return fmt.Sprintf("%s chunk {%d 0}", i.Path, i.X)
}

// Begun returns the last state that was begun.
func (i *Item) Begun() int64 { return i.begun.Load() }

// Ended returns the last state that was written whole.
func (i *Item) Ended() int64 { return i.ended.Load() }

// scribed is a region file that a Scribe writes.
type scribed struct {
	file *os.File
	end  int // in sectors
	free []freed
}

// freed is sectors that a chunk has left. Another one takes them, so that what it has not written yet is
// not an older state of its own.
type freed struct {
	place uint32
	item  *Item
}

// StartScribe starts a scribe. It ends with the test, or by Stop. Of the paths, r.X.0.mca are region files, those below
// data are written in place, and other files are moved to where they belong.
func StartScribe(t testing.TB, dir string, paths ...string) *Scribe {
	t.Helper()
	s := &Scribe{random: rand.New(rand.NewPCG(1, 2))}
	for _, name := range paths {
		if err := s.add(t, dir, name); err != nil {
			t.Fatal(err)
		}
	}
	for i, item := range s.Items {
		item.seed = uint64(i)
		s.save(item)
	}
	s.done.Go(s.run)
	t.Cleanup(s.Stop)
	return s
}

func (s *Scribe) add(t testing.TB, dir, name string) error {
	if err := os.MkdirAll(filepath.Join(dir, path.Dir(name)), 0o755); err != nil {
		return err
	}
	if path.Ext(name) != ".mca" {
		s.Items = append(s.Items, &Item{Path: name, dir: dir})
		return nil
	}
	var x int
	if _, err := fmt.Sscanf(path.Base(name), "r.%d.0.mca", &x); err != nil {
		return err
	}
	file, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	t.Cleanup(func() { file.Close() })
	g := &scribed{file: file, end: 2}
	for slot := range ScribeChunks {
		s.Items = append(s.Items, &Item{Path: name, X: 32*x + slot, dir: dir, region: g, slot: slot})
	}
	s.put(file, make([]byte, 8192), 0)
	return nil
}

// Stop stops the scribe: then each thing is in the last state that was begun.
func (s *Scribe) Stop() {
	s.stopped.Store(true)
	s.done.Wait()
}

// run writes what is near its player, who moves on. So there are things that were just read when they are written, and then
// rest for a while.
func (s *Scribe) run() {
	for !s.stopped.Load() {
		at, until := s.random.IntN(len(s.Items)), time.Now().Add(time.Duration(s.random.Int64N(int64(scribeStay))))
		for !s.stopped.Load() && time.Now().Before(until) {
			s.save(s.Items[(at+s.random.IntN(scribeHot))%len(s.Items)])
			if s.random.IntN(8) == 0 {
				time.Sleep(time.Millisecond)
			}
		}
	}
}

// save writes the next state of a thing.
func (s *Scribe) save(i *Item) {
	n := i.begun.Add(1)
	if i.region != nil {
		s.saveChunk(i, n)
	} else if err := s.saveFile(i, n); err != nil {
		panic(err)
	}
	i.ended.Store(n)
}

// saveChunk writes a chunk: in place if the sectors do, else into free ones or at the end, with the line of the header
// before or after it.
func (s *Scribe) saveChunk(i *Item, n int64) {
	g := i.region
	data := storedChunk(i.doc(n))
	count := uint32(len(data) / 4096)
	if was := i.place; was&255 == count && s.random.IntN(2) == 0 {
		s.put(g.file, data, int64(was>>8)*4096)
	} else {
		i.place = g.room(i, count)
		first := s.random.IntN(4) == 0
		if first {
			s.line(g.file, 4*i.slot, i.place)
		}
		s.put(g.file, data, int64(i.place>>8)*4096)
		if !first {
			s.line(g.file, 4*i.slot, i.place)
		}
		if was != 0 {
			g.free = append(g.free, freed{was, i})
		}
	}
	s.line(g.file, 4096+4*i.slot, uint32(time.Now().Unix()))
}

// room returns where count sectors are free.
func (g *scribed) room(i *Item, count uint32) uint32 {
	for k, f := range g.free {
		if f.item != i && f.place&255 >= count {
			g.free[k].place = (f.place>>8+count)<<8 | (f.place&255 - count)
			return f.place&^255 | count
		}
	}
	g.end += int(count)
	return uint32(g.end-int(count))<<8 | count
}

// saveFile writes a file below data in place. Others are moved to where they belong, and what was there away.
func (s *Scribe) saveFile(i *Item, n int64) error {
	name := filepath.Join(i.dir, i.Path)
	to := name
	if !strings.HasPrefix(i.Path, "data/") {
		base, ext := strings.TrimSuffix(name, path.Ext(name)), path.Ext(name)
		if path.Dir(i.Path) != "." {
			base += "-"
		}
		to = fmt.Sprint(base, s.random.Uint64(), ext)
	}
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	s.put(f, packed(i.doc(n)), 0)
	if err := f.Close(); err != nil || to == name {
		return err
	}
	if err := os.Rename(name, name+"_old"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.Rename(to, name)
}

func (s *Scribe) put(f *os.File, data []byte, at int64) {
	for len(data) > 0 {
		n := min(len(data), 1+s.random.IntN(5000))
		if _, err := f.WriteAt(data[:n], at); err != nil {
			panic(err)
		}
		data, at = data[n:], at+int64(n)
	}
}

func (s *Scribe) line(f *os.File, at int, v uint32) {
	s.put(f, binary.BigEndian.AppendUint32(nil, v), int64(at))
}

// doc returns the document of a state.
func (i *Item) doc(n int64) []byte {
	state := nbt.Entries{{Name: "n", Value: n}, {Name: "pad", Value: i.pad(n)}}
	version := nbt.Entry{Name: "DataVersion", Value: int32(3953)}
	switch {
	case i.region == nil:
		return nbt.Append(nil, "", nbt.Entries{{Name: "Data", Value: state}})
	case path.Base(path.Dir(i.Path)) == "entities":
		state = append(nbt.Entries{
			{Name: "id", Value: "minecraft:marker"},
			{Name: "Pos", Value: nbt.Items{Elem: nbt.Double, Values: []nbt.Value{float64(16*i.X + 8), 64.0, 8.0}}},
			{Name: "UUID", Value: []int32{int32(i.seed), 1, 2, 3}},
		}, state...)
		return nbt.Append(nil, "", nbt.Entries{version, {Name: "Position", Value: []int32{int32(i.X), 0}}, {Name: "Entities", Value: nbt.Items{Elem: nbt.Compound, Values: []nbt.Value{state}}}})
	}
	return nbt.Append(nil, "", append(nbt.Entries{version, {Name: "xPos", Value: int32(i.X)}, {Name: "zPos", Value: int32(0)}}, state...))
}

// pad returns noise that is another in each state.
func (i *Item) pad(n int64) []byte {
	pad := make([]byte, 6000+1500*((uint64(n)+i.seed)%5))
	random := rand.New(rand.NewPCG(i.seed, uint64(n)))
	for at := range pad {
		pad[at] = byte(random.Uint32())
	}
	return pad
}

// storedChunk returns a chunk as it lies in a region file.
func storedChunk(doc []byte) []byte {
	var b bytes.Buffer
	b.Write(make([]byte, 5))
	z := zlib.NewWriter(&b)
	_, _ = z.Write(doc) // into memory
	_ = z.Close()
	binary.BigEndian.PutUint32(b.Bytes(), uint32(b.Len()-4))
	b.Bytes()[4] = 2
	return append(b.Bytes(), make([]byte, (4096-b.Len()%4096)%4096)...)
}

// packed returns a document as it lies in a file.
func packed(doc []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(doc) // into memory
	_ = z.Close()
	return b.Bytes()
}

// unpacked returns the document in a file.
func unpacked(b []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// State returns the number of the state in which a document is, 0 if there is none, and whether it is all of that state.
// A chunk may lack the tags that say where it is.
func (i *Item) State(doc []byte) (n int64, whole bool) {
	_, v, err := nbt.Parse(doc, nbt.Limits{})
	if err != nil {
		return 0, false
	}
	state, _ := v.(nbt.Entries)
	if data, ok := state.Get("Data").(nbt.Entries); ok {
		state = data
	}
	if all, ok := state.Get("Entities").(nbt.Items); ok && len(all.Values) == 1 {
		state, _ = all.Values[0].(nbt.Entries)
	}
	n, ok := state.Get("n").(int64)
	pad, _ := state.Get("pad").([]byte)
	return n, ok && bytes.Equal(pad, i.pad(n))
}

// Begun returns the state of each item that was begun last, by name.
func (s *Scribe) Begun() map[string]int64 { return s.by((*Item).Begun) }

// Ended returns the state of each item that was written whole last, by name.
func (s *Scribe) Ended() map[string]int64 { return s.by((*Item).Ended) }

func (s *Scribe) by(of func(*Item) int64) map[string]int64 {
	out := map[string]int64{}
	for _, i := range s.Items {
		out[i.Name()] = of(i)
	}
	return out
}

// Read returns the state of each item in a folder that nobody writes. What is torn or missing is an error of t.
func (s *Scribe) Read(t testing.TB, dir string) map[string]int64 {
	t.Helper()
	regions := map[string]map[int]Slot{}
	return s.by(func(i *Item) int64 {
		var doc []byte
		var err error
		if i.region == nil {
			doc, err = unpacked(Bytes(t, dir, i.Path))
		} else {
			if regions[i.Path] == nil {
				regions[i.Path] = Slots(t, filepath.Join(dir, i.Path))
			}
			doc, err = regions[i.Path][i.slot].Doc()
		}
		n, whole := i.State(doc)
		if err != nil || !whole {
			t.Errorf("%s is torn, in state %d: %v", i.Name(), n, err)
		}
		return n
	})
}
