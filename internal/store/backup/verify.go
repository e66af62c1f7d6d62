package backup

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/store/archive"
	"github.com/cairnvoxel/cairn/store/history"
)

// Verified says what Verify read.
type Verified struct {
	Backups  int      `json:"backups"`
	Objects  int      `json:"objects"`
	Bytes    int64    `json:"bytes"`
	Worlds   int      `json:"worlds"`   // of all backups; one of them may be in many
	Stones   int      `json:"stones"`   // each once
	Unread   bool     `json:"unread"`   // stones were not compared with their names, because no identity decrypts them
	Unneeded int      `json:"unneeded"` // objects that no backup needs; the next backup deletes or uses them
	Faults   []string `json:"faults"`
}

// ErrFaults says that backups are damaged.
var ErrFaults = errors.New("backups are damaged")

const maxFaults = 100

// Verify reads every object of all backups. It compares each with its name, and all
// parts with what names them. The error is ErrFaults if something is missing or
// damaged; Faults then names the objects. It needs some 100 bytes of memory for each
// stone of the backups.
func (b *Backups) Verify(ctx context.Context, progress func(done, total int64)) (Verified, error) {
	v := &verifier{Backups: b, ctx: ctx, progress: progress, objects: newObjects(), stones: make(map[int32]map[int64]history.StoneRef), tables: make(map[hash]bool)}
	if progress == nil {
		v.progress = func(int64, int64) {}
	}
	v.Verified.Faults = []string{}
	for _, step := range []func() error{v.names, v.claims, v.manifests, v.bundles} {
		if err := step(); err != nil {
			return v.Verified, err
		}
	}
	if v.more > 0 {
		v.Faults = append(v.Faults, fmt.Sprintf("and %d more", v.more))
	}
	if len(v.Faults) > 0 {
		return v.Verified, fmt.Errorf("backup: %s: %w", v.Faults[0], ErrFaults)
	}
	return v.Verified, nil
}

// verifier is one Verify.
type verifier struct {
	*Backups
	Verified
	ctx      context.Context
	progress func(done, total int64)
	more     int

	objects *objects                             // of all backups
	stones  map[int32]map[int64]history.StoneRef // by object and offset
	tables  map[hash]bool                        // items that were read
}

func (v *verifier) fault(format string, args ...any) {
	if len(v.Faults) == maxFaults {
		v.more++
		return
	}
	v.Faults = append(v.Faults, fmt.Sprintf(format, args...))
}

// wrong adds an error about an object to the faults. Other errors it returns.
func (v *verifier) wrong(err error) error {
	if errors.As(err, new(*CorruptError)) {
		v.fault("%v", err)
		return nil
	}
	return err
}

// names compares seals and manifests: each needs the other.
func (v *verifier) names() error {
	for _, n := range v.there.manifests {
		if !slices.ContainsFunc(v.there.seals, func(s name) bool { return s == n }) {
			v.fault("%s: has no seal: the backup was not finished, or the seal is lost", n.manifest())
		}
	}
	for _, key := range v.there.strange {
		v.fault("%s: is not of a backup", key)
	}
	for _, n := range v.there.seals {
		b, err := v.source.bucket.Get(v.ctx, n.seal(), 0, -1)
		if err != nil {
			err = objectError(n.seal(), err)
		} else if !bytes.Equal(b, n.sealBytes()) {
			err = &CorruptError{Object: n.seal(), Offset: -1, Part: "seal", Err: errors.New("says something else than its key")}
		}
		if err := v.wrong(err); err != nil {
			return err
		}
	}
	return nil
}

// claims reads the claims.
func (v *verifier) claims() error {
	numbers, err := claims(v.ctx, v.source.bucket)
	if err != nil {
		return err
	}
	for _, n := range numbers {
		_, _, err := readClaim(v.ctx, v.source.bucket, n)
		if err := v.wrong(err); err != nil {
			return err
		}
	}
	if len(v.there.seals) == 0 {
		return nil
	}
	m, err := v.open(v.ctx, v.there.seals[len(v.there.seals)-1])
	if err != nil {
		return nil // manifests reports it
	}
	if len(numbers) == 0 || numbers[len(numbers)-1] < m.claim {
		v.fault("%s: is missing, or a later claim", claimKey(m.claim))
	}
	return nil
}

