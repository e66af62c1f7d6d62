package convert_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/stone/whole"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/anviltest"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// folder makes temporary files in memory.
type folder struct {
	made, open int
	room       int    // bytes that a file takes; 0: any number
	then       func() // called for each file
	changes    bool   // files read as if their bytes had changed
	refuses    error  // of making a file
}

// errAny stands for any error.
var errAny = errors.New("an error")

var errFull = errors.New("no space left on device")

type memoryFile struct {
	bytes.Buffer
	in *folder
}

func (f *memoryFile) Write(p []byte) (int, error) {
	if f.in.room > 0 && f.Len()+len(p) > f.in.room {
		return 0, errFull
	}
	return f.Buffer.Write(p)
}

func (f *memoryFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := bytes.NewReader(f.Bytes()).ReadAt(p, off)
	if f.in.changes && n > 0 {
		p[n/2] ^= 1
	}
	return n, err
}

func (f *memoryFile) Close() error { f.in.open--; return nil }

func (d *folder) file() (whole.TempFile, error) {
	if d.refuses != nil {
		return nil, d.refuses
	}
	d.made++
	d.open++
	if d.then != nil {
		d.then()
	}
	return &memoryFile{in: d}, nil
}

// spill loads a world within a budget and writes it.
func spill(ctx context.Context, src format.Source, d *folder, budget int64, o whole.Options) ([]byte, error) {
	l := convert.NewLoader(src.Head())
	defer l.Close()
	l.Spill(ctx, convert.Spill{Memory: budget, File: d.file})
	if err := src.Read(ctx, l); err != nil {
		return nil, err
	}
	c, err := l.Content()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	_, _, err = whole.Write(ctx, &b, c, o)
	return b.Bytes(), err
}

// wantSpilled is wantSame for budgets that need spills, with both efforts.
func wantSpilled(t *testing.T, src func() format.Source, small ...int64) {
	t.Helper()
	if least := wantSame(t, src, []stone.Effort{stone.Quick, stone.Best}, small...); least == 0 {
		t.Error("a budget needs no spills")
	}
}

// wantSame compares the stone of a world that was loaded in memory with those of the world
// loaded within budgets. It returns the least spills that a budget needed.
func wantSame(t *testing.T, src func() format.Source, efforts []stone.Effort, small ...int64) (least int) {
	t.Helper()
	least = math.MaxInt
	w := mustLoad(t, src())
	for _, e := range efforts {
		o := whole.Options{Options: stone.Options{Effort: e}, Far: true}
		var want bytes.Buffer
		if _, _, err := whole.Write(context.Background(), &want, w.Content(), o); err != nil {
			t.Fatal(err)
		}
		for i, budget := range append(small, 1<<40) {
			if e == stone.Best && i > 0 {
				break // as with Quick
			}
			d := &folder{}
			o.Memory, o.Temp = budget, nil
			if i%2 == 0 {
				o.Temp = d.file
			}
			got, err := spill(context.Background(), src(), d, budget, o)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want.Bytes()) {
				t.Errorf("effort %d within %d bytes, with %d spills: %d bytes that differ from the %d of the world in memory", e, budget, d.made, len(got), want.Len())
			}
			if d.open != 0 || d.made > 0 && budget == 1<<40 {
				t.Errorf("effort %d within %d bytes: %d spills, %d left", e, budget, d.made, d.open)
			}
			if budget < 1<<40 {
				least = min(least, d.made)
			}
		}
	}
	return least
}

func TestSpillMadeWorlds(t *testing.T) {
	long.Rest(t)
	for i, tt := range someWorlds() {
		t.Run(tt.name, func(t *testing.T) {
			wantSpilled(t, func() format.Source { return someWorlds()[i].src }, 1<<14, 1<<16)
		})
	}
}

func TestSpillRealWorlds(t *testing.T) {
	long.Rest(t)
	spilled := 0
	for i, dir := range anviltest.Sample(t, "anvil") {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			efforts := []stone.Effort{stone.Quick}
			if i%8 == 0 { // it takes most of the time
				efforts = append(efforts, stone.Best)
			}
			spilled += wantSame(t, func() format.Source {
				src, err := anvil.Open(dir, anvil.Options{Salvage: true})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { src.Close() })
				return src
			}, efforts, 1<<16)
		})
	}
	if spilled == 0 {
		t.Error("no world needs spills")
	}
}

// TestSpillShuffled spills after nearly every column, so most footprints come back.
func TestSpillShuffled(t *testing.T) {
	at := square(5)
	r := rand.New(rand.NewPCG(5, 6))
	r.Shuffle(len(at), func(i, j int) { at[i], at[j] = at[j], at[i] })
	src, _ := randomWorld(r, at)
	wantSpilled(t, func() format.Source { return src }, 1, 1<<18)
}

// chunks is a source of chunks in the order given, each of one cell.
type chunks []geom.ChunkPos

func (c chunks) Head() format.Head { return format.Head{} }
func (c chunks) Close() error      { return nil }

