package port

import (
	"fmt"
	"io"
	"strings"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/slime"
	"github.com/cairnvoxel/cairn/stone"
)

// normal is the difficulty of worlds that have none. Servers would take a peaceful one.
const normal = "normal"

// overworld is the dimension where players begin unless level.dat names another.
const overworld = "overworld"

// levelPaths are the paths of level.dat and of the copy that games fall back to.
var levelPaths = [...]string{anvil.LevelPath, anvil.OldLevelPath}

// levelIn reads the world's level.dat, or the copy that games fall back to. path is "" if
// there is none that can be read. rest names what a Slime file cannot hold of it.
func levelIn(w stone.Content) (l format.Level, rest []string, path string) {
	for _, path := range levelPaths {
		if l, rest, err := openLevel(w, path); err == nil {
			return l, rest, path
		}
	}
	return format.Level{}, nil, ""
}

// Spawn returns the facts of a game's world that say where players begin, and the dimension. They
// are in its level.dat, or in the properties of a Slime file. ok is false if nothing says it.
func Spawn(w stone.Content) (l format.Level, dimension string, ok bool) {
	about := w.About()
	l, _, path := levelIn(w)
	if path == "" {
		l = slime.LevelOf(convert.HeadOf(about.Properties), "")
	}
	for _, d := range about.Dimensions {
		if d.Name == l.SpawnIn || block.Space+d.Name == l.SpawnIn || l.SpawnIn == "" && (d.Name == overworld || len(about.Dimensions) == 1) {
			return l, d.Name, l.HasSpawn
		}
	}
	return l, "", false
}

func openLevel(w stone.Content, path string) (format.Level, []string, error) {
	return readLevel(format.File{Open: func() (io.ReadCloser, error) { return w.OpenFile(path) }})
}

func readLevel(f format.File) (l format.Level, rest []string, err error) {
	stored, err := f.Bytes()
	if err == nil {
		l, rest, err = anvil.ReadLevel(stored)
	}
	return l, rest, err
}

// LevelRemark describes a fault of the level.dat of a game's world; "" if there is none, or if the
// world has no level.dat. damaged says that it is there and cannot be read.
func LevelRemark(w stone.Content) (remark string, damaged bool) {
	if convert.HeadOf(w.About().Properties).Format == Bedrock { // its level.dat has another form
		return "", false
	}
	has := map[string]bool{}
	for _, f := range w.About().Files {
		has[f.Path] = true
	}
	name, old := anvil.LevelPath, ""
	_, _, err := openLevel(w, name)
	_, _, errOld := openLevel(w, anvil.OldLevelPath)
	if errOld == nil {
		old = fmt.Sprintf("; %s is read in its place", anvil.OldLevelPath)
	}
	switch {
	case err == nil || !has[name] && !has[anvil.OldLevelPath]:
		return "", false
	case !has[name] && errOld == nil:
		return name + " is missing" + old, false
	case !has[name]:
		name, err = anvil.OldLevelPath, errOld
	}
	return fmt.Sprintf("%s cannot be read: %s%s", name, strings.TrimPrefix(err.Error(), "anvil: "+anvil.LevelPath+": "), old), true
}

// Slim returns a Sink in front of another one. It passes on the part that Slime files can hold, each
// column in the version for its own data version, and adds the rest to lost. It reduces
// level.dat to what a Slime file can hold.
func Slim(to format.Sink, lost map[string]int) format.Sink {
	return &slim{Filter: convert.Filter{Sink: to, Hold: func(d *format.Dimension) func(*format.Column) bool { return slimHold(d, lost) }}, lost: lost}
}

type slim struct {
	convert.Filter
	lost  map[string]int
	level bool // was passed on
}

// File passes on the part of f that a Slime file keeps.
func (s *slim) File(f format.File) error {
	if f.Path == slime.ExtraPath || f.Path == slime.MapsPath || f.Path == slime.OrderPath {
		return s.Sink.File(f)
	}
	if !s.level && (f.Path == anvil.LevelPath || f.Path == anvil.OldLevelPath) { // in this order
		if level, rest, err := readLevel(f); err == nil {
			s.level = true
			countLevel(rest, s.lost)
			return s.Sink.File(format.FileOf(anvil.LevelPath, anvil.AppendLevel(nil, level)))
		}
	}
	s.lost["file "+f.Path]++
	return nil
}

// slimHold reduces each column to the part that the Slime version for its data version holds.
func slimHold(d *format.Dimension, lost slime.Losses) func(*format.Column) bool {
	holds := map[int32]func(*format.Column) bool{}
	return func(c *format.Column) bool {
		hold := holds[c.Version]
		if hold == nil {
			hold = slime.Hold(slime.ContainerOptions{}, d, lost)
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
