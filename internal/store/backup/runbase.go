package backup

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/internal/store/archive"
	"github.com/cairnvoxel/cairn/stone"
)

// findBase finds the newest backup of this Store for the same recipients.
func (r *run) findBase() error {
	var own, others *manifest
	for _, n := range slices.Backward(r.there.seals) {
		m, err := r.source.manifest(r.ctx, n)
		if errors.As(err, new(*CorruptError)) {
			r.lost(n, err)
			continue
		}
		if err != nil {
			return err
		}
		if m.store != r.index.tag("store") {
			others = cmp.Or(others, m)
			continue
		}
		if own = cmp.Or(own, m); m.recipients == r.box.tag {
			r.base = m
			break
		}
	}
	r.last = cmp.Or(own, others)
	if r.last != nil && r.last.recipients != "" && !r.box.encrypts() && !r.o.Plain {
		return fmt.Errorf("backup: the backup before, %.20s, is encrypted, and this one would not be: %w", r.last, ErrPlain)
	}
	return nil
}

// sampleBase reads some objects of the base, so that what is damaged is put again.
func (r *run) sampleBase() error {
	if r.base == nil {
		return nil
	}
	for i := range r.base.all {
		o := &r.base.all[i]
		if size, ok := r.there.objects[o.key()]; !ok {
			r.damaged(&CorruptError{Object: o.key(), Offset: -1, Part: "object", Err: errors.New("is missing")})
		} else if size != o.size {
			r.damaged(&CorruptError{Object: o.key(), Offset: -1, Part: "object", Err: fmt.Errorf("%d bytes: want %d", size, o.size)})
		}
	}
	return r.sample(r.base.all, r.o.Sample, func(err error) error {
		r.damaged(err)
		return nil
	})
}

// sample reads a share of the objects; a negative one is none.
func (r *run) sample(all []object, share float64, wrong func(error) error) error {
	if share < 0 {
		return nil
	}
	n := min(len(all), max(4, int(float64(len(all))*share)))
	for _, i := range r.o.Rand.Perm(len(all))[:n] {
		if r.bad[all[i].key()] {
			continue
		}
		r.report.Sampled++
		err := r.source.check(r.ctx, &all[i])
		if errors.As(err, new(*CorruptError)) {
			r.report.Wrong++
			err = wrong(err)
		}
		if err := errors.Join(err, r.claim.prolong(r.ctx)); err != nil {
			return err
		}
	}
	return nil
}

// readBase reads the rows of the base and decides which of its objects are mostly
// garbage.
func (r *run) readBase() error {
	r.known, r.weak, r.placed = make(map[uint64]*row), make(map[int32]bool), make(map[[16]byte]place)
	r.heads, r.templates = make(map[uint64]*row), make(map[*row]map[stone.ID]place)
	if r.base == nil {
		return nil
	}
	r.objects.all, r.objects.of = slices.Clone(r.base.all), r.base.of
	r.base.objects = r.objects // one list, so that places stay valid
	r.findWeak()
	leaves, err := r.source.leaves(r.ctx, r.base)
	if errors.As(err, new(*CorruptError)) {
		r.damaged(err)
		return nil
	}
	if err != nil {
		return err
	}
	for _, f := range leaves {
		rows, err := r.source.rows(r.ctx, r.base, f)
		if errors.As(err, new(*CorruptError)) {
			r.damaged(err)
			continue
		}
		if err != nil {
			return err
		}
		if !r.sound(f.at.object) {
			f = nil
		}
		for _, row := range rows {
			row.leaf = f
			r.known[row.world] = row
		}
	}
	return nil
}

const (
	// smallShare is the share of BundleBytes below which an object is small, and
	// maxSmall how many small objects there may be before they are put together.
	smallShare = 16
	maxSmall   = 64
)

