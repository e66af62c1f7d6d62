package anvil_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// writtenFS is a folder that changes while it is read.
type writtenFS struct {
	fstest.MapFS
	// before is told the path and offset of each read, and which read of the path it is. Opening a
	// file is a read at -1.
	before func(name string, off int64, n int)
	reads  map[string]int
}

func (w *writtenFS) Open(name string) (fs.File, error) {
	w.read(name, -1)
	f, err := w.MapFS.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return f, nil
	}
	return &writtenFile{File: f, fs: w, name: name}, nil
}

func (w *writtenFS) read(name string, off int64) {
	key := fmt.Sprint(name, off)
	w.reads[key]++
	if w.before != nil {
		w.before(name, off, w.reads[key])
	}
}

// writtenFile reads what the file is now.
type writtenFile struct {
	fs.File
	fs   *writtenFS
	name string
	at   int64
}

func (f *writtenFile) ReadAt(p []byte, off int64) (int, error) {
	f.fs.read(f.name, off)
	return bytes.NewReader(f.fs.MapFS[f.name].Data).ReadAt(p, off)
}

func (f *writtenFile) Read(p []byte) (int, error) {
	n, err := f.ReadAt(p, f.at)
	f.at += int64(n)
	return n, err
}

func (f *writtenFile) Stat() (fs.FileInfo, error) { return f.fs.MapFS.Stat(f.name) }

// liveDoc is a chunk that tells who it is.
func liveDoc(x, n int) []byte {
	return chunk(0, "xPos", int32(x), "zPos", int32(0), "n", int32(n), "pad", bytes.Repeat([]byte{byte(n), byte(n >> 3), 7}, 3000))
}

