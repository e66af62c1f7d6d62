package backup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
	"sync"

	"filippo.io/age"

	"github.com/cairnvoxel/cairn/internal/blob"
)

// source reads objects of a Bucket. It checks all that it returns.
type source struct {
	bucket blob.ReadOnly
	keys   []age.Identity

	// piecemeal gives out parts of damaged objects. Who asks for a part compares it.
	piecemeal bool

	mu    sync.Mutex
	cache map[hash][]byte // whole objects without encryption
	order []hash          // of the cache, the oldest first
	hurt  map[hash]bool   // damaged objects, if piecemeal
}

func newSource(bucket blob.ReadOnly, keys []age.Identity) *source {
	return &source{bucket: bucket, keys: keys, cache: make(map[hash][]byte), hurt: make(map[hash]bool)}
}

const (
	cachedObjects = 16
	// pieceBytes is how much of a large object is read at a time.
	pieceBytes = 16 << 20
	// wholeBytes is the size up to which an object is read whole for any part of it.
	wholeBytes = 256 << 10
)

// objectError returns an error that names an object of the Bucket, if its bytes are
// missing or wrong.
func objectError(key string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &CorruptError{Object: key, Offset: -1, Part: "object", Err: errors.New("is missing")}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &CorruptError{Object: key, Offset: -1, Part: "object", Err: errors.New("cut short")}
	case errors.Is(err, blob.ErrDamaged): // the bucket has found it out by a checksum of its own
		return &CorruptError{Object: key, Offset: -1, Part: "object", Err: err}
	}
	return fmt.Errorf("backup: %s: %w", key, err)
}

// stream copies an object as it lies in the Bucket, and compares it with its name.
func (s *source) stream(ctx context.Context, o *object, to io.Writer) error {
	h := sha256.New()
	for off := int64(0); off < o.size || off == 0; off += pieceBytes {
		b, err := s.bucket.Get(ctx, o.key(), off, min(pieceBytes, o.size-off))
		if err != nil {
			return objectError(o.key(), err)
		}
		h.Write(b)
		if _, err := to.Write(b); err != nil {
			return err
		}
	}
	return o.compare(hash(h.Sum(nil)))
}

// compare compares the hash of an object's bytes with its name.
func (o *object) compare(got hash) error {
	if got != o.hash {
		return &CorruptError{Object: o.key(), Offset: -1, Part: "object", Err: fmt.Errorf("its bytes have the hash %v", got)}
	}
	return nil
}

// check reads an object and compares it with its name and size.
func (s *source) check(ctx context.Context, o *object) error {
	size := o.size
	if size <= pieceBytes {
		b, err := s.bucket.Get(ctx, o.key(), 0, -1)
		if err != nil {
			return objectError(o.key(), err)
		}
		if size = int64(len(b)); size == o.size {
			return o.compare(sha256.Sum256(b))
		}
	} else if info, err := s.bucket.Head(ctx, o.key()); err != nil {
		return objectError(o.key(), err)
	} else if size = info.Size; size == o.size {
		return s.stream(ctx, o, io.Discard)
	}
	return &CorruptError{Object: o.key(), Offset: -1, Part: "object", Err: fmt.Errorf("%d bytes: want %d", size, o.size)}
}

// whole reads an object, compares it with its name, and returns its bytes without
// encryption, or nil if they are too many. Nobody may change them.
func (s *source) whole(ctx context.Context, o *object) ([]byte, error) {
	s.mu.Lock()
	b, had := s.cache[o.hash]
	s.mu.Unlock()
	if had {
		return b, nil
	}
	if o.size > 2*pieceBytes { // its reader does not need it in memory
		return nil, s.stream(ctx, o, io.Discard)
	}
	var buf bytes.Buffer
	buf.Grow(int(min(o.size, pieceBytes)))
	if err := s.stream(ctx, o, &buf); err != nil {
		return nil, err
	}
	b = buf.Bytes()
	if o.size != o.plain {
		var err error
		if b, err = s.decrypt(o.key(), b); err != nil {
			return nil, err
		}
	}
	if int64(len(b)) != o.plain {
		return nil, &CorruptError{Object: o.key(), Offset: -1, Part: "object", Err: fmt.Errorf("%d bytes: want %d", len(b), o.plain)}
	}
	s.remember(o, b)
	return b, nil
}

func (s *source) remember(o *object, b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, had := s.cache[o.hash]; had {
		return
	}
	if len(s.order) == cachedObjects {
		delete(s.cache, s.order[0])
		s.order = slices.Delete(s.order, 0, 1)
	}
	s.cache[o.hash], s.order = b, append(s.order, o.hash)
}

