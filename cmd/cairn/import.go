package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/stone/whole"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
	"github.com/spf13/cobra"
)

type importOptions struct {
	slim, salvage, live, quick, force, reread, dryRun bool
	light, time, dated                                string
	note
}

// imported is the result of import and gen.
type imported struct {
	Source  string `json:"source"`
	Format  string `json:"format"`
	World   string `json:"world"`
	ID      string `json:"id"`
	Bytes   int64  `json:"bytes"`
	Columns int    `json:"columns"`
	// Unchanged columns were not read. Then Cells and Objects are those of the others, and ID and Bytes
	// are those of what was added.
	Unchanged int            `json:"unchanged_columns,omitempty"`
	Cells     int            `json:"cells"`
	Objects   int            `json:"objects"`
	Files     int            `json:"files"`
	Lost      map[string]int `json:"lost"`
	Damaged   []string       `json:"damaged"`
	Torn      []string       `json:"torn,omitempty"`          // left out, or taken from the version before
	Kept      int            `json:"kept_sections,omitempty"` // as tags alone
	Remarks   []string       `json:"remarks,omitempty"`
	commitResult

	slim    bool
	written bool // it was read, so that an error is the store's or a port.SourceError
	options stone.Options
	head    history.ID // of the world after it; zero of a file
}

func newImport(sf *storeFlag) *cobra.Command {
	var o importOptions
	c := printing(&cobra.Command{
		Use:   "import SRC WORLD",
		Short: "Puts a whole world into one file, or into the store",
		Long: `import reads a world in any known format and writes it as one file, or puts it into the
store as @name. If the store has a world of that name, the differences become its next
version. The world may lie in a folder of SRC beside other files, which are left out. Of a
server's root it is the world that server.properties names, with its nether and end.

import keeps everything unless --slim or --light drop is set. It lists by name what it
drops or cannot keep. If a chunk is damaged, it names the chunk and writes nothing;
--salvage keeps such chunks as they are stored.

Of a game's folder that it imported before as @name it reads what the headers of the region
files say has changed, if @name was not changed since. It remembers them in the user's
cache; where it does not, it reads everything.

--live reads a folder that a game is writing. A chunk that the game changes meanwhile is read
again. One that stays torn is named, and is taken from the version before. cairn watch does
it again and again.

--time gives the version the time of an old state. No version is of a time before that of
the version it follows. A server takes it from admins only.

--dated makes a history of old backups: each file or folder in SRC that matches the pattern
becomes a version, oldest first. Its time is in its name, such as 2019-03-04, 20190304-1000
or 2019-03-04_10-00-00 (UTC), or is the LastPlayed of its level.dat. Two of one time are
refused. What is not newer than the newest version is skipped, so the same command adds
later what is new. One that cannot be read is named, and cannot become a version after the
others. Collections drop old versions: cairn gc --keep all and cairn serve --versions all
keep them.

A WORLD @prefix/ takes all worlds of a place, each under its name: those that changed since
the last such import. Each is compared with its source afterwards. One that cannot be read
is named, and the others are imported.
` + placeHelp + `
docs/DOORS.md says more.`,
		Example: "  cairn import ./saves/hub hub.cairn\n  cairn import ./saves/hub @hub\n  cairn import redis://127.0.0.1/0 @islands/\n  cairn import ./slime_worlds @islands/\n  cairn import --dated 'hub-*.zip' ./backups @hub\n  cairn import --slim --light drop ./saves/hub hub.cairn",
		Args:    takes(2, 2),
	}, func(ctx context.Context, args []string) (result, error) {
		switch {
		case isPrefix(args[1]):
			return importPlace(ctx, sf, args[0], args[1], o)
		case o.dated != "":
			return importDated(ctx, sf, args[0], args[1], o)
		case o.dryRun:
			return nil, usagef("--dry-run: only with --dated and for @prefix/")
		}
		return importWorld(ctx, sf, args[0], args[1], o)
	})
	f := c.Flags()
	f.StringVar(&o.dated, "dated", "", "a pattern such as '*.zip': SRC is a folder of dated worlds, and each becomes a version with its time")
	f.BoolVar(&o.dryRun, "dry-run", false, "import nothing, and list what --dated finds with its times, or what would come to @prefix/")
	f.BoolVar(&o.slim, "slim", false, "keep only what a Slime file of that version can hold")
	f.StringVar(&o.light, "light", "keep", "keep or drop sky and block light")
	f.BoolVar(&o.salvage, "salvage", false, "keep damaged chunks as they are stored")
	f.BoolVar(&o.live, "live", false, "the game may be writing SRC: read again what it changes meanwhile")
	f.IntVar(&sf.shown, "palette", 0, "of a structure with several palettes the number of the one to show, from 0; all are kept")
	f.BoolVar(&o.quick, "quick", false, "try fewer forms: twice as fast, and up to twice as large")
	f.BoolVar(&o.force, "force", false, "replace WORLD")
	f.BoolVar(&o.reread, "reread", false, "read also the chunks whose headers say that they are as they were")
	f.StringVar(&o.time, "time", "", "the time of the version, such as 2019-03-04T10:00 (UTC), not before the last one's; without it now")
	o.note.flags(f)
	return c
}

