package main

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/port"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
)

// history edits a world of a store and goes back in time.
func (d *demo) history() error {
	d.say("\n7. A store keeps worlds by name, and every version of each. These are the commands:\n")
	d.storeFlag = &storeFlag{url: localScheme + d.path("store"), writes: true}
	if err := d.does("import", d.path("worlds", "island"), "@island", "--message", "as it was made"); err != nil {
		return err
	}
	tower, err := d.ground("@island", -22, -22)
	if err != nil {
		return err
	}
	crater, err := d.ground("@island", -4, 30)
	if err != nil {
		return err
	}
	for _, part := range []struct {
		say  string
		args [][]string
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
		{"Nothing was lost on the way; and all of it is checked and backed up:", [][]string{
			{"log", "@island"},
			{"check", d.storeFlag.url},
			{"backup", "--to", d.path("backups")}}},
	} {
		d.say("\n   %s", part.say)
		for _, args := range part.args {
			if err := d.shows(args...); err != nil {
				return err
			}
		}
	}
	d.say("\n   Go on by hand: cairn log @island --store %s", d.storeFlag.url)
	return d.drawVersions()
}

// drawVersions draws what the edits came to.
func (d *demo) drawVersions() error {
	for _, v := range []struct{ address, name string }{{"@island@4", "island-edited"}, {"@copies/tower", "island-forked"}} {
		err := withContent(d, d.storeFlag, v.address, false, func(_ *source, w stone.Content) error { return d.draw(w, v.name) })
		if err != nil {
			return err
		}
	}
	return nil
}

// ground is where the uppermost block lies at x and z, as flags take it.
func (d *demo) ground(address string, x, z int) (at string, err error) {
	err = withContent(d, d.storeFlag, address, false, func(_ *source, w stone.Content) error {
		v, err := viewOf(d, w, "")
		if err != nil {
			return err
		}
		p := geom.Point{X: x, Y: v.Bounds().Max.Y, Z: z}
		for cellAt(v, p) == voxel.Empty && p.Y > v.Bounds().Min.Y {
			p.Y--
		}
		at = fmt.Sprintf("%d,%d,%d", p.X, p.Y, p.Z)
		return nil
	})
	return at, err
}

// cellAt returns the cell at p, the empty one where there is no chunk.
func cellAt(v *port.View, p geom.Point) voxel.Cell {
	c := v.Chunk(p.Chunk())
	if c == nil {
		return voxel.Empty
	}
	return c.Cell(geom.FloorMod(p.X, geom.ChunkEdge), geom.FloorMod(p.Y, geom.ChunkEdge), geom.FloorMod(p.Z, geom.ChunkEdge))
}

// does runs a command and tells it.
func (d *demo) does(args ...string) error {
	_, err := d.command(args...)
	return err
}

// shows runs a command and tells it and the beginning of what it says.
func (d *demo) shows(args ...string) error {
	const most = 8 // lines
	said, err := d.command(args...)
	lines := slices.Collect(strings.Lines(said))
	for _, l := range lines[:min(len(lines), most)] {
		fmt.Fprint(d.out, "     ", l)
	}
	if len(lines) > most {
		d.say("     ...")
	}
	return err
}

// command runs a command of this program on the demo's store.
func (d *demo) command(args ...string) (said string, err error) {
	d.say("   $ cairn %s", strings.Join(quoted(args), " "))
	var out bytes.Buffer
	root := newRoot(d.storeFlag)
	root.SetArgs(args)
	root.SetOut(&out)
	if err = root.ExecuteContext(d); err == errWrong && args[0] == "diff" {
		err = nil // they differ, as they should
	}
	return out.String(), err
}

// quoted returns arguments as a shell takes them.
func quoted(args []string) (out []string) {
	for _, a := range args {
		if strings.Contains(a, " ") {
			a = strconv.Quote(a)
		}
		out = append(out, a)
	}
	return out
}
