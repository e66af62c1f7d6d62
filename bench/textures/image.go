package textures

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/raster/imagefile"
	texfile "github.com/cairnvoxel/cairn/internal/texture"
)

// octaves are those of the noise of a painted image, maskOctaves those of a mask.
const (
	octaves     = 9
	maskOctaves = 3
)

// noise is periodic value noise: each octave is a lattice of random values, twice as fine as the one
// before and half as strong.
type noise struct {
	edge     int
	lattices [][]float32
	line     []float32 // between two rows of a lattice
}

func newNoise(edge int, seed uint64, octaves int) *noise {
	n := &noise{edge: edge, lattices: make([][]float32, octaves), line: make([]float32, 4<<octaves+1)}
	r := trace{state: seed}
	for o := range n.lattices {
		n.lattices[o] = make([]float32, 64<<(2*o))
		for i := range n.lattices[o] {
			n.lattices[o][i] = float32(r.u())
		}
	}
	return n
}

// row sets the values of a row, which are about 0 to 1.
func (n *noise) row(y int, out []float32) {
	clear(out)
	strength := float32(0.5)
	for o, lattice := range n.lattices {
		cells := 8 << o
		step := float32(cells) / float32(n.edge)
		j, fy := smooth(float32(y) * step)
		upper, lower := lattice[j*cells:][:cells], lattice[(j+1)%cells*cells:][:cells]
		line := n.line[:cells+1]
		for i, a := range upper {
			line[i] = strength * (a + (lower[i]-a)*fy)
		}
		line[cells] = line[0]
		for x := range out {
			i, fx := smooth(float32(x) * step)
			out[x] += line[i] + (line[i+1]-line[i])*fx
		}
		strength /= 2
	}
}

// smooth returns the cell of a coordinate and how far it lies in it, eased.
func smooth(v float32) (int, float32) {
	i := int(v)
	f := v - float32(i)
	return i, f * f * (3 - 2*f)
}

// flat is the value of the upper left quarter of an image, which stands for what is not painted.
const flat = 0.25

// A mask is 0 or 1 but where its noise is near the middle.
const (
	maskMiddle   = 0.44
	maskSoftness = 1. / 20
)

// writePFM writes a square of noise in three channels: a painted image, or a mask, whose channels are
// equal.
func (i image) writePFM(name string) (err error) {
	edge, of := i.edge, octaves
	if i.mask {
		of = maskOctaves
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriterSize(f, 1<<20)
	fmt.Fprintf(w, "PF\n%d %d\n-1.0\n", edge, edge)
	var channels [3]*noise
	var rows [3][]float32
	for c := range channels {
		channels[c], rows[c] = newNoise(edge, 3*i.seed+uint64(c), of), make([]float32, edge)
	}
	b := make([]byte, 12*edge)
	for y := edge - 1; y >= 0; y-- { // the lowest row comes first
		var wait sync.WaitGroup
		for c, n := range channels {
			wait.Go(func() { n.row(y, rows[c]) })
		}
		wait.Wait()
		if i.mask {
			for x, v := range rows[0] {
				v = min(max((v-maskMiddle)/maskSoftness+0.5, 0), 1)
				rows[0][x], rows[1][x], rows[2][x] = v, v, v
			}
		}
		for c := range channels {
			if !i.mask && y < edge/2 {
				for x := range edge / 2 {
					rows[c][x] = flat
				}
			}
			for x, v := range rows[c] {
				binary.LittleEndian.PutUint32(b[12*x+4*c:], math.Float32bits(v))
			}
		}
		w.Write(b)
	}
	return w.Flush()
}

func (i image) noise() string {
	if i.mask {
		return fmt.Sprintf("mask%d-%d", i.edge, i.seed)
	}
	return fmt.Sprintf("noise%d-%d", i.edge, i.seed)
}

// path returns the name of an image's file.
func (i image) path(dir string) string {
	name := filepath.Join(dir, i.noise()+"-"+i.form)
	if i.form == ours {
		return name + texfile.Ext
	}
	return name + ".exr"
}

// rival returns the name of the file that OpenImageIO reads.
func (i image) rival(dir string) string {
	if i.form == ours {
		i.form = theirs
	}
	return i.path(dir)
}

// make makes an image, unless it is there, and returns the name of its file: a mip-mapped EXR of halves
// in tiles of 64x64 by maketx, or a file of internal/texture of that EXR.
func (i image) make(ctx context.Context, dir string) (name string, err error) {
	name = i.path(dir)
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		return name, err
	}
	if i.form == ours {
		i.form = theirs
		source, err := i.make(ctx, dir)
		if err != nil {
			return "", err
		}
		return name, convert(ctx, source, name)
	}
	source := filepath.Join(dir, i.noise()+".pfm")
	defer os.Remove(source) // it is much larger than what is made of it
	if err := i.writePFM(source); err != nil {
		return "", err
	}
	_, _, err = lab.Run(ctx, "", "maketx", source, "-o", name, "-d", "half", "--tile", "64", "64", "--compression", i.form)
	return name, err
}

// convert makes a file of internal/texture.
func convert(ctx context.Context, source, name string) (err error) {
	from, closer, err := imagefile.Open(source)
	if err != nil {
		return err
	}
	defer closer.Close()
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriterSize(f, 1<<20)
	m := texfile.NewMaker(w, texfile.Options{})
	if err := m.Add(ctx, 0, from); err != nil {
		return err
	}
	return errors.Join(m.Close(), w.Flush())
}

// hasRival reports whether the programs of OpenImageIO are here.
func hasRival() bool {
	_, err := exec.LookPath("maketx")
	return err == nil
}
