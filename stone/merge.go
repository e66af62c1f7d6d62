package stone

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Merge writes one stone with the content of a run of stones, bottom first. Where
// several stones have an entry for something, the highest one counts. What a stone
// deletes is deleted from those below it: a column that a higher stone makes again has
// no lists of the old one. A page of cells that counts entirely is copied, with names
// renumbered if necessary. All else is decoded and written anew. Names are those of the
// stones that still count in the volume. Levels above 0 and rules of height maps are
// left out, because they depend on the stones below the run. So are tallies.
//
// It refuses stones that no one world can have: those that differ in a volume's schema,
// scale, default, materials or name of the empty cell, and those that together are
// beyond the limits of a stone, such as 32,768 names of a volume. A column that is made
// again must name, by a list without objects, each list that stones below the run may
// have of it.
//
// It fails with a *CorruptError if a page that it decodes is damaged. Damage inside
// a copied page is found only when that is decoded. The same stones give the same
// bytes.
func Merge(ctx context.Context, w io.Writer, run []*Reader, o Options) (ID, int64, error) {
	o.Tally = false
	m := &merger{ctx: ctx, w: NewWriter(w, o), run: run}
	if err := m.merge(); err != nil {
		return ID{}, 0, fmt.Errorf("stone: merge: %w", err)
	}
	return m.w.Close()
}

// merger is the state of one Merge.
type merger struct {
	ctx context.Context
	w   *Writer
	run []*Reader
}

func (m *merger) merge() error {
	if len(m.run) == 0 {
		return nil
	}
	for _, p := range m.run[len(m.run)-1].dir.properties {
		m.w.Property(p.Key, p.Value)
	}
	var done []string
	for _, r := range m.run {
		for i := range r.dir.dims {
			name := r.dir.dims[i].name
			if slices.Contains(done, name) {
				continue
			}
			done = append(done, name)
			if err := m.dimension(name); err != nil {
				return fmt.Errorf("dimension %q: %w", name, err)
			}
		}
	}
	return m.files()
}

func (m *merger) dimension(name string) error {
	parts := make([]*dimension, len(m.run))
	folder := ""
	for i, r := range m.run {
		parts[i] = r.dimension(name)
		if parts[i].name == name {
			folder = parts[i].folder
		}
	}
	m.w.Dimension(name, folder)
	var done []string
	for _, d := range parts {
		for i := range d.volumes {
			name := d.volumes[i].Name
			if slices.Contains(done, name) {
				continue
			}
			done = append(done, name)
			if err := m.volume(parts, name); err != nil {
				return fmt.Errorf("volume %q: %w", name, err)
			}
		}
	}
	return m.columns(parts)
}

// files writes the highest entry for each file.
func (m *merger) files() error {
	type place struct {
		file
		layer int
	}
	var all []place
	for l := len(m.run) - 1; l >= 0; l-- {
		for _, f := range m.run[l].dir.files {
			all = append(all, place{f, l})
		}
	}
	slices.SortStableFunc(all, func(a, b place) int { return strings.Compare(a.path, b.path) })
	all = slices.CompactFunc(all, func(a, b place) bool { return a.path == b.path })
	for _, f := range all {
		if f.gone {
			m.w.NoFile(f.path)
			continue
		}
		p, err := m.run[f.layer].filePatch(m.ctx, &f.file)
		if err == nil && p != nil {
			var r io.Reader
			if r, _, p, err = stackFile(m.ctx, m.run[:f.layer+1], f.path); err == nil && p != nil {
				err = m.w.filePatch(f.path, f.size, p)
			} else if err == nil {
				err = m.w.File(f.path, f.size, r)
			}
			if err == nil {
				continue
			}
		}
		if err != nil {
			return fmt.Errorf("file %q: %w", f.path, err)
		}
		if err := m.w.nextFile("File", f.path, f.size); err != nil {
			return err
		}
		pages := make([]int, len(f.pages))
		for i, n := range f.pages {
			page, err := m.run[f.layer].rawPage(n)
			if err != nil {
				return fmt.Errorf("file %q: %w", f.path, err)
			}
			pages[i] = m.copied(page)
		}
		f.pages = pages
		m.w.dir.files = append(m.w.dir.files, f.file)
	}
	return m.w.err
}

// copied writes a page and returns its number.
func (m *merger) copied(page []byte) int {
	m.w.page = append(m.w.page[:0], page...)
	return m.w.keepPage(nil)
}

// lay walks the pieces that count. It calls whole with runs of pieces that are
// entire pages, and each with every other piece.
func lay(pieces []piece, layers [][]entry, whole func([]piece) error, each func(*piece) error) error {
	for len(pieces) > 0 {
		n, err := intact(pieces, layers), error(nil)
		if n > 0 {
			err = whole(pieces[:n])
		} else {
			n, err = 1, each(&pieces[0])
		}
		if err != nil {
			return err
		}
		pieces = pieces[n:]
	}
	return nil
}

// renumbered returns the entry of a piece with the number of its copied page.
func (p piece) renumbered(page int) entry {
	if p.paged() {
		p.page = page
	} else {
		p.first = 0
	}
	return p.entry
}
