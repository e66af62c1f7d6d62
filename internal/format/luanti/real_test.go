package luanti_test

import (
	"bytes"
	"context"
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/luanti"
	"github.com/cairnvoxel/cairn/internal/testing/long"
)

// realWorlds returns the folders of real worlds.
func realWorlds(t testing.TB) []string {
	worlds := os.Getenv("CAIRN_WORLDS")
	if worlds == "" {
		t.Skip("CAIRN_WORLDS is not set")
	}
	found, err := filepath.Glob(filepath.Join(worlds, "luanti", "*", "map.sqlite"))
	if err != nil || len(found) == 0 {
		t.Skip("no worlds of Luanti: ", err)
	}
	for i := range found {
		found[i] = filepath.Dir(found[i])
	}
	return found
}

// stored returns the map blocks of a world by position, as text, and its other files.
func stored(t testing.TB, dir string) (blocks map[string][]byte, files map[string][]byte) {
	t.Helper()
	blocks, files = map[string][]byte{}, map[string][]byte{}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "map.sqlite")+"?mode=ro&immutable=1")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query("SELECT pos, data FROM blocks")
	if err != nil {
		if rows, err = db.Query("SELECT x || ',' || y || ',' || z, data FROM blocks"); err != nil {
			t.Fatal(err)
		}
	}
	defer rows.Close()
	for rows.Next() {
		var pos string
		var data []byte
		if err := rows.Scan(&pos, &data); err != nil {
			t.Fatal(err)
		}
		blocks[pos] = data
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() == "map.sqlite" {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err == nil {
			files[name], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return blocks, files
}

// load reads a folder into memory.
func load(t testing.TB, dir string) *convert.Loaded {
	t.Helper()
	src, err := luanti.Kind().OpenFolder(dir, format.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return loadSource(t, src)
}

func loadSource(t testing.TB, src format.Source) *convert.Loaded {
	t.Helper()
	l := convert.NewLoader(src.Head())
	if err := src.Read(context.Background(), l); err != nil {
		t.Fatal(err)
	}
	return l.World()
}

// write writes a world to a new folder.
func write(t testing.TB, src format.Source, version int) (dir string, lost map[string]int) {
	t.Helper()
	dir = t.TempDir()
	w, err := luanti.Kind().CreateFolder(dir, format.WriteOptions{Head: src.Head(), Version: version})
	if err != nil {
		t.Fatal(err)
	}
	if err := src.Read(context.Background(), w); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, w.Lost()
}

func TestRealWorlds(t *testing.T) {
	all := realWorlds(t)
	for _, from := range all[:long.By(min(1, len(all)), min(2, len(all)), len(all))] {
		t.Run(filepath.Base(from), func(t *testing.T) {
			want, wantFiles := stored(t, from)
			to, lost := write(t, load(t, from).Source(), 0)
			if len(lost) > 0 {
				t.Errorf("lost %v", lost)
			}
			got, gotFiles := stored(t, to)
			if len(got) != len(want) || len(want) == 0 || len(gotFiles) != len(wantFiles) {
				t.Fatalf("%d map blocks and %d files, want %d and %d", len(got), len(gotFiles), len(want), len(wantFiles))
			}
			failed := 0
			for pos, data := range want {
				if a, b := twin(data), twin(got[pos]); a != b {
					if failed++; failed < 4 {
						t.Errorf("map block %s differs: %.300s\nwant %.300s", pos, b, a)
					}
				}
			}
			for name, b := range wantFiles {
				if !bytes.Equal(gotFiles[name], b) {
					t.Errorf("%s differs", name)
				}
			}
		})
	}
}
