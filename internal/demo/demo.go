// Package demo tells a story with the commands of cairn: it makes worlds up, imports,
// checks, weighs, exports, compares and draws them, and edits one of them in a store. It
// runs each command through a function that its caller gives.
package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/render/picture"
)

// markFile is the file in a folder that says that a demo made the folder.
const markFile = ".cairn-demo"

// StoreDir is the folder of the demo's store, in the folder of the demo.
const StoreDir = "store"

// Options say where a demo works and how it runs commands.
type Options struct {
	Dir   string
	Out   io.Writer
	Store string // the URL of the store in StoreDir
	// Command runs a command of cairn with the store, and prints to out.
	Command func(ctx context.Context, out io.Writer, args ...string) error
	// Differs reports whether an error of the command diff says that worlds differ.
	Differs func(error) bool
	// Close closes the store. Run calls it once.
	Close func() error
}

// Run tells the story. If a step fails, it removes what it made.
func Run(ctx context.Context, o Options) error {
	d := &demo{Context: ctx, Options: o}
	if err := d.begin(); err != nil {
		return err
	}
	steps := []func() error{d.make, d.importAll, d.checkAll, d.weigh, d.export, d.terrain, d.history, d.sheet, d.end}
	for _, step := range steps {
		if err := errors.Join(step(), d.Err()); err != nil {
			return errors.Join(err, d.Close(), d.clear())
		}
	}
	return d.Close()
}

// demo is a story that is being told.
type demo struct {
	context.Context
	Options
	cards []picture.Card
}

// blockWorlds are made in this order, each as a folder.
var blockWorlds = [...]struct{ kind, what string }{
	{"survival", "a wild land of several biomes, with cliffs, canyons and caves"},
	{"island", "one player's floating island, with chests and animals"},
	{"arena", "a walled arena, its four quarters mirrored"},
	{"plots", "plots with many copies of a few buildings"},
}

func (d *demo) path(parts ...string) string {
	return filepath.Join(append([]string{d.Dir}, parts...)...)
}

func (d *demo) say(format string, args ...any) { fmt.Fprintf(d.Out, format+"\n", args...) }

// result is what commands print as JSON, as far as the story needs it.
type result struct {
	Cells   int            `json:"cells"`
	Objects int            `json:"objects"`
	Bytes   int64          `json:"bytes"`
	Lost    map[string]int `json:"lost"`
}

// result runs a command that prints one JSON document.
func (d *demo) result(args ...string) (r result, err error) {
	var out bytes.Buffer
	if err := d.Command(d, &out, append(args, "--json")...); err != nil {
		return r, err
	}
	err = json.Unmarshal(out.Bytes(), &r)
	return r, err
}

