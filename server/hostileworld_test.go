package server_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cairnvoxel/cairn/internal/diff"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/klauspost/compress/zstd"
)

// zeros is so many bytes of nothing. Who sends them may be looked at meanwhile.
type zeros int64

func (z *zeros) Read(p []byte) (int, error) {
	left := z.left()
	if left == 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), left)
	clear(p[:n])
	atomic.AddInt64((*int64)(z), -n)
	return int(n), nil
}

func (z *zeros) left() int64 { return atomic.LoadInt64((*int64)(z)) }

// zipBomb returns a zip of one file of so many zeros.
func zipBomb(t testing.TB, name string, size int64) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	if err == nil {
		from := zeros(size)
		_, err = io.Copy(w, &from)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// tarBomb returns a tar, in gzip, of one file of so many zeros.
func tarBomb(t testing.TB, name string, size int64) []byte {
	t.Helper()
	var b bytes.Buffer
	g := gzip.NewWriter(&b)
	w := tar.NewWriter(g)
	from := zeros(size)
	err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: size, Format: tar.FormatUSTAR})
	if err == nil {
		_, err = io.Copy(w, &from)
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = g.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// slimeBomb returns a Slime file whose columns claim to be size bytes, and are.
func slimeBomb(t testing.TB, size int64) []byte {
	t.Helper()
	var frame bytes.Buffer
	z, err := zstd.NewWriter(&frame)
	if err != nil {
		t.Fatal(err)
	}
	from := zeros(size)
	if _, err := io.Copy(z, &from); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	b := []byte{0xB1, 0x0B, 13, 0, 0, 0x0F, 0x71, 0}
	b = binary.BigEndian.AppendUint32(b, uint32(frame.Len()))
	b = binary.BigEndian.AppendUint32(b, uint32(size))
	b = append(b, frame.Bytes()...)
	return append(b, 0, 0, 0, 0, 0, 0, 0, 0)
}

// heapOf is how many bytes do takes from the heap in all.
func heapOf(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestHostileUploads(t *testing.T) {
	long.Alone(t)
	good := mustSlime(t, madeUp(t, 1))
	zipped := mustZip(t, mustFolder(t, madeUp(t, 1)), all)
	stone := mustCairn(t, madeUp(t, 1))
	temp := t.TempDir()
	s := newSite(t, server.Options{Temp: temp, Limits: server.Limits{WorldMemory: 8 << 20, WorldBytes: 32 << 20}})
	for _, tt := range []struct {
		name string
		body []byte
		want wire.Code
	}{
		{"nothing", nil, wire.Unsupported},
		{"text", []byte("a world"), wire.Unsupported},
		{"a folder without a world", zipBomb(t, "readme.txt", 10), wire.Unsupported},
		{"a world without chunks", zipBomb(t, "level.dat", 10), wire.Unsupported},
		{"names that leave the folder", zipBomb(t, "../region/r.0.0.mca", 8192), wire.Unsupported},
		{"a file that is there twice", twice(t, "region/r.0.0.mca", "level.dat"), wire.Unsupported},
		{"a zip bomb", zipBomb(t, "region/r.0.0.mca", 64<<20), wire.TooLarge},
		{"a tar bomb", tarBomb(t, "region/r.0.0.mca", 64<<20), wire.TooLarge},
		{"a tar that declares 10 GB", tarHeader(t, 10<<30), wire.TooLarge},
		{"a slime bomb", slimeBomb(t, 64<<20), wire.Corrupt},
		{"a schematic bomb", schematicBomb(t, 64<<20), wire.TooLarge},
		{"a cut slime", good[:len(good)/2], wire.Corrupt},
		{"a cut zip", zipped[:len(zipped)/2], wire.Corrupt},
		{"a cut stone", stone[:len(stone)/2], wire.Corrupt},
		{"a stone with another byte", flipped(stone), wire.Corrupt},
	} {
		t.Run(tt.name, func(t *testing.T) {
			used := heapOf(func() { s.do(request{"POST", "/v1/import/a", tt.body, nil}).wantCode(t, tt.want) })
			if used > 64<<20 {
				t.Errorf("%d bytes allocated for %d", used, len(tt.body))
			}
		})
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left in the folder for worlds on their way: %v, %v", left, err)
	}
	s.get("/v1/head/a").wantCode(t, wire.NoWorld)
	if got := s.mustImport("a", good); got.Commit.Number != 1 {
		t.Errorf("a good world after all that: %+v", got)
	}
}

// schematicBomb returns a schematic of that many blocks of noise that repeats.
func schematicBomb(t *testing.T, n int) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	doc := nbt.AppendInt(nbt.AppendHeader(nil, nbt.Compound, "Schematic"), "Version", 2)
	for _, edge := range []string{"Width", "Length"} {
		doc = nbt.AppendShort(doc, edge, 1024)
	}
	doc = nbt.AppendShort(doc, "Height", int16(n>>20))
	doc = nbt.AppendCompound(doc, "Palette")
	for i := range 7 {
		doc = nbt.AppendInt(doc, strings.Repeat("a", i+1), int32(i))
	}
	noise := make([]byte, n)
	for i := range noise {
		noise[i] = byte(i & 0xFFF * 2654435761 >> 7 % 7)
	}
	doc = nbt.AppendByteArray(nbt.AppendEnd(doc), "BlockData", noise)
	if _, err := z.Write(nbt.AppendEnd(doc)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// twice returns a zip that has each of some files twice.
func twice(t testing.TB, names ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range append(names, names...) {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(make([]byte, 8192))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// tarHeader returns the beginning of a tar with a file of size bytes.
func tarHeader(t testing.TB, size int64) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := tar.NewWriter(&b).WriteHeader(&tar.Header{Name: "level.dat", Size: size}); err != nil {
		t.Fatal(err)
	}
	return append(b.Bytes(), make([]byte, 4096)...)
}

// flipped returns b with another byte in its middle.
func flipped(b []byte) []byte {
	b = bytes.Clone(b)
	b[len(b)/2] ^= 0xFF
	return b
}

// TestBodyTooLong sends more than a world may have: said beforehand, and found out.
func TestBodyTooLong(t *testing.T) {
	temp := t.TempDir()
	s := newSite(t, server.Options{Temp: temp, Limits: server.Limits{WorldBytes: 1 << 20}})
	for _, said := range []int64{10 << 30, -1} {
		from := zeros(10 << 30)
		req, err := http.NewRequest("POST", s.url+"/v1/import/a", &from)
		if err != nil {
			t.Fatal(err)
		}
		req.ContentLength = said
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			continue // the server hung up before all was sent, as it may
		}
		if resp.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("said %d: %s", said, resp.Status)
		}
		resp.Body.Close()
		if left := from.left(); left < 9<<30 {
			t.Errorf("said %d: %d bytes were read", said, 10<<30-left)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(temp, "*")); len(left) > 0 {
		t.Error(left)
	}
}

// TestDamagedChunk imports a folder with one chunk that cannot be read.
func TestDamagedChunk(t *testing.T) {
	long.Alone(t)
	folder := mustFolder(t, madeUp(t, 1))
	zipped := mustZip(t, damaged{folder}, all)
	s := newSite(t, server.Options{})
	got := s.do(request{"POST", "/v1/import/a", zipped, nil})
	if got.wantCode(t, wire.Corrupt); !strings.Contains(string(got.body), "r.0.0.mca") {
		t.Errorf("%s", got.body)
	}
	var a imported
	s.want(200, request{"POST", "/v1/import/a?salvage=1", zipped, nil}, &a)
	if len(a.Damaged) != 1 || a.Commit.Number != 1 {
		t.Errorf("%+v", a)
	}
}

// damaged is a folder in which a byte of the first chunk of r.0.0.mca is another.
type damaged struct{ fs.FS }

func (d damaged) ReadFile(name string) ([]byte, error) {
	b, err := fs.ReadFile(d.FS, name)
	if err == nil && strings.HasSuffix(name, "region/r.0.0.mca") {
		b[2*4096+5+2] ^= 0xFF
	}
	return b, err
}

// TestLeased tries to import under leases.
func TestLeased(t *testing.T) {
	s := newSite(t, server.Options{})
	one, two := mustSlime(t, madeUp(t, 1)), mustSlime(t, madeUp(t, 2))
	s.mustImport("a", one)
	leaseOfA(s)
	s.do(request{"POST", "/v1/import/a", two, nil}).wantCode(t, wire.Leased)
	s.do(request{"POST", "/v1/import/a", two, []string{wire.FenceHeader, "2"}}).wantCode(t, wire.Fenced)
	if got := s.mustImport("a", two, wire.FenceHeader, "1"); got.Commit.Number != 2 {
		t.Errorf("%+v", got)
	}
	if got := s.mustImport("a", one, wire.FenceHeader, wire.ForceFence); got.Commit.Number != 3 {
		t.Errorf("%+v", got)
	}
}

// stuck is a Store whose Stack waits for one commit.
type stuck struct {
	history.Store
	at      history.ID
	in, out chan struct{}
}

func (s stuck) Stack(ctx context.Context, name string, at history.ID) ([]history.Layer, error) {
	if at == s.at {
		s.in <- struct{}{}
		<-s.out
	}
	return s.Store.Stack(ctx, name, at)
}

// TestBusy calls while one call has the place for whole worlds and one waits for it.
func TestBusy(t *testing.T) {
	st := stuck{memory.New(memory.Options{}), history.ID{}, make(chan struct{}, 10), make(chan struct{})}
	first := newSiteOf(t, st.Store, server.Options{})
	first.mustImport("a", mustSlime(t, madeUp(t, 1)))
	st.at = history.ID(first.mustImport("a", mustSlime(t, madeUp(t, 2))).Commit.ID)
	s := newSiteOf(t, st, server.Options{Limits: server.Limits{Heavy: 1, Waiting: 1}})
	statuses := make(chan int, 3)
	get := func() { statuses <- s.get("/v1/diff/a?a=2").status }
	go get()
	<-st.in
	go get()
	go get()
	if got := <-statuses; got != 429 {
		t.Errorf("while one works and one waits a third got %d", got)
	}
	for _, r := range []request{
		{method: "GET", path: "/v1/picture/a?at=1"}, {method: "GET", path: "/v1/export/a?at=1&format=slime"}, {method: "GET", path: "/v1/diff/a?a=1"},
		{method: "POST", path: "/v1/import/a", body: []byte("x")},
	} {
		got := s.do(r)
		if got.wantCode(t, wire.Busy); got.header.Get("Retry-After") == "" {
			t.Errorf("%s: when to come again is not said", r.path)
		}
	}
	close(st.out)
	for range 2 {
		if status := <-statuses; status != 200 {
			t.Errorf("who was there first got %d", status)
		}
	}
}

// TestRealWorlds sends real worlds through the server.
func TestRealWorlds(t *testing.T) {
	long.Rest(t)
	long.Alone(t)
	root := os.Getenv("CAIRN_WORLDS")
	if root == "" {
		t.Skip("CAIRN_WORLDS is not set")
	}
	for _, format := range []string{"slime", "anvil"} {
		paths, err := filepath.Glob(filepath.Join(root, format, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths[:min(4, len(paths))] {
			t.Run(filepath.Base(path), func(t *testing.T) { tryReal(t, path, format) })
		}
	}
}

func tryReal(t *testing.T, path, format string) {
	body, err := os.ReadFile(path)
	if err != nil {
		body = mustZip(t, os.DirFS(path), all)
	}
	s := newSite(t, server.Options{})
	got := s.mustImport("a", body)
	if again := s.mustImport("a", body); !again.Same || again.Commit.ID != got.Commit.ID {
		t.Errorf("again: %+v", again)
	}
	back := s.want(200, request{"GET", "/v1/export/a?format=" + format, nil, nil}, nil)
	d, err := diff.Worlds(t.Context(), mustOpen(t, body).Content(), mustOpen(t, back.body).Content(), diff.Options{})
	if err != nil || !d.Same() {
		t.Errorf("given back: %+v, %v", d, err)
	}
	s.want(200, request{"GET", "/v1/picture/a", nil, nil}, nil)
	t.Logf("%d bytes came, %d were stored", len(body), s.stored("a"))
}
