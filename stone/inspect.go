package stone

import (
	"context"
	"fmt"
	"io"
	"math/bits"
	"slices"
)

// PageInfo says what a page holds and how many bytes it takes.
type PageInfo struct {
	Number    int    `json:"page"`
	Offset    int64  `json:"offset"`
	Size      int    `json:"size"`
	Holds     string `json:"holds"` // "cells", "columns", "objects" or "file"
	Dimension string `json:"dimension,omitempty"`
	Name      string `json:"name,omitempty"` // of the volume, list or file
	Level     int    `json:"level"`
	Things    int    `json:"things"` // chunks, columns or lists in the page
	Uses      int    `json:"uses"`   // how often the directory names the page: equal pages are stored once
	Form      int    `json:"form"`
	Streams   []Span `json:"streams"`
}

// Span is one stream of a page: its plain bytes and where they are stored.
type Span struct {
	Plain  int   `json:"plain"`
	Stored int   `json:"stored"`
	Offset int64 `json:"offset"`
}

// Pages describes every page in the order they lie in the stone. It reads them.
func (s *Reader) Pages() ([]PageInfo, error) {
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
	for i := range infos {
		if err := s.describe(i, &infos[i]); err != nil {
			return nil, err
		}
	}
	return infos, nil
}

// named notes the pages of entries, which are all of one kind.
func named(infos []PageInfo, entries []entry, kind PageInfo) {
	for _, e := range entries {
		if e.page == constPage {
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
	form, streams, err := s.page(n)
	if err != nil {
		return fmt.Errorf("stone: page %d: %w", n, err)
	}
	info.Form = int(form)
	info.Streams, err = s.spans(p, len(streams))
	return err
}

// spans reads the head of a page that is known to be sound.
func (s *Reader) spans(p page, n int) ([]Span, error) {
	b, err := s.read(p.off, p.size)
	if err != nil {
		return nil, err
	}
	c := cursor{b: b, at: 1}
	c.uvarint()
	spans := make([]Span, n)
	for i := range spans {
		raw := c.uvarint()
		spans[i].Plain, spans[i].Stored = int(raw>>1), int(raw>>1)
		if raw&1 != 0 {
			spans[i].Stored = int(c.uvarint())
		}
	}
	off := p.off + int64(c.at)
	for i := range spans {
		spans[i].Offset = off
		off += int64(spans[i].Stored)
	}
	return spans, nil
}

// Check reads and verifies everything in the stone: every page, chunk, column,
// object and file. It returns the first thing that is wrong, or ctx.Err().
func (s *Reader) Check(ctx context.Context) error {
	for _, d := range s.Dimensions() {
		for _, v := range d.Volumes {
			for _, l := range v.Levels {
				for _, err := range s.Chunks(d.Name, v.Volume.Name, l) {
					if err = first(err, ctx.Err()); err != nil {
						return err
					}
				}
			}
		}
		for _, err := range s.Columns(d.Name, nil) {
			if err = first(err, ctx.Err()); err != nil {
				return err
			}
		}
	}
	for _, f := range s.Files() {
		r, err := s.OpenFile(f.Path)
		if err == nil {
			_, err = io.Copy(io.Discard, r)
		}
		if err = first(err, ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Dump writes what lies where in the stone, byte range by byte range.
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
		line(p.Offset, p.Size, "page %d: %s %s %s level %d, %d things, form %d, named %d times, xxh3 %08x",
			p.Number, p.Holds, p.Dimension, p.Name, p.Level, p.Things, p.Form, p.Uses, s.dir.pages[p.Number].hash)
		for i, sp := range p.Streams {
			line(sp.Offset, sp.Stored, "    stream %d (%s): %d bytes plain", i, streamName(p.Holds, i), sp.Plain)
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

func (s *Reader) dumpDirectory(b []byte) []byte {
	for _, p := range s.dir.properties {
		b = fmt.Appendf(b, "%21sproperty %q = %q\n", "", p.Key, p.Value)
	}
	for _, d := range s.dir.dims {
		b = fmt.Appendf(b, "%21sdimension %q folder %q: %d squares of columns\n", "", d.name, d.folder, len(d.columns))
		for _, v := range d.volumes {
			b = fmt.Appendf(b, "%21s  volume %q: %v, scale %d, default %d, %d names\n", "", v.Name, v.Schema, v.Scale, v.Default, len(v.names))
			for _, l := range v.levels {
				for _, e := range l.entries {
					b = fmt.Appendf(b, "%21s    cube %v level %d mask %016x %s\n", "", cubeChunk(e.key, 0), l.level, e.mask, e.where())
				}
			}
		}
	}
	for _, f := range s.dir.files {
		b = fmt.Appendf(b, "%21sfile %q: %d bytes\n", "", f.path, f.size)
	}
	return b
}

func (e *entry) where() string {
	if e.page == constPage {
		return fmt.Sprintf("all cell %d", e.value)
	}
	return fmt.Sprintf("page %d from chunk %d", e.page, e.first)
}

func streamName(holds string, i int) string {
	names := map[string][]string{
		"cells":   {"kinds", "uniform values", "table", "ops", "runs", "references", "references high"},
		"columns": {"names", "shapes", "stamps", "sizes", "maps", "data"},
		"objects": {"counts", "places", "positions", "sizes", "payloads"},
		"file":    {"bytes"},
	}[holds]
	return slices.Concat(names, []string{"?"})[min(i, len(names))]
}
