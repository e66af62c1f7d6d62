package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cairnvoxel/cairn/convert"
	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/picture"
	"github.com/cairnvoxel/cairn/port"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/spf13/cobra"
)

// demoMark is the file that says that a folder is a demo's own.
const demoMark = ".cairn-demo"

func newDemo() *cobra.Command {
	return &cobra.Command{
		Use:   "demo [DIR]",
		Short: "Makes worlds up and does the main job on them, as a story",
		Long: `demo makes worlds up, imports them, checks them, weighs them, gives one back,
compares and draws them; keeps one in a store, edits it, forks it and goes back in
time; all below one folder, ./cairn-demo by default. A demo's folder that is there
already is made anew.`,
		Example: "  cairn demo",
		Args:    takes(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			dir := "cairn-demo"
			if len(args) == 1 {
				dir = args[0]
			}
			d := &demo{Context: c.Context(), out: c.OutOrStdout(), dir: dir, storeFlag: &storeFlag{}}
			return d.run()
		},
	}
}

// demo is a story under way.
type demo struct {
	context.Context
	out       io.Writer
	dir       string
	cards     []picture.Card
	storeFlag *storeFlag // of its own
}

// demoWorlds are made in this order; those with a folder are block worlds.
var demoWorlds = [...]struct{ kind, what string }{
	{"survival", "a wild land of several biomes, with cliffs, canyons and caves"},
	{"island", "one player's floating island, with chests and animals"},
	{"arena", "a walled arena, its four quarters mirrored"},
	{"plots", "plots with many copies of a few buildings"},
}

func (d *demo) run() error {
	if err := d.begin(); err != nil {
		return err
	}
	steps := []func() error{d.make, d.importAll, d.checkAll, d.weigh, d.giveBack, d.level, d.history, d.sheet, d.end}
	for _, step := range steps {
		if err := errors.Join(step(), d.Err()); err != nil {
			return errors.Join(err, d.storeFlag.close(), d.clear())
		}
	}
	return d.storeFlag.close()
}

func (d *demo) path(parts ...string) string {
	return filepath.Join(append([]string{d.dir}, parts...)...)
}

func (d *demo) say(format string, args ...any) { fmt.Fprintf(d.out, format+"\n", args...) }

// begin makes the folder; what an older demo made in it goes.
func (d *demo) begin() error {
	if err := isFree(d.dir); err != nil {
		if _, own := os.Stat(d.path(demoMark)); own != nil {
			return fmt.Errorf("%w; it is not a demo's, so it stays as it is", err)
		}
	}
	if err := d.clear(); err != nil {
		return err
	}
	for _, name := range []string{"worlds", "pictures"} {
		if err := os.MkdirAll(d.path(name), 0o777); err != nil {
			return err
		}
	}
	return os.WriteFile(d.path(demoMark), nil, 0o666)
}

// clear removes what a demo makes, and its folder if nothing else is in it.
func (d *demo) clear() error {
	names := []string{"worlds", "pictures", "exported", "store", "backups", "terrain" + port.Ext, demoMark}
	for _, w := range demoWorlds {
		names = append(names, w.kind+port.Ext)
	}
	for _, name := range names {
		if err := os.RemoveAll(d.path(name)); err != nil {
			return err
		}
	}
	os.Remove(d.dir)
	return nil
}

func (d *demo) make() error {
	d.say("1. Worlds, made up, as folders that a game can open:\n")
	for _, w := range demoWorlds {
		made, err := build(d, kinds()[w.kind](1, 0))
		if err != nil {
			return err
		}
		if _, err := exportFolder(d, made, d.path("worlds", w.kind), port.Target{Format: port.Anvil}, map[string]int{}); err != nil {
			return err
		}
		d.say("   %-30s %s", d.path("worlds", w.kind), w.what)
	}
	return nil
}

func (d *demo) importAll() error {
	d.say("\n2. cairn import: each becomes one file with all that the folder has.\n")
	t := console.NewColumns(d.out)
	t.Row("   world", "blocks", "objects", "folder", "cairn")
	for _, w := range demoWorlds {
		if err := d.importOne(t, w.kind); err != nil {
			return err
		}
	}
	return t.Flush()
}

