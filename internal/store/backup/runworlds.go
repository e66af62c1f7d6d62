package backup

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/store/archive"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// todo is a world to read.
type todo struct {
	outline history.Outline
	had     *row // nil for a new world
}

// worlds compares all worlds with what is known, and reads those that changed.
func (r *run) worlds() error {
	known := int32(len(r.all))
	var changed, fresh []todo
	err := r.st.Outlines(r.ctx, func(m history.Outline) error {
		had := r.known[m.World]
		if had != nil {
			r.heads[headKey(m.Head.Commit)] = had
		}
		switch {
		case had == nil:
			fresh = append(fresh, todo{m, nil})
		case had.sum != m.Sum || !had.sound(r.sound):
			changed = append(changed, todo{m, had})
		default:
			r.rows = append(r.rows, had.as(m))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if r.last != nil && !r.o.Force {
		if err := shrunk(int64(len(r.rows)+len(changed)+len(fresh)), int64(r.last.worlds)); err != nil {
			return fmt.Errorf("backup: %w", err)
		}
	}
	changed = append(changed, fresh...) // forks come after what they may be forks of
	for len(changed) > 0 {
		if err := r.readAll(changed); err != nil {
			return err
		}
		changed = r.takeBroken(known)
	}
	slices.SortFunc(r.rows, (*row).compare)
	return nil
}

// takeBroken takes out the rows that need objects in which damage was found after the
// rows were chosen. What this run put is not among them: it may have the same key. The
// objects are those below known.
func (r *run) takeBroken(known int32) (out []todo) {
	keep := func(n int32) bool { return n >= known || !r.bad[r.all[n].key()] }
	r.rows = slices.DeleteFunc(r.rows, func(row *row) bool {
		if row.leaf != nil && !keep(row.leaf.at.object) {
			row.leaf = nil
		}
		if row.sound(keep) {
			return false
		}
		m := history.Outline{World: row.world, Name: row.name, Deleted: row.deleted, Head: history.Head{Fence: row.fence}, Sum: row.sum}
		out = append(out, todo{m, row})
		return true
	})
	return out
}

// readAll reads worlds, and puts what they need.
func (r *run) readAll(changed []todo) error {
	r.report.Changed += len(changed)
	for done := 0; done < len(changed); {
		some := changed[done:min(done+worldBatch, len(changed))]
		var olds []*row
		var outlines []history.Outline
		for _, t := range some {
			olds, outlines = append(olds, t.had), append(outlines, t.outline)
		}
		if err := r.readWorlds(outlines, olds); err != nil {
			return err
		}
		done += len(some)
		r.o.Progress(done, len(changed))
		if err := r.claim.prolong(r.ctx); err != nil {
			return err
		}
	}
	return r.flushData()
}

// worldBatch is how many worlds are read before their stones are.
const worldBatch = 256

// readWorlds reads worlds that changed and puts their stones.
func (r *run) readWorlds(outlines []history.Outline, had []*row) error {
	old, err := r.oldPlaces(had)
	if err != nil {
		return err
	}
	return inOrder(r.ctx, r.o.Workers, outlines, func(m history.Outline) (history.Archive, error) {
		return r.st.Archive(r.ctx, m)
	}, func(i int, a history.Archive, err error) error {
		for try := 1; ; try++ {
			if err == nil {
				err = r.addWorld(outlines[i], &a, old[i])
			}
			if !errors.Is(err, history.ErrGone) || try == maxTries {
				break
			}
			a, err = r.st.Archive(r.ctx, outlines[i]) // a collection took a stone: a pack replaces it now
		}
		switch {
		case errors.Is(err, history.ErrNoWorld):
			return r.ctx.Err() // it was purged meanwhile
		case isHurt(err):
			r.report.Hurt = append(r.report.Hurt, fmt.Sprintf("%q: %v", outlines[i].Name, err))
			if had[i] != nil && had[i].sound(func(n int32) bool { return !r.bad[r.all[n].key()] }) {
				r.rows = append(r.rows, had[i].as(outlines[i])) // its old name may be another world's now
			}
			return nil
		}
		return err
	})
}

// maxTries is how often a world is read again because stones of it were collected.
const maxTries = 8

// isHurt reports whether an error says that a world of the Store is damaged.
func isHurt(err error) bool {
	return errors.As(err, new(*stone.CorruptError)) || errors.Is(err, blob.ErrDamaged) || errors.Is(err, history.ErrGone) || errors.Is(err, history.ErrNoCommit)
}

// oldPlaces returns where the stones of worlds lie, as far as the base knows.
func (r *run) oldPlaces(rows []*row) ([]map[stone.ID]place, error) {
	err := r.source.expect(r.ctx, r.objects, func(yield func(item) bool) {
		for _, row := range rows {
			if row != nil && !yield(row.archive) {
				return
			}
		}
	})
	if err != nil {
		return nil, err
	}
	out := make([]map[stone.ID]place, len(rows))
	for i, row := range rows {
		if row == nil {
			continue
		}
		if out[i], err = r.placesOf(row); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// placesOf returns where the stones of a known world lie that can stay there. It
// returns nil if its archive is damaged.
func (r *run) placesOf(row *row) (map[stone.ID]place, error) {
	o := &r.all[row.archive.object]
	if r.bad[o.key()] {
		return nil, nil
	}
	b, err := r.source.item(r.ctx, r.objects, row.archive)
	var a history.Archive
	var places []place
	if err == nil {
		_, a, places, err = parseArchive(o.key(), b, r.objects, row.archive.object)
	}
	if errors.As(err, new(*CorruptError)) {
		r.damaged(err)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r.heads[headKey(a.Head.Commit)] = row // a fork may be older than what the world has now
	out := make(map[stone.ID]place, len(places))
	for i, ref := range archive.Stones(&a) {
		if r.sound(places[i].object) {
			out[ref.ID] = places[i]
		}
	}
	return out, nil
}

// template returns where the stones of the world lie that a new world was forked from,
// if it began with the newest version of that world, now or at the backup before.
func (r *run) template(a *history.Archive) (map[stone.ID]place, error) {
	for _, c := range slices.Backward(a.Commits) {
		from := r.heads[headKey(c.ID())]
		if from == nil {
			continue
		}
		places, had := r.templates[from]
		if !had {
			if len(r.templates) == maxTemplates {
				clear(r.templates)
			}
			var err error
			if places, err = r.placesOf(from); err != nil {
				return nil, err
			}
			r.templates[from] = places
		}
		return places, nil
	}
	return nil, nil
}

// maxTemplates is of how many worlds the places of stones stay in memory.
const maxTemplates = 16

// headKey shortens an ID: a wrong hit finds no stones.
func headKey(id history.ID) uint64 { return binary.LittleEndian.Uint64(id[:]) }

// addWorld puts the stones of a world that are not there. old is nil for a new world.
func (r *run) addWorld(m history.Outline, a *history.Archive, old map[stone.ID]place) error {
	refs := archive.Stones(a)
	places := make([]place, len(refs))
	if old == nil && len(r.heads) > 0 {
		var err error
		if old, err = r.template(a); err != nil {
			return err
		}
	}
	var lacks []int
	for i, ref := range refs {
		p, ok := old[ref.ID]
		if !ok {
			p, ok = r.placed[[16]byte(ref.ID[:16])]
		}
		if ok && p.size == ref.Size {
			places[i] = p
		} else {
			lacks = append(lacks, i)
		}
	}
	err := inOrder(r.ctx, r.o.Workers, lacks, func(i int) (read, error) {
		return r.readStone(refs[i])
	}, func(k int, st read, err error) error {
		if err != nil {
			return err
		}
		i := lacks[k]
		places[i], err = r.addStone(st.Stone)
		return errors.Join(err, st.release())
	})
	if err != nil {
		return err
	}
	r.waiting = append(r.waiting, waiting{&row{world: m.World, name: m.Name, deleted: m.Deleted, fence: a.Head.Fence, sum: archive.Sum(a), uses: usesOf(places)}, *a, places})
	if len(r.data.buf) >= r.o.BundleBytes || len(r.waiting) >= maxWaiting {
		return r.flushData()
	}
	return nil
}

// maxWaiting is how many archives wait in memory.
const maxWaiting = 1 << 14

// read is a stone of the Store.
type read struct {
	history.Stone
	release func() error
}

// drop is for dropper.
func (s read) drop() {
	if s.release != nil {
		_ = s.release() // it was only read
	}
}

// readStone reads a stone and compares its bytes with its ID.
func (r *run) readStone(ref history.StoneRef) (read, error) {
	st, release, err := r.st.ReadStone(r.ctx, ref.ID)
	if err != nil {
		return read{}, err
	}
	if st.File != nil && st.Size() <= int64(r.o.BundleBytes) {
		data, err := st.Bytes()
		if err = errors.Join(err, release()); err != nil {
			return read{}, err
		}
		st, release = history.Stone{ID: ref.ID, Data: data}, func() error { return nil }
	}
	if err = st.Check(); err == nil && st.Size() != ref.Size {
		err = fmt.Errorf("backup: stone %v: %d bytes: want %d", ref.ID, st.Size(), ref.Size)
	}
	if err != nil {
		return read{}, errors.Join(&stone.CorruptError{Part: "stone", Err: err}, release())
	}
	return read{st, release}, nil
}

// addStone puts a stone into an object.
func (r *run) addStone(st history.Stone) (p place, err error) {
	if st.Size() > int64(r.o.BundleBytes) {
		p, err = r.large(st)
	} else {
		b, err := st.Bytes()
		if err != nil {
			return p, err
		}
		if len(r.data.buf) > 0 && len(r.data.buf)+len(b) > 2*r.o.BundleBytes {
			if err := r.flushOnlyData(); err != nil {
				return p, err
			}
		}
		p = r.data.add(b)
	}
	if err == nil {
		r.placed[[16]byte(st.ID[:16])] = p
		r.report.Stones++
	}
	return p, err
}

// flushOnlyData ends the object of stones.
func (r *run) flushOnlyData() error {
	r.flushed++
	return r.data.flush()
}

// metaEach is how many objects of stones are put before an object of archives is.
const metaEach = 8

// flushData ends the object of stones, and adds the archives that waited for it.
func (r *run) flushData() error {
	if err := r.flushOnlyData(); err != nil {
		return err
	}
	for i := range r.waiting {
		w := &r.waiting[i]
		self := r.meta.begin()
		w.row.archive = r.meta.addItem(archiveItem, appendArchive(w.row.world, &w.archive, w.places, r.objects, self))
		r.rows = append(r.rows, w.row)
		if len(r.meta.buf) >= r.o.BundleBytes {
			if err := r.meta.flush(); err != nil {
				return err
			}
		}
	}
	r.waiting = r.waiting[:0]
	if r.flushed >= metaEach {
		r.flushed = 0
		return r.meta.flush()
	}
	return nil
}
