package backup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"filippo.io/age"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/store/archive"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// Access says how backups are read. The zero value reads what is not encrypted.
type Access struct {
	// Identities decrypt everything.
	Identities []age.Identity
	// Store is the identity of the Store that was backed up. With it archives and
	// tables can be read, but not stones.
	Store string
	// Workers is how many objects are read at a time. Default 8.
	Workers int
	// Temp is the folder for large stones. Default os.TempDir.
	Temp string
}

// Backups are the backups in a Bucket, as they were at Open.
type Backups struct {
	*source
	access Access
	bucket blob.Bucket
	there  *listing
	read   map[name]*manifest
}

// ErrNone says that there is no backup.
var ErrNone = errors.New("there is no backup")

// Open lists the backups in a Bucket.
func Open(ctx context.Context, bucket blob.Bucket, a Access) (*Backups, error) {
	keys := a.Identities
	if a.Store != "" {
		index, err := newIndexKey(a.Store)
		if err != nil {
			return nil, err
		}
		keys = append(slices.Clip(slices.Clone(keys)), index)
	}
	if a.Workers <= 0 {
		a.Workers = 8
	}
	there, err := list(ctx, bucket)
	if err != nil {
		return nil, err
	}
	from := newSource(bucket, keys)
	from.piecemeal = true
	return &Backups{source: from, access: a, bucket: bucket, there: there, read: make(map[name]*manifest)}, nil
}

// Info is what a manifest says of its backup.
type Info struct {
	Name      string    `json:"name"`
	Time      time.Time `json:"time"`
	Worlds    int64     `json:"worlds"`
	Changed   int64     `json:"changed"` // since the backup before
	Bytes     int64     `json:"bytes"`   // of the stones of all worlds; shared ones count for each
	New       int64     `json:"new"`     // bytes that it added to the Bucket
	Objects   int       `json:"objects"`
	Encrypted bool      `json:"encrypted"`
	Locked    time.Time `json:"locked,omitzero"`   // until when its objects are locked
	Damaged   string    `json:"damaged,omitempty"` // why it cannot be read
}

// List describes the backups, oldest first.
func (b *Backups) List(ctx context.Context) ([]Info, error) {
	out := []Info{}
	for _, n := range b.there.seals {
		m, err := b.open(ctx, n)
		if errors.As(err, new(*CorruptError)) {
			out = append(out, Info{Name: n.String(), Time: n.time, Damaged: err.Error()})
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, Info{Name: n.String(), Time: n.time, Worlds: int64(m.worlds), Changed: int64(m.changed), Bytes: int64(m.bytes), New: int64(m.added),
			Objects: len(m.all), Encrypted: m.recipients != "", Locked: m.locked})
	}
	return out, nil
}

// Last returns the time of the newest backup, and zero if there is none.
func (b *Backups) Last() time.Time {
	if len(b.there.seals) == 0 {
		return time.Time{}
	}
	return b.there.seals[len(b.there.seals)-1].time
}

func (b *Backups) open(ctx context.Context, n name) (*manifest, error) {
	if m := b.read[n]; m != nil {
		return m, nil
	}
	m, err := b.manifest(ctx, n)
	if err == nil {
		b.read[n] = m
	}
	return m, err
}

// Ready returns an error if the backup with a name, as in RestoreOptions, is not there or
// cannot be opened.
func (b *Backups) Ready(ctx context.Context, backup string) error {
	_, err := b.find(ctx, backup)
	return err
}

// keyed is open for a backup that is about to be read.
func (b *Backups) keyed(ctx context.Context, n name) (*manifest, error) {
	m, err := b.open(ctx, n)
	if err == nil && m.recipients != "" && len(b.access.Identities) == 0 {
		err = fmt.Errorf("backup: %.20s is encrypted: give the file with a private key, --identity FILE: %w", m, ErrKey)
	}
	return m, err
}

// find returns the backup with a name, or with a name that begins so, or the newest
// if the name is "". A backup that has lost its seal must be named.
func (b *Backups) find(ctx context.Context, begins string) (*manifest, error) {
	names := b.there.seals
	if begins != "" {
		names = slices.Concat(b.there.manifests, names)
	}
	for _, n := range slices.Backward(names) {
		if strings.HasPrefix(n.String(), begins) {
			return b.keyed(ctx, n)
		}
	}
	if begins == "" {
		return nil, fmt.Errorf("backup: %w", ErrNone)
	}
	return nil, fmt.Errorf("backup: %q: %w", begins, ErrNone)
}

