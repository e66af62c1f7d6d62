package anvil_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/cairnvoxel/cairn/format"
	"github.com/cairnvoxel/cairn/format/anvil"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// worlds returns the folders of real worlds of a kind.
func worlds(t testing.TB, kind string) []string {
	t.Helper()
	root := os.Getenv("CAIRN_WORLDS")
	if root == "" {
		t.Skip("CAIRN_WORLDS is not set")
	}
	dirs, err := filepath.Glob(filepath.Join(root, kind, "*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no worlds in %s: %v", root, err)
	}
	return dirs
}

// null takes everything and checks that it is well formed.
type null struct {
	t        testing.TB
	dim      *format.Dimension
	sections int
}

func (n *null) Dimension(d *format.Dimension) error             { n.dim = d; return nil }
func (n *null) Chunk(string, geom.ChunkPos, *voxel.Chunk) error { return errors.New("a chunk") }
func (n *null) File(format.File) error                          { return nil }
func (n *null) Column(c *format.Column) error {
	n.sections += len(c.Sections)
	if len(c.Cells) != len(c.Sections) {
		n.t.Errorf("%v: %d cells, %d sections", c.Pos, len(c.Cells), len(c.Sections))
	}
	return nil
}

func TestReadWorlds(t *testing.T) {
	for _, kind := range []string{"anvil", "mcr"} {
		for _, dir := range worlds(t, kind) {
			w, err := anvil.Open(dir, anvil.Options{})
			if err != nil {
				t.Error(err)
				continue
			}
			s := &null{t: t}
			err = w.Read(context.Background(), s)
			st := w.Stats()
			t.Logf("%s: %s %v columns %d chunks %d raw %d stored %d trailing %d kept %d files %d sections %d skipped %v: %v", filepath.Base(dir), w.Head().Format, w.Head().Properties, st.Columns, st.Chunks, st.RawBytes, st.StoredBytes, st.TrailingBytes, st.KeptSections, st.Files, s.sections, st.Skipped, err)
			w.Close()
		}
	}
}
