package port

import (
	"io"

	"github.com/cairnvoxel/cairn/convert"
	"github.com/cairnvoxel/cairn/format"
	"github.com/cairnvoxel/cairn/format/anvil"
	"github.com/cairnvoxel/cairn/format/slime"
	"github.com/cairnvoxel/cairn/stone"
)

// normal is the difficulty of worlds that have none. Servers would take a peaceful one.
const normal = "normal"

// levelIn reads the world's level.dat. ok is false if there is none that can be read. rest
// names what a Slime file cannot hold of it.
func levelIn(w stone.Content) (l format.Level, rest []string, ok bool) {
	return readLevel(format.File{Open: func() (io.ReadCloser, error) { return w.OpenFile(anvil.LevelPath) }})
}

func readLevel(f format.File) (l format.Level, rest []string, ok bool) {
	r, err := f.Open()
	if err != nil {
		return l, nil, false
	}
	defer r.Close()
	stored, err := io.ReadAll(io.LimitReader(r, format.MaxFile))
	if err == nil {
		l, rest, err = anvil.ReadLevel(stored)
	}
	return l, rest, err == nil
}

// Slim returns a Sink in front of another one. It passes on what Slime files can hold, each
// column in the version for its own data version, and adds the rest to lost. It reduces
// level.dat to what a Slime file can hold.
func Slim(to format.Sink, lost map[string]int) format.Sink {
	return &slim{Filter: convert.Filter{Sink: to, Hold: func(d *format.Dimension) func(*format.Column) bool { return slimHold(d, lost) }}, lost: lost}
}

type slim struct {
	convert.Filter
	lost map[string]int
}

// File passes on what a Slime file keeps of f.
func (s *slim) File(f format.File) error {
	if f.Path == slime.ExtraPath || f.Path == slime.MapsPath {
		return s.Sink.File(f)
	}
	if f.Path == anvil.LevelPath {
		if level, rest, ok := readLevel(f); ok {
			countLevel(rest, s.lost)
			return s.Sink.File(format.FileOf(f.Path, anvil.AppendLevel(nil, level)))
		}
	}
	s.lost["file "+f.Path]++
	return nil
}

// slimHold reduces each column to what the Slime version for its data version holds.
func slimHold(d *format.Dimension, lost slime.Losses) func(*format.Column) bool {
	holds := map[int32]func(*format.Column) bool{}
	return func(c *format.Column) bool {
		hold := holds[c.Version]
		if hold == nil {
			hold = slime.Hold(slime.WriteOptions{}, d, lost)
			holds[c.Version] = hold
		}
		return hold(c)
	}
}

func countLevel(rest []string, lost map[string]int) {
	for _, name := range rest {
		lost[anvil.LevelPath+" "+name]++
	}
}
