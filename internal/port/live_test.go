package port_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/world"
)

// playedSlots is how many chunks a scribe writes.
const playedSlots = 24

// scribe writes a region file as games do, in pieces, as fast as it can.
type scribe struct {
	file   *os.File
	stamps func() uint32
	begun  [playedSlots]atomic.Int64 // the state of a chunk that was begun last
	ended  [playedSlots]atomic.Int64 // and that was done last
	end    int                       // of the file, in sectors
	place  [playedSlots]uint32
	free   []freed
	random *rand.Rand
}

// freed is sectors that a chunk has left. Another one takes them, so that what it has not written yet is
// not an older state of its own.
type freed struct {
	place uint32
	slot  int
}

// stateOf returns a chunk in a state: every byte of it depends on the state.
func stateOf(slot int, n int64) []byte {
	pad := make([]byte, 6000+1500*((int(n)+slot)%5))
	random := rand.New(rand.NewPCG(uint64(slot), uint64(n)))
	for i := range pad {
		pad[i] = byte(random.Uint32())
	}
	return nbt.Append(nil, "", nbt.Entries{{Name: "DataVersion", Value: int32(3953)}, {Name: "xPos", Value: int32(slot)}, {Name: "zPos", Value: int32(0)}, {Name: "n", Value: n}, {Name: "pad", Value: pad}})
}

func storedState(slot int, n int64) []byte {
	var b bytes.Buffer
	b.Write(make([]byte, 5))
	z := zlib.NewWriter(&b)
	_, _ = z.Write(stateOf(slot, n)) // into memory
	_ = z.Close()
	binary.BigEndian.PutUint32(b.Bytes(), uint32(b.Len()-4))
	b.Bytes()[4] = 2
	return append(b.Bytes(), make([]byte, (4096-b.Len()%4096)%4096)...)
}

func (s *scribe) put(data []byte, at int64) {
	for len(data) > 0 {
		n := min(len(data), 1+s.random.IntN(5000))
		if _, err := s.file.WriteAt(data[:n], at); err != nil {
			panic(err)
		}
		data, at = data[n:], at+int64(n)
	}
}

func (s *scribe) line(at, v uint32) {
	s.put(binary.BigEndian.AppendUint32(nil, v), int64(at))
}

// save writes the next state of a chunk: in place if the sectors do, else into free ones or at the end,
// with the line of the header before or after it.
func (s *scribe) save(slot int) {
	n := s.begun[slot].Add(1)
	data := storedState(slot, n)
	count := uint32(len(data) / 4096)
	was := s.place[slot]
	switch {
	case was&255 == count && s.random.IntN(2) == 0:
		s.put(data, int64(was>>8)*4096)
	default:
		now := uint32(s.end)<<8 | count
		for i, f := range s.free {
			if f.slot != slot && f.place&255 >= count {
				now, s.free[i].place = f.place&^255|count, (f.place>>8+count)<<8|(f.place&255-count)
				break
			}
		}
		first := s.random.IntN(4) == 0
		if first {
			s.line(uint32(4*slot), now)
		}
		s.put(data, int64(now>>8)*4096)
		if !first {
			s.line(uint32(4*slot), now)
		}
		s.end = max(s.end, int(now>>8+count))
		if was != 0 {
			s.free = append(s.free, freed{was, slot})
		}
		s.place[slot] = now
	}
	s.line(uint32(4096+4*slot), s.stamps())
	s.ended[slot].Store(n)
}

