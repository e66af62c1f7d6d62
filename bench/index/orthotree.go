package index

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/octree"
)

// driver measures OrthoTree, a library of C++, in a process of its own.
//
//go:embed orthotree/driver.cpp
var driver []byte

// orthotree is the driver, compiled.
type orthotree struct {
	dir, program string
}

// compile compiles the driver with a checkout of OrthoTree, into a folder for temporary files.
func compile(ctx context.Context, checkout string) (*orthotree, error) {
	dir, err := os.MkdirTemp("", "cairn-orthotree")
	if err != nil {
		return nil, err
	}
	o := &orthotree{dir, filepath.Join(dir, "driver")}
	source := filepath.Join(dir, "driver.cpp")
	if err := os.WriteFile(source, driver, 0o666); err != nil {
		o.remove()
		return nil, err
	}
	c := exec.CommandContext(ctx, "g++", "-O3", "-march=native", "-DNDEBUG", "-std=c++20", "-I"+filepath.Join(checkout, "include"), source, "-o", o.program)
	if out, err := c.CombinedOutput(); err != nil {
		o.remove()
		return nil, fmt.Errorf("index: compile with %s: %w\n%s", checkout, err, out[:min(len(out), 4000)])
	}
	return o, nil
}

func (o *orthotree) remove() error { return os.RemoveAll(o.dir) }

// run measures all variants on a scene.
func (o *orthotree) run(ctx context.Context, s *scene, rounds int, each time.Duration) ([]Row, error) {
	file := filepath.Join(o.dir, "scene")
	if err := writeScene(file, s); err != nil {
		return nil, err
	}
	out, err := exec.CommandContext(ctx, o.program, file, fmt.Sprint(rounds), fmt.Sprint(each.Seconds())).Output()
	if err != nil {
		return nil, fmt.Errorf("index: the driver of OrthoTree on %s: %w", s.name, err)
	}
	return readRows(out, s)
}

func readRows(out []byte, s *scene) (rows []Row, err error) {
	for line := range bytes.Lines(out) {
		f := strings.Split(strings.TrimSuffix(string(line), "\n"), "\t")
		if len(f) != 5 {
			return nil, fmt.Errorf("index: the driver of OrthoTree says %q", line)
		}
		row := Row{Scene: s.name, Class: f[0], Index: "OrthoTree", Variant: f[1], Sum: f[3]}
		if row.Each, err = strconv.ParseFloat(f[2], 64); err != nil {
			return nil, fmt.Errorf("index: the driver of OrthoTree says %q: %w", line, err)
		}
		if row.Found, err = strconv.ParseUint(f[4], 10, 64); err != nil {
			return nil, fmt.Errorf("index: the driver of OrthoTree says %q: %w", line, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// writeScene writes a scene as driver.cpp reads it.
func writeScene(path string, s *scene) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := &words{w: bufio.NewWriterSize(f, 1<<20)}
	w.flag(s.points)
	w.word(len(s.boxes))
	w.boxes(s.boxes)
	w.word(len(s.steps))
	for _, to := range s.steps {
		w.boxes(to)
	}
	w.word(len(s.churn))
	for _, i := range s.churn {
		w.word(i)
	}
	w.word(len(s.classes))
	for i := range s.classes {
		w.class(&s.classes[i])
	}
	if err := w.w.Flush(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// words writes words of 8 bytes. The error comes with Flush.
type words struct{ w *bufio.Writer }

func (w *words) word(v int)             { binary.Write(w.w, binary.LittleEndian, uint64(v)) }
func (w *words) numbers(v ...float64)   { binary.Write(w.w, binary.LittleEndian, v) }
func (w *words) boxes(all []octree.Box) { binary.Write(w.w, binary.LittleEndian, all) }
func (w *words) text(s string)          { w.word(len(s)); io.WriteString(w.w, s) }
func (w *words) flag(b bool) {
	if b {
		w.word(1)
	} else {
		w.word(0)
	}
}

func (w *words) class(c *class) {
	width := map[kind]int{point: 3, overlap: 6, inside: 6, ball: 4, nearest: 3, first: 7, all: 7, frustum: 24, crossing: 4, pairs: 3}
	w.text(c.name)
	w.word(int(c.kind))
	w.word(len(c.queries))
	w.word(width[c.kind])
	w.word(c.k)
	for i := range c.queries {
		switch q := &c.queries[i]; c.kind {
		case point, nearest, pairs:
			w.numbers(q.at.X, q.at.Y, q.at.Z)
		case overlap, inside:
			w.boxes([]octree.Box{q.box})
		case ball:
			w.numbers(q.at.X, q.at.Y, q.at.Z, q.radius)
		case first, all:
			o, d := q.ray.Origin, q.ray.Direction
			w.numbers(o.X, o.Y, o.Z, d.X, d.Y, d.Z, q.ray.Max)
		case frustum:
			for _, p := range q.frustum {
				w.numbers(p.Normal.X, p.Normal.Y, p.Normal.Z, p.Offset)
			}
		case crossing:
			w.numbers(q.plane.Normal.X, q.plane.Normal.Y, q.plane.Normal.Z, q.plane.Offset)
		}
	}
}
