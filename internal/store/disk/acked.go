package disk

import (
	"errors"
	"hash/crc32"
	"sync"

	"github.com/cairnvoxel/cairn/internal/store/journal"
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/batchrepr"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Two places say up to where the database's log was acknowledged: a note in each
// batch, for the batches before it, and ackedFile. A log that was cut, emptied,
// removed or replaced does not have what they name. The file is written after each
// sync of the log and never synced itself: after a kill it is exact, after a failure
// of power it may name an earlier place, which the log has reached as well.
const (
	ackedFile  = "ACKED"
	placeBytes = 8 + 8 + 4
	ackedBytes = 4 + placeBytes // a checksum, then the place
	ackedData  = 'a'            // first byte of a note
	sumBytes   = 512            // end of a batch that its checksum covers: it has the head's hash
)

// logPlace is the end of a batch in the database's logs.
type logPlace struct {
	log  uint64 // the batch is in this log or a later one
	next uint64 // the first sequence number behind the batch
	sum  uint32 // CRC-32C of the batch's end
}

func (p logPlace) append(b []byte) []byte {
	return be.AppendUint32(be.AppendUint64(be.AppendUint64(b, p.log), p.next), p.sum)
}

func parsePlace(b []byte) logPlace {
	return logPlace{be.Uint64(b), be.Uint64(b[8:]), be.Uint32(b[16:])}
}

// endOf returns the sequence number behind a batch, and the checksum of its end.
func endOf(batch []byte) (next uint64, sum uint32) {
	next = le.Uint64(batch) + uint64(le.Uint32(batch[8:]))
	return next, crc32.Checksum(batch[max(0, len(batch)-sumBytes):], castagnoli)
}

// acked is the place up to which everything was acknowledged.
type acked struct {
	mu    sync.Mutex
	place logPlace
	file  vfs.File // nil before the first sync
}

func (a *acked) get() logPlace {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.place
}

func (a *acked) close() error {
	if a.file == nil {
		return nil
	}
	return a.file.Close()
}

// acknowledge adds a note to a batch: everything up to a place was acknowledged. The
// note is only in the log.
func (s *Store) acknowledge(b *pebble.Batch) error {
	return b.LogData(s.acked.get().append([]byte{ackedData}), nil)
}

// acknowledged records that a batch and all before it are on stable storage. log is
// the log that was in use before the batch was written.
func (s *Store) acknowledged(batch []byte, log uint64) {
	at := logPlace{log: log}
	if at.next, at.sum = endOf(batch); at.next == le.Uint64(batch) {
		return // it has no record, and those before it may be in earlier logs
	}
	s.acked.mu.Lock()
	defer s.acked.mu.Unlock()
	if at.next <= s.acked.place.next {
		return
	}
	at.log = max(at.log, s.acked.place.log) // later batches are in later logs
	s.acked.place = at
	if s.acked.write(s.FS, s.FS.PathJoin(s.dir, ackedFile), s.ackedText(at)) != nil {
		s.acked.file = nil // the batch is saved; an earlier place, or none, raises no alarm
	}
}

// write writes the file. The first write makes a new file, because a copy of the
// directory may share the old one.
func (a *acked) write(on vfs.FS, path string, text []byte) (err error) {
	if a.file == nil {
		if a.file, err = on.Create(path, vfs.WriteCategoryUnspecified); err != nil {
			return err
		}
	}
	if _, err = a.file.WriteAt(text, 0); err != nil {
		return errors.Join(err, a.file.Close())
	}
	return nil
}

// ackedText returns the content of the file. Its checksum covers the Store's
// identity too.
func (s *Store) ackedText(at logPlace) []byte {
	b := at.append(make([]byte, 4, ackedBytes))
	be.PutUint32(b, crc32.Update(crc32.Checksum([]byte(s.id), castagnoli), castagnoli, b[4:]))
	return b
}

// readAcked reads the file. The place is zero if the file cannot be read, or if it was
// not written by this Store: a failure of power may take it.
func (s *Store) readAcked() logPlace {
	b, err := journal.ReadAll(s.FS, s.FS.PathJoin(s.dir, ackedFile))
	if err != nil || len(b) != ackedBytes {
		return logPlace{}
	}
	at := parsePlace(b[4:])
	if string(s.ackedText(at)) != string(b) {
		return logPlace{}
	}
	return at
}

// ackedBy returns the place that acknowledge added to a batch, zero if there is none.
func ackedBy(batch []byte) (at logPlace) {
	r := batchrepr.Read(batch)
	for {
		kind, data, _, ok, err := r.Next()
		if !ok || err != nil {
			return at
		}
		if kind == pebble.InternalKeyKindLogData && len(data) == 1+placeBytes && data[0] == ackedData {
			at = parsePlace(data[1:])
		}
	}
}
