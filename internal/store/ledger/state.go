package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cairnvoxel/cairn/store/history"
)

// position is what a state knows of the log that made it.
type position struct {
	number  uint64 // of the last entry that was applied
	last    id     // its id
	millis  int64  // the ledger's time at it
	total   uint64 // bytes of all entries so far
	claimed uint64 // total at the last claim of a checkpoint
}

const positionBytes = 8 + idBytes + 8 + 8 + 8

func (p position) append(b []byte) []byte {
	b = le.AppendUint64(b, p.number)
	b = append(b, p.last[:]...)
	b = le.AppendUint64(b, uint64(p.millis))
	b = le.AppendUint64(b, p.total)
	return le.AppendUint64(b, p.claimed)
}

// parsePosition reads positionBytes.
func parsePosition(b []byte) position {
	return position{le.Uint64(b), id(b[8:]), int64(le.Uint64(b[24:])), le.Uint64(b[32:]), le.Uint64(b[40:])}
}

// follows returns the position after an entry.
func (p position) follows(e entry, bytes []byte) position {
	p.number, p.last, p.millis = e.number, idOf(bytes), max(p.millis, e.millis)
	p.total += uint64(len(bytes))
	if e.claim {
		p.claimed = p.total
	}
	return p
}

// The keys of the database: the position, and the records.
const (
	positionKey  = "p"
	recordPrefix = "r"
	recordEnd    = "s"
)

// state is the records after some entry of the log, in a database of their own. It
// may be deleted at any time and made again of a checkpoint and the log.
type state struct {
	options   *pebble.Options
	db        *pebble.DB
	dir       string // "" if the state is in memory
	files     vfs.FS
	failure   failure
	at        position
	unawaited int // bytes that were saved since await looked
	// refs counts the Ledger and the readers of the state. The Ledger's mutex
	// guards it.
	refs int
}

// openState opens the state in a directory, in memory if there is no directory.
func openState(dir string, o Options) (*state, error) {
	s := &state{dir: dir, files: o.files, refs: 1}
	cache := pebble.NewCache(o.CacheBytes)
	defer cache.Unref()
	po := &pebble.Options{
		Cache:                       cache,
		FormatMajorVersion:          pebble.FormatNewest,
		MemTableSize:                uint64(min(max(o.CacheBytes/8, 1<<20), 64<<20)),
		MemTableStopWritesThreshold: never, // see await
		L0StopWritesThreshold:       never,
		Logger:                      logger{},
		EventListener: &pebble.EventListener{
			BackgroundError: s.background,
			DataCorruption:  func(i pebble.DataCorruptionInfo) { s.failure.set(i.Details) },
		},
		DisableWAL: true, // the log of the ledger has it all
	}
	if po.FS = vfs.FS(files{o.files, &s.failure}); dir == "" {
		po.FS = vfs.NewMem()
	}
	for i := range po.Levels {
		po.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	po.EnsureDefaults()
	db, err := pebble.Open(dir, po)
	if err != nil {
		return nil, s.fail(err)
	}
	s.db, s.options = db, po
	if err := s.failure.get(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	switch b, ok, err := read(db, positionKey); {
	case err != nil:
		return nil, errors.Join(err, db.Close())
	case ok && len(b) != positionBytes:
		return nil, errors.Join(errors.New("the position has another size"), db.Close())
	case ok:
		s.at = parsePosition(b)
	}
	return s, nil
}

// background is called when a write of files failed, which is then tried again at once.
func (s *state) background(err error) {
	s.failure.set(err)
	time.Sleep(retryPause)
}

// retryPause is between two writes of files that fail.
const retryPause = 20 * time.Millisecond

// Limits of what waits to be written, or to be put in order, and how long await sleeps. The
// limits of the database are never reached: there, writers wait for as long as the disk is
// full.
const (
	waitingTables = 4 // of MemTableSize
	waitingLevels = 12
	awaitPause    = time.Millisecond
	never         = 1 << 20
)

// await waits until the database has written enough to its files, or the state is broken.
func (s *state) await() error {
	for {
		if err := s.failure.get(); err != nil {
			return err
		}
		m := s.db.Metrics()
		if m.MemTable.Size < waitingTables*s.options.MemTableSize && m.Levels[0].Sublevels < waitingLevels {
			return nil
		}
		time.Sleep(awaitPause)
	}
}

// close closes the state. It keeps it for the next time, or deletes it. If it should be
// kept and is broken, it is deleted and the failure is returned.
func (s *state) close(keep bool) error {
	if s.dir == "" {
		return s.db.Close()
	}
	if keep {
		s.flush()
	}
	err := s.db.Close()
	if keep {
		failed := s.failure.get()
		if failed == nil {
			return err
		}
		err = errors.Join(err, failed)
	}
	return errors.Join(err, s.files.RemoveAll(s.dir))
}

// flush writes all records to files, unless the state is broken. The database would try
// for as long as the disk is full.
func (s *state) flush() {
	if s.failure.get() != nil {
		return
	}
	done, err := s.db.AsyncFlush()
	if err != nil {
		s.failure.set(err)
	}
	for s.failure.get() == nil {
		select {
		case <-done:
			return
		case <-time.After(retryPause):
		}
	}
}

// fail breaks the state by an error.
func (s *state) fail(err error) error {
	s.failure.set(err)
	return s.failure.get()
}

// sorted writes a file of the database with records in ascending order of their keys.
// To take in files costs much less than writes.
func (s *state) sorted(i int, fill func(set func(key, value []byte) error) error) (path string, err error) {
	path = s.options.FS.PathJoin(s.dir, fmt.Sprintf("part-%08d.sst", i))
	f, err := s.options.FS.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return "", s.fail(err)
	}
	w := sstable.NewWriter(objstorageprovider.NewFileWritable(f), s.options.MakeWriterOptions(6, s.db.TableFormat()))
	err = fill(w.Set)
	if failed := w.Close(); failed != nil { // also if a Set did
		return "", s.fail(failed)
	}
	return path, err
}

// save writes changes, and the position after them, in one step. They need not be on
// stable storage, since the log has them. The caller sets at.
func (s *state) save(b *pebble.Batch, at position) error {
	if s.unawaited += b.Len() + recordOverhead*int(b.Count()); s.unawaited >= int(s.options.MemTableSize/2) {
		s.unawaited = 0
		if err := s.await(); err != nil {
			return err
		}
	}
	if err := s.failure.get(); err != nil {
		return err
	}
	if err := b.Set([]byte(positionKey), at.append(nil), nil); err != nil {
		return err
	}
	return b.Commit(pebble.NoSync) // the database has no log
}

// recordOverhead is about what a record takes in a table in memory, besides key and value.
const recordOverhead = 100

// read returns a copy of a value of a database, a batch or a snapshot.
func read(from pebble.Reader, key string) ([]byte, bool, error) {
	v, closer, err := from.Get([]byte(key))
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("ledger: the cache: %w", err)
	}
	out := append(make([]byte, 0, len(v)), v...)
	return out, true, closer.Close()
}

