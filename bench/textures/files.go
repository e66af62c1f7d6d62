package textures

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/raster/imagefile"
)

// File is the size of a file, and how long one thread takes for a tile of level 0 that is not flat.
type File struct {
	Name  string  `json:"name"`
	Bytes int64   `json:"bytes"`
	Read  float64 `json:"us_per_tile"` // of processor
}

// measureFiles reads an image in each form.
func measureFiles(ctx context.Context, dir string, quick bool) (all []File, err error) {
	for _, form := range []string{"none", theirs, ours} {
		name, err := image{2048, 1, form}.make(ctx, dir)
		if err != nil {
			return nil, err
		}
		f, err := measureFile(name, quick)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

func measureFile(name string, quick bool) (f File, err error) {
	info, err := os.Stat(name)
	if err != nil {
		return f, err
	}
	from, closer, err := imagefile.Open(name)
	if err != nil {
		return f, err
	}
	defer closer.Close()
	f = File{Name: filepath.Base(name), Bytes: info.Size()}
	h := from.Header()
	across, down := h.Blocks(0)
	size := h.BlockSize(0, 0, 0)
	b := make([]byte, size.Width*size.Height*h.Pixel())
	r := rand.New(rand.NewPCG(1, 2))
	reads := 4000
	if quick {
		reads = 40
	}
	start := lab.ProcessorTime()
	for range reads {
		if err := from.ReadBlock(0, r.IntN(across), down/2+r.IntN(down/2), b); err != nil { // the lower half is not flat
			return f, err
		}
	}
	f.Read = float64((lab.ProcessorTime() - start).Nanoseconds()) / 1000 / float64(reads)
	return f, nil
}