// ErrKey says that none of the given keys decrypts an object.
var ErrKey = errors.New("none of the identities decrypts it")

// readError is an error of the Bucket, below what decrypts its bytes.
type readError struct{ error }

// Unwrap returns the cause.
func (e readError) Unwrap() error { return e.error }

// keyError returns the error of reading an object without its encryption. That the
// Bucket did not answer says nothing against the object.
func keyError(key string, err error) error {
	if bucket := (readError{}); errors.As(err, &bucket) {
		return bucket.error
	}
	if errors.As(err, new(*age.NoIdentityMatchError)) {
		return fmt.Errorf("backup: %s: %w", key, ErrKey)
	}
	return &CorruptError{Object: key, Offset: -1, Part: "encryption", Err: err}
}

func (s *source) decrypt(key string, b []byte) ([]byte, error) {
	if len(s.keys) == 0 {
		return nil, fmt.Errorf("backup: %s: %w", key, ErrKey)
	}
	r, err := age.Decrypt(bytes.NewReader(b), s.keys...)
	if err != nil {
		return nil, keyError(key, err)
	}
	out, err := io.ReadAll(r)
	if err != nil {
		return nil, keyError(key, err)
	}
	return out, nil
}

// part returns bytes of an object, without encryption. The caller compares them with
// a hash. Nobody may change them.
func (s *source) part(ctx context.Context, o *object, off, n int64) ([]byte, error) {
	if off < 0 || n < 0 || off+n > o.plain {
		return nil, &CorruptError{Object: o.key(), Offset: off, Part: "part", Err: fmt.Errorf("%d bytes from there: it has %d", n, o.plain)}
	}
	s.mu.Lock()
	b, had := s.cache[o.hash]
	hurt := s.hurt[o.hash]
	s.mu.Unlock()
	if !had && !hurt && (o.plain <= wholeBytes || n > o.plain/4) {
		var err error
		b, err = s.whole(ctx, o)
		if s.piecemeal && errors.As(err, new(*CorruptError)) {
			s.mu.Lock()
			s.hurt[o.hash] = true
			s.mu.Unlock()
			b, err = nil, nil // the part itself may be whole
		}
		if err != nil {
			return nil, err
		}
	}
	if b != nil {
		return b[off : off+n : off+n], nil
	}
	if o.size == o.plain {
		b, err := s.bucket.Get(ctx, o.key(), off, n)
		if err != nil {
			return nil, objectError(o.key(), err)
		}
		return b, nil
	}
	r, err := s.plainReader(ctx, o)
	if err != nil {
		return nil, err
	}
	out := make([]byte, n)
	if _, err := r.ReadAt(out, off); err != nil && err != io.EOF {
		return nil, keyError(o.key(), err)
	}
	return out, nil
}

// plainReader returns a reader of an object without encryption.
func (s *source) plainReader(ctx context.Context, o *object) (io.ReaderAt, error) {
	raw := &window{ctx: ctx, from: s.bucket, key: o.key(), size: o.size}
	if o.size == o.plain {
		return raw, nil
	}
	if len(s.keys) == 0 {
		return nil, fmt.Errorf("backup: %s: %w", o.key(), ErrKey)
	}
	r, n, err := age.DecryptReaderAt(raw, o.size, s.keys...)
	if raw.err != nil { // age does not wrap all errors
		return nil, raw.err
	}
	if err == nil && n != o.plain {
		err = fmt.Errorf("%d bytes: want %d", n, o.plain)
	}
	if err != nil {
		return nil, keyError(o.key(), err)
	}
	return r, nil
}

// window is an io.ReaderAt of an object as it lies in the Bucket. It is for one
// goroutine.
type window struct {
	ctx  context.Context
	from blob.ReadOnly
	key  string
	size int64
	at   int64
	have []byte
	err  error // of the Bucket
}

const windowBytes = 1 << 20

// ReadAt is for io.ReaderAt. An error of the Bucket is a readError.
func (w *window) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 || off >= w.size {
		return 0, io.EOF
	}
	done := 0
	for done < len(p) {
		at := off + int64(done)
		if at >= w.size {
			return done, io.EOF
		}
		if at < w.at || at >= w.at+int64(len(w.have)) {
			b, err := w.from.Get(w.ctx, w.key, at, min(max(windowBytes, int64(len(p)-done)), w.size-at))
			if err != nil {
				w.err = objectError(w.key, err)
				return done, readError{w.err}
			}
			w.at, w.have = at, b
		}
		done += copy(p[done:], w.have[at-w.at:])
	}
	return done, nil
}