// records reads the records of a database or a snapshot.
type records struct{ from pebble.Reader }

// Get is for history.Records. The reader is a snapshot if there are several keys.
func (r records) Get(ctx context.Context, keys ...string) ([][]byte, error) {
	out := make([][]byte, len(keys))
	for i, key := range keys {
		v, _, err := read(r.from, recordPrefix+key)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, ctx.Err()
}

func (r records) Scan(ctx context.Context, from, to string, n int, back bool) ([]history.Record, error) {
	if from >= to || n <= 0 {
		return nil, ctx.Err()
	}
	it, err := r.from.NewIter(&pebble.IterOptions{LowerBound: []byte(recordPrefix + from), UpperBound: []byte(recordPrefix + to)})
	if err != nil {
		return nil, fmt.Errorf("ledger: the cache: %w", err)
	}
	first, next := it.First, it.Next
	if back {
		first, next = it.Last, it.Prev
	}
	var out []history.Record
	for ok := first(); ok && len(out) < n; ok = next() {
		if len(out)%1024 == 0 && ctx.Err() != nil {
			break
		}
		v, err := it.ValueAndErr()
		if err != nil {
			break // the iterator keeps it
		}
		value := append(make([]byte, 0, len(v)), v...)
		out = append(out, history.Record{Key: string(it.Key()[len(recordPrefix):]), Value: value})
	}
	if err := errors.Join(it.Error(), it.Close()); err != nil {
		return nil, fmt.Errorf("ledger: the cache: %w", err)
	}
	return out, ctx.Err()
}

// statePrefix is what the directories of states in a cache begin with.
const statePrefix = "state-"

// logger discards messages.
type logger struct{}

func (logger) Infof(string, ...any) {}

func (logger) Errorf(string, ...any) {}

// Fatalf is for pebble.Logger. It must not return. Files that cannot be written and files
// that are damaged do not come here: see files and openState.
func (logger) Fatalf(format string, args ...any) {
	panic("ledger: the database of the cache: " + fmt.Sprintf(format, args...))
}
