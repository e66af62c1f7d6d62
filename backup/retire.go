package backup

import (
	"errors"
	"fmt"
	"time"

	"github.com/cairnvoxel/cairn/blob"
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

// retire deletes the backups that are not kept, and then every object that no backup
// needs. If a manifest that counts cannot be read, it deletes no objects; that ends
// when the manifest's backup is not kept anymore.
func (r *run) retire(made *manifest) error {
	there, err := list(r.ctx, r.bucket)
	if err != nil {
		return err
	}
	times := make([]time.Time, len(there.seals))
	for i, n := range there.seals {
		times[i] = n.time
	}
	gone := make(map[name]bool)
	for _, i := range r.o.Keep.Over(times, made.time) {
		n := there.seals[i]
		m, err := r.source.manifest(r.ctx, n)
		if errors.As(err, new(*CorruptError)) {
			r.lost(n, err)
			m, err = &manifest{locked: n.time.Add(r.o.Lock)}, nil // as it is if the options did not change
		}
		if err != nil {
			return err
		}
		if !r.claim.now().Before(m.locked) {
			gone[n] = true
			r.report.Removed = append(r.report.Removed, n.String())
		}
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
