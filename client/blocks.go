package client

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/cairnvoxel/cairn/stone"
)

const (
	// wholeBytes is up to how many bytes a stone is read whole when it is opened,
	// and how many of the end of a larger one come then: the directory is there.
	wholeBytes = 1 << 20
	// blockBytes is what a larger stone is read and cached by.
	blockBytes = 512 << 10
	// rawBlock is the first number of blocks in a Cache: those of decoded pages are below.
	rawBlock = 1 << 31
)

// blocks are the bytes of a large stone at the server. Any number of goroutines
// may read.
type blocks struct {
	store  *Store
	call   call // that opened it
	id     stone.ID
	size   int64
	ctx    context.Context // of reads: io.ReaderAt has none
	cancel context.CancelFunc
	end    []byte // the last bytes, nil when the stone is open
}

// Close ends reads that are under way.
func (b *blocks) Close() error {
	b.cancel()
	return nil
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
		return nil, fmt.Errorf("client: stone %v: block %d: too large a stone", b.id, n)
	}
	key := stone.PageKey{Stone: b.id, Entry: rawBlock | uint32(n)}
	block, err := b.store.o.Cache.Page(b.ctx, key, func() (any, int64, error) {
		from := n * blockBytes
		end := min(from+blockBytes, b.size)
		data, size, err := b.store.readRange(b.ctx, &b.call, fmt.Sprintf("bytes=%d-%d", from, end-1), from, end-from)
		if err == nil && size != b.size {
			err = fmt.Errorf("client: stone %v: %w: of %d bytes, now of %d", b.id, errAnswer, b.size, size)
		}
		return data, int64(len(data)), err
	})
	if err != nil {
		return nil, err
	}
	return block.([]byte), nil
}
