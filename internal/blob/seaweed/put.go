package seaweed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
)

// draft is a body that is being put.
type draft struct {
	place
	pool *pool
	ids  []id // of its parts
}

func (b *Volumes) Put(ctx context.Context, key string, body *io.SectionReader) error {
	if err := blob.CheckKey(key); err != nil {
		return fmt.Errorf("seaweed: put: %w", err)
	}
	err := b.put(ctx, key, body)
	if err != nil {
		return fmt.Errorf("seaweed: put %s: %w", key, err)
	}
	return nil
}

// rounds is how often a body is put again because another process ended the batch: this
// one was stopped for an hour.
const rounds = 3

func (b *Volumes) put(ctx context.Context, key string, body *io.SectionReader) error {
	if body.Size() > int64(b.o.PartBytes) { // before all of it is sent for nothing
		if have, err := b.names.Get(ctx, nameOf+key); err != nil || have != nil {
			return errors.Join(err, exists(have))
		}
	}
	for n := 1; ; n++ {
		d, err := b.write(ctx, body, false)
		if err != nil {
			return err
		}
		now, err := b.now(ctx)
		if err == nil {
			d.modified = now
			err = b.name(ctx, key, nil, d)
		} else {
			d.pool.done(d.ids, false, true)
		}
		if !errors.Is(err, ErrChanged) || n == rounds {
			return err
		}
	}
}

func exists(have []byte) error {
	if have == nil {
		return nil
	}
	return blob.ErrExists
}

// name gives a key to bytes that were written, in one Swap, if its record is still
// old. It returns ErrChanged if the bytes must be written again.
func (b *Volumes) name(ctx context.Context, key string, old *place, d *draft) error {
	value := d.value()
	was := Name{Key: nameOf + key}
	conditions := []Name{was}
	changes := []Name{{nameOf + key, value}}
	if d.copies < copies(b.o.Copies) {
		changes = append(changes, Name{fewerOf + key, set})
	} else if old != nil {
		changes = append(changes, Name{Key: fewerOf + key})
	}
	if old != nil {
		conditions[0].Value = old.value()
		for _, q := range old.parts {
			changes = append(changes, garbage(q.file, old.copies))
		}
	}
	var last *batch
	for _, i := range d.ids {
		if i.batch != last {
			conditions = append(conditions, i.record())
			last = i.batch
		}
		changes = append(changes, Name{usedKey(i.first, i.index), set})
	}
	err := b.names.Swap(ctx, conditions, changes)
	if err == nil {
		d.pool.done(d.ids, true, true)
		return nil
	}
	// Is it there in spite of the error?
	asked, cancel := context.WithTimeout(context.WithoutCancel(ctx), b.o.Timeout)
	defer cancel()
	have, askErr := b.names.Get(asked, was.Key)
	if askErr == nil && len(d.ids) > 0 && bytes.Equal(have, value) { // its file ids are its own
		// What is read may be on one machine of the names alone: a write behind it is not.
		same := []Name{{was.Key, value}}
		err = b.names.Swap(asked, same, same)
		d.pool.done(d.ids, true, err == nil)
		return err
	}
	switch {
	case !errors.Is(err, ErrChanged):
		d.pool.done(d.ids, false, false)
		return err
	}
	d.pool.done(d.ids, false, true)
	if askErr != nil {
		return askErr
	}
	if have != nil {
		return blob.ErrExists
	}
	return err
}

// write writes a body and returns where it is. If all copies are not to be had it
// writes fewer, unless the caller wants all.
func (b *Volumes) write(ctx context.Context, body *io.SectionReader, all bool) (*draft, error) {
	p := b.all
	if !all && b.isLacking() {
		p = b.fewer
	}
	d, err := b.writeTo(ctx, p, body)
	if (errors.Is(err, blob.ErrAway) || errors.Is(err, blob.ErrFull)) && !errors.Is(err, errNoMaster) && p == b.all && !all && p.word != b.fewer.word && ctx.Err() == nil {
		b.setLacking()
		d, err = b.writeTo(ctx, b.fewer, body)
	}
	return d, err
}

// isLacking reports whether new bytes have fewer copies now. After a while it tries
// in the background whether all are to be had again.
func (b *Volumes) isLacking() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.lacking {
		return false
	}
	if now := b.o.Now(); now.After(b.again) {
		b.again = now.Add(b.o.FewerFor)
		b.work.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), b.o.Within)
			defer cancel()
			i, err := b.all.take(ctx)
			if err == nil {
				_, err = b.send(ctx, i, []byte("cairn"))
				b.all.done([]id{i}, false, true)
			}
			if err == nil {
				b.mu.Lock()
				b.lacking = false
				b.mu.Unlock()
			} else if i.batch != nil {
				b.all.drop(i.batch)
			}
		})
	}
	return true
}