// manifests reads manifests and tables.
func (v *verifier) manifests() error {
	for _, n := range v.there.seals {
		m, err := v.open(v.ctx, n)
		if err == nil {
			v.Verified.Backups++
			err = v.backup(m)
		}
		if errors.Is(err, ErrKey) {
			v.Unread, err = true, nil
		}
		if err := v.wrong(err); err != nil {
			return err
		}
	}
	return nil
}

// backup reads the tables and archives of a backup, except for those that it has read
// already for another one.
func (v *verifier) backup(m *manifest) error {
	for i := range m.all {
		v.objects.add(m.all[i])
	}
	leaves, err := v.leaves(v.ctx, m)
	if err != nil {
		return err
	}
	worlds := 0
	for _, f := range leaves {
		worlds += f.rows
		if v.tables[f.at.sum] {
			continue
		}
		v.tables[f.at.sum] = true
		rows, err := v.rows(v.ctx, m, f)
		if err := v.wrong(err); err != nil {
			return err
		}
		if err := v.archives(m, rows); err != nil {
			return err
		}
	}
	v.Worlds += worlds
	if worlds != int(m.worlds) {
		v.fault("%s: has %d worlds: the tables have %d", m.name.manifest(), m.worlds, worlds)
	}
	return nil
}

func (v *verifier) archives(m *manifest, rows []*row) error {
	type world struct {
		a      history.Archive
		places []place
	}
	rows = slices.DeleteFunc(rows, func(r *row) bool {
		had := v.tables[r.archive.sum]
		v.tables[r.archive.sum] = true
		return had
	})
	err := v.expect(v.ctx, m.objects, func(yield func(item) bool) {
		for _, r := range rows {
			if !yield(r.archive) {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	return inOrder(v.ctx, v.access.Workers, rows, func(r *row) (world, error) {
		a, places, err := v.archive(v.ctx, m, r)
		return world{a, places}, err
	}, func(i int, got world, err error) error {
		if err != nil {
			return v.wrong(err)
		}
		for k, ref := range archive.Stones(&got.a) {
			p := got.places[k]
			n := v.objects.of[m.all[p.object].hash]
			at := v.stones[n]
			if at == nil {
				at = make(map[int64]history.StoneRef)
				v.stones[n] = at
			}
			if had, is := at[p.off]; is && had != ref {
				v.fault("%s: %q wants stone %v at %d, another world %v", m.all[p.object].key(), rows[i].name, ref.ID, p.off, had.ID)
			}
			at[p.off] = ref
		}
		return nil
	})
}

// bundles reads all objects, and the stones in them.
func (v *verifier) bundles() error {
	var total, done int64
	var numbers []int32
	for i := range v.objects.all {
		o := &v.objects.all[i]
		total += o.size
		switch size, ok := v.there.objects[o.key()]; {
		case !ok:
			v.fault("%s: is missing", o.key())
		case size != o.size:
			v.fault("%s: has %d bytes: want %d", o.key(), size, o.size)
		default:
			numbers = append(numbers, int32(i))
		}
	}
	for key := range v.there.objects {
		h, _ := parseHash(key[strings.IndexByte(key, '/')+1:])
		if _, needed := v.objects.of[h]; !needed {
			v.Unneeded++
		}
	}
	return inOrder(v.ctx, v.access.Workers, numbers, func(n int32) (int, error) {
		return v.bundle(n)
	}, func(i, stones int, err error) error {
		o := &v.objects.all[numbers[i]]
		done += o.size
		v.progress(done, total)
		v.Objects++
		v.Bytes += o.size
		v.Verified.Stones += stones
		if errors.Is(err, ErrKey) && !errors.As(err, new(*CorruptError)) {
			v.Unread, err = true, nil
		}
		return v.wrong(err)
	})
}

// bundle reads an object and returns how many stones are in it.
func (v *verifier) bundle(n int32) (int, error) {
	o := &v.objects.all[n]
	_, err := v.whole(v.ctx, o) // compared before it is decrypted; and its stones from memory, if it is not too large
	if err != nil || o.kind == meta {
		return 0, err
	}
	one := &manifest{objects: v.objects}
	var all []located
	for off, ref := range v.stones[n] {
		all = append(all, located{ref, place{n, off, ref.Size}})
	}
	for _, run := range batches(all) {
		_, hurt, release, err := v.Backups.stones(v.ctx, one, run)
		release()
		for _, l := range run {
			err = cmp.Or(err, hurt[l.ref.ID])
		}
		if err != nil {
			return 0, err
		}
	}
	return len(all), nil
}