// begin makes the folder. It removes what an older demo made, and refuses a folder with
// anything else in it.
func (d *demo) begin() error {
	list, err := os.ReadDir(d.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := os.Stat(d.path(markFile)); len(list) > 0 && err != nil {
		return fmt.Errorf("%s: the folder is not empty, and no demo made it", d.Dir)
	}
	if err := d.clear(); err != nil {
		return err
	}
	for _, name := range []string{"worlds", "pictures", "exported"} {
		if err := os.MkdirAll(d.path(name), 0o777); err != nil {
			return err
		}
	}
	return os.WriteFile(d.path(markFile), nil, 0o666)
}

// clear removes what a demo makes, and then its folder if that is empty.
func (d *demo) clear() error {
	names := []string{"worlds", "pictures", "exported", StoreDir, "backups", "terrain" + port.Ext, markFile}
	for _, w := range blockWorlds {
		names = append(names, w.kind+port.Ext)
	}
	for _, name := range names {
		if err := os.RemoveAll(d.path(name)); err != nil {
			return err
		}
	}
	os.Remove(d.Dir)
	return nil
}

func (d *demo) make() error {
	d.say("1. Worlds, made up, as folders that a game can open:\n")
	for _, w := range blockWorlds {
		if err := d.Command(d, io.Discard, "gen", w.kind, d.path("worlds", w.kind)); err != nil {
			return err
		}
		d.say("   %-30s %s", d.path("worlds", w.kind), w.what)
	}
	return nil
}

func (d *demo) importAll() error {
	d.say("\n2. cairn import: each becomes one file with everything in the folder.\n")
	t := console.NewColumns(d.Out)
	t.Row("   world", "blocks", "objects", "folder", "cairn")
	for _, w := range blockWorlds {
		from, to := d.path("worlds", w.kind), d.path(w.kind+port.Ext)
		made, err := d.result("import", from, to)
		if err != nil {
			return err
		}
		folder, err := port.FolderSize(from)
		if err != nil {
			return err
		}
		t.Row("   "+to, console.Count(made.Cells), console.Count(made.Objects), table.Size(folder), table.Size(made.Bytes))
		if err := d.draw(to, w.kind); err != nil {
			return err
		}
	}
	return t.Flush()
}

// draw draws a world and keeps the picture for the sheet.
func (d *demo) draw(world, name string) error {
	to := d.path("pictures", name+".png")
	if err := d.Command(d, io.Discard, "render", world, to); err != nil {
		return err
	}
	f, err := os.Open(to)
	if err != nil {
		return err
	}
	defer f.Close()
	img, err := png.Decode(f)
	d.cards = append(d.cards, picture.Card{Image: img, Caption: name})
	return err
}

func (d *demo) checkAll() error {
	d.say("\n3. cairn check: every checksum, chunk, name, object and file.\n")
	for _, w := range blockWorlds {
		fmt.Fprint(d.Out, "   ")
		if err := d.Command(d, d.Out, "check", d.path(w.kind+port.Ext)); err != nil {
			return err
		}
	}
	return nil
}

func (d *demo) weigh() error {
	d.say("\n4. cairn savings: the same worlds in other forms.\n")
	return d.Command(d, d.Out, "savings", d.path("worlds"))
}

// export exports a world and compares it with its source.
func (d *demo) export() error {
	d.say("\n5. cairn export writes a world as a folder or file again, and cairn diff compares.\n")
	from, folder, file := d.path("island"+port.Ext), d.path("exported", "island"), d.path("exported", "island.slime")
	if err := d.Command(d, io.Discard, "export", from, folder); err != nil {
		return err
	}
	slime, err := d.result("export", from, file)
	if err != nil {
		return err
	}
	d.say("   %s (%s) is the island for servers that read Slime. The format", file, table.Size(slime.Bytes))
	d.say("   does not hold %d kinds of data; cairn export lists them.", len(slime.Lost))
	var said bytes.Buffer
	err = d.Command(d, &said, "diff", d.path("worlds", "island"), folder)
	d.say("   The first folder, and %s: %s", folder, bytes.TrimSpace(said.Bytes()))
	return err
}

// terrain makes a terrain without blocks.
func (d *demo) terrain() error {
	d.say("\n6. Not only blocks: a terrain of materials and occupancies.\n")
	to := d.path("terrain" + port.Ext)
	made, err := d.result("gen", "terrain", to)
	if err != nil {
		return err
	}
	d.say("   %s: %s in %s, %.3f bytes for each", to, console.Counted(made.Cells, "voxel"), table.Size(made.Bytes), float64(made.Bytes)/float64(made.Cells))
	return d.draw(to, "terrain")
}

// sheet draws all pictures on one.
func (d *demo) sheet() error {
	f, err := os.Create(d.path("pictures", "all.png"))
	if err != nil {
		return err
	}
	var img image.Image = picture.Sheet(d.cards, 512)
	return errors.Join(png.Encode(f, img), f.Close())
}

func (d *demo) end() error {
	d.say("\n8. cairn render: the worlds from above.\n")
	list, err := fs.Glob(os.DirFS(d.Dir), "pictures/*.png")
	for _, name := range list {
		d.say("   %s", d.path(filepath.FromSlash(name)))
	}
	d.say("\nNow try your own: cairn import YOUR_WORLD_FOLDER my.cairn")
	return err
}
