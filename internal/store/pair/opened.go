package pair

import (
	"context"
	"io"
	"sync"

	"github.com/cairnvoxel/cairn/internal/store/rules"
)

// wholeBytes is the largest size of a stone that Open reads whole.
const wholeBytes = 1 << 20

// Large stones are read in blocks, so that many small reads are few calls of the
// bucket.
const (
	blockBytes = 256 << 10
	maxBlocks  = 16 // that an open stone keeps
	// direct is the size of a read that needs no blocks.
	direct = 4 * blockBytes
)

// opened reads the bytes of an open stone. Any number of goroutines may use it.
type opened struct {
	s    *Pair
	ctx  context.Context // of reads: io.ReaderAt has none
	key  string
	size int64

	mu     sync.Mutex
	blocks map[int64]*block
	order  []int64 // of blocks, the oldest first
}

// block is a part of a stone. Who makes it reads it; ready is closed then.
type block struct {
	ready chan struct{}
	data  []byte
	err   error
}

func (o *opened) ReadAt(p []byte, off int64) (int, error) {
	n := min(int64(len(p)), o.size-off)
	if off < 0 || n < 0 {
		return 0, io.EOF
	}
	if err := o.read(p[:n], off); err != nil {
		return 0, err
	}
	if n < int64(len(p)) {
		return int(n), io.EOF
	}
	return int(n), nil
}

func (o *opened) read(p []byte, off int64) error {
	if len(p) >= direct {
		b, err := o.s.read(o.ctx, o.key, off, int64(len(p)))
		copy(p, b)
		return err
	}
	for len(p) > 0 {
		first, last := off/blockBytes, (off+int64(len(p))-1)/blockBytes
		b := o.block(first, last)
		<-b.ready
		if b.err != nil {
			return b.err
		}
		n := copy(p, b.data[off-first*blockBytes:])
		p, off = p[n:], off+int64(n)
	}
	return nil
}

// block returns a block. If nobody has read it, it reads it, in one call with those
// that follow, up to last, and that nobody has read.
func (o *opened) block(at, last int64) *block {
	o.mu.Lock()
	b := o.blocks[at]
	if b != nil {
		o.mu.Unlock()
		return b
	}
	var all []*block
	for i := at; i <= last && o.blocks[i] == nil; i++ {
		b := &block{ready: make(chan struct{})}
		o.blocks[i] = b
		o.order = append(o.order, i)
		all = append(all, b)
	}
	for len(o.order) > maxBlocks {
		delete(o.blocks, o.order[0])
		o.order = o.order[1:]
	}
	o.mu.Unlock()
	off := at * blockBytes
	data, err := o.s.read(o.ctx, o.key, off, min(int64(len(all))*blockBytes, o.size-off))
	for i, b := range all {
		if b.err = err; err == nil {
			b.data = data[i*blockBytes : min((i+1)*blockBytes, len(data))]
		} else {
			o.forget(at+int64(i), b)
		}
		close(b.ready)
	}
	return all[0]
}

// forget makes the next read try again.
func (o *opened) forget(at int64, b *block) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.blocks[at] == b {
		delete(o.blocks, at)
	}
}

// Close releases the bytes and deletes them if they were collected meanwhile.
func (o *opened) Close() error {
	s := o.s
	s.mu.Lock()
	s.open[o.key]--
	last := s.open[o.key] == 0
	late := last && s.late[o.key]
	if last {
		delete(s.open, o.key)
		delete(s.late, o.key)
	}
	s.mu.Unlock()
	if late {
		return rules.Away(s.bucket.Delete(context.WithoutCancel(o.ctx), o.key))
	}
	return nil
}

// hold keeps the bytes of a stone until they are closed.
func (s *Pair) hold(ctx context.Context, key string, size int64) *opened {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[key]++
	return &opened{s: s, ctx: context.WithoutCancel(ctx), key: key, size: size, blocks: make(map[int64]*block)}
}

// remove deletes bytes that no record names any more, as soon as nobody reads them.
func (s *Pair) remove(ctx context.Context, key string) error {
	s.mu.Lock()
	read := s.open[key] > 0
	if read {
		s.late[key] = true
	}
	s.mu.Unlock()
	if read {
		return nil
	}
	return s.bucket.Delete(ctx, key)
}
