package format_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn"
	"github.com/cairnvoxel/cairn/format"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel/region"
)

// A made world becomes a folder for the game, and comes back from it.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "cairn")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	st, _ := cairn.Open(ctx, "memory:")
	w, _ := cairn.Create(ctx, st, "rock", cairn.Options{})
	w.Edit(ctx, func(b cairn.Blocks) error { b.Fill(region.Ball{Radius: 5}, "stone"); return nil })
	w.Commit(ctx, "a rock")

	folder := filepath.Join(dir, "rock")
	if _, err := format.Export(ctx, st, "rock", history.ID{}, folder, format.ExportOptions{DataVersion: 3955}); err != nil {
		log.Fatal(err)
	}
	done, err := format.Import(ctx, st, "again", folder, format.ImportOptions{})
	if err != nil {
		log.Fatal(err)
	}
	again, _ := cairn.OpenWorld(ctx, st, "again", cairn.Options{})
	fmt.Println(done.Commit.Message, again.Block(cairn.Point{Y: 5}))
	// Output: import rock minecraft:stone
}

// made returns a store with the world "rock", which no game made.
func made(t *testing.T) history.Store {
	t.Helper()
	st := memory.New(memory.Options{})
	w, err := cairn.Create(t.Context(), st, "rock", cairn.Options{})
	if err == nil {
		_, err = w.Edit(t.Context(), func(b cairn.Blocks) error { b.Fill(region.Ball{Radius: 3}, "minecraft:stone"); return nil })
	}
	if err == nil {
		_, err = w.Commit(t.Context(), "")
	}
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func TestRoundTrip(t *testing.T) {
	for _, tt := range []struct {
		file    string
		version int32
	}{
		{"folder", 3955}, {"rock.slime", 3955}, {"rock.schem", 0}, {"rock.schematic", 0}, {"rock.nbt", 0}, {"rock.cairn", 0}, {"luanti", 0},
	} {
		t.Run(tt.file, func(t *testing.T) {
			st, path := made(t), filepath.Join(t.TempDir(), tt.file)
			o := format.ExportOptions{DataVersion: tt.version}
			if tt.file == "luanti" { // a folder, whose name says no format
				o.Format = "luanti"
			}
			_, err := format.Export(t.Context(), st, "rock", history.ID{}, path, o)
			if tt.file == "rock.schematic" { // numbers of blocks need a game that had them
				if err == nil {
					t.Fatal("a schematic of numbers holds names")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			done, err := format.Import(t.Context(), st, "again", path, format.ImportOptions{Author: "ann"})
			if err != nil || done.Same || done.Commit.Author != "ann" {
				t.Fatalf("imported %+v, %v", done, err)
			}
			if done, err = format.Import(t.Context(), st, "again", path, format.ImportOptions{}); err != nil || !done.Same {
				t.Fatalf("imported again: %+v, %v", done, err)
			}
		})
	}
}

func TestClip(t *testing.T) {
	dir, st := t.TempDir(), made(t)
	first, second := filepath.Join(dir, "a.schem"), filepath.Join(dir, "b.nbt")
	if _, err := format.Export(t.Context(), st, "rock", history.ID{}, first, format.ExportOptions{}); err != nil {
		t.Fatal(err)
	}
	c, err := format.ReadClip(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := format.WriteClip(second, c); err != nil {
		t.Fatal(err)
	}
	again, err := format.ReadClip(t.Context(), second)
	if err != nil || again.Size != c.Size {
		t.Fatalf("read %v, %v", again, err)
	}
}

func TestErrors(t *testing.T) {
	st, dir := made(t), t.TempDir()
	if _, err := format.Import(t.Context(), st, "a", filepath.Join(dir, "none"), format.ImportOptions{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("import of nothing: %v", err)
	}
	for _, tt := range []struct {
		name, world, file string
		o                 format.ExportOptions
		want              string
	}{
		{"no game", "rock", "folder", format.ExportOptions{}, "DataVersion"},
		{"no world", "none", "folder", format.ExportOptions{}, "none"},
		{"no format", "rock", "folder", format.ExportOptions{Format: "worldpainter"}, `"worldpainter" is none of the formats`},
		{"no dimension", "rock", "a.slime", format.ExportOptions{DataVersion: 3955, Dimension: "moon"}, "moon"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(dir, tt.file)
			_, err := format.Export(t.Context(), st, tt.world, history.ID{}, path, tt.o)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
				t.Errorf("left %v, %v", list, err)
			}
		})
	}
	if _, err := format.WriteClip(filepath.Join(dir, "x"), nil); err == nil {
		t.Error("a folder took a clip")
	}
}
