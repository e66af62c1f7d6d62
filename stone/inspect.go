package stone

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/stone/pages"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// PageInfo describes a page.
type PageInfo struct {
	Number    int    `json:"page"`
	Offset    int64  `json:"offset"`
	Size      int    `json:"size"`
	Plain     int    `json:"plain"` // bytes of all streams before zstd
	Holds     string `json:"holds"` // "cells", "columns", "objects" or "file"
	Dimension string `json:"dimension,omitempty"`
	Name      string `json:"name,omitempty"` // of the volume, list or file
	Level     int    `json:"level"`
	Things    int    `json:"things"` // chunks, columns or lists in the page
	Uses      int    `json:"uses"`   // how often the directory refers to the page: equal pages are stored once
	Form      int    `json:"form"`
	FormName  string `json:"form_name"` // see Forms
	Streams   []Span `json:"streams"`
}

// Span is one stream of a page: its plain size and where it is stored.
type Span struct {
	Plain  int   `json:"plain"`
	Stored int   `json:"stored"`
	Offset int64 `json:"offset"`
}

// Pages reads and describes every page, in the order of the stone.
func (s *Reader) Pages() ([]PageInfo, error) {
	infos := s.uses()
	for i := range infos {
		if err := s.describe(i, &infos[i]); err != nil {
			return nil, err
		}
	}
	return infos, nil
}

// uses returns for each page what the directory uses it for.
func (s *Reader) uses() []PageInfo {
	infos := make([]PageInfo, len(s.dir.pages))
	for i := range s.dir.dims {
		d := &s.dir.dims[i]
		for _, v := range d.volumes {
			for _, l := range v.levels {
				named(infos, l.entries, PageInfo{Holds: "cells", Dimension: d.name, Name: v.Name, Level: l.level})
			}
		}
		named(infos, d.columns, PageInfo{Holds: "columns", Dimension: d.name})
		for _, l := range d.lists {
			named(infos, l.entries, PageInfo{Holds: "objects", Dimension: d.name, Name: l.name})
		}
	}
	for _, f := range s.dir.files {
		for _, p := range f.pages {
			uses := infos[p].Uses + 1
			infos[p] = PageInfo{Holds: "file", Name: f.path, Uses: uses}
		}
	}
	return infos
}

// Forms describes every page as Pages does, except its streams. It reads only the
// first byte of each.
func (s *Reader) Forms() ([]PageInfo, error) {
	infos := s.uses()
	for i := range infos {
		p := s.dir.pages[i]
		b, err := s.read(p.off, 1)
		if err != nil {
			return nil, fmt.Errorf("stone: page %d: %w", i, err)
		}
		infos[i].Number, infos[i].Offset, infos[i].Size = i, p.off, p.size
		infos[i].Form, infos[i].FormName = int(b[0]), formOf(infos[i].Holds, int(b[0])).Name
	}
	return infos, nil
}

// named records the pages of entries, which are all of one kind.
func named(infos []PageInfo, entries []entry, kind PageInfo) {
	for _, e := range entries {
		if !e.paged() {
			continue
		}
		p := &infos[e.page]
		if e.first == 0 {
			kind.Uses = p.Uses + 1
			*p = kind
		}
		p.Things += bits.OnesCount64(e.mask)
	}
}

func (s *Reader) describe(n int, info *PageInfo) error {
	p := s.dir.pages[n]
	info.Number, info.Offset, info.Size = n, p.off, p.size
	form, _, err := s.page(context.Background(), n)
	if err != nil {
		return fmt.Errorf("stone: page %d: %w", n, err)
	}
	info.Form = int(form)
	info.FormName = formOf(info.Holds, info.Form).Name
	info.Streams, err = s.spans(p)
	for _, span := range info.Streams {
		info.Plain += span.Plain
	}
	return err
}

// spans says where the streams of a page lie.
func (s *Reader) spans(p page) ([]Span, error) {
	b, err := s.read(p.off, p.size)
	if err != nil {
		return nil, err
	}
	streams, _, err := pages.SplitStored(b, maxPage)
	spans := make([]Span, len(streams))
	off := p.off + int64(p.size)
	for i := len(streams) - 1; i >= 0; i-- {
		off -= int64(len(streams[i].Data))
		spans[i] = Span{streams[i].Size, len(streams[i].Data), off}
	}
	return spans, err
}