// liveLook imports a folder that is written, and returns the columns of the version and what was torn.
func liveLook(t *testing.T, st history.Store, dir string, seen *port.Seen) (states map[int32][]byte, torn []string) {
	t.Helper()
	src, err := port.Open(dir, port.Options{Live: true})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	seen.Now = time.Now()
	src.Since(*seen)
	c, err := src.Parts(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	done, err := src.Import(t.Context(), func(context.Context) (history.Store, error) { return st, nil }, "w", c, port.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	*seen = port.Seen{Head: done.Commit.ID(), Headers: src.Headers()}
	w, err := world.OpenSnapshot(t.Context(), st, "w", done.Commit.ID(), world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	states = map[int32][]byte{}
	for col, err := range w.ReadColumns(t.Context(), "overworld") {
		if err != nil {
			t.Fatal(err)
		}
		states[col.Pos.X] = bytes.Clone(col.Parts[0].Data)
	}
	return states, src.Remarks().Torn
}

// TestImportLive: beside a writer in a hurry each chunk of each version is as it was at one moment of the
// look, or is named and as in the version before; and in the end all is as the folder says.
func TestImportLive(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "region"), 0o755); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(filepath.Join(dir, "region", "r.0.0.mca"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	s := &scribe{file: file, end: 2, random: rand.New(rand.NewPCG(1, 2)), stamps: func() uint32 { return uint32(time.Now().Unix()) }}
	s.put(make([]byte, 8192), 0)
	for slot := range playedSlots {
		s.save(slot)
	}
	var stopped atomic.Bool
	var done sync.WaitGroup
	done.Go(func() {
		for !stopped.Load() {
			s.save(s.random.IntN(playedSlots))
			if s.random.IntN(8) == 0 {
				time.Sleep(time.Millisecond)
			}
		}
	})
	defer done.Wait()
	defer stopped.Store(true)

	st := memory.New(memory.Options{})
	var seen port.Seen
	before := map[int32]int64{}
	looks, tornLooks := 0, 0
	for end := time.Now().Add(time.Duration(long.Of(2, 120)) * time.Second); time.Now().Before(end); looks++ {
		var least [playedSlots]int64
		for slot := range least {
			least[slot] = s.ended[slot].Load()
		}
		states, torn := liveLook(t, st, dir, &seen)
		for slot := range least {
			data, named := states[int32(slot)], false
			for _, text := range torn {
				named = named || strings.Contains(text, fmt.Sprintf("(%d,0)", slot)) || strings.Contains(text, fmt.Sprintf("{%d 0}", slot))
			}
			n, ok := stateIn(data)
			switch {
			case named:
				tornLooks++
				if (data != nil) != (before[int32(slot)] > 0) || data != nil && n != before[int32(slot)] {
					t.Fatalf("look %d: the torn chunk %d is in state %d, before %d", looks, slot, n, before[int32(slot)])
				}
			case !ok || n < least[slot] || n > s.begun[slot].Load():
				t.Fatalf("look %d: chunk %d is in state %d (%t); %d was there before, %d was the last; torn: %v", looks, slot, n, ok, least[slot], s.begun[slot].Load(), torn)
			}
			if data != nil && !isState(data, slot, n) {
				t.Fatalf("look %d: chunk %d is torn", looks, slot)
			}
			before[int32(slot)] = n
		}
	}
	stopped.Store(true)
	done.Wait()
	states, torn := liveLook(t, st, dir, &seen)
	for slot := range playedSlots {
		if n, _ := stateIn(states[int32(slot)]); n != s.ended[slot].Load() || !isState(states[int32(slot)], slot, n) {
			t.Errorf("in the end chunk %d is in state %d, the folder has %d; torn: %v", slot, n, s.ended[slot].Load(), torn)
		}
	}
	mustEqual(t, st, dir)
	t.Logf("%d looks beside %d saves; %d chunks were torn for long", looks, total(&s.ended), tornLooks)
}

func total(all *[playedSlots]atomic.Int64) (n int64) {
	for i := range all {
		n += all[i].Load()
	}
	return n
}

// stateIn returns the number of a state, of which the tags are left that cairn does not know.
func stateIn(data []byte) (int64, bool) {
	_, v, err := nbt.Parse(data, nbt.Limits{})
	if err != nil {
		return 0, false
	}
	n, ok := v.(nbt.Entries).Get("n").(int64)
	return n, ok
}

func isState(data []byte, slot int, n int64) bool {
	_, v, err := nbt.Parse(data, nbt.Limits{})
	_, want, wrong := nbt.Parse(stateOf(slot, n), nbt.Limits{})
	return err == nil && wrong == nil && bytes.Equal(v.(nbt.Entries).Get("pad").([]byte), want.(nbt.Entries).Get("pad").([]byte))
}
