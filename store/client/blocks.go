package client

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/cairnvoxel/cairn/stone"
)

const (
	// wholeBytes is the largest size of a stone that Open reads whole. Of a larger
	// stone Open reads this many bytes at the end, which contain the directory.
	wholeBytes = 1 << 20
	// blockBytes is the size of a block. Larger stones are read and cached in
	// blocks.
	blockBytes = 512 << 10
	// rawBlock is the first number of a block in a Cache. Decoded pages have lower
	// numbers.
	rawBlock = 1 << 31
)

// blocks reads a large stone of the server. Any number of goroutines may use it.
type blocks struct {
	store  *store
	call   call // the call that opened it
	id     stone.ID
	size   int64
	ctx    context.Context // of reads: io.ReaderAt has none
	cancel context.CancelFunc
	end    []byte // the last bytes, nil when the stone is open
}

// Close ends reads in progress.
func (b *blocks) Close() error {
	b.cancel()
	return nil
}

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
		block, err := b.block(n)
		if err != nil {
			return done, err
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

// block returns block n of the stone, from the Cache or the server.
func (b *blocks) block(n int64) ([]byte, error) {
	if n >= rawBlock {
		return nil, fmt.Errorf("client: stone %v: block %d: the stone is too large", b.id, n)
	}
	key := stone.PageKey{Stone: b.id, Entry: rawBlock | uint32(n)}
	block, err := b.store.o.Cache.Page(b.ctx, key, func() (any, int64, error) {
		from := n * blockBytes
		end := min(from+blockBytes, b.size)
		data, size, err := b.store.readRange(b.ctx, &b.call, fmt.Sprintf("bytes=%d-%d", from, end-1), from, end-from)
		if err == nil && size != b.size {
			err = fmt.Errorf("client: stone %v: %w: it had %d bytes, now %d", b.id, errAnswer, b.size, size)
		}
		return data, int64(len(data)), err
	})
	if err != nil {
		return nil, err
	}
	return block.([]byte), nil
}