// Check reads and verifies everything in the stone: every page, chunk, column,
// object and file. Of deltas and patches it verifies what can be told without the stones below. It returns the first error, or ctx.Err(). It reads all bytes,
// even if the PageCache has their pages.
func (s *Reader) Check(ctx context.Context) error {
	s = s.Through(NewCache(CacheBytes), s.id)
	for i := range s.dir.dims {
		if err := s.checkDimension(ctx, &s.dir.dims[i]); err != nil {
			return err
		}
	}
	for _, f := range s.dir.files {
		if p, err := s.filePatch(ctx, &f); err != nil {
			return fmt.Errorf("stone: file %q: %w", f.path, err)
		} else if p != nil {
			continue
		}
		if _, err := io.Copy(io.Discard, &fileReader{ctx: ctx, s: s, f: f}); err != nil {
			return err
		}
	}
	return nil
}

// CheckSums verifies the checksum of every page. Open has verified the header and
// the directory.
func (s *Reader) CheckSums(ctx context.Context) error {
	for n := range s.dir.pages {
		if _, err := s.rawPage(n); err != nil {
			return fmt.Errorf("stone: check: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

func (s *Reader) checkDimension(ctx context.Context, d *dimension) error {
	var t *Tally
	if d.tally != nil {
		t = NewTally()
	}
	left, err := uncheckedPages(ctx, d, t)
	if err != nil {
		return err
	}
	// Columns and light need the blocks around them, which are in the PageCache by then.
	readTo := func(square uint64) error {
		for ; len(left) > 0 && left[0].square <= square; left = left[1:] {
			if err := s.checkPage(ctx, &left[0], t); err != nil {
				return fmt.Errorf("stone: volume %q: %w", left[0].v.Name, err)
			}
		}
		return nil
	}
	for c, err := range s.readColumns(ctx, d, true) {
		if err != nil {
			return err
		}
		square, _ := columnKey(c.Pos)
		if err := readTo(square); err != nil {
			return err
		}
		t.Column(c, 1)
	}
	if err := readTo(math.MaxUint64); err != nil {
		return err
	}
	for _, err := range s.loose(ctx, d) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
	}
	if d.tally != nil && !t.equal(d.tally) {
		return fmt.Errorf("stone: check: %w", corruptf(s.size-int64(footerSize), "tally", "dimension %q holds %v: said to hold %v", d.name, t, d.tally))
	}
	return nil
}

// uncheckedPage is a page of chunks to check.
type uncheckedPage struct {
	square uint64 // key of the square of columns where it begins, as of columnKey; 0 for far levels
	v      *volume
	group  []entry
}

// uncheckedPages returns the pages of chunks of a dimension, all levels and volumes of a
// square together. It counts the chunks without a page.
func uncheckedPages(ctx context.Context, d *dimension, t *Tally) (out []uncheckedPage, err error) {
	for i := range d.volumes {
		v := &d.volumes[i]
		for _, l := range v.levels {
			for n := range l.entries {
				if n%looksAtOnce == 0 && ctx.Err() != nil {
					return nil, ctx.Err()
				}
				e := &l.entries[n]
				switch {
				case e.paged() && e.first == 0:
					p := uncheckedPage{v: v, group: group(l.entries, n)}
					if l.level == 0 {
						at := cubeChunk(e.key, 0)
						p.square, _ = columnKey(geom.ColumnPos{X: 2 * at.X, Z: 2 * at.Z})
					}
					out = append(out, p)
				case !e.paged() && l.level == 0:
					t.Chunk(v.Name, e.chunk(), bits.OnesCount64(e.mask))
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b uncheckedPage) int { return cmp.Compare(a.square, b.square) })
	return out, nil
}

// checkPage reads a page and counts its chunks.
func (s *Reader) checkPage(ctx context.Context, p *uncheckedPage, t *Tally) error {
	page, err := s.lit(ctx, p.v, p.group, nil)
	if err = cmp.Or(err, ctx.Err()); err != nil || !p.group[0].finest() {
		return err
	}
	for _, c := range page.chunks {
		t.Chunk(p.v.Name, c, 1)
	}
	return nil
}

// Dump writes the stone's layout, byte range by byte range.
func (s *Reader) Dump(w io.Writer) error {
	pages, err := s.Pages()
	if err != nil {
		return err
	}
	var b []byte
	line := func(off int64, n int, format string, args ...any) {
		b = fmt.Appendf(b, "%10d %8d  ", off, n)
		b = fmt.Appendf(b, format, args...)
		b = append(b, '\n')
	}
	line(0, headerSize, "header: magic, format version %d", FormatVersion)
	for _, p := range pages {
		line(p.Offset, p.Size, "page %d: %s, form %d, %d things, named %d times, xxh3 %08x",
			p.Number, p.of(), p.Form, p.Things, p.Uses, s.dir.pages[p.Number].hash)
		form := formOf(p.Holds, p.Form)
		for i, sp := range p.Streams {
			line(sp.Offset, sp.Stored, "    stream %d (%s): %d bytes plain", i, form.stream(i), sp.Plain)
		}
	}
	end := int64(headerSize)
	if n := len(pages); n > 0 {
		end = pages[n-1].Offset + int64(pages[n-1].Size)
	}
	foot := s.size - int64(footerSize)
	line(end, int(foot-end), "directory: %d pages, %d dimensions, %d files", len(pages), len(s.dir.dims), len(s.dir.files))
	b = s.dumpDirectory(b)
	line(foot, footerSize, "footer: directory at %d, %d bytes, checksum, magic", end, foot-end)
	_, err = w.Write(b)
	return err
}

// of describes what the page holds.
func (p *PageInfo) of() string {
	switch p.Holds {
	case "cells":
		return fmt.Sprintf("cells of %q %q level %d", p.Dimension, p.Name, p.Level)
	case "columns":
		return fmt.Sprintf("columns of %q", p.Dimension)
	case "objects":
		return fmt.Sprintf("objects of %q %q", p.Dimension, p.Name)
	}
	return fmt.Sprintf("file %q", p.Name)
}

func (s *Reader) dumpDirectory(b []byte) []byte {
	line := func(format string, args ...any) {
		b = append(fmt.Appendf(append(b, strings.Repeat(" ", 21)...), format, args...), '\n')
	}
	for _, p := range s.dir.properties {
		line("property %q = %q", p.Key, p.Value)
	}
	for i := range s.dir.dims {
		s.dir.dims[i].dump(line)
	}
	for _, f := range s.dir.files {
		if f.gone {
			line("file %q: nothing there", f.path)
			continue
		}
		line("file %q: %d bytes in pages %v", f.path, f.size, f.pages)
	}
	return b
}

func (d *dimension) dump(line func(string, ...any)) {
	line("dimension %q, folder %q", d.name, d.folder)
	for _, v := range d.volumes {
		line("  volume %q: %v, scale %d, default %d, names %q", v.Name, v.Schema, v.Scale, v.Default, v.names)
		for _, l := range v.levels {
			for _, e := range l.entries {
				line("    level %d, cube from %v, mask %016x: %s", l.level, cubeChunk(e.key, 0), e.mask, e.where())
			}
		}
	}
	for _, r := range d.rules {
		line("  rule of %q: base %d, %d cells count", r.Map, r.Base, len(r.Cells))
	}
	if len(d.matters) > 0 {
		line("  light by %d cells", len(d.matters))
	}
	if d.tally != nil {
		line("  cells %v, objects %v, columns by data version %v, damaged %d", d.tally.Cells, d.tally.Objects, d.tally.Versions, d.tally.Damaged)
	}
	squares := func(of string, entries []entry) {
		for _, e := range entries {
			line("  %s, square from %v, mask %016x: %s", of, columnAt(e.key, 0), e.mask, e.where())
		}
	}
	squares("columns", d.columns)
	for _, l := range d.lists {
		squares(fmt.Sprintf("list %q", l.name), l.entries)
	}
}

func (e *entry) where() string {
	switch e.page {
	case constPage:
		return fmt.Sprintf("all cell %d", e.value)
	case nonePage:
		return "nothing there"
	}
	return fmt.Sprintf("page %d from %d", e.page, e.first)
}
