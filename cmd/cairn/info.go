package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/spf13/cobra"
)

// facts is the result of info.
type facts struct {
	Path       string            `json:"path"`
	Format     string            `json:"format"`
	Version    int               `json:"version"` // of the format; 0 for none
	Origin     string            `json:"origin,omitempty"`
	Bytes      int64             `json:"bytes"`
	Commit     *version          `json:"commit,omitempty"` // of a world of the store
	Lease      *leaseFacts       `json:"lease,omitempty"`  // nil if nobody holds one
	Properties map[string]string `json:"properties"`
	Dimensions []dimensionFacts  `json:"dimensions"`
	Files      fileFacts         `json:"files"`
	Damaged    int               `json:"damaged"`
	Kept       int               `json:"kept_sections,omitempty"` // as tags alone
	Remarks    []string          `json:"remarks,omitempty"`
	Pages      []pageFacts       `json:"pages,omitempty"` // of a stone
}

type leaseFacts struct {
	Fence  uint64    `json:"fence"`
	Holder string    `json:"holder"`
	Until  time.Time `json:"until"`
}

type fileFacts struct {
	Count int   `json:"count"`
	Bytes int64 `json:"bytes"`
}

type dimensionFacts struct {
	Name     string         `json:"name"`
	Columns  int            `json:"columns"`
	Min      *[3]int        `json:"min,omitempty"` // in cells, of the box of all chunks with blocks or materials
	Max      *[3]int        `json:"max,omitempty"`
	Versions map[int32]int  `json:"data_versions"` // columns by data version
	Volumes  []volumeFacts  `json:"volumes"`
	Objects  map[string]int `json:"objects"`
}

type volumeFacts struct {
	Name   string `json:"name"`
	Schema string `json:"schema"`
	Cells  int    `json:"cells"` // that are not empty
	Names  int    `json:"names"`
	Chunks int    `json:"chunks"`
}

type pageFacts struct {
	Holds string `json:"holds"`
	Name  string `json:"name"`
	Form  string `json:"form"`
	Pages int    `json:"pages"`
	Bytes int    `json:"bytes"`
}

func newInfo(sf *storeFlag) *cobra.Command {
	return printing(&cobra.Command{
		Use:     "info SRC|WORLD",
		Short:   "Shows what a world contains",
		Long:    "info reads a world and shows what it contains: dimensions, versions, counts, sizes.",
		Example: "  cairn info ./saves/hub",
		Args:    takes(1, 1),
	}, func(ctx context.Context, args []string) (result, error) {
		var f *facts
		err := withContent(ctx, sf, args[0], true, func(src *source, c stone.Content) (err error) {
			if f, err = factsOf(ctx, src, c); err == nil && src.commit != nil {
				err = f.addLease(ctx, sf)
			}
			return err
		})
		return f, err
	})
}

// addLease adds who holds the lease of the world.
func (f *facts) addLease(ctx context.Context, sf *storeFlag) error {
	a, err := parseAddress(f.Path)
	if err != nil {
		return err
	}
	st, err := sf.open(ctx)
	if err != nil {
		return err
	}
	l, err := st.Leased(ctx, a.name)
	if err == nil && l != (history.Lease{}) {
		f.Lease = &leaseFacts{l.Fence, l.Holder, l.Until}
	}
	return err
}

func factsOf(ctx context.Context, src *source, c stone.Content) (*facts, error) {
	about := c.About()
	head := convert.HeadOf(about.Properties)
	f := &facts{Path: src.path, Format: head.Format, Version: head.Version, Bytes: src.bytes, Commit: src.commit, Properties: head.Properties}
	if src.Content() != nil {
		f.Format, f.Version, f.Origin = "cairn", 1, port.FormatName(head)
	}
	if src.Stone != nil {
		pages, err := pagesOf(src)
		if err != nil {
			return nil, err
		}
		f.Pages = pages
	}
	if src.bytes == 0 {
		bytes, err := port.FolderSize(src.path)
		if err != nil {
			return nil, err
		}
		f.Bytes = bytes
	}
	f.Dimensions = make([]dimensionFacts, 0, len(about.Dimensions))
	for _, d := range about.Dimensions {
		t, err := tallyOf(ctx, c, d)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", src.path, err)
		}
		f.Dimensions = append(f.Dimensions, dimensionOf(c, d, t))
		f.Damaged += t.Damaged
		f.Kept += t.Kept
	}
	f.Remarks = src.notes(c)
	for _, file := range about.Files {
		f.Files.Count++
		f.Files.Bytes += file.Size
	}
	return f, nil
}

