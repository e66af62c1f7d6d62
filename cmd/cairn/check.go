package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/stone/whole"
	"github.com/cairnvoxel/cairn/internal/store/backup"
	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/spf13/cobra"
)

// checked is the result of checking one path.
type checked struct {
	Path     string   `json:"path"`
	Format   string   `json:"format"`
	OK       bool     `json:"ok"`
	Columns  int      `json:"columns"`
	Cells    int      `json:"cells"`
	Objects  int      `json:"objects"`
	Files    int      `json:"files"`
	Problems []string `json:"problems"`
	Remarks  []string `json:"remarks,omitempty"` // that are no problems

	Store  *record.Report `json:"store,omitempty"`
	Mended int            `json:"mended,omitempty"` // stones
}

// mending says which backups mend a store.
type mending struct {
	from, identity string
	checkpoint     bool // write one of a cluster's catalogue
}

// maxProblems is the most problems that are listed for one world.
const maxProblems = 1000

func newCheck(sf *storeFlag) *cobra.Command {
	var json bool
	var m mending
	c := &cobra.Command{
		Use:   "check SRC|WORLD|STORE...",
		Short: "Reads and verifies everything in worlds, or in a store",
		Long: `check reads and verifies everything in each world: checksums, chunks, names, sections,
objects, tags, files. In a store, local:DIR or a cluster, it verifies every world,
version and stone. Without arguments it checks the store that --store or CAIRN_STORE names. The
exit status is 1 if anything is damaged. check names each fault, and in a store each
world that it damages. cairn salvage saves what can be read. With --mend it puts stones
that a cluster's bucket has lost back from a backup.`,
		Example: "  cairn check hub.cairn ./saves/*\n  cairn check local:cairn-data",
		Args: func(c *cobra.Command, args []string) error {
			if sf.isSet() {
				return nil
			}
			return takes(1, 1<<30)(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{sf.location()}
			}
			return runCheck(c.Context(), sf, c.OutOrStdout(), args, m, json)
		},
	}
	jsonFlag(c.Flags(), &json)
	c.Flags().StringVar(&m.from, "mend", "", "the folder of backups, or the bucket s3://NAME/PREFIX, to mend a cluster from")
	c.Flags().StringVar(&m.identity, "identity", "", identityHelp)
	c.Flags().BoolVar(&m.checkpoint, "checkpoint", false, "write a checkpoint of a cluster's catalogue in a bucket, if nothing is damaged")
	return c
}

func runCheck(ctx context.Context, sf *storeFlag, out io.Writer, paths []string, m mending, json bool) error {
	var all []*checked
	var failed error // one could not be read; the others are still checked
	for _, path := range paths {
		c, err := checkPath(ctx, sf, path, m)
		if err != nil {
			if ctx.Err() != nil || len(paths) == 1 {
				return err
			}
			failed = err
			c.problem("%v", err)
		}
		if all = append(all, c); !json {
			c.print(out)
		}
	}
	if json {
		if err := console.PrintJSON(out, map[string]any{"checked": all}); err != nil {
			return err
		}
	}
	if failed != nil {
		return fmt.Errorf("some could not be checked: %w", failed)
	}
	for _, c := range all {
		if !c.OK {
			return errWrong
		}
	}
	return nil
}

// checkPath checks one world or store. It returns an error if it could not check it.
func checkPath(ctx context.Context, sf *storeFlag, path string, m mending) (*checked, error) {
	c := &checked{Path: path, OK: true, Problems: []string{}}
	if isStore(path) {
		return c, c.store(ctx, sf, m)
	}
	src, err := openSource(ctx, sf, path, false)
	if err == nil {
		defer src.Close()
		c.Format = src.Format()
		err = c.check(ctx, src)
	}
	if isWrong(err) {
		c.problem("%v", err)
		err = nil
	}
	return c, err
}

// store checks a whole store.
func (c *checked) store(ctx context.Context, sf *storeFlag, m mending) error {
	c.Format = "store"
	if c.Path != sf.location() {
		sf = &storeFlag{url: c.Path, memory: sf.memory, cache: sf.cache}
		defer sf.close()
	}
	sf.damage = m.from == "" && !m.checkpoint
	sf.writes = m.from != ""
	any, err := sf.open(ctx)
	if err != nil {
		return err
	}
	st, ok := any.(interface {
		Check(context.Context, func(done, total int64)) (record.Report, error)
	})
	if !ok {
		return usagef("%s: check needs the store itself, %sDIR or a cluster, not a server", sf.location(), localScheme)
	}
	p := console.NewProgress()
	defer p.Done()
	check := func() (record.Report, error) {
		return st.Check(ctx, func(done, total int64) { p.Show("read " + table.Size(done) + " of " + table.Size(total)) })
	}
	r, err := check()
	if err == nil && m.from != "" {
		if c.Mended, err = m.mend(ctx, any, r.Lost); err == nil && c.Mended > 0 {
			r, err = check()
		}
	}
	c.Store = &r
	for _, h := range r.Hurt {
		c.problem("%v", h)
	}
	for _, f := range r.Faults {
		c.problem("%s", f)
	}
	if err == nil && m.checkpoint && c.OK {
		to, ok := any.(interface{ Checkpoint(context.Context) error })
		if !ok {
			return usagef("--checkpoint is for clusters")
		}
		err = to.Checkpoint(ctx)
	}
	return err
}