// liveSlot is liveDoc as it is stored, in two sectors of its own.
func liveSlot(kind byte, x, n int) []byte {
	doc := liveDoc(x, n)
	if kind == 2 {
		doc = deflated(doc)
	}
	b := make([]byte, 2*4096+4*4096*btoi(kind != 2))
	copy(b, stored(kind, doc))
	return b
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

const liveRegion = "region/r.0.0.mca"

func TestLive(t *testing.T) {
	place := func(data []byte, slot, first, count int, stamp uint32) {
		binary.BigEndian.PutUint32(data[4*slot:], uint32(first<<8|count))
		binary.BigEndian.PutUint32(data[4096+4*slot:], stamp)
	}
	for _, c := range []struct {
		name   string
		kind   byte
		before func(data *[]byte, off int64, n int)
		want   int // the state of the second chunk; 0 is none
		torn   bool
	}{
		{"nothing happens", 2, func(*[]byte, int64, int) {}, 1, false},
		{"it moves", 2, func(data *[]byte, off int64, n int) {
			if off == 4*4096 && n == 1 {
				*data = append(*data, liveSlot(2, 1, 2)...)
				place(*data, 1, 6, 2, 9)
			}
		}, 2, false},
		{"it moves while it is read, and its sectors become another's", 2, func(data *[]byte, off int64, n int) {
			if off == 4*4096 && n == 1 {
				*data = append(*data, liveSlot(2, 1, 2)...)
				copy((*data)[4*4096:], liveSlot(2, 5, 1))
				place(*data, 1, 6, 2, 9)
				place(*data, 5, 4, 2, 9)
			}
		}, 2, false},
		{"it is written in place", 2, func(data *[]byte, off int64, n int) {
			switch {
			case off == 4*4096 && n == 1:
				copy((*data)[4*4096:4*4096+20], liveSlot(2, 1, 2))
			case off == 4*4096 && n == 3:
				copy((*data)[4*4096:], liveSlot(2, 1, 2))
			}
		}, 2, false},
		{"it is written in place and never done", 2, func(data *[]byte, off int64, n int) {
			if off == 4*4096 && n == 1 {
				copy((*data)[4*4096:4*4096+20], liveSlot(2, 1, 2))
			}
		}, 0, true},
		{"its line is written before its bytes", 2, func(data *[]byte, off int64, n int) {
			switch {
			case off == 4*4096 && n == 1: // into sectors that another chunk left
				*data = append(*data, liveSlot(2, 7, 1)...)
				place(*data, 1, 6, 2, 0)
			case off == 6*4096 && n == 2:
				copy((*data)[6*4096:], liveSlot(2, 1, 2))
			}
		}, 2, false},
		{"it goes", 2, func(data *[]byte, off int64, n int) {
			if off == 4*4096 && n == 1 {
				place(*data, 1, 0, 0, 0)
			}
		}, 0, false},
		{"it always moves", 2, func(data *[]byte, off int64, n int) {
			if off == 4*4096 {
				place(*data, 1, 4, 2, uint32(n))
			}
		}, 0, true},
		{"without a checksum, it is written in place", 3, func(data *[]byte, off int64, n int) {
			switch {
			case off == 8*4096 && n == 1:
				copy((*data)[8*4096:8*4096+5000], liveSlot(3, 1, 2))
			case off == 8*4096 && n == 2:
				copy((*data)[8*4096:], liveSlot(3, 1, 2))
			}
		}, 2, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := region(map[int][]byte{0: liveSlot(c.kind, 0, 1), 1: liveSlot(c.kind, 1, 1)}, map[int]uint32{0: 5, 1: 5})
			w := &writtenFS{MapFS: folder(map[string][]byte{liveRegion: data}), reads: map[string]int{}}
			w.before = func(name string, off int64, n int) {
				if name == liveRegion {
					c.before(&w.MapFS[name].Data, off, n)
				}
			}
			f, err := anvil.OpenFS(w, anvil.Options{Live: true})
			if err != nil {
				t.Fatal(err)
			}
			s := &taker{keep: true}
			if err := f.Read(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			got := map[int32][]byte{}
			for _, c := range s.columns {
				if len(c.Parts) != 1 {
					t.Fatalf("column %v has %d parts", c.Pos, len(c.Parts))
				}
				got[c.Pos.X] = c.Parts[0].Data
			}
			wantSame(t, got[0], liveDoc(0, 1))
			if (got[1] != nil) != (c.want > 0) {
				t.Fatalf("the chunk is there: %t", got[1] != nil)
			} else if c.want > 0 {
				wantSame(t, got[1], liveDoc(1, c.want))
			}
			torn := f.Torn()
			if torn.Columns["overworld"][geom.ColumnPos{X: 1}] != c.torn || len(torn.Why) != btoi(c.torn) {
				t.Errorf("torn %+v", torn)
			}
		})
	}
}

// TestLiveFiles: files that a game renames or writes in place.
func TestLiveFiles(t *testing.T) {
	level := gzipped(document(compound("Data", compound("LevelName", "x"))))
	now := time.Now()
	for _, c := range []struct {
		name   string
		files  map[string]string
		before func(m fstest.MapFS, name string, off int64, n int)
		want   string // names and contents of files other than level.dat
		torn   string
	}{
		{"those that will be renamed", map[string]string{"level123.dat": "a", "data/x.dat_new": "b", "y.tmp": "c", "session.lock": "d",
			"playerdata/01234567-89ab-cdef-0123-456789abcdef-991.dat": "e", "playerdata/01234567-89ab-cdef-0123-456789abcdef.dat": "f"}, nil,
			"playerdata/01234567-89ab-cdef-0123-456789abcdef.dat=f", ""},
		{"written in place", map[string]string{"p.dat": ""}, func(m fstest.MapFS, name string, off int64, n int) {
			if name == "p.dat" && off == 0 && n == 3 {
				m[name].Data = []byte("done")
			}
		}, "p.dat=done", ""},
		{"written in place and never done", map[string]string{"p.dat": string(level[:20])}, nil, "", "p.dat"},
		{"cut, and long ago", map[string]string{"p.dat": "old:" + string(level[:20])}, nil, "p.dat=" + string(level[:20]), ""},
		{"text that grows", map[string]string{"a.json": "{"}, func(m fstest.MapFS, name string, off int64, n int) {
			if name == "a.json" && off == 0 && n == 2 {
				m[name].Data = []byte("{}")
			}
		}, "a.json={}", ""},
		{"taken away", map[string]string{"a.json": "{"}, func(m fstest.MapFS, name string, off int64, n int) {
			if name == "a.json" && off == -1 {
				delete(m, name)
			}
		}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &writtenFS{MapFS: fstest.MapFS{"level.dat": {Data: level, ModTime: now}, liveRegion: {Data: region(map[int][]byte{0: liveSlot(2, 0, 1)}, nil), ModTime: now}}, reads: map[string]int{}}
			for name, text := range c.files {
				at := now
				if rest, ok := strings.CutPrefix(text, "old:"); ok {
					text, at = rest, now.Add(-time.Hour)
				}
				w.MapFS[name] = &fstest.MapFile{Data: []byte(text), ModTime: at}
			}
			w.before = func(name string, off int64, n int) {
				if c.before != nil {
					c.before(w.MapFS, name, off, n)
				}
			}
			f, err := anvil.OpenFS(w, anvil.Options{Live: true})
			if err != nil {
				t.Fatal(err)
			}
			f.Since(nil, now.Unix())
			s := &taker{}
			if err := f.Read(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			if s.files["level.dat"] != string(level) {
				t.Error("level.dat differs")
			}
			delete(s.files, "level.dat")
			var got []string
			for _, name := range slices.Sorted(maps.Keys(s.files)) {
				got = append(got, name+"="+s.files[name])
			}
			if text := strings.Join(got, " "); text != c.want {
				t.Errorf("files %q, want %q", text, c.want)
			}
			if torn := strings.Join(slices.Sorted(maps.Keys(f.Torn().Files)), " "); torn != c.torn {
				t.Errorf("torn %q, want %q", torn, c.torn)
			}
		})
	}
}

// TestLiveRenames: level.dat is missing for a moment.
func TestLiveRenames(t *testing.T) {
	level := gzipped(document(compound("Data", compound("LevelName", "x"))))
	w := &writtenFS{MapFS: fstest.MapFS{"level.dat_old": {Data: level}, liveRegion: {Data: region(map[int][]byte{0: liveSlot(2, 0, 1)}, nil)}}, reads: map[string]int{}}
	w.before = func(name string, off int64, n int) {
		if name == "level.dat" && n == 2 {
			w.MapFS[name] = &fstest.MapFile{Data: level}
		}
	}
	s, _, err := read(t, statsFS{w}, anvil.Options{Live: true})
	if err != nil || s.files["level.dat"] != string(level) {
		t.Errorf("files %v, %v", slices.Sorted(maps.Keys(s.files)), err)
	}
}

// TestLiveLeftovers: files whose newer form is gone for good are waited for once, not one after the other.
func TestLiveLeftovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := folder(map[string][]byte{liveRegion: region(map[int][]byte{0: liveSlot(2, 0, 1)}, nil)})
		for i := range 1000 {
			m[fmt.Sprintf("playerdata/%d.dat_old", i)] = &fstest.MapFile{}
		}
		begun := time.Now()
		if _, err := anvil.OpenFS(m, anvil.Options{Live: true}); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(begun); waited <= 0 || waited > 100*time.Millisecond {
			t.Errorf("it waited for %v", waited)
		}
	})
}