func dimensionOf(c stone.Content, d stone.DimensionInfo, t *stone.Tally) dimensionFacts {
	f := dimensionFacts{Name: d.Name, Versions: t.Versions, Objects: t.Objects, Volumes: []volumeFacts{}}
	for _, n := range t.Versions {
		f.Columns += n
	}
	for _, v := range d.Volumes {
		chunks, box := 0, geom.Box{}
		for pos, holds := range c.Entries(d.Name, v.Volume.Name, 0) {
			if holds {
				chunks++
				box = box.Union(pos.Box())
			}
		}
		f.Volumes = append(f.Volumes, volumeFacts{v.Volume.Name, v.Schema.String(), t.Cells[v.Volume.Name], len(v.Names), chunks})
		if inspect.IsMatter(v.Volume.Name) && chunks > 0 {
			f.Min, f.Max = &[3]int{box.Min.X, box.Min.Y, box.Min.Z}, &[3]int{box.Max.X, box.Max.Y, box.Max.Z}
		}
	}
	return f
}

// pagesOf sums the pages of a stone by content and form.
func pagesOf(src *source) ([]pageFacts, error) {
	pages, err := src.Stone.Forms()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", src.path, err)
	}
	sums := map[[3]string]*pageFacts{}
	for _, p := range pages {
		key := [3]string{p.Holds, p.Name, p.FormName}
		if p.Holds == "file" {
			key[1] = ""
		}
		s := sums[key]
		if s == nil {
			s = &pageFacts{Holds: key[0], Name: key[1], Form: key[2]}
			sums[key] = s
		}
		s.Pages++
		s.Bytes += p.Size
	}
	out := make([]pageFacts, 0, len(sums))
	for _, s := range sums {
		out = append(out, *s)
	}
	slices.SortFunc(out, func(a, b pageFacts) int {
		return cmp.Or(b.Bytes-a.Bytes, cmp.Compare(a.Holds, b.Holds), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Form, b.Form))
	})
	return out, nil
}

func (f *facts) print(out io.Writer) {
	t := console.NewColumns(out)
	name := f.Format
	if f.Version != 0 {
		name += fmt.Sprintf(" v%d", f.Version)
	}
	if f.Origin != "" {
		name += ", read from " + f.Origin
	}
	t.Row("path", f.Path)
	t.Row("format", name)
	t.Row("size", table.Size(f.Bytes))
	if f.Commit != nil {
		by := []string{f.Commit.String(), f.Commit.stamp(), console.Line(f.Commit.Author)}
		t.Row("version", strings.TrimSuffix(strings.Join(by, ", "), ", "))
	}
	if l := f.Lease; l != nil {
		t.Row("lease", fmt.Sprintf("%d until %s, held by %q", l.Fence, stamp(l.Until), l.Holder))
	}
	for _, k := range slices.Sorted(maps.Keys(f.Properties)) {
		t.Row(console.Line(k), console.Line(f.Properties[k]))
	}
	t.Row("files", fmt.Sprintf("%s, %s", console.Count(f.Files.Count), table.Size(f.Files.Bytes)))
	if f.Damaged > 0 {
		t.Row("damaged", console.Counted(f.Damaged, "chunk"))
	}
	if f.Kept > 0 {
		t.Row("kept as tags", console.Counted(f.Kept, "section")+", which cairn does not understand")
	}
	for _, r := range f.Remarks {
		t.Row("remark", console.Line(r))
	}
	for _, d := range f.Dimensions {
		d.print(t)
	}
	if len(f.Pages) > 0 {
		t.Row("")
		t.Row("pages of the stone")
		for _, p := range f.Pages {
			t.Row("  "+strings.TrimSpace(p.Holds+" "+p.Name), table.Size(int64(p.Bytes)), console.Counted(p.Pages, "page"), p.Form)
		}
	}
	t.Flush()
}

func (d *dimensionFacts) print(t console.Columns) {
	t.Row("")
	t.Row(console.Line(d.Name))
	if d.Columns > 0 {
		t.Row("  columns", console.Count(d.Columns))
		t.Row("  data version", versions(d.Versions))
	}
	if d.Min != nil {
		t.Row("  from, to", fmt.Sprint(*d.Min), fmt.Sprint(*d.Max))
	}
	for _, v := range d.Volumes {
		cells := console.Count(v.Cells) + " cells"
		if v.Names > 0 {
			cells += ", " + console.Counted(v.Names, "name")
		}
		t.Row("  "+v.Name, cells, console.Counted(v.Chunks, "chunk"))
	}
	for _, l := range slices.Sorted(maps.Keys(d.Objects)) {
		t.Row("  "+l, console.Count(d.Objects[l]))
	}
}

// versions lists data versions. If there are several, it adds the number of columns of
// each.
func versions(columns map[int32]int) string {
	var out []string
	for _, v := range slices.Sorted(maps.Keys(columns)) {
		text := fmt.Sprint(v)
		if v == 0 {
			text = "none"
		}
		if len(columns) > 1 {
			text += fmt.Sprintf(" (%s)", console.Count(columns[v]))
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}
