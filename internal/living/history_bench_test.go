package living_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/living"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
)

// played makes a folder of n region files of 1,000 chunks each, and the files of 100 players.
func played(t testing.TB, n int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	stamp := time.Now().Add(-time.Hour).Truncate(time.Second).Add(time.Millisecond)
	put := func(name string, data []byte) {
		t.Helper()
		path := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, data, 0o644)
		}
		if err == nil {
			err = os.Chtimes(path, stamp, stamp)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for r := range n {
		file := make([]byte, 8192)
		for slot := range 1000 {
			var b bytes.Buffer
			z := zlib.NewWriter(&b)
			_, _ = z.Write(nbt.Append(nil, "", nbt.Entries{{Name: "DataVersion", Value: int32(3953)}, {Name: "xPos", Value: int32(r*32 + slot&31)}, {Name: "zPos", Value: int32(slot >> 5)}})) // into memory
			_ = z.Close()
			binary.BigEndian.PutUint32(file[4*slot:], uint32(len(file)/4096)<<8|1)
			binary.BigEndian.PutUint32(file[4096+4*slot:], uint32(stamp.Unix()))
			chunk := make([]byte, 4096)
			binary.BigEndian.PutUint32(chunk, uint32(b.Len()+1))
			chunk[4] = 2
			copy(chunk[5:], b.Bytes())
			file = append(file, chunk...)
		}
		put(fmt.Sprintf("region/r.%d.0.mca", r), file)
	}
	put("level.dat", nbt.Append(nil, "", nbt.Entries{{Name: "Data", Value: nbt.Entries{}}}))
	for p := range 100 {
		put(fmt.Sprintf("playerdata/%08d-0000-0000-0000-000000000000.dat", p), nbt.Append(nil, "", nbt.Entries{}))
	}
	return dir
}

// BenchmarkLook looks at a folder of 10,000 chunks in which nothing has changed, and at one of which one chunk was
// written.
func BenchmarkLook(b *testing.B) {
	dir := played(b, 10)
	st := memory.New(memory.Options{})
	h := &living.History{Dir: dir, World: "w"}
	look := func(untouched bool) {
		l, err := h.Look(context.Background(), func(context.Context) (history.Store, error) { return st, nil })
		if err != nil || l.Untouched != untouched {
			b.Fatalf("%+v: %v", l, err)
		}
	}
	look(false)
	b.Run("unchanged", func(b *testing.B) {
		for b.Loop() {
			look(true)
		}
	})
	b.Run("a chunk", func(b *testing.B) {
		f, err := os.OpenFile(filepath.Join(dir, "region/r.3.0.mca"), os.O_RDWR, 0)
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		for n := uint32(1); b.Loop(); n++ {
			if _, err := f.WriteAt(binary.BigEndian.AppendUint32(nil, uint32(time.Now().Unix())-3600+n), 4096+4*7); err != nil {
				b.Fatal(err)
			}
			look(false)
		}
	})
}
