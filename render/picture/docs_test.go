package picture_test

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"os"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/render/picture"
	"github.com/cairnvoxel/cairn/voxel"
)

const sheetPath = "../../docs/worlds.png"

// TestDocsSheet makes the contact sheet of the README with -update; without, it
// says that there is one.
func TestDocsSheet(t *testing.T) {
	if *update {
		writeSheet(t)
	}
	b, err := os.ReadFile(sheetPath)
	if err != nil {
		t.Fatal(err)
	}
	if img, err := png.DecodeConfig(bytes.NewReader(b)); err != nil || img.Width < 1000 {
		t.Fatalf("%s: %d pixels wide, %v", sheetPath, img.Width, err)
	}
}

func writeSheet(t *testing.T) {
	t.Helper()
	var cards []picture.Card
	for seed := range uint64(5) {
		for _, kind := range []struct {
			name string
			make func(terrain.Options) format.Source
			size int
		}{
			{"survival", terrain.Survival, 14},
			{"island", terrain.Island, 0},
			{"arena", terrain.Arena, 0},
			{"plots", terrain.Plots, 10},
		} {
			src := kind.make(terrain.Options{Seed: seed + 1, Size: kind.size, Version: []int32{0, terrain.Modern}[seed%2]})
			img, _, err := picture.Top(t.Context(), mustLoad(t, src), picture.Options{MaxEdge: 512})
			if err != nil {
				t.Fatal(err)
			}
			cards = append(cards, picture.Card{Image: img, Caption: fmt.Sprintf("%s %d", kind.name, seed+1)})
		}
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, picture.Sheet(cards, 256)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(sheetPath, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func mustLoad(t *testing.T, src format.Source) *model {
	t.Helper()
	w, err := convert.Load(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	return modelOf(w.Dimensions[0].Volume(voxel.Block))
}