func importWorld(ctx context.Context, sf *storeFlag, from, to string, o importOptions) (*imported, error) {
	if o.light != "keep" && o.light != "drop" {
		return nil, usagef("--light %s: keep or drop", o.light)
	}
	if err := o.check(sf, from, to); err != nil {
		return nil, err
	}
	if sf.live = o.live; o.live && (o.salvage || o.slim || o.light != "keep" || !isAddress(to)) {
		return nil, usagef("--live: for a version of @name with everything in it, without --salvage, --slim and --light")
	}
	done, err := o.read(ctx, sf, from, to)
	if errors.Is(err, port.ErrStale) {
		o.reread = true
		done, err = o.read(ctx, sf, from, to)
	}
	if err == nil && o.time != "" {
		done.Remarks = append(done.Remarks, sf.leaving(ctx, strings.TrimPrefix(to, "@"))...)
	}
	return done, err
}

// read reads the world at from and puts it where to says. If port.ErrStale comes, it is to be
// read again without what is remembered of it.
func (o *importOptions) read(ctx context.Context, sf *storeFlag, from, to string) (*imported, error) {
	src, err := openSource(ctx, sf, from, o.salvage)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	done := &imported{Source: from, Format: src.Format(), World: to, Lost: map[string]int{}, slim: o.slim}
	if o.quick {
		done.options.Effort = stone.Good
	}
	through := o.filter(done.Lost)
	var seen seenFile
	if name, err := parseName(to); isAddress(to) && err == nil && through == nil {
		known := port.Seen{}
		if seen = sf.seenOf(name); !o.reread {
			known = seen.read()
		}
		known.Now = time.Now()
		src.Since(known)
	}
	w, err := src.parts(ctx, through)
	if err != nil {
		return nil, err
	}
	remarks := src.Remarks()
	maps.Copy(done.Lost, remarks.Lost)
	done.Damaged, done.Torn, done.Remarks = remarks.Damaged, remarks.Torn, src.notes(w)
	if err = done.count(ctx, w); err == nil {
		done.written = true
		err = done.put(ctx, sf, src, w, o.note)
	}
	done.Unchanged, _ = src.Unchanged()
	done.Columns += done.Unchanged
	if h := src.Headers(); err == nil && seen != "" && h != nil {
		if err := seen.write(port.Seen{Head: done.head, Headers: h}); err != nil {
			done.Remarks = append(done.Remarks, fmt.Sprintf("the next import reads everything: %v", err))
		}
	}
	return done, err
}

// tornTitle is above the list of what was torn.
const tornTitle = "torn, taken from the version before if that has it:"

func (o *importOptions) check(sf *storeFlag, from, to string) error {
	if err := errors.Join(checkWorldPath(to), o.note.check()); err != nil {
		return err
	}
	if o.time != "" {
		at, err := inspect.ParseTime(o.time)
		if o.note.time = at; err != nil || at.UnixMilli() <= 0 || !isAddress(to) {
			return usagef("--time %s: want a time in UTC such as 2019-03-04T10:00, for a version of @name", o.time)
		}
	}
	if !isAddress(to) {
		sf.temp = filepath.Dir(to)
		return checkOutput(to, from, o.force)
	}
	sf.writes = true
	if o.message == "" {
		o.message = "import " + filepath.Base(from)
	}
	return sf.outside(from)
}