// findWeak finds the objects whose content is to be put again: those that are mostly
// garbage, and small ones if they are many.
func (r *run) findWeak() {
	small := [2]int{}
	isSmall := func(o *object) bool { return o.plain < int64(r.o.BundleBytes/smallShare) }
	for i := range r.all {
		if isSmall(&r.all[i]) {
			small[r.all[i].kind]++
		}
	}
	for i := range r.all {
		o := &r.all[i]
		if o.live < o.plain/2 || isSmall(o) && small[o.kind] > maxSmall {
			r.weak[int32(i)] = true
		}
	}
}

// sound reports whether what lies in an object can stay there.
func (r *run) sound(n int32) bool { return !r.weak[n] && !r.bad[r.all[n].key()] }

func (r *row) sound(keep func(int32) bool) bool {
	for _, u := range r.uses {
		if !keep(u.object) {
			return false
		}
	}
	return keep(r.archive.object)
}

// readOrphans reads the archives that an interrupted Run put.
func (r *run) readOrphans() error {
	named := make(map[string]bool)
	for _, n := range r.there.manifests {
		m, err := r.source.manifest(r.ctx, n)
		if errors.As(err, new(*CorruptError)) {
			continue // seals say which manifests must be sound
		}
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(r.there.seals, func(s name) bool { return s == n }) {
			continue
		}
		for i := range m.all {
			named[m.all[i].key()] = true
		}
	}
	for key, size := range r.there.objects {
		if named[key] {
			continue
		}
		k := data
		h, _ := parseHash(key[len(dataPrefix):])
		if key[:len(metaPrefix)] == metaPrefix {
			k = meta
		}
		if _, had := r.of[h]; !had {
			r.objects.add(object{kind: k, hash: h, size: size, plain: -1})
		}
	}
	for i := range r.all {
		if o := &r.all[i]; o.plain < 0 && o.kind == meta {
			if err := r.readOrphan(int32(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// readOrphan reads the archives of one object. What it does not understand it leaves
// alone, and so what is encrypted to others: with the objects of such archives nobody
// could restore the new backup.
func (r *run) readOrphan(n int32) error {
	o := &r.all[n]
	var buf bytes.Buffer
	err := r.source.stream(r.ctx, o, &buf)
	if errors.As(err, new(*CorruptError)) {
		return nil
	}
	if err != nil {
		return err
	}
	b := buf.Bytes()
	if bytes.HasPrefix(b, []byte("age-encryption.org/")) != r.box.encrypts() {
		return nil
	}
	if r.box.encrypts() {
		if b, err = r.source.decrypt(o.key(), b); err != nil {
			return nil // of another Store
		}
	}
	if !bytes.HasPrefix(b, []byte(metaMagic)) {
		return nil
	}
	o.plain = int64(len(b))
	tag := ""
	for at := len(metaMagic); at < len(b); {
		size, k := binary.Uvarint(b[at+1:])
		if k <= 0 || size > uint64(len(b)-at-1-k) {
			return nil
		}
		what, from := b[at], at+1+k
		at = from + int(size)
		if what == tagItem {
			tag = string(b[from:at])
		}
		if what != archiveItem || tag != r.box.tag {
			continue
		}
		world, a, places, err := parseArchive(o.key(), b[from:at], r.objects, n)
		if err != nil {
			continue // it names objects that were never put
		}
		row := &row{world: world, name: a.Name, deleted: a.Deleted, fence: a.Head.Fence, sum: archive.Sum(&a),
			archive: item{place{n, int64(from), int64(size)}, sha256.Sum256(b[from:at])}, uses: usesOf(places)}
		had := r.known[world]
		if had == nil || had.sum != row.sum {
			r.known[world] = row
			r.report.Resumed++
		}
	}
	return nil
}

// usesOf adds up the bytes of stones by object.
func usesOf(places []place) (out []use) {
	for _, p := range places {
		i := slices.IndexFunc(out, func(u use) bool { return u.object == p.object })
		if i < 0 {
			i = len(out)
			out = append(out, use{object: p.object})
		}
		out[i].bytes += p.size
	}
	return out
}