func (d *demo) importOne(t console.Columns, kind string) error {
	from, to := d.path("worlds", kind), d.path(kind+port.Ext)
	return withWorld(d, nil, from, false, func(_ *source, w *convert.World) error {
		_, n, err := writeWorld(d, w, to, stone.Options{})
		if err != nil {
			return err
		}
		folder, err := folderBytes(from)
		if err != nil {
			return err
		}
		sum := tally(w)
		t.Row("   "+to, console.Count(sum.cells), console.Count(sum.objects), table.Size(folder), table.Size(n))
		return d.draw(w.Content(), kind)
	})
}

// draw writes a picture of a world and keeps it for the sheet.
func (d *demo) draw(w stone.Content, name string) error {
	img, _, err := draw(d, w, renderOptions{})
	if err != nil {
		return err
	}
	d.cards = append(d.cards, picture.Card{Image: img, Caption: name})
	return writePNG(img, d.path("pictures", name+".png"))
}

func (d *demo) checkAll() error {
	d.say("\n3. cairn check: every checksum, chunk, name, object and file.\n")
	for _, w := range demoWorlds {
		c, err := checkPath(d, nil, d.path(w.kind+port.Ext))
		if err != nil {
			return err
		}
		fmt.Fprint(d.out, "   ")
		if c.print(d.out); !c.OK {
			return errWrong
		}
	}
	return nil
}

func (d *demo) weigh() error {
	d.say("\n4. cairn savings: the same worlds in other forms.\n")
	r, err := weigh(d, []string{d.path("worlds")}, false)
	if err != nil {
		return err
	}
	r.Table(d.out)
	return nil
}

// giveBack exports a world and compares it with where it came from.
func (d *demo) giveBack() error {
	d.say("\n5. cairn export gives a world back, and cairn diff compares.\n")
	if err := os.Mkdir(d.path("exported"), 0o777); err != nil {
		return err
	}
	folder, file := d.path("exported", "island"), d.path("exported", "island.slime")
	err := withWorld(d, nil, d.path("island"+port.Ext), false, func(_ *source, w *convert.World) error {
		if _, err := exportFolder(d, w, folder, port.Target{Format: port.Anvil}, map[string]int{}); err != nil {
			return err
		}
		lost := map[string]int{}
		n, err := exportFile(d, w, file, port.Target{Format: port.Slime}, lost)
		if err != nil {
			return err
		}
		d.say("   %s (%s) is the island for servers that read Slime; what", file, table.Size(n))
		d.say("   that has no room for, in %d kinds, is listed by cairn export.", len(lost))
		return nil
	})
	if err != nil {
		return err
	}
	diff, err := diffPaths(d, nil, d.path("worlds", "island"), folder)
	if err == nil {
		d.say("   The folder that was made, and %s: %s", folder, sameness(diff))
	}
	if err == nil && !diff.Same() {
		err = errWrong
	}
	return err
}

func sameness(d *convert.Difference) string {
	if d.Same() {
		return "same"
	}
	return fmt.Sprintf("%s differ", console.Counted(d.Cells+d.Objects+d.Columns+d.Properties+d.Files, "thing"))
}

// level is a terrain without blocks.
func (d *demo) level() error {
	d.say("\n6. Not only blocks: a terrain of materials and occupancies.\n")
	w, err := build(d, level(1, 0))
	if err != nil {
		return err
	}
	to := d.path("terrain" + port.Ext)
	_, n, err := writeWorld(d, w, to, stone.Options{})
	if err != nil {
		return err
	}
	cells := tally(w).cells
	d.say("   %s: %s in %s, %.3f bytes for each", to, console.Counted(cells, "voxel"), table.Size(n), float64(n)/float64(cells))
	return d.draw(w.Content(), "terrain")
}

func (d *demo) sheet() error {
	var img image.Image = picture.Sheet(d.cards, 512)
	return writePNG(img, d.path("pictures", "all.png"))
}

func (d *demo) end() error {
	d.say("\n8. cairn render: the worlds from above.\n")
	list, err := fs.Glob(os.DirFS(d.dir), "pictures/*.png")
	for _, name := range list {
		d.say("   %s", d.path(filepath.FromSlash(name)))
	}
	d.say("\nNow try your own: cairn import YOUR_WORLD_FOLDER my.cairn")
	return err
}