// unsealed returns the manifests that are newer than a backup and have no seal.
func (b *Backups) unsealed(m *manifest) (out []string) {
	for _, n := range b.there.manifests {
		if n.time.After(m.time) && !slices.Contains(b.there.seals, n) {
			out = append(out, n.String())
		}
	}
	return out
}

// archive reads the archive of a world, and where its stones lie.
func (b *Backups) archive(ctx context.Context, m *manifest, r *row) (history.Archive, []place, error) {
	raw, err := b.item(ctx, m.objects, r.archive)
	if err != nil {
		return history.Archive{}, nil, err
	}
	key := m.all[r.archive.object].key()
	world, a, places, err := parseArchive(key, raw, m.objects, r.archive.object)
	if err == nil && (world != r.world || archive.Sum(&a) != r.sum) {
		err = &CorruptError{Object: key, Offset: r.archive.off, Part: "archive", Err: fmt.Errorf("is not the one of %q", r.name)}
	}
	for i, p := range places {
		if err == nil && p.off+p.size > m.all[p.object].plain {
			err = &CorruptError{Object: key, Offset: r.archive.off, Part: "archive", Err: fmt.Errorf("stone %d lies outside of its object", i)}
		}
	}
	a.Name, a.Deleted, a.Head.Fence = r.name, r.deleted, r.fence // it may have been renamed since
	return a, places, err
}

