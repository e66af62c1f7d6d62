package backup

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/store/history"
)

// tryLock locks the claim for a moment, so that a bucket without object lock is found
// before anything else is put. It is the claim because the bucket keeps what is locked.
func (r *run) tryLock() error {
	if r.o.Lock <= 0 {
		return nil
	}
	return r.lockAll(r.claim.now().Add(time.Minute), claimKey(r.claim.number))
}

// lockObjects locks everything that the new backup needs, but the seal.
func (r *run) lockObjects(m *manifest) error {
	if r.o.Lock <= 0 {
		return nil
	}
	keys := []string{m.name.manifest()}
	for i := range m.all {
		keys = append(keys, m.all[i].key())
	}
	return r.lockAll(m.locked, keys...)
}

func (r *run) lockAll(until time.Time, keys ...string) error {
	locker := r.bucket.(blob.Locker) // run has checked it
	return inOrder(r.ctx, r.o.Workers, keys, func(key string) (struct{}, error) {
		return struct{}{}, locker.Lock(r.ctx, key, until)
	}, func(i int, _ struct{}, err error) error {
		if err != nil {
			return fmt.Errorf("backup: lock %s: %w", keys[i], err)
		}
		return r.claim.prolong(r.ctx)
	})
}

// over returns the backups of this Store that are not kept next to one that is made at a
// time, and reports them as removed. If a manifest cannot be read, its backup counts as
// this Store's, unless another Store has backups there too.
func (r *run) over(there *listing, made time.Time) (gone map[name]bool, err error) {
	if r.o.Keep == (history.Keep{}) {
		return nil, nil
	}
	var own []name
	locked, unread := make(map[name]time.Time), make(map[name]bool)
	others := false
	for _, n := range there.seals {
		m, err := r.source.manifest(r.ctx, n)
		switch {
		case errors.As(err, new(*CorruptError)):
			r.lost(n, err)
			unread[n], locked[n] = true, n.time.Add(r.o.Lock) // as it is if the options did not change
		case err != nil:
			return nil, err
		case m.store != r.index.tag("store"):
			others = true
			continue
		default:
			locked[n] = m.locked
		}
		own = append(own, n)
	}
	own = slices.DeleteFunc(own, func(n name) bool { return others && unread[n] })
	var times []time.Time
	for _, n := range own {
		times = append(times, n.time)
	}
	if r.o.DryRun {
		times = append(times, made)
	}
	gone = make(map[name]bool)
	for _, i := range over(r.o.Keep, times, made) {
		if n := own[i]; !r.claim.now().Before(locked[n]) {
			gone[n] = true
			r.report.Removed = append(r.report.Removed, n.String())
		}
	}
	return gone, nil
}

// retire deletes the backups that are not kept, and then every object that no backup
// needs. If a manifest that counts cannot be read, it deletes no objects; that ends
// when the manifest's backup is not kept anymore.
func (r *run) retire(made *manifest) error {
	there, err := list(r.ctx, r.bucket)
	if err != nil {
		return err
	}
	gone, err := r.over(there, made.time)
	if err != nil {
		return err
	}
	needed := make(map[string]bool)
	whole := true
	for _, n := range there.seals {
		if gone[n] {
			continue
		}
		m, err := r.source.manifest(r.ctx, n)
		if errors.As(err, new(*CorruptError)) {
			r.lost(n, err)
			whole = false
			continue
		}
		if err != nil {
			return err
		}
		needed[n.manifest()] = true
		for i := range m.all {
			needed[m.all[i].key()] = true
		}
	}
	var drop []string
	for n := range gone {
		drop = append(drop, n.seal()) // the seal first: a backup without one does not count
	}
	if err := r.deleteAll(drop); err != nil {
		return err
	}
	drop = nil
	for _, n := range there.manifests {
		if whole && !needed[n.manifest()] || gone[n] {
			drop = append(drop, n.manifest())
		}
	}
	for key, size := range there.objects {
		if whole && !needed[key] {
			drop = append(drop, key)
			r.report.Freed += size
		}
	}
	return r.deleteAll(drop)
}

// deleteAll deletes keys while the claim is held.
func (r *run) deleteAll(keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	if err := r.claim.held(r.ctx); err != nil {
		return err
	}
	return inOrder(r.ctx, r.o.Workers, keys, func(key string) (struct{}, error) {
		return struct{}{}, r.bucket.Delete(r.ctx, key)
	}, func(i int, _ struct{}, err error) error {
		if err != nil {
			return fmt.Errorf("backup: %s: %w", keys[i], err)
		}
		return r.claim.prolong(r.ctx)
	})
}
