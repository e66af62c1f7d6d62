package demo

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/scene"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// history edits a world in a store and goes back in time.
func (d *demo) history() error {
	d.say("\n7. A store keeps worlds by name, and every version of each. These are the commands:\n")
	if _, err := d.tell("import", d.path("worlds", "island"), "@island", "--message", "as it was made"); err != nil {
		return err
	}
	tower, err := d.ground(-22, -22)
	if err != nil {
		return err
	}
	crater, err := d.ground(-4, 30)
	if err != nil {
		return err
	}
	for _, part := range []struct {
		say      string
		commands [][]string
	}{
		{"An edit is a version, and costs what it changes:", [][]string{
			{"edit", "@island", "cylinder", "--at", tower, "--r", "5", "--height", "12", "--name", "gold_block"},
			{"edit", "@island", "ball", "--at", crater, "--r", "9", "--subtract"},
			{"edit", "@island", "smooth", "--at", crater, "--r", "12"},
			{"log", "@island"}}},
		{"That was too much. Undo takes back the last edit, redo does it again:", [][]string{
			{"edit", "@island", "undo"},
			{"diff", "@island@3", "@island"}}},
		{"A fork begins as any version of another world, and copies nothing:", [][]string{
			{"fork", "@island@2", "@copies/tower"},
			{"edit", "@copies/tower", "cylinder", "--at", crater, "--r", "3", "--height", "20", "--name", "glass"},
			{"list"}}},
		{"What has changed since the beginning, and back to it:", [][]string{
			{"diff", "@island@1", "@island"},
			{"restore", "@island@1"},
			{"diff", "@island", d.path("worlds", "island")}}},
		{"Nothing was lost on the way; check and back up all of it:", [][]string{
			{"log", "@island"},
			{"check", d.Store},
			{"backup", "--to", d.path("backups")}}},
	} {
		d.say("\n   %s", part.say)
		for _, args := range part.commands {
			if err := d.show(args...); err != nil {
				return err
			}
		}
	}
	d.say("\n   Go on by hand: cairn log @island --store %s", d.Store)
	if err := d.draw("@island@4", "island-edited"); err != nil {
		return err
	}
	return d.draw("@copies/tower", "island-forked")
}

// ground returns the position of the uppermost block of the island at x and z, as flags
// take it.
func (d *demo) ground(x, z int) (at string, err error) {
	src, err := port.Open(d.path("island"+port.Ext), port.Options{})
	if err != nil {
		return "", err
	}
	defer src.Close()
	v, err := scene.Of(d, src.Content(), "", 0)
	if err != nil {
		return "", err
	}
	p := geom.Point{X: x, Y: v.Bounds().Max.Y, Z: z}
	boxes, cell := v.Boxes(0), make([]voxel.Cell, 1)
	for ; cell[0] == voxel.Empty && p.Y > v.Bounds().Min.Y; p.Y-- {
		if below := p.Add(geom.Point{Y: -1}); !boxes.ReadBox(geom.Box{Min: below, Max: below.Add(geom.Point{X: 1, Y: 1, Z: 1})}, 0, cell) {
			return "", boxes.Err()
		}
	}
	return fmt.Sprintf("%d,%d,%d", p.X, p.Y, p.Z), nil
}

// tell prints a command, runs it and returns its output. Worlds that differ are no error.
func (d *demo) tell(args ...string) (said string, err error) {
	d.say("   $ cairn %s", console.ShellLine(args...))
	var out bytes.Buffer
	if err = d.Command(d, &out, args...); args[0] == "diff" && d.Differs(err) {
		err = nil
	}
	return out.String(), err
}

// show tells a command and prints the first lines of its output.
func (d *demo) show(args ...string) error {
	const most = 8 // lines
	said, err := d.tell(args...)
	lines := slices.Collect(strings.Lines(said))
	for _, l := range lines[:min(len(lines), most)] {
		fmt.Fprint(d.Out, "     ", l)
	}
	if len(lines) > most {
		d.say("     ...")
	}
	return err
}
