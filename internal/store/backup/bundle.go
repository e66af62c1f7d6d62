package backup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/store/history"
)

// bundler fills one object after another. It is for one goroutine.
type bundler struct {
	*sender
	kind   kind
	number int32 // of the object that is being filled
	buf    []byte
}

// sender puts objects, a few at a time.
type sender struct {
	*objects
	ctx    context.Context
	bucket blob.Bucket
	box    lockbox
	temp   string
	bad    map[string]bool // keys of objects that are damaged
	slots  chan struct{}
	puts   sync.WaitGroup

	mu    sync.Mutex // guards what is below
	err   error
	count int
	bytes int64
}

// putsAtOnce is how many objects are put at a time.
const putsAtOnce = 4

// begin begins an object, if none has begun, and returns its number. Its hash is
// known after flush.
func (b *bundler) begin() int32 {
	if len(b.buf) == 0 {
		b.number = int32(len(b.all))
		b.all = append(b.all, object{kind: b.kind})
		if b.kind == meta {
			b.buf = append(b.buf, metaMagic...)
			if b.box.encrypts() {
				b.buf = appendText(append(b.buf, tagItem), b.box.tag)
			}
		}
	}
	return b.number
}

// add appends bytes and returns where they lie.
func (b *bundler) add(p []byte) place {
	n := b.begin()
	b.buf = append(b.buf, p...)
	return place{n, int64(len(b.buf) - len(p)), int64(len(p))}
}

// addItem appends an item of a meta object.
func (b *bundler) addItem(what byte, p []byte) item {
	b.begin()
	b.buf = binary.AppendUvarint(append(b.buf, what), uint64(len(p)))
	return item{b.add(p), sha256.Sum256(p)}
}

// flush ends an object and begins to put it.
func (b *bundler) flush() error {
	if len(b.buf) == 0 {
		return nil
	}
	plain := b.buf
	b.buf = nil
	body := plain
	if b.box.encrypts() {
		var sealed bytes.Buffer
		if err := b.box.encrypt(&sealed, bytes.NewReader(plain), b.kind == meta); err != nil {
			return err
		}
		body = sealed.Bytes()
	}
	b.finish(b.number, sha256.Sum256(body), int64(len(body)), int64(len(plain)))
	return b.send(b.all[b.number], io.NewSectionReader(bytes.NewReader(body), 0, int64(len(body))), nil)
}

// finish records the hash and the sizes of an object.
func (s *sender) finish(number int32, h hash, size, plain int64) {
	o := &s.all[number]
	o.hash, o.size, o.plain = h, size, plain
	if had, is := s.of[h]; is {
		s.all[had].plain = plain // an interrupted backup put it
	} else {
		s.of[h] = number
	}
}

// send puts an object in the background. done is called afterwards, if not nil.
func (s *sender) send(o object, body *io.SectionReader, done func() error) error {
	s.mu.Lock()
	err := s.err
	s.mu.Unlock()
	if err != nil {
		return err
	}
	again := s.bad[o.key()]
	s.slots <- struct{}{}
	s.puts.Go(func() {
		err := error(nil)
		if again { // the same bytes once more, in place of damaged ones
			err = s.bucket.Delete(s.ctx, o.key())
		}
		if err == nil {
			err = s.bucket.Put(s.ctx, o.key(), body)
		}
		if errors.Is(err, blob.ErrExists) {
			err = nil // the same bytes: an interrupted backup put them
		}
		if err != nil {
			err = fmt.Errorf("backup: %s: %w", o.key(), err)
		}
		if done != nil {
			err = errors.Join(err, done())
		}
		s.mu.Lock()
		s.err = errors.Join(s.err, err)
		if err == nil {
			s.count++
			s.bytes += o.size
		}
		s.mu.Unlock()
		<-s.slots
	})
	return nil
}

// wait waits until all objects are put.
func (s *sender) wait() error {
	s.puts.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// large puts a stone as an object of its own. It waits until it is put.
func (s *sender) large(st history.Stone) (place, error) {
	number := int32(len(s.all))
	s.all = append(s.all, object{kind: data})
	body, size := st.Open(), st.Size()
	h := hash(st.ID)
	if s.box.encrypts() {
		f, err := os.CreateTemp(s.temp, "cairn-backup-")
		if err != nil {
			return place{}, fmt.Errorf("backup: %w", err)
		}
		defer func() {
			f.Close() // it is deleted
			os.Remove(f.Name())
		}()
		sum := sha256.New()
		if err := s.box.encrypt(io.MultiWriter(f, sum), body, false); err != nil {
			return place{}, err
		}
		if size, err = f.Seek(0, io.SeekCurrent); err != nil {
			return place{}, fmt.Errorf("backup: %w", err)
		}
		h = hash(sum.Sum(nil))
		body = io.NewSectionReader(f, 0, size)
	}
	s.finish(number, h, size, st.Size())
	if err := s.send(s.all[number], body, nil); err != nil {
		return place{}, err
	}
	return place{number, 0, st.Size()}, s.wait()
}