// put writes w, which came from src, to its file, or makes it the newest version of a world in
// the store.
func (r *imported) put(ctx context.Context, sf *storeFlag, src *source, w stone.Content, n note) (err error) {
	o := sf.whole(r.options)
	if !isAddress(r.World) {
		o.Far = !r.slim // a slim stone is for a game that loads all of it
		r.ID, r.Bytes, err = writeWorld(ctx, w, r.World, o)
		return err
	}
	name, err := parseName(r.World)
	if err != nil {
		return err
	}
	done, err := src.Import(ctx, sf.openOrCreate, name, w, port.ImportOptions{Write: o, Note: port.Note{Author: n.author, Time: n.time, Message: n.message, Cache: sf.memory.cache()}})
	if wrong := (*port.SourceError)(nil); errors.As(err, &wrong) {
		err = fmt.Errorf("%s: %w", src.path, err)
	}
	if err == nil {
		r.ID, r.Bytes = done.Stone.ID.String(), done.Stone.Size
		r.Commit, r.Same, r.head = versionOf(done.Commit), done.Same, done.Commit.ID()
	}
	return err
}

// count counts the columns, objects and files of a world, and the cells of blocks and materials
// that are not empty.
func (r *imported) count(ctx context.Context, c stone.Content) error {
	about := c.About()
	for _, dim := range about.Dimensions {
		dim.Volumes = slices.DeleteFunc(slices.Clone(dim.Volumes), func(v stone.VolumeInfo) bool { return !inspect.IsMatter(v.Volume.Name) })
		t, err := tallyOf(ctx, c, dim)
		if err != nil {
			return err
		}
		for _, n := range t.Versions {
			r.Columns += n
		}
		r.Kept += t.Kept
		for volume, n := range t.Cells {
			if inspect.IsMatter(volume) {
				r.Cells += n
			}
		}
		for _, n := range t.Objects {
			r.Objects += n
		}
	}
	r.Files = len(about.Files)
	return nil
}

// tallyOf counts the content of a dimension. It uses the counts in a directory where there
// are any.
func tallyOf(ctx context.Context, c stone.Content, d stone.DimensionInfo) (*stone.Tally, error) {
	switch c := c.(type) {
	case *world.Snapshot:
		return c.Tally(ctx, d.Name)
	case interface{ Tally(dim string) *stone.Tally }: // a stone, or a world that was counted while it was loaded
		if t := c.Tally(d.Name); t != nil {
			return t, nil
		}
	}
	return whole.Tally(ctx, c, d)
}

// filter returns a filter for --slim and --light drop, or nil if neither is set.
func (o importOptions) filter(lost map[string]int) port.Through {
	if !o.slim && o.light == "keep" {
		return nil
	}
	return func(to format.Sink) format.Sink {
		f := &convert.Filter{Sink: to, NoLight: o.light == "drop"}
		if o.slim { // this filter drops the tags that dropLight sets
			return port.Slim(f, lost)
		}
		if f.NoLight {
			f.Hold = func(*format.Dimension) func(*format.Column) bool { return dropLight }
		}
		return f
	}
}

func dropLight(c *format.Column) bool {
	anvil.DropLight(c)
	return true
}

// writeWorld writes w as a stone file.
func writeWorld(ctx context.Context, w stone.Content, path string, o whole.Options) (id string, n int64, err error) {
	n, err = writeFile(path, func(out io.Writer) error {
		name, _, err := whole.Write(ctx, out, w, o)
		id = name.String()
		return errors.Join(err, ctx.Err())
	})
	return id, n, err
}

func (r *imported) print(out io.Writer) {
	fmt.Fprintf(out, "%s -> %s\n", r.Source, r.World)
	t := console.NewColumns(out)
	t.Row("  format", r.Format)
	t.Row("  columns", console.Count(r.Columns))
	if r.Unchanged > 0 {
		t.Row("  not read", console.Counted(r.Unchanged, "unchanged column"))
	}
	t.Row("  cells", console.Count(r.Cells))
	t.Row("  objects", console.Count(r.Objects))
	t.Row("  files", console.Count(r.Files))
	t.Row("  size", table.Size(r.Bytes))
	t.Row("  stone", r.ID)
	r.commitResult.print(t)
	t.Flush()
	r.printRemarks(out, "")
}

// printRemarks prints what is odd in the source or was lost of it. of begins each title.
func (r *imported) printRemarks(out io.Writer, of string) {
	if r.Kept > 0 {
		fmt.Fprintf(out, "%skept as tags, which cairn does not understand: %s; cairn check names them\n", of, console.Counted(r.Kept, "section"))
	}
	console.PrintList(out, of+"remarks:", r.Remarks)
	console.PrintCounts(out, of+"not kept:", r.Lost)
	what := "damaged, kept as stored:"
	if r.slim {
		what = "damaged, left out by --slim:"
	}
	console.PrintList(out, of+what, r.Damaged)
	console.PrintList(out, of+tornTitle, r.Torn)
}
