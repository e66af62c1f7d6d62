package client

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/cairnvoxel/cairn/stone"
)

const (
	// wholeBytes is the largest size of a stone that Open reads whole. Of a larger
	// stone Open reads this many bytes at the end, which contain the directory.
	wholeBytes = 1 << 20
	// blockBytes is the size of a block. Larger stones are read and cached in
	// blocks.
	blockBytes = 256 << 10
	// maxRun is the largest number of blocks in one call.
	maxRun = 16
)

// blocks reads a large stone of the server. Any number of goroutines may use it.
type blocks struct {
	store  *Store
	call   call // the call that opened it
	id     stone.ID
	size   int64
	ctx    context.Context // of reads: io.ReaderAt has none
	cancel context.CancelFunc
	end    []byte // the last bytes, nil after the stone was opened
}

// Close ends reads in progress.
func (b *blocks) Close() error {
	b.cancel()
	b.store.cache.drop(b)
	return nil
}

// keepEnd puts the blocks that the last bytes contain completely into the cache.
func (b *blocks) keepEnd() {
	end := b.end
	b.end = nil
	from := b.size - int64(len(end))
	for n := (from + blockBytes - 1) / blockBytes; n*blockBytes < b.size; n++ {
		lo := n*blockBytes - from
		b.store.cache.put(place{b, n}, slices.Clone(end[lo:min(lo+blockBytes, int64(len(end)))]))
	}
}

// ReadAt is for io.ReaderAt.
func (b *blocks) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("client: stone %v: read at %d", b.id, off)
	}
	if from := b.size - int64(len(b.end)); off >= from && off < b.size {
		return bytes.NewReader(b.end).ReadAt(p, off-from) // for stone.Open
	}
	done := 0
	for done < len(p) && off < b.size {
		n := off / blockBytes
		block, ok := b.store.cache.get(place{b, n})
		if !ok {
			var err error
			if block, err = b.fetch(n, (min(off+int64(len(p)-done), b.size)-1)/blockBytes); err != nil {
				return done, err
			}
		}
		k := copy(p[done:], block[off-n*blockBytes:])
		done += k
		off += int64(k)
	}
	if done < len(p) {
		return done, io.EOF
	}
	return done, nil
}

// fetch returns the bytes of the blocks from first on, up to last or to the first
// block that is in the cache. It adds them to the cache.
func (b *blocks) fetch(first, last int64) ([]byte, error) {
	upto := first + 1
	for upto <= last && upto-first < maxRun && !b.store.cache.has(place{b, upto}) {
		upto++
	}
	from, end := first*blockBytes, min(upto*blockBytes, b.size)
	data, size, err := b.store.readRange(b.ctx, &b.call, fmt.Sprintf("bytes=%d-%d", from, end-1), from, end-from)
	if err == nil && size != b.size {
		err = fmt.Errorf("client: stone %v: %w: it had %d bytes, now %d", b.id, errAnswer, b.size, size)
	}
	if err != nil {
		return nil, err
	}
	for n := first; n < upto; n++ {
		block := data[(n-first)*blockBytes:]
		if upto-first > 1 {
			block = slices.Clone(block[:min(blockBytes, len(block))])
		}
		b.store.cache.put(place{b, n}, block)
	}
	return data, nil
}
