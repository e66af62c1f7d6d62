package seaweed

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
)

// find returns where the bytes of a key are.
func (b *Volumes) find(ctx context.Context, op, key string) (*place, error) {
	err := blob.CheckKey(key)
	var p *place
	if err == nil {
		var have []byte
		if have, err = b.names.Get(ctx, nameOf+key); err == nil && have == nil {
			err = fs.ErrNotExist
		} else if err == nil {
			p, err = decodePlace(nameOf+key, have)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("seaweed: %s %s: %w", op, key, err)
	}
	return p, nil
}

// Get is for blob.ReadOnly. Parts that are read whole are compared with their checksum.
// If all servers say that they have no such file, the error is fs.ErrNotExist too.
func (b *Volumes) Get(ctx context.Context, key string, off, n int64) ([]byte, error) {
	p, err := b.find(ctx, "get", key)
	if err != nil {
		return nil, err
	}
	if off < 0 || off > p.size || n > p.size-off {
		return nil, fmt.Errorf("seaweed: get %s: %d bytes from %d of %d: %w", key, n, off, p.size, io.ErrUnexpectedEOF)
	}
	if n < 0 {
		n = p.size - off
	}
	var out []byte
	for n > 0 {
		i := off / p.partSize
		start := off - i*p.partSize
		size := min(p.partSize, p.size-i*p.partSize)
		some := min(n, size-start)
		data, err := b.read(ctx, p.parts[i], start, some, size)
		if errors.Is(err, fs.ErrNotExist) {
			// Repaired or deleted meanwhile, or lost?
			now, lookErr := b.find(ctx, "get", key)
			if lookErr != nil {
				return nil, lookErr
			}
			if now.size != p.size || now.partSize != p.partSize {
				return nil, fmt.Errorf("%w: seaweed: get %s: another size was put meanwhile", blob.ErrAway, key)
			}
			if now.parts[i] != p.parts[i] {
				p = now
				continue
			}
		}
		if err != nil {
			return nil, fmt.Errorf("seaweed: get %s: %w", key, err)
		}
		if out == nil && some == n {
			return data, nil
		}
		out = append(out, data...)
		off, n = off+some, n-some
	}
	return out, nil
}

// read reads n bytes of a part from any server that has them.
func (b *Volumes) read(ctx context.Context, q part, off, n, size int64) (data []byte, err error) {
	missing := true
	for try := range 3 {
		if try > 1 && !pause(ctx, try) {
			return nil, ctx.Err()
		}
		servers, all, lookErr := b.locate(ctx, q.volume, try > 0)
		if lookErr != nil {
			return nil, fmt.Errorf("%w (%v)", lookErr, err) // servers without the file may not be those of the volume now
		}
		err, missing = nil, all
		if !all && try > 0 {
			err = fmt.Errorf("%w: no master says where volume %d is now", blob.ErrAway, q.volume)
		}
		for _, s := range servers {
			data, readErr := b.readFrom(ctx, s, q, off, n, size)
			if readErr == nil {
				return data, nil
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			missing = missing && errors.Is(readErr, fs.ErrNotExist)
			err = errors.Join(err, readErr)
		}
		if try > 0 && !errors.Is(err, blob.ErrAway) {
			break // all servers have said what they have
		}
	}
	switch {
	case missing, errors.Is(err, blob.ErrAway) && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, blob.ErrDamaged):
		return nil, err
	case errors.Is(err, blob.ErrAway):
		return nil, fmt.Errorf("%w: %v", blob.ErrAway, err) // a server that is away may have what the others lack
	}
	return nil, fmt.Errorf("%w: %v", blob.ErrDamaged, err)
}

func (b *Volumes) readFrom(ctx context.Context, server string, q part, off, n, size int64) ([]byte, error) {
	whole := n == size
	var header []string
	if !whole {
		header = []string{"Range", fmt.Sprintf("bytes=%d-%d", off, off+n-1)}
	}
	a, err := b.ask(ctx, "get", http.MethodGet, b.scheme+"://"+server+"/"+q.file.String(), nil, size, header...)
	b.hear(server, err)
	switch {
	case err != nil:
		return nil, err
	case a.status == http.StatusNotFound:
		return nil, fmt.Errorf("%s has no file %v: %w", server, q.file, fs.ErrNotExist)
	case a.status == http.StatusOK && !whole && int64(len(a.body)) == size:
		a.body = a.body[off : off+n]
	case a.status != http.StatusOK && a.status != http.StatusPartialContent:
		return nil, fmt.Errorf("%w: %s: status %d: %s", blob.ErrAway, server, a.status, text(a.body))
	}
	if int64(len(a.body)) != n {
		return nil, fmt.Errorf("%w: %s has %d bytes of file %v, and not %d", blob.ErrDamaged, server, len(a.body), q.file, n)
	}
	if whole && crc32.Checksum(a.body, castagnoli) != q.sum {
		return nil, fmt.Errorf("%w: those of file %v at %s have another checksum", blob.ErrDamaged, q.file, server)
	}
	return a.body, nil
}

// Head is for blob.ReadOnly. It asks the names alone.
func (b *Volumes) Head(ctx context.Context, key string) (blob.Object, error) {
	p, err := b.find(ctx, "head", key)
	if err != nil {
		return blob.Object{}, err
	}
	return blob.Object{Key: key, Size: p.size, Modified: p.modified}, nil
}

// List is for blob.ReadOnly. It asks the names alone.
func (b *Volumes) List(ctx context.Context, prefix, after string, n int) ([]blob.Object, error) {
	if err := ctx.Err(); err != nil || n <= 0 || !blob.CanBegin(prefix) {
		return nil, err
	}
	found, err := b.names.Scan(ctx, nameOf+prefix, nameOf+after, n)
	if err != nil {
		return nil, fmt.Errorf("seaweed: list %s: %w", prefix, err)
	}
	var out []blob.Object
	for _, f := range found {
		p, err := decodePlace(f.Key, f.Value)
		if err != nil {
			return nil, err
		}
		out = append(out, blob.Object{Key: strings.TrimPrefix(f.Key, nameOf), Size: p.size, Modified: p.modified})
	}
	return out, nil
}

// Result is what Sweep or Repair did.
type Result struct {
	Batches  int // that were left behind, and are ended
	Garbage  int // files that are deleted
	Left     int // files or keys for the next time, because a server is away
	Repaired int // keys that have all copies now
}

// page is how many records are read at once.
const page = 500

// Sweep deletes the bytes that no key names: what Delete and failed Puts left, and the
// batches of processes that ended without Close. Any number of processes may sweep.
func (b *Volumes) Sweep(ctx context.Context) (Result, error) {
	var r Result
	now, err := b.now(ctx)
	if err != nil {
		return r, fmt.Errorf("seaweed: sweep: %w", err)
	}
	err = b.each(ctx, batchOf, func(n Name) error { return b.end(ctx, n, now, &r) })
	if err == nil {
		err = b.each(ctx, garbageOf, func(n Name) error {
			f, err := parseFile(strings.TrimPrefix(n.Key, garbageOf))
			if err != nil || len(n.Value) != 2 || n.Value[0] != version {
				return bad(n.Key, 0, "garbage")
			}
			gone, err := b.collect(ctx, f, int(n.Value[1]))
			if gone {
				r.Garbage++
			} else if r.Left++; errors.Is(err, blob.ErrAway) {
				err = nil
			}
			return err
		})
	}
	if err != nil {
		err = fmt.Errorf("seaweed: sweep: %w", err)
	}
	return r, err
}

// each calls what for all records with a prefix.
func (b *Volumes) each(ctx context.Context, prefix string, what func(Name) error) error {
	for after := ""; ; {
		found, err := b.names.Scan(ctx, prefix, after, page)
		if err != nil {
			return err
		}
		for _, n := range found {
			if err := errors.Join(ctx.Err(), what(n)); err != nil {
				return err
			}
			after = n.Key
		}
		if len(found) < page {
			return nil
		}
	}
}

// end ends a batch that was left behind, in steps. After the first one no Put can name
// an id of it. Then the bytes of ids without a name go, and then the records.
func (b *Volumes) end(ctx context.Context, n Name, now time.Time, r *Result) error {
	g, err := decodeGrant(n.Key, n.Value)
	if err != nil || age(now, g.began) < sweepAfter {
		return err
	}
	first, err := parseFile(strings.TrimPrefix(n.Key, batchOf))
	if err != nil {
		return bad(n.Key, 0, "key")
	}
	if !g.ended {
		g.ended = true
		err := b.names.Swap(ctx, []Name{n}, []Name{{n.Key, g.value()}})
		if errors.Is(err, ErrChanged) {
			return nil // its process ended it, or another one sweeps
		}
		if err != nil {
			return err
		}
		n.Value = g.value()
	}
	used := make(map[string]bool)
	changes := []Name{{Key: n.Key}}
	err = b.each(ctx, usedOf+first.String()+"/", func(u Name) error {
		used[u.Key] = true
		changes = append(changes, Name{Key: u.Key})
		return nil
	})
	if err != nil {
		return err
	}
	for i := range g.count {
		f := first
		f.number += uint64(i)
		if used[usedKey(first, i)] {
			continue
		}
		gone, err := b.erase(ctx, f, g.copies)
		if errors.Is(err, blob.ErrAway) || err == nil && !gone {
			r.Left++
			return nil // the record remains for the next time
		}
		if err != nil {
			return err
		}
	}
	err = b.names.Swap(ctx, []Name{n}, changes)
	if errors.Is(err, ErrChanged) {
		return nil
	}
	if err == nil {
		r.Batches++
	}
	return err
}

// Repair writes anew what has fewer copies than it should, with all copies. It stops if
// they are not to be had.
func (b *Volumes) Repair(ctx context.Context) (Result, error) {
	var r Result
	err := b.each(ctx, fewerOf, func(n Name) error {
		key := strings.TrimPrefix(n.Key, fewerOf)
		err := b.repair(ctx, key)
		if err == nil {
			r.Repaired++
		} else {
			r.Left++
		}
		return err
	})
	if err != nil {
		err = fmt.Errorf("seaweed: repair: %w", err)
	}
	return r, err
}

func (b *Volumes) repair(ctx context.Context, key string) error {
	old, err := b.find(ctx, "repair", key)
	if errors.Is(err, fs.ErrNotExist) {
		err := b.names.Swap(ctx, []Name{{Key: nameOf + key}}, []Name{{Key: fewerOf + key}})
		if errors.Is(err, ErrChanged) {
			err = nil // it was put again
		}
		return err
	}
	if err != nil {
		return err
	}
	body := io.NewSectionReader(reader{ctx, b, key}, 0, old.size)
	d, err := b.write(ctx, body, true)
	if err != nil {
		return err
	}
	d.modified = old.modified
	err = b.name(ctx, key, old, d)
	if errors.Is(err, ErrChanged) || errors.Is(err, blob.ErrExists) {
		return nil // deleted or repaired meanwhile
	}
	if err != nil {
		return err
	}
	for _, q := range old.parts {
		_, _ = b.collect(ctx, q.file, old.copies) // Sweep does it again
	}
	return nil
}

// reader reads a key as a body.
type reader struct {
	ctx context.Context // of reads: io.ReaderAt has none
	b   *Volumes
	key string
}

func (r reader) ReadAt(p []byte, off int64) (int, error) {
	data, err := r.b.Get(r.ctx, r.key, off, int64(len(p)))
	return copy(p, data), err
}
