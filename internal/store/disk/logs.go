package disk

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/cairnvoxel/cairn/internal/store/journal"
	"github.com/cockroachdb/pebble/v2/vfs"
)

var le = binary.LittleEndian

// batchHead is the first sequence number of a batch and the number of its records.
const batchHead = 8 + 4

// logScan is the result of reading the logs so far, from the first that is needed.
type logScan struct {
	logs  map[uint64]string // names of the logs that exist, by number
	first uint64            // the first log that is needed; the tables have what was in those before it
	next  uint64            // the next sequence number, 0 if there was no record
	sums  map[uint64]uint32 // of each batch, by the sequence number behind it
	last  uint64            // the log that was read last
}

// lacks reports whether the logs lack what is before a place.
func (l *logScan) lacks(at logPlace) bool {
	if at.log == 0 || at.log < l.first {
		return false
	}
	sum, ok := l.sums[at.next]
	return !ok || sum != at.sum
}

// lost says which log lacks what is before a place that another file names.
func (l *logScan) lost(at logPlace, by string) string {
	name := l.logs[at.log]
	switch {
	case name == "":
		return fmt.Sprintf("db/%06d.log is missing: %s says that it held saves that were acknowledged", at.log, by)
	case at.next <= l.next:
		return fmt.Sprintf("db/%s and %s are not of one store: the saves differ", name, by)
	}
	return fmt.Sprintf("db/%s lost its end: it held more saves that were acknowledged", name)
}

// check reads the next log. If records behind damage show that acknowledged records
// are lost (see acknowledge), it returns a text that names the log that lost them,
// and the offset up to which the log can be read.
func (l *logScan) check(on vfs.FS, dir string, number uint64) (why string, end int64, err error) {
	var resumed uint64 // first sequence number behind the damage
	r := journal.Scanner{Number: uint32(number)}
	r.Each = func(b []byte) {
		if len(b) < batchHead || why != "" {
			return
		}
		seq, acked := le.Uint64(b), ackedBy(b)
		if r.Bad && resumed == 0 {
			resumed = seq
		}
		switch {
		case l.lacks(acked) && !r.Bad:
			why = l.lost(acked, "db/"+l.logs[number])
		case l.lacks(acked), r.Bad && l.next == 0 && acked.next >= resumed:
			damaged := l.logs[number]
			if r.End == 0 && l.last > 0 && !r.Bad {
				damaged = l.logs[l.last]
			}
			why = fmt.Sprintf("db/%s: damaged at byte %d: saves that were acknowledged are lost there", damaged, r.End)
		case !r.Bad:
			if next, sum := endOf(b); next > seq {
				l.next, l.sums[next] = next, sum
			}
		}
	}
	file, err := journal.ReadAll(on, on.PathJoin(dir, l.logs[number]))
	r.Scan(file)
	l.last = number
	return why, r.End, err
}

// cutFile hides the damaged part of a log.
type cutFile struct {
	vfs.File
	left int64
}

func (f *cutFile) Read(b []byte) (int, error) {
	if f.left <= 0 {
		return 0, io.EOF
	}
	n, err := f.File.Read(b[:min(int64(len(b)), f.left)])
	f.left -= int64(n)
	return n, err
}