// statsFS is a folder in which a Stat opens the file.
type statsFS struct{ *writtenFS }

func (s statsFS) Stat(name string) (fs.FileInfo, error) {
	f, err := s.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Stat()
}

// TestLiveRegions: a game makes a region file piece by piece, and one is taken away.
func TestLiveRegions(t *testing.T) {
	for _, n := range []int{0, 100, 4096, 8192} {
		m := folder(map[string][]byte{liveRegion: make([]byte, n), "region/r.1.0.mca": region(map[int][]byte{0: liveSlot(2, 32, 1)}, nil)})
		w := &writtenFS{MapFS: m, reads: map[string]int{}}
		s, stats, err := read(t, w, anvil.Options{Live: true})
		if err != nil || len(s.columns) != 1 || len(stats.Damaged) > 0 {
			t.Errorf("%d bytes: %d columns, damaged %v, %v", n, len(s.columns), stats.Damaged, err)
		}
	}
	m := folder(map[string][]byte{liveRegion: region(map[int][]byte{0: liveSlot(2, 0, 1)}, nil), "region/r.1.0.mca": region(map[int][]byte{0: liveSlot(2, 32, 1)}, nil)})
	w := &writtenFS{MapFS: m, reads: map[string]int{}}
	f, err := anvil.OpenFS(w, anvil.Options{Live: true})
	if err != nil {
		t.Fatal(err)
	}
	delete(m, liveRegion)
	s := &taker{keep: true}
	if err := f.Read(t.Context(), s); err != nil || len(s.columns) != 1 {
		t.Errorf("%d columns, %v", len(s.columns), err)
	}
}

