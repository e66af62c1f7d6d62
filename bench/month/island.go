package month

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/cairnvoxel/cairn/store/history"
)

// version is a commit of an island that some log entry reaches, with its pack. Its
// parent and base is the version before it. Sizes are in bytes. A size of 0 means
// that the stone is not needed any more.
type version struct {
	number         uint32
	minute         uint32 // of the month
	logged, packed bool
	full           bool // the pack has everything, the template too
	stone, pack    kept
	after          uint32 // number of the version below the pack
}

// kept is a stone and where the backups have it.
type kept struct {
	size   uint32
	bundle uint32 // 0: in no backup yet
}

// island is one world: what its template has, and its own versions, oldest first.
type island struct {
	versions []version
	full     uint32 // size of a stone with all of it
	changed  bool   // since the last backup
}

// idOf makes the ID of a version for the rules of package history. Version 0 is the
// template's.
func idOf(number uint32) (id history.ID) {
	id[0] = 1
	binary.BigEndian.PutUint32(id[1:], number)
	return id
}

func numberOf(id history.ID) uint32 { return binary.BigEndian.Uint32(id[1:]) }

// find returns the version with a number, nil for the template.
func (i *island) find(number uint32) *version {
	at, ok := slices.BinarySearchFunc(i.versions, number, func(v version, n uint32) int { return int(v.number) - int(n) })
	if !ok {
		return nil
	}
	return &i.versions[at]
}

// below returns the version below v in its stack, nil for the template or nothing.
func (i *island) below(v *version) *version {
	switch {
	case v.packed && v.full:
		return nil
	case v.packed:
		return i.find(v.after)
	}
	return i.find(v.number - 1)
}

// layers appends the stack of the newest version to dst, bottom first. If the stack
// stands on the template, that is its lowest layer.
func (i *island) layers(dst []history.Layer, template uint32) []history.Layer {
	v := &i.versions[len(i.versions)-1]
	for ; v != nil; v = i.below(v) {
		l := history.Layer{Stone: history.StoneRef{Size: int64(v.stone.size)}, After: idOf(v.number - 1), Upto: idOf(v.number)}
		if v.packed {
			l.Stone.Size, l.After = int64(v.pack.size), idOf(v.after)
		}
		dst = append(dst, l)
		if v.packed && v.full {
			slices.Reverse(dst)
			return dst
		}
	}
	dst = append(dst, history.Layer{Stone: history.StoneRef{Size: int64(template)}, Upto: idOf(0)})
	slices.Reverse(dst)
	return dst
}

// save adds a version. It returns the size of the pack that the save made
// necessary, or 0.
func (i *island) save(minute, size uint32, r *rules) (packed uint32) {
	number := uint32(1)
	if n := len(i.versions); n > 0 {
		number = i.versions[n-1].number + 1
	}
	i.versions = append(i.versions, version{number: number, minute: minute, logged: true, stone: kept{size: size}})
	i.changed = true
	r.stack = i.layers(r.stack[:0], r.template)
	if len(r.stack) <= highStack {
		return 0
	}
	made := make([]time.Time, len(r.stack))
	for k, l := range r.stack {
		if v := i.find(numberOf(l.Upto)); v != nil && v.logged {
			made[k] = r.start.Add(time.Duration(v.minute) * time.Minute)
		}
	}
	from, to := history.PackRun(r.stack, made, highStack)
	v := i.find(numberOf(r.stack[to-1].Upto))
	v.packed, v.full, v.pack = true, from == 0, kept{size: i.full}
	if !v.full {
		var sum int64
		for _, l := range r.stack[from:to] {
			sum += l.Stone.Size
		}
		v.pack.size = min(uint32(float64(sum)*overlap), i.full)
		v.after = numberOf(r.stack[from].After)
	}
	return v.pack.size
}

// collect drops what the retention does not keep, and calls drop for each stone
// that nothing needs any more.
func (i *island) collect(now time.Time, r *rules, drop func(kept)) (commits int) {
	r.times, r.logged = r.times[:0], r.logged[:0]
	for at := len(i.versions) - 1; at >= 0; at-- {
		if v := &i.versions[at]; v.logged {
			r.times = append(r.times, r.start.Add(time.Duration(v.minute)*time.Minute))
			r.logged = append(r.logged, v)
		}
	}
	for at, stays := range r.policy.Keep.Keep(now, r.times) {
		if !stays {
			r.logged[at].logged = false
			i.changed = true
			commits++
		}
	}
	clear(r.needed)
	for at := len(i.versions) - 1; at >= 0; at-- {
		if v := &i.versions[at]; v.logged {
			for ; v != nil && !r.needed[v.number]; v = i.below(v) {
				r.needed[v.number] = true
			}
		}
	}
	i.versions = slices.DeleteFunc(i.versions, func(v version) bool {
		if r.needed[v.number] {
			return false
		}
		for _, k := range []kept{v.stone, v.pack} {
			if k.size > 0 {
				drop(k)
			}
		}
		return true
	})
	for at := range i.versions {
		if v := &i.versions[at]; v.packed && v.stone.size > 0 {
			drop(v.stone) // the pack stands for it
			v.stone = kept{}
		}
	}
	return commits
}
