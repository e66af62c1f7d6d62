package port_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/cairnvoxel/cairn/internal/diff"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/worldtest"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/world"
)

// stamped gives all chunks of a region file a time stamp.
func stamped(b []byte, stamp uint32) []byte {
	b = bytes.Clone(b)
	for i := range 1024 {
		if binary.BigEndian.Uint32(b[4*i:]) != 0 {
			binary.BigEndian.PutUint32(b[4096+4*i:], stamp)
		}
	}
	return b
}

// saved puts the chunk of a slot of one region file into another, as a game does: behind all others.
func saved(b, from []byte, slot int, stamp uint32) []byte {
	b = bytes.Clone(b)
	place := binary.BigEndian.Uint32(from[4*slot:])
	if place != 0 {
		at, n := place>>8, place&255
		b = append(b, make([]byte, (4096-len(b)%4096)%4096)...)
		place = uint32(len(b)/4096)<<8 | n
		b = append(b, from[4096*at:min(4096*int(at+n), len(from))]...)
	}
	binary.BigEndian.PutUint32(b[4*slot:], place)
	binary.BigEndian.PutUint32(b[4096+4*slot:], stamp)
	return b
}

// written writes files into a folder, and leaves those alone that are so already.
func written(t *testing.T, dir string, files fstest.MapFS) {
	t.Helper()
	for name, f := range files {
		path := filepath.Join(dir, name)
		if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, f.Data) {
			continue
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, f.Data, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// importFolder imports a folder as the newest version of w, and returns what is to be remembered of it.
func importFolder(t *testing.T, st history.Store, dir string, seen port.Seen) (port.Imported, port.Seen, int, error) {
	t.Helper()
	src, err := port.Open(dir, port.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	seen.Now = time.Now()
	src.Since(seen)
	c, err := src.Parts(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	done, err := src.Import(t.Context(), func(context.Context) (history.Store, error) { return st, nil }, "w", c, port.ImportOptions{})
	n, _ := src.Unchanged()
	return done, port.Seen{Head: done.Commit.ID(), Headers: src.Headers()}, n, err
}

// mustEqual fails unless the newest version is what a full import of the folder makes.
func mustEqual(t *testing.T, st history.Store, dir string) {
	t.Helper()
	twin := memory.New(memory.Options{})
	if _, _, _, err := importFolder(t, twin, dir, port.Seen{}); err != nil {
		t.Fatal(err)
	}
	var both []*world.Snapshot
	for _, s := range []history.Store{st, twin} {
		head, err := s.Head(t.Context(), "w")
		if err != nil {
			t.Fatal(err)
		}
		snap, err := world.OpenSnapshot(t.Context(), s, "w", head.Commit, world.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer snap.Close()
		both = append(both, snap)
	}
	d, err := diff.Worlds(t.Context(), both[0], both[1], diff.Options{Exact: true})
	if err != nil {
		t.Fatal(err)
	}
	if d.Files > 0 { // they may be packed otherwise
		loose, err := diff.Worlds(t.Context(), both[0], both[1], diff.Options{})
		if err != nil {
			t.Fatal(err)
		}
		d.Files = loose.Files
	}
	if !d.Same() {
		t.Errorf("not what the folder is: %+v", d)
	}
}

// TestSince compares imports of what changed with imports of everything, their slow twin.
func TestSince(t *testing.T) {
	one := folder(t, worldtest.Load(t, terrain.Survival(terrain.Options{Seed: 1, Size: 6, Version: terrain.Modern})))
	two := folder(t, worldtest.Load(t, terrain.Survival(terrain.Options{Seed: 2, Size: 6, Version: terrain.Modern})))
	for name, f := range one {
		if isMCA(name) {
			one[name] = &fstest.MapFile{Data: stamped(f.Data, 1000)}
		}
	}
	dir, st := t.TempDir(), memory.New(memory.Options{})
	written(t, dir, one)
	first, seen, unread, err := importFolder(t, st, dir, port.Seen{})
	if err != nil || unread != 0 {
		t.Fatal(unread, err)
	}
	done, seen, all, err := importFolder(t, st, dir, seen)
	if err != nil || !done.Same || done.Commit.ID() != first.Commit.ID() || all < 36 {
		t.Fatalf("nothing changed: %+v, %d not read, %v", done, all, err)
	}
	region := slices.Sorted(maps.Keys(some(one, "", func(name string) bool { return strings.HasPrefix(name, "region/") })))[0]
	slots := func() (some []int) {
		for i := range 1024 {
			if binary.BigEndian.Uint32(one[region].Data[4*i:]) != 0 && binary.BigEndian.Uint32(two[region].Data[4*i:]) != 0 {
				some = append(some, i)
			}
		}
		return some
	}()
	put := func(name string, slot int, from []byte, stamp uint32) {
		one[name] = &fstest.MapFile{Data: saved(one[name].Data, from, slot, stamp)}
	}
	inPlace := func(slot int) {
		data := bytes.Clone(one[region].Data)
		at := binary.BigEndian.Uint32(data[4*slot:]) >> 8 * 4096
		from := two[region].Data[binary.BigEndian.Uint32(two[region].Data[4*slot:])>>8*4096:]
		n := 4 + binary.BigEndian.Uint32(from)
		if had := 4 + binary.BigEndian.Uint32(data[at:]); (had+4095)/4096 < (n+4095)/4096 {
			t.Fatalf("%d bytes do not fit into %d", n, had)
		}
		copy(data[at:], from[:n])
		one[region] = &fstest.MapFile{Data: data}
	}
	absent := make([]byte, 8192)
	for _, tt := range []struct {
		what   string
		change func()
		read   int
	}{
		{"one chunk", func() { put(region, slots[0], two[region].Data, 2000) }, 1},
		{"only its time", func() { put(region, slots[1], one[region].Data, 2000) }, 1},
		{"a chunk goes", func() { put(region, slots[2], absent, 0) }, 1},
		{"and comes back", func() { put(region, slots[2], two[region].Data, 3000) }, 1},
		{"entities", func() {
			for name := range one {
				if strings.HasPrefix(name, "entities/") {
					put(name, slots[3], absent, 2000)
				}
			}
		}, 1},
		{"bytes in place, without a time", func() { inPlace(slots[4]) }, 1},
		{"a time that is not settled", func() { put(region, slots[5], two[region].Data, uint32(time.Now().Unix())+100) }, 1},
		{"which is read again", func() {}, 1},
		{"a file", func() { one["data/x.dat"] = &fstest.MapFile{Data: []byte("x")} }, 1},
	} {
		tt.change()
		written(t, dir, one)
		var unread int
		if done, seen, unread, err = importFolder(t, st, dir, seen); err != nil {
			t.Fatalf("%s: %v", tt.what, err)
		}
		if all-unread > tt.read+1 { // one may have gone
			t.Errorf("%s: %d columns were read, want %d", tt.what, all-unread, tt.read)
		}
		mustEqual(t, st, dir)
	}

	// A copy may have been made within the second in which a chunk was saved twice.
	const second = 1_500_000_000
	put(region, slots[6], one[region].Data, second)
	for range 2 {
		written(t, dir, one)
		at := time.Unix(second, 0)
		if err := os.Chtimes(filepath.Join(dir, region), at, at); err != nil {
			t.Fatal(err)
		}
		if _, seen, _, err = importFolder(t, st, dir, seen); err != nil {
			t.Fatal(err)
		}
		mustEqual(t, st, dir)
		inPlace(slots[6])
	}

	bytesOf := seen.Headers.Append(nil)
	parsed, err := anvil.ParseHeaders(bytesOf)
	if err != nil || !bytes.Equal(parsed.Append(nil), bytesOf) {
		t.Errorf("headers as bytes: %v", err)
	}
	for _, n := range []int{0, 10, 30, len(bytesOf) - 1} {
		if h, err := anvil.ParseHeaders(bytesOf[:n]); err == nil && h.Len() >= parsed.Len() {
			t.Errorf("%d bytes of headers were taken for all", n)
		}
	}

	// Whoever changes the world otherwise makes what is remembered stale.
	if _, _, err := become(t, st, "w", 5, port.Note{}); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := importFolder(t, st, dir, seen); !errors.Is(err, port.ErrStale) {
		t.Errorf("another head: %v", err)
	}
	if _, seen, _, err = importFolder(t, st, dir, port.Seen{}); err != nil {
		t.Fatal(err)
	}
	mustEqual(t, st, dir)

	// A region file that is gone makes it read everything.
	if err := os.Remove(filepath.Join(dir, region)); err != nil {
		t.Fatal(err)
	}
	if _, _, unread, err := importFolder(t, st, dir, seen); err != nil || unread != 0 {
		t.Errorf("a region file is gone: %d not read, %v", unread, err)
	}
	mustEqual(t, st, dir)
}

// TestSameTags imports a level.dat that another gzip wrote.
func TestSameTags(t *testing.T) {
	files := folder(t, worldtest.Load(t, worldtest.Island(1, terrain.Modern)))
	dir, st := t.TempDir(), memory.New(memory.Options{})
	tags := []byte{10, 0, 0, 1, 0, 1, 'x', 7, 0}
	packed := func(level int) []byte {
		var b bytes.Buffer
		w, _ := gzip.NewWriterLevel(&b, level)
		w.Write(tags)
		w.Close()
		return b.Bytes()
	}
	files["data/raids.dat"] = &fstest.MapFile{Data: packed(gzip.BestCompression)}
	written(t, dir, files)
	first, _, _, err := importFolder(t, st, dir, port.Seen{})
	if err != nil {
		t.Fatal(err)
	}
	files["data/raids.dat"] = &fstest.MapFile{Data: packed(gzip.NoCompression)}
	written(t, dir, files)
	if done, _, _, err := importFolder(t, st, dir, port.Seen{}); err != nil || !done.Same || done.Commit.ID() != first.Commit.ID() {
		t.Errorf("the same tags, packed otherwise: %+v, %v", done, err)
	}
	tags[7] = 8
	files["data/raids.dat"] = &fstest.MapFile{Data: packed(gzip.NoCompression)}
	written(t, dir, files)
	if done, _, _, err := importFolder(t, st, dir, port.Seen{}); err != nil || done.Same {
		t.Errorf("another tag: %+v, %v", done, err)
	}
}

// TestFilesDiffer imports a player's file that changes a little each time: a version of it takes few bytes and has its tags.
func TestFilesDiffer(t *testing.T) {
	files := folder(t, worldtest.Load(t, worldtest.Island(1, terrain.Modern)))
	dir, st := t.TempDir(), memory.New(memory.Options{})
	tags := []byte{10, 0, 0, 7, 0, 1, 'x', 0, 0, 0x0b, 0xb8} // an array of 3000 bytes
	for i := range 3000 {
		tags = append(tags, byte(i*i>>3))
	}
	tags = append(tags, 0)
	var versions []history.Commit
	var want [][]byte
	for n := range 12 {
		tags[20+n]++
		tags[1000]++
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write(tags)
		w.Close()
		files["playerdata/p.dat"] = &fstest.MapFile{Data: b.Bytes()}
		written(t, dir, files)
		done, _, _, err := importFolder(t, st, dir, port.Seen{})
		if err != nil {
			t.Fatal(err)
		}
		versions, want = append(versions, done.Commit), append(want, bytes.Clone(tags))
		if n < 2 || n > 7 { // the first is packed by gzip, the last lies too high
			continue
		}
		o, err := st.Open(t.Context(), "w", done.Commit.Stones[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		pages, err := o.Pages()
		if err = errors.Join(err, o.Close()); err != nil || len(pages) != 1 || pages[0].FormName != "delta" || pages[0].Size > 40 {
			t.Errorf("version %d: %v: pages %+v", n, err, pages)
		}
	}
	for n, c := range versions {
		s, err := world.OpenSnapshot(t.Context(), st, "w", c.ID(), world.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.OpenFile("playerdata/p.dat")
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(r)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(z); err != nil || !bytes.Equal(got, want[n]) {
			t.Errorf("version %d: %v: %d bytes of tags are not %d", n, err, len(got), len(want[n]))
		}
		if err := errors.Join(r.Close(), s.Close()); err != nil {
			t.Fatal(err)
		}
	}
}
