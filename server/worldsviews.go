package server

import (
	"container/list"
	"sync"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/world"
)

const (
	// lightCalls is how many calls read a chunk from the Store at a time: each may
	// decode a page.
	lightCalls = 8
	// smallVolume is how many chunks a volume may have that is kept in memory for
	// its next chunk: a page of a small world holds as many, and is read as a whole.
	smallVolume = 256
	// viewBytes is how much memory such volumes may take.
	viewBytes = 64 << 20
)

// viewKey names a volume of a version. A commit's id says all that is in it, so
// worlds that share one share its views.
type viewKey struct {
	at                history.ID
	dimension, volume string
}

// views are the volumes of which chunks were read last. They hold nothing of the
// Store. The zero value has none.
type views struct {
	mu    sync.Mutex
	all   map[viewKey]*list.Element // of *view
	order list.List                 // that was asked for last is first
	bytes int64
}

type view struct {
	key    viewKey
	volume *world.Volume
	bytes  int64
}

// get returns a volume, nil if it is not there.
func (v *views) get(key viewKey) *world.Volume {
	v.mu.Lock()
	defer v.mu.Unlock()
	e := v.all[key]
	if e == nil {
		return nil
	}
	v.order.MoveToFront(e)
	return e.Value.(*view).volume
}

// put keeps a volume, and lets go of those that were not asked for longest.
func (v *views) put(key viewKey, u *world.Volume) {
	n := int64(1 << 10)
	for _, c := range u.Chunks() {
		if c != nil {
			n += 2 * int64(c.Bytes()) // with mips and far levels
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.all[key] != nil {
		return
	}
	if v.all == nil {
		v.all = make(map[viewKey]*list.Element)
	}
	v.all[key] = v.order.PushFront(&view{key, u, n})
	for v.bytes += n; v.bytes > viewBytes; {
		last := v.order.Remove(v.order.Back()).(*view)
		delete(v.all, last.key)
		v.bytes -= last.bytes
	}
}