// eachArchive calls what with the archives of some rows, or with why one cannot be read, in
// the order in which they lie in the Bucket. Objects that many of them lie in are read once.
func (b *Backups) eachArchive(ctx context.Context, m *manifest, rows []*row, what func(*row, history.Archive, []place, error) error) error {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(r, s *row) int {
		return cmp.Or(cmp.Compare(r.archive.object, s.archive.object), cmp.Compare(r.archive.off, s.archive.off))
	})
	for len(rows) > 0 {
		n, found := 0, 0
		for ; n < len(rows); n++ { // no more objects than stay in memory
			if n == 0 || rows[n].archive.object != rows[n-1].archive.object {
				if found++; found > cachedObjects/2 {
					break
				}
			}
		}
		some := rows[:n]
		rows = rows[n:]
		err := b.expect(ctx, m.objects, func(yield func(item) bool) {
			for _, r := range some {
				if !yield(r.archive) {
					return
				}
			}
		})
		if err != nil {
			return err
		}
		type read struct {
			a      history.Archive
			places []place
		}
		err = inOrder(ctx, b.access.Workers, some, func(r *row) (read, error) {
			a, places, err := b.archive(ctx, m, r)
			return read{a, places}, err
		}, func(i int, got read, err error) error {
			return what(some[i], got.a, got.places, err)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// located is a stone and where it lies.
type located struct {
	ref history.StoneRef
	at  place
}

// batch is a run of stones that are read together.
type batch []located

const (
	maxGap   = 64 << 10
	maxBatch = 8 << 20
)

// batches sorts stones by place and puts neighbours together.
func batches(some []located) (out []batch) {
	slices.SortFunc(some, func(a, b located) int {
		if a.at.object != b.at.object {
			return int(a.at.object - b.at.object)
		}
		return int(min(1, max(-1, a.at.off-b.at.off)))
	})
	for _, l := range some {
		if n := len(out) - 1; n >= 0 {
			first, last := out[n][0].at, out[n][len(out[n])-1].at
			if first.object == l.at.object && l.at.off-last.off-last.size <= maxGap && l.at.off+l.at.size-first.off <= maxBatch {
				out[n] = append(out[n], l)
				continue
			}
		}
		out = append(out, batch{l})
	}
	return out
}

// stones reads the stones of a batch, and compares them with their IDs. It passes over
// those that are damaged. release deletes what they need in a folder.
func (b *Backups) stones(ctx context.Context, m *manifest, run batch) (out []history.Stone, hurt map[stone.ID]error, release func(), err error) {
	hurt = make(map[stone.ID]error)
	first, last := run[0].at, run[len(run)-1].at
	o := &m.all[first.object]
	n := last.off + last.size - first.off
	release = func() {}
	if n > pieceBytes*2 {
		st, release, err := b.large(ctx, o, run[0])
		if errors.As(err, new(*CorruptError)) {
			hurt[run[0].ref.ID] = err
			return nil, hurt, release, nil
		}
		return []history.Stone{st}, hurt, release, err
	}
	raw, err := b.part(ctx, o, first.off, n)
	together := err == nil
	if err != nil && !errors.As(err, new(*CorruptError)) {
		return nil, nil, release, err
	}
	for _, l := range run {
		st := history.Stone{ID: l.ref.ID}
		if together {
			st.Data = raw[l.at.off-first.off:][:l.at.size:l.at.size]
		} else if st.Data, err = b.part(ctx, o, l.at.off, l.at.size); err != nil && !errors.As(err, new(*CorruptError)) {
			return nil, nil, release, err
		}
		if err == nil {
			if err = st.Check(); err != nil {
				err = &CorruptError{Object: o.key(), Offset: l.at.off, Part: "stone", Err: err}
			}
		}
		if err != nil {
			hurt[l.ref.ID], err = err, nil
			continue
		}
		out = append(out, st)
	}
	return out, hurt, release, nil
}

// large copies a large stone into a file.
func (b *Backups) large(ctx context.Context, o *object, l located) (st history.Stone, release func(), err error) {
	f, err := os.CreateTemp(b.access.Temp, "cairn-restore-")
	if err != nil {
		return st, func() {}, fmt.Errorf("backup: %w", err)
	}
	release = func() {
		f.Close() // it is deleted
		os.Remove(f.Name())
	}
	from, err := b.plainReader(ctx, o)
	if err != nil {
		return st, release, err
	}
	to := &errWriter{to: f}
	if _, err := io.Copy(to, io.NewSectionReader(from, l.at.off, l.at.size)); to.err != nil {
		return st, release, fmt.Errorf("backup: %w", to.err) // a full disk says nothing against the object
	} else if err != nil {
		return st, release, keyError(o.key(), err)
	}
	st = history.Stone{ID: l.ref.ID, File: io.NewSectionReader(f, 0, l.at.size)}
	if err := st.Check(); err != nil {
		return st, release, &CorruptError{Object: o.key(), Offset: l.at.off, Part: "stone", Err: err}
	}
	return st, release, nil
}

// errWriter keeps the error of a Writer.
type errWriter struct {
	to  io.Writer
	err error
}

func (w *errWriter) Write(p []byte) (n int, err error) {
	n, w.err = w.to.Write(p)
	return n, w.err
}

// Stones looks for stones in the backups, the newest first, and calls what with each
// that it finds, until it has found all. It returns those that no backup has. The
// stone is valid only during the call.
func (b *Backups) Stones(ctx context.Context, ids []stone.ID, what func(history.Stone) error) (lost []stone.ID, err error) {
	want := make(map[stone.ID]bool, len(ids))
	for _, id := range ids {
		want[id] = true
	}
	for _, n := range slices.Backward(b.there.seals) {
		if len(want) == 0 {
			break
		}
		m, err := b.open(ctx, n)
		if errors.As(err, new(*CorruptError)) {
			continue
		}
		if err != nil {
			return nil, err
		}
		found, err := b.findStones(ctx, m, want)
		if err != nil {
			return nil, err
		}
		for _, run := range batches(found) {
			stones, hurt, release, err := b.stones(ctx, m, run)
			for id := range hurt {
				want[id] = true // an older backup may have it elsewhere
			}
			for _, st := range stones {
				if err == nil {
					err = what(st)
				}
			}
			release()
			if err != nil {
				return nil, err
			}
		}
	}
	for _, id := range ids {
		if want[id] {
			lost = append(lost, id)
			delete(want, id)
		}
	}
	return lost, nil
}

// findStones returns where a backup has stones that are wanted, and takes them out of
// want. It passes over what is damaged: an older backup may have them as well.
func (b *Backups) findStones(ctx context.Context, m *manifest, want map[stone.ID]bool) (found []located, err error) {
	damaged := func(err error) bool { return errors.As(err, new(*CorruptError)) }
	leaves, err := b.leaves(ctx, m)
	if damaged(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, f := range leaves {
		rows, err := b.rows(ctx, m, f)
		if damaged(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		err = b.eachArchive(ctx, m, rows, func(_ *row, a history.Archive, places []place, err error) error {
			if err != nil {
				if damaged(err) {
					err = nil
				}
				return err
			}
			for i, ref := range archive.Stones(&a) {
				if want[ref.ID] {
					delete(want, ref.ID)
					found = append(found, located{ref, places[i]})
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}
