package textures

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/raster"
	"github.com/cairnvoxel/cairn/internal/raster/imagefile"
	texfile "github.com/cairnvoxel/cairn/internal/texture"
)

// File is the size of an image or of a set, and how fast tiles of level 0 are read that are not flat.
type File struct {
	Name  string  `json:"name"`
	Bytes int64   `json:"bytes"`
	Read  float64 `json:"us_per_tile"` // of processor, one thread
	Two   float64 `json:"two_threads"` // tiles a second by two threads, those by one being 1
}

// measureFiles reads an image in each form, then a set.
func measureFiles(ctx context.Context, dir string, quick bool) (all []File, err error) {
	for _, form := range []string{"none", theirs, ours} {
		name, err := image{edge: 2048, seed: 1, form: form}.make(ctx, dir)
		if err != nil {
			return nil, err
		}
		f, err := measureFile(name, quick)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	sets, err := measureSet(ctx, dir, quick)
	return append(all, sets...), err
}

// setSeeds are those of the images of a set. Two are equal, and a quarter of each is flat, as where
// an artist paints some parts of a body, and both sides of it alike.
var setSeeds = []uint64{1, 3, 1, 3}

// measureSet measures a set as EXR files, whose bytes are added up, and as one of ours.
func measureSet(ctx context.Context, dir string, quick bool) (all []File, err error) {
	out := filepath.Join(dir, "set"+texfile.Ext)
	f, err := os.Create(out)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	m := texfile.NewMaker(w, texfile.Options{})
	var exr File
	for i, seed := range setSeeds {
		name, err := image{edge: 2048, seed: seed, form: theirs}.make(ctx, dir)
		if err != nil {
			return nil, err
		}
		one, err := measureFile(name, quick)
		if err != nil {
			return nil, err
		}
		exr = File{"a set of EXR zip", exr.Bytes + one.Bytes, one.Read, one.Two}
		from, closer, err := imagefile.Open(name)
		if err != nil {
			return nil, err
		}
		if err := errors.Join(m.Add(ctx, 1001+i, from), closer.Close()); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(m.Close(), w.Flush()); err != nil {
		return nil, err
	}
	own, err := measureFile(out, quick)
	own.Name = "the same in one file"
	return []File{exr, own}, err
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
	if a, ok := from.(*texfile.Atlas); ok {
		from = a.Member(append(a.Members(), 0)[0])
	}
	reads := 4000
	if quick {
		reads = 40
	}
	used := lab.ProcessorTime()
	one, err := readTiles(from, reads, 1)
	if err != nil {
		return f, err
	}
	f.Read = float64((lab.ProcessorTime() - used).Nanoseconds()) / 1000 / float64(reads)
	two, err := readTiles(from, reads, 2)
	f.Two = 2 * one.Seconds() / two.Seconds()
	return f, err
}

// readTiles reads tiles of the lower half, which is not flat, at random, as many by each thread.
func readTiles(from raster.Image, reads, threads int) (time.Duration, error) {
	h := from.Header()
	across, down := h.Blocks(0)
	size := h.BlockSize(0, 0, 0)
	errs := make([]error, threads)
	var wait sync.WaitGroup
	start := time.Now()
	for thread := range threads {
		wait.Go(func() {
			b := make([]byte, size.Width*size.Height*h.Pixel())
			r := rand.New(rand.NewPCG(1, uint64(thread)))
			for range reads {
				if err := from.ReadBlock(0, r.IntN(across), down/2+r.IntN(down/2), b); err != nil {
					errs[thread] = fmt.Errorf("textures: %w", err)
					return
				}
			}
		})
	}
	wait.Wait()
	return time.Since(start), cmp.Or(errs...)
}