// mend puts the stones that a store has lost back, and returns how many.
func (m mending) mend(ctx context.Context, st history.Store, lost []history.StoneRef) (n int, err error) {
	to, ok := st.(interface {
		Mend(context.Context, history.Stone) error
	})
	if !ok {
		return 0, usagef("--mend is for clusters; cairn restore-store restores other stores")
	}
	ids := make([]stone.ID, len(lost))
	for i, ref := range lost {
		ids[i] = ref.ID
	}
	err = withBackups(ctx, m.from, m.identity, func(all *backup.Backups) error {
		_, err := all.Stones(ctx, ids, func(s history.Stone) error {
			n++
			return to.Mend(ctx, s)
		})
		return err
	})
	return n, err
}

func (c *checked) problem(format string, args ...any) {
	c.OK = false
	if len(c.Problems) < maxProblems {
		c.Problems = append(c.Problems, fmt.Sprintf(format, args...))
	}
}

// remark adds a remark, which is no problem.
func (c *checked) remark(format string, args ...any) {
	if len(c.Remarks) < maxProblems {
		c.Remarks = append(c.Remarks, fmt.Sprintf(format, args...))
	}
}

func (c *checked) check(ctx context.Context, src *source) error {
	if src.Stone != nil {
		if err := src.Stone.Check(ctx); err != nil {
			return err
		}
	}
	w, err := src.parts(ctx, nil)
	var damage *format.DamageError
	if errors.As(err, &damage) {
		for _, d := range damage.Columns {
			c.problem("%s chunk %v: %v", d.File, d.Pos, d.Err)
		}
	} else if err != nil {
		return err
	}
	remarks := src.Remarks()
	for _, name := range slices.Sorted(maps.Keys(remarks.Lost)) {
		c.remark("not read: %d %s", remarks.Lost[name], name)
	}
	for _, note := range remarks.Notes {
		c.remark("%s", note)
	}
	if remark, damaged := port.LevelRemark(w); damaged {
		c.problem("%s", remark)
	} else if remark != "" {
		c.remark("%s", remark)
	}
	return c.world(ctx, w)
}