// TestLiveStops: a Read that waits for a game ends with its context.
func TestLiveStops(t *testing.T) {
	data := region(map[int][]byte{0: stored(2, []byte{1, 2, 3})}, nil)
	f, err := anvil.OpenFS(folder(map[string][]byte{liveRegion: data}), anvil.Options{Live: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := f.Read(ctx, &taker{}); err == nil {
		t.Error("no error")
	}
}

// TestStill: where nothing was written, a look reads the header and no chunk. A file that may have been written without a
// new time has the end of each chunk read.
func TestStill(t *testing.T) {
	const stamp = 1_700_000_000
	for _, c := range []struct {
		name     string
		modified time.Time // of the file
		now      int64     // of the first look
		later    time.Duration
		inPlace  bool // a chunk is written in place, without a new stamp
		reads    bool // of chunks
		changed  bool
	}{
		{"nothing was written", time.Unix(stamp+1, 500), stamp + 100, 0, false, false, false},
		{"the first look was right after a write", time.Unix(stamp+2, 500), stamp + 4, 0, true, true, true},
		{"an archive knows seconds alone", time.Unix(stamp+1, 0), stamp + 100, 0, true, true, true},
		{"it was written again", time.Unix(stamp+1, 500), stamp + 100, time.Hour, true, true, true},
		{"it was written again as it was", time.Unix(stamp+1, 500), stamp + 100, time.Hour, false, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := folder(map[string][]byte{liveRegion: region(map[int][]byte{0: liveSlot(2, 0, 1), 1: liveSlot(2, 1, 1)}, map[int]uint32{0: stamp, 1: stamp})})
			m[liveRegion].ModTime = c.modified
			w := &writtenFS{MapFS: m, reads: map[string]int{}}
			look := func(h *anvil.Headers, now int64) *anvil.Folder {
				f, err := anvil.OpenFS(w, anvil.Options{Live: true})
				if err != nil {
					t.Fatal(err)
				}
				f.Since(h, now)
				if err := f.Read(t.Context(), &taker{}); err != nil {
					t.Fatal(err)
				}
				return f
			}
			h, err := anvil.ParseHeaders(look(nil, c.now).Headers().Append(nil))
			if err != nil {
				t.Fatal(err)
			}
			m[liveRegion].ModTime = c.modified.Add(c.later)
			if c.inPlace {
				copy(m[liveRegion].Data[4*4096:], liveSlot(2, 1, 2))
			}
			clear(w.reads)
			changed, _ := look(h, c.now+1000).Changed()
			reads := false
			for at := range w.reads {
				reads = reads || strings.HasPrefix(at, liveRegion) && !strings.HasSuffix(at, "-1") && at != fmt.Sprint(liveRegion, 0)
			}
			if reads != c.reads || (len(changed["overworld"]) > 0) != c.changed {
				t.Errorf("chunks are read: %t; changed: %v; reads %v", reads, changed, w.reads)
			}
		})
	}
}