func (c chunks) Read(_ context.Context, to format.Sink) error {
	names := format.NewNames()
	if err := to.Dimension(&format.Dimension{Name: "d", Volumes: []*format.NamedVolume{{Volume: voxel.BlockVolumes()[0], Names: names}}}); err != nil {
		return err
	}
	for i, pos := range c {
		cell, err := names.Cell(fmt.Sprint("rock ", i%7))
		if err != nil {
			return err
		}
		if i%11 == 10 {
			cell = 0
		}
		if err := to.Chunk(voxel.Block, pos, voxel.Uniform(cell)); err != nil {
			return err
		}
	}
	return nil
}

// TestSpillChunks gives chunks of a world without columns, in order and again and again.
func TestSpillChunks(t *testing.T) {
	var row chunks
	for i := range int32(300) {
		row = append(row, geom.ChunkPos{X: i})
	}
	again := append(row[100:200:200], row...)
	again = append(again, row[5:250]...)
	wantSpilled(t, func() format.Source { return row }, 1, 1000)
	wantSpilled(t, func() format.Source { return again }, 1, 1000)
}

func TestSpillFails(t *testing.T) {
	src, _ := randomWorld(rand.New(rand.NewPCG(7, 8)), square(6))
	cut := *src
	cut.end = &format.DamageError{}
	ended, end := context.WithCancel(context.Background())
	for _, tt := range []struct {
		name string
		ctx  context.Context
		src  format.Source
		into folder
		want error
	}{
		{"a full disk", context.Background(), src, folder{room: 2000}, errFull},
		{"a source that fails", context.Background(), &cut, folder{}, cut.end},
		{"the end of a context", ended, src, folder{then: end}, context.Canceled},
	} {
		d := &tt.into
		_, err := spill(tt.ctx, tt.src, d, 1<<16, whole.Options{})
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, err, tt.want)
		}
		if d.made == 0 || d.open != 0 {
			t.Errorf("%s: %d spills, %d left", tt.name, d.made, d.open)
		}
	}
}

// TestWriteWithin writes a world in memory within budgets, with temporary files and without.
func TestWriteWithin(t *testing.T) {
	w := mustLoad(t, terrain.Survival(terrain.Options{Size: 10, Version: terrain.Modern}))
	write := func(memory int64, temp func() (whole.TempFile, error)) ([]byte, error) {
		var b bytes.Buffer
		_, _, err := whole.Write(context.Background(), &b, w.Content(), whole.Options{Far: true, Memory: memory, Temp: temp})
		return b.Bytes(), err
	}
	want, err := write(0, nil)
	if err != nil {
		t.Fatal(err)
	}
	refused := errors.New("no such folder")
	for _, tt := range []struct {
		name   string
		memory int64
		into   *folder // nil: no temporary files
		files  int
		want   error // nil: none
	}{
		{"enough memory", 1 << 30, &folder{}, 0, nil},
		{"little", 1 << 18, &folder{}, 1, nil},
		{"none", 1, &folder{}, 1, nil},
		{"none and no files", 1, nil, 0, nil},
		{"a full disk", 1, &folder{room: 10_000}, 1, errFull},
		{"a file that changes", 1, &folder{changes: true}, 1, errAny},
		{"no folder for files", 1, &folder{refuses: refused}, 0, refused},
	} {
		t.Run(tt.name, func(t *testing.T) {
			temp, d := (func() (whole.TempFile, error))(nil), &folder{}
			if tt.into != nil {
				temp, d = tt.into.file, tt.into
			}
			got, err := write(tt.memory, temp)
			switch {
			case tt.want == nil && (err != nil || !bytes.Equal(got, want)):
				t.Errorf("%d bytes, %v, want the %d bytes written in memory", len(got), err, len(want))
			case tt.want != nil && (err == nil || tt.want != errAny && !errors.Is(err, tt.want)):
				t.Errorf("got %v, want %v", err, tt.want)
			}
			if d.made != tt.files || d.open != 0 {
				t.Errorf("%d temporary files, %d left, want %d", d.made, d.open, tt.files)
			}
		})
	}
}

// TestSpillCounts compares what a world in spills says of itself with what it holds.
func TestSpillCounts(t *testing.T) {
	src, _ := randomWorld(rand.New(rand.NewPCG(9, 10)), square(5))
	l := convert.NewLoader(src.Head())
	defer l.Close()
	l.Spill(context.Background(), convert.Spill{Memory: 1 << 16, File: (&folder{}).file})
	if err := src.Read(context.Background(), l); err != nil {
		t.Fatal(err)
	}
	c, err := l.Content()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range c.About().Dimensions {
		counted, err := whole.Tally(context.Background(), c, d)
		said := c.(interface{ Tally(dim string) *stone.Tally }).Tally(d.Name)
		if err != nil || said.String() != counted.String() {
			t.Errorf("%s: it says %v, counted %v, %v", d.Name, said, counted, err)
		}
	}
}