// item returns an archive or a table.
func (s *source) item(ctx context.Context, from *objects, i item) ([]byte, error) {
	o := &from.all[i.object]
	b, err := s.part(ctx, o, i.off, i.size)
	if err != nil {
		return nil, err
	}
	if got := sha256.Sum256(b); got != i.sum {
		return nil, &CorruptError{Object: o.key(), Offset: i.off, Part: "item", Err: fmt.Errorf("its bytes have the hash %x: want %v", got, i.sum)}
	}
	return b, nil
}

// manifest reads the manifest with a name.
func (s *source) manifest(ctx context.Context, n name) (*manifest, error) {
	b, err := s.bucket.Get(ctx, n.manifest(), 0, -1)
	if err != nil {
		return nil, objectError(n.manifest(), err)
	}
	if got := sha256.Sum256(b); got != n.hash {
		return nil, &CorruptError{Object: n.manifest(), Offset: -1, Part: "manifest", Err: fmt.Errorf("its bytes have the hash %x", got)}
	}
	return parseManifest(n, b)
}

// leaves reads the table of tables of a backup.
func (s *source) leaves(ctx context.Context, m *manifest) ([]*leaf, error) {
	b, err := s.item(ctx, m.objects, m.top)
	if err != nil {
		return nil, err
	}
	leaves, err := parseTop(m.all[m.top.object].key(), b, m.objects, m.top.object)
	if err != nil {
		return nil, err
	}
	return leaves, s.expect(ctx, m.objects, func(yield func(item) bool) {
		for _, f := range leaves {
			if !yield(f.at) {
				return
			}
		}
	})
}

// manyItems is how many items of an object are read one by one at most.
const manyItems = 8

// expect reads the objects that many of some items lie in, so that they are not read
// one by one. What is damaged is found when it is used.
func (s *source) expect(ctx context.Context, from *objects, items iter.Seq[item]) error {
	count := make(map[int32]int)
	for i := range items {
		if count[i.object]++; count[i.object] != manyItems {
			continue
		}
		if _, err := s.whole(ctx, &from.all[i.object]); err != nil && !errors.As(err, new(*CorruptError)) {
			return err
		}
	}
	return nil
}

// rows reads a table.
func (s *source) rows(ctx context.Context, m *manifest, f *leaf) ([]*row, error) {
	b, err := s.item(ctx, m.objects, f.at)
	if err != nil {
		return nil, err
	}
	rows, err := parseLeaf(m.all[f.at.object].key(), b, m.objects, f.at.object)
	if err == nil && (len(rows) != f.rows || len(rows) > 0 && rows[0].key() != f.first) {
		err = &CorruptError{Object: m.all[f.at.object].key(), Offset: f.at.off, Part: "table", Err: errors.New("is not the table that it should be")}
	}
	return rows, err
}

// listing is what a Bucket has.
type listing struct {
	objects   map[string]int64 // by key, with sizes: data and meta
	manifests []name           // oldest first, as all of these
	seals     []name
	strange   []string // keys that are no keys of backups
}

const listBatch = 1000

// each calls what for all keys with a prefix.
func each(ctx context.Context, bucket blob.ReadOnly, prefix string, what func(blob.Object) error) error {
	for after := ""; ; {
		some, err := bucket.List(ctx, prefix, after, listBatch)
		if err != nil {
			return fmt.Errorf("backup: list %s: %w", prefix, err)
		}
		for _, info := range some {
			if err := what(info); err != nil {
				return err
			}
		}
		if len(some) < listBatch {
			return nil
		}
		after = some[len(some)-1].Key
	}
}

// list lists a Bucket.
func list(ctx context.Context, bucket blob.ReadOnly) (*listing, error) {
	l := &listing{objects: make(map[string]int64)}
	err := each(ctx, bucket, "", func(info blob.Object) error {
		l.add(info)
		return nil
	})
	return l, err
}

func (l *listing) add(info blob.Object) {
	for _, prefix := range []string{dataPrefix, metaPrefix, manifestPrefix, sealPrefix, claimPrefix} {
		rest, ok := bytes.CutPrefix([]byte(info.Key), []byte(prefix))
		if !ok {
			continue
		}
		switch prefix {
		case dataPrefix, metaPrefix:
			if _, ok := parseHash(string(rest)); ok {
				l.objects[info.Key] = info.Size
				return
			}
		case claimPrefix:
			return
		default:
			if n, ok := parseName(string(rest)); ok {
				if prefix == sealPrefix {
					l.seals = append(l.seals, n)
				} else {
					l.manifests = append(l.manifests, n)
				}
				return
			}
		}
	}
	l.strange = append(l.strange, info.Key)
}
