package readers_test

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// cells are the blocks of a dimension as cairn has them.
type cells struct {
	volume *convert.LoadedVolume
	names  []string // by cell, as a reader says them; the empty string is air
	least  geom.Point
	count  int // that are not air
}

// cellsOf returns the blocks of a dimension. say makes a reader's name of cairn's.
func cellsOf(d *convert.LoadedDimension, say func(string) string) *cells {
	c := &cells{volume: d.Volume(voxel.Block)}
	for i, name := range c.volume.Names {
		if i == int(voxel.Empty) || name == "minecraft:air" || name == "minecraft:structure_void" {
			name = ""
		}
		c.names = append(c.names, say(name))
	}
	for pos, chunk := range c.volume.Chunks {
		c.add(pos.Min(), chunk)
	}
	return c
}

// add counts the cells of a chunk that are not air.
func (c *cells) add(base geom.Point, chunk *voxel.Chunk) {
	for y := range geom.ChunkEdge {
		for z := range geom.ChunkEdge {
			for x := range geom.ChunkEdge {
				if c.names[chunk.Cell(x, y, z)] == "" {
					continue
				}
				p := base.Add(geom.Point{X: x, Y: y, Z: z})
				if c.count++; c.count == 1 {
					c.least = p
				}
				c.least = lower(c.least, p)
			}
		}
	}
}

func lower(p, q geom.Point) geom.Point {
	return geom.Point{X: min(p.X, q.X), Y: min(p.Y, q.Y), Z: min(p.Z, q.Z)}
}

func (c *cells) at(p geom.Point) string {
	chunk, in := c.volume.Chunks[p.Chunk()], p.InChunk()
	if chunk == nil {
		return c.names[c.volume.Default]
	}
	return c.names[chunk.Cell(in.X, in.Y, in.Z)]
}

// counts returns how many cells of a chunk have each name.
func (c *cells) counts(pos geom.ChunkPos) map[string]int {
	counts := map[string]int{}
	if chunk := c.volume.Chunks[pos]; chunk != nil {
		of := make([]int, len(c.names))
		chunk.AddCounts(of)
		for i, n := range of {
			if n > 0 && c.names[i] != "" {
				counts[c.names[i]] += n
			}
		}
	}
	return counts
}

// run are cells of a reader that have one name.
type run struct {
	at   geom.Point
	n    int
	name string
}

// listing is what a reader says of a file.
type listing struct {
	runs    []run
	counts  map[geom.ChunkPos]map[string]int // of chunks whose cells are not in runs
	objects map[string]int                   // by list
	cannot  string                           // why the reader cannot say what is in the file
}

// parseListing reads what a driver prints.
func parseListing(r io.Reader) (*listing, error) {
	l := &listing{counts: map[geom.ChunkPos]map[string]int{}, objects: map[string]int{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if reason, ok := strings.CutPrefix(lines.Text(), "cannot "); ok {
			l.cannot = reason
			continue
		}
		words := strings.SplitN(lines.Text(), " ", 6)
		if err := l.add(words); err != nil {
			return nil, fmt.Errorf("%q: %w", lines.Text(), err)
		}
	}
	return l, lines.Err()
}

func (l *listing) add(words []string) error {
	switch {
	case words[0] == "object" && len(words) == 3:
		n, err := strconv.Atoi(words[2])
		l.objects[words[1]] = n
		return err
	case words[0] == "count" && len(words) == 6:
		v, err := numbers(words[1:5])
		if err != nil {
			return err
		}
		pos := geom.ChunkPos{X: int32(v[0]), Y: int32(v[1]), Z: int32(v[2])}
		if l.counts[pos] == nil {
			l.counts[pos] = map[string]int{}
		}
		l.counts[pos][words[5]] += v[3]
		return nil
	case len(words) == 5:
		v, err := numbers(words[:4])
		if err != nil {
			return err
		}
		l.runs = append(l.runs, run{geom.Point{X: v[0], Y: v[1], Z: v[2]}, v[3], words[4]})
		return nil
	}
	return fmt.Errorf("%d words", len(words))
}

func numbers(words []string) (v [4]int, err error) {
	for i, w := range words {
		if v[i], err = strconv.Atoi(w); err != nil {
			return v, err
		}
	}
	return v, nil
}

// least returns the least corner of the cells of a listing.
func (l *listing) least() (p geom.Point) {
	for i, r := range l.runs {
		if i == 0 {
			p = r.at
		}
		p = lower(p, r.at)
	}
	return p
}

// faults returns how a listing differs from the cells, at most a few. Without placed a listing may lie elsewhere.
func (c *cells) faults(l *listing, placed bool) (faults []string) {
	fault := func(format string, args ...any) {
		if len(faults) < 10 {
			faults = append(faults, fmt.Sprintf(format, args...))
		}
	}
	var by geom.Point
	if !placed {
		by = c.least.Sub(l.least())
	}
	seen, found := map[geom.ChunkPos]*[geom.ChunkEdge * geom.ChunkEdge]uint32{}, 0
	for _, r := range l.runs {
		for i := range r.n {
			p := r.at.Add(by).Add(geom.Point{X: i})
			if got := c.at(p); got != r.name {
				fault("%v is %q, want %q", p, r.name, got)
			}
			if seen[p.Chunk()] == nil {
				seen[p.Chunk()] = new([geom.ChunkEdge * geom.ChunkEdge]uint32)
			}
			in := p.InChunk()
			row := &seen[p.Chunk()][in.Y*geom.ChunkEdge+in.Z]
			if *row>>in.X&1 != 0 {
				fault("%v comes twice", p)
			}
			*row |= 1 << in.X
			found++
		}
	}
	for pos, got := range l.counts {
		want := c.counts(pos)
		for name, n := range got {
			if want[name] != n {
				fault("%v has %d of %q, want %d", pos, n, name, want[name])
			}
			found += n
		}
	}
	if found != c.count {
		fault("%d cells, want %d", found, c.count)
	}
	return faults
}
