package clip_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format/litematic"
	"github.com/cairnvoxel/cairn/internal/format/maptemplate"
	"github.com/cairnvoxel/cairn/internal/format/mcedit"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/format/sponge"
	"github.com/cairnvoxel/cairn/internal/format/structure"
	"github.com/cairnvoxel/cairn/internal/testing/long"
)

// leaves are the formats of clips.
var leaves = []clip.Leaf{
	{Name: "sponge", Ext: ".schem", Versions: []int{1, 2, 3}, Detect: sponge.Detect, Read: sponge.Read, Write: sponge.Write},
	{Name: "mcedit", Ext: ".schematic", Detect: mcedit.Detect, Read: mcedit.Read, Write: mcedit.Write},
	{Name: "structure", Ext: ".nbt", Detect: structure.Detect, Read: structure.Read, Write: structure.Write},
	{Name: "litematic", Ext: ".litematic", Versions: []int{4, 5, 6, 7}, Detect: litematic.Detect, Read: litematic.Read, Write: litematic.Write},
	{Name: "maptemplate", Ext: ".nbt", Versions: []int{1, 2}, Detect: maptemplate.Detect, Read: maptemplate.Read, Write: maptemplate.Write},
}

// TestRealFiles reads every schematic below CAIRN_WORLDS, writes it and reads it again, as a
// file and through a world. A file that is not detected must be refused.
func TestRealFiles(t *testing.T) {
	dir := os.Getenv("CAIRN_WORLDS")
	if dir == "" {
		t.Skip("CAIRN_WORLDS is not set")
	}
	read, refused := map[string]int{}, map[string]int{}
	files := 0
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		i := slices.IndexFunc(leaves, func(l clip.Leaf) bool { return l.Ext == filepath.Ext(path) })
		if err != nil || i < 0 {
			return err
		}
		if files++; files%long.By(40, 4, 1) != 0 {
			return nil
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		head := raw[:min(len(raw), 4096)]
		if k := slices.IndexFunc(leaves, func(l clip.Leaf) bool { return l.Ext == filepath.Ext(path) && l.Detect(head) }); k >= 0 {
			i = k // one extension may be of two formats
		}
		leaf := leaves[i]
		for j, l := range leaves {
			if j != i && l.Detect(head) {
				t.Errorf("%s is detected as %s", filepath.Base(path), l.Name)
			}
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c, err := leaf.Read(bytes.NewReader(raw), int64(len(raw)), clip.ReadOptions{})
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 100<<20 {
			t.Errorf("%s: reading takes %d MB", filepath.Base(path), n>>20)
		}
		if leaf.Detect(head) != (err == nil) {
			t.Errorf("%s: detected: %v, %v", filepath.Base(path), leaf.Detect(head), err)
		}
		if err != nil {
			refused[leaf.Ext]++
			return nil
		}
		read[leaf.Ext]++
		for what, n := range c.Lost {
			t.Logf("%s: left out %d %s", filepath.Base(path), n, what)
		}
		if d := clip.Difference(c, again(t, leaf, c, 0)); d != "" {
			t.Errorf("%s: written and read: %s", filepath.Base(path), d)
		}
		if c.Size.X*c.Size.Y*c.Size.Z > 1<<26 {
			return nil
		}
		if d := clip.Difference(c, throughWorld(t, c)); d != "" {
			t.Errorf("%s: through a world: %s", filepath.Base(path), d)
		}
		if leaf.Name == "structure" {
			sameDocument(t, filepath.Base(path), raw, write(t, leaf, c, 0))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("read %v, refused %v", read, refused)
}

// write returns the file of a clip.
func write(t *testing.T, leaf clip.Leaf, c *clip.Clip, version int) []byte {
	t.Helper()
	var out bytes.Buffer
	lost, err := leaf.Write(&out, c, clip.WriteOptions{Version: version})
	if err != nil {
		t.Fatal(err)
	}
	if len(lost) > 0 {
		t.Errorf("lost %v", lost)
	}
	return out.Bytes()
}

// again writes a clip in a version and reads it.
func again(t *testing.T, leaf clip.Leaf, c *clip.Clip, version int) *clip.Clip {
	t.Helper()
	raw := write(t, leaf, c, version)
	d, err := leaf.Read(bytes.NewReader(raw), int64(len(raw)), clip.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// throughWorld makes a world of a clip and a clip of the world.
func throughWorld(t *testing.T, c *clip.Clip) *clip.Clip {
	t.Helper()
	w, err := convert.Load(context.Background(), c.Source())
	if err != nil {
		t.Fatal(err)
	}
	to := clip.NewCollector(nil)
	if err := w.Source().Read(context.Background(), to); err != nil {
		t.Fatal(err)
	}
	d, err := to.Clip()
	if err != nil {
		t.Fatal(err)
	}
	for what, n := range d.Lost {
		t.Errorf("lost %d %s", n, what)
	}
	return d
}

// sameDocument compares two files of NBT.
func sameDocument(t *testing.T, name string, a, b []byte) {
	t.Helper()
	if path, same := nbt.Equal(inflate(t, a), inflate(t, b)); !same {
		t.Errorf("%s: the documents differ at %q", name, path)
	}
}

func inflate(t *testing.T, raw []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