// world checks the content of a world and counts it.
func (c *checked) world(ctx context.Context, w stone.Content) error {
	about := w.About()
	for _, d := range about.Dimensions {
		for _, v := range d.Volumes {
			c.names(d.Name, v)
			if err := c.volume(ctx, w, d.Name, v); err != nil {
				return err
			}
		}
		for column, err := range w.ReadColumns(ctx, d.Name) {
			if err = cmp.Or(err, ctx.Err()); err != nil {
				return err
			}
			c.column(d.Name, column)
		}
	}
	c.Files = len(about.Files)
	for _, f := range about.Files {
		if err := c.file(w, f); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// names checks that names are unique and not empty.
func (c *checked) names(dim string, v stone.VolumeInfo) {
	seen := map[string]bool{}
	for i, name := range v.Names {
		if name == "" || seen[name] {
			c.problem("%s: %s: name %d, %q, is empty or occurs twice", dim, v.Volume.Name, i, name)
		}
		seen[name] = true
	}
}

// volume checks that the schema has every cell, and counts cells. A stone that is checked has no
// others, and counts them itself.
func (c *checked) volume(ctx context.Context, w stone.Content, dim string, v stone.VolumeInfo) error {
	if s, ok := w.(*stone.Reader); ok && s.Tally(dim) != nil {
		if inspect.IsMatter(v.Volume.Name) {
			c.Cells += s.Tally(dim).Cells[v.Volume.Name]
		}
		return nil
	}
	var counts [int(voxel.MaxCell) + 1]int
	for p, err := range whole.Chunks(ctx, w, dim, v.Volume.Name, 0) {
		if err != nil {
			return err
		}
		if inspect.IsMatter(v.Volume.Name) {
			c.Cells += p.Chunk.CountNonEmpty()
		}
		clear(counts[:])
		p.Chunk.AddCounts(counts[:])
		for cell, n := range counts {
			if n > 0 && !v.Schema.Valid(voxel.Cell(cell), len(v.Names)) {
				c.problem("%s: %s: chunk %v: %s of value %d, which the volume does not have", dim, v.Volume.Name, p.Pos, console.Counted(n, "cell"), cell)
			}
		}
	}
	return nil
}

func (c *checked) column(dim string, col *voxel.Column) {
	c.Columns++
	at := fmt.Sprintf("%s: column %v", dim, col.Pos)
	if kept := keptNames(col.Whole); kept != "" {
		c.remark("%s: all %s are kept as tags, which cairn does not understand", at, kept)
	}
	heights := map[int8]bool{}
	for _, s := range col.Sections {
		if kept := keptNames(s.Has); kept != "" {
			c.remark("%s: section %d: its %s are kept as tags, which cairn does not understand", at, s.Y, kept)
		}
		if heights[s.Y] {
			c.problem("%s: section %d occurs twice", at, s.Y)
		}
		heights[s.Y] = true
		if s.Tags != nil {
			c.tags(fmt.Sprintf("%s: section %d", at, s.Y), nbt.NewPayload(s.Tags, nbt.Limits{}))
		}
	}
	for _, l := range col.Lists {
		c.Objects += len(l.Objects)
		for i, o := range l.Objects {
			c.object(fmt.Sprintf("%s: %s %d", at, l.Name, i), o)
		}
	}
	for _, p := range col.Parts {
		if p.Damaged {
			c.problem("%s: part %q is damaged: %s as they were stored", at, p.Name, table.Size(int64(len(p.Data))))
		} else if len(p.Data) > 0 {
			c.document(fmt.Sprintf("%s: part %q", at, p.Name), p.Data)
		}
	}
}

// keptNames names the arrays of a set that are kept as tags alone.
func keptNames(has voxel.Has) string {
	switch has & (voxel.KeptBlock | voxel.KeptBiome) {
	case voxel.KeptBlock:
		return "blocks"
	case voxel.KeptBiome:
		return "biomes"
	case 0:
		return ""
	}
	return "blocks and biomes"
}

func (c *checked) object(at string, o voxel.Object) {
	c.tags(at, nbt.NewPayload(o.Payload, nbt.Limits{}))
	if o.Place == voxel.Nowhere {
		if o.At != (geom.Point{}) {
			c.problem("%s: has a position although it is marked as having none", at)
		}
	} else if err := o.At.Check(); err != nil {
		c.problem("%s: %v", at, err)
	}
}

func (c *checked) document(at string, doc []byte) {
	r := nbt.NewReader(doc, nbt.Limits{})
	if t, _ := r.Root(); t != nbt.Compound {
		c.problem("%s: the root is a %v, not a compound", at, t)
		return
	}
	c.tags(at, r)
}

// tags checks that the rest of r is the payload of one compound.
func (c *checked) tags(at string, r nbt.Reader) {
	r.Skip(nbt.Compound)
	if err := r.Err(); err != nil {
		c.problem("%s: %v", at, err)
	} else if r.Rest() > 0 {
		c.problem("%s: %s follow the tags", at, table.Size(int64(r.Rest())))
	}
}

// file reads a file to its end.
func (c *checked) file(w stone.Content, f stone.File) error {
	r, err := w.OpenFile(f.Path)
	if err != nil {
		return fmt.Errorf("file %q: %w", f.Path, err)
	}
	defer r.Close()
	n, err := io.Copy(io.Discard, r)
	if err != nil {
		c.problem("file %q: %v", f.Path, err)
	} else if n != f.Size {
		c.problem("file %q: has %d bytes, want %d", f.Path, n, f.Size)
	}
	return nil
}

func (c *checked) print(out io.Writer) {
	if c.Mended > 0 {
		fmt.Fprintf(out, "%s: %s put back\n", c.Path, console.Counted(c.Mended, "stone"))
	}
	if c.OK && c.Store != nil {
		fmt.Fprintf(out, "%s: ok (%s, %s, %s of %s)\n", c.Path, console.Counted(c.Store.Worlds, "world"), console.Counted(c.Store.Commits, "version"),
			console.Counted(c.Store.Stones, "stone"), table.Size(c.Store.Bytes))
		return
	}
	if c.OK {
		fmt.Fprintf(out, "%s: ok (%s; %s, %s, %s, %s)\n", c.Path, c.Format, console.Counted(c.Columns, "column"), console.Counted(c.Cells, "cell"),
			console.Counted(c.Objects, "object"), console.Counted(c.Files, "file"))
	} else {
		fmt.Fprintf(out, "%s: %s\n", c.Path, console.Counted(len(c.Problems), "problem"))
	}
	for _, p := range c.Problems {
		fmt.Fprintln(out, "  "+console.Line(p))
	}
	for _, r := range c.Remarks {
		fmt.Fprintln(out, "  "+console.Line(r))
	}
}