func (b *Volumes) setLacking() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.lacking {
		b.lacking, b.again = true, b.o.Now().Add(b.o.FewerFor)
	}
}

// Lacking reports whether new bytes have fewer copies than they should now.
func (b *Volumes) Lacking() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lacking
}

func (b *Volumes) writeTo(ctx context.Context, p *pool, body *io.SectionReader) (*draft, error) {
	d := &draft{pool: p, place: place{size: body.Size(), copies: copies(p.word), partSize: int64(b.o.PartBytes)}}
	for off := int64(0); off < d.size; off += d.partSize {
		buf := make([]byte, min(d.size-off, d.partSize)) // not used again: a request that failed may still read it
		n, err := body.ReadAt(buf, off)
		if n < len(buf) {
			err = fmt.Errorf("the body has %d bytes of %d: %w", off+int64(n), d.size, err)
		} else {
			err = b.writePart(ctx, d, buf)
		}
		if err != nil {
			p.done(d.ids, false, true)
			return nil, err
		}
	}
	return d, nil
}

// writePart writes to one file after the other until a server says that it is on the
// disks of all.
func (b *Volumes) writePart(ctx context.Context, d *draft, data []byte) error {
	tries := b.o.Tries
	if d.pool == b.all && b.all.word != b.fewer.word {
		tries = (tries + 1) / 2 // the others are for fewer copies
	}
	for n := 1; ; n++ {
		i, err := d.pool.take(ctx)
		if err != nil {
			return err
		}
		sum, err := b.send(ctx, i, data)
		if err == nil {
			d.ids = append(d.ids, i)
			d.parts = append(d.parts, part{i.file(), sum})
			return nil
		}
		d.pool.done([]id{i}, false, true)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		d.pool.drop(i.batch)
		if n == tries {
			return err
		}
	}
}

// send puts bytes into a file.
func (b *Volumes) send(ctx context.Context, i id, data []byte) (sum uint32, err error) {
	a, err := b.ask(ctx, "put", http.MethodPut, b.scheme+"://"+i.server+"/"+i.file().String()+"?fsync=true", data, mostJSON)
	if err != nil && strings.Contains(string(a.body), "no space left on device") {
		err = fmt.Errorf("%w: %v", blob.ErrFull, err)
	}
	b.hear(i.server, err)
	if err != nil {
		return 0, err
	}
	if a.status != http.StatusCreated {
		return 0, fmt.Errorf("%w: put %v: status %d: %s", blob.ErrAway, i.file(), a.status, text(a.body))
	}
	b.mu.Lock()
	b.mean += (float64(len(data)) - b.mean) / 64
	if _, ok := b.where[i.first.volume]; !ok {
		b.where[i.first.volume] = locations{servers: []string{i.server}, some: true}
	}
	b.mu.Unlock()
	return crc32.Checksum(data, castagnoli), nil
}

// Delete is for blob.Bucket. The bytes are recorded as garbage in the same Swap that
// takes their name, so Sweep deletes them if a server is down now.
func (b *Volumes) Delete(ctx context.Context, key string) error {
	if err := blob.CheckKey(key); err != nil {
		return fmt.Errorf("seaweed: delete: %w", err)
	}
	for {
		have, err := b.names.Get(ctx, nameOf+key)
		if err != nil || have == nil {
			return err
		}
		p, err := decodePlace(nameOf+key, have)
		if err != nil {
			return err
		}
		changes := []Name{{Key: nameOf + key}, {Key: fewerOf + key}}
		for _, q := range p.parts {
			changes = append(changes, garbage(q.file, p.copies))
		}
		err = b.names.Swap(ctx, []Name{{nameOf + key, have}}, changes)
		if errors.Is(err, ErrChanged) && ctx.Err() == nil {
			continue // repaired or deleted meanwhile
		}
		if err != nil {
			return fmt.Errorf("seaweed: delete %s: %w", key, err)
		}
		for _, q := range p.parts {
			_, _ = b.collect(ctx, q.file, p.copies) // Sweep does it again
		}
		return nil
	}
}

// age is how long ago a time is, and 0 if it is to come.
func age(now, then time.Time) time.Duration { return max(0, now.Sub(then)) }
