package disk

import (
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/internal/store/journal"
	"github.com/cockroachdb/pebble/v2"
)

// Close writes a list of the files of the Store. Open compares the files with the
// list, and removes the list before anything changes. So the loss of a file, or of
// a part of one, in a closed Store is found before the database is opened. The
// database itself would take the damaged end of its manifest or log for the real
// end.
const (
	closedFile = "CLOSED"
	closedHead = "cairn closed 1 "
	tailBytes  = 4 << 10
)

// A DamageError names the damaged files of a Store.
type DamageError struct {
	Files  []string // each with its fault
	noList bool     // the database's list of files is missing: nothing can be read
}

// Error names the files, and what to do.
func (e *DamageError) Error() string {
	advice := "cairn check names the worlds that are hurt, cairn salvage copies what can be read"
	if e.noList {
		advice = "without this list of the other files nothing can be read; a backup has the worlds (cairn restore-store)"
	}
	return fmt.Sprintf("damaged: %s: %s", strings.Join(e.Files, "; "), advice)
}

// sealed is one file of a closed Store.
type sealed struct {
	path string // below the Store's directory, with slashes
	size int64
	sum  uint32 // CRC-32C of the last 4 KiB of a table or blob file, of all of any other
}

// isTable reports whether a file of the database is a table or blob file. These are
// large, many, and never change.
func isTable(path string) bool {
	return strings.HasSuffix(path, ".sst") || strings.HasSuffix(path, ".blob")
}

// sealable returns the files in db/ that a Store needs. There may be older logs,
// manifests and options, which the database keeps to use again.
func sealable(names []string) (out []string) {
	newest := make(map[string]string)
	var manifest string
	for _, name := range names {
		switch {
		case isTable(name):
			out = append(out, name)
		case strings.HasPrefix(name, "marker."):
			out = append(out, name)
			if parts := strings.SplitN(name, ".", 4); parts[1] == "manifest" && len(parts) == 4 {
				manifest = parts[3]
			}
		case strings.HasSuffix(name, ".log"):
			newest["log"] = later(newest["log"], name)
		case strings.HasPrefix(name, "OPTIONS-"):
			newest["OPTIONS"] = later(newest["OPTIONS"], name)
		}
	}
	for _, name := range []string{manifest, newest["log"], newest["OPTIONS"]} {
		if name != "" {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// later returns the one of two names of one kind that has the higher number.
func later(a, b string) string {
	if len(a) > len(b) || len(a) == len(b) && a > b {
		return a
	}
	return b
}

// seal describes the current state of a file.
func (s *Store) seal(path string) (sealed, error) {
	f, err := s.FS.Open(s.FS.PathJoin(s.dir, path))
	if err != nil {
		return sealed{}, err
	}
	defer f.Close()
	in, err := f.Stat()
	if err != nil {
		return sealed{}, err
	}
	size, sum := in.Size(), crc32.New(castagnoli)
	from := int64(0)
	if isTable(path) {
		from = max(0, size-tailBytes)
	}
	_, err = io.Copy(sum, io.NewSectionReader(f, from, size-from))
	return sealed{path, size, sum.Sum32()}, err
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// writeClosed writes the list of files. The database is closed and has flushed its
// log.
func (s *Store) writeClosed() error {
	names, err := s.FS.List(s.FS.PathJoin(s.dir, "db"))
	if err != nil {
		return err
	}
	b := []byte(closedHead + s.id + "\n")
	for _, name := range sealable(names) {
		path := "db/" + name
		e, known := s.sealed[path]
		if !known || !isTable(path) {
			if e, err = s.seal(path); err != nil {
				return err
			}
		}
		b = fmt.Appendf(b, "%08x %d %s\n", e.sum, e.size, e.path)
	}
	b = fmt.Appendf(b, "%08x end\n", crc32.Checksum(b, castagnoli))
	return writeFile(s.FS, s.dir, closedFile, b)
}

// readClosed reads the list that Close wrote, nil if there is none.
func (s *Store) readClosed() (map[string]sealed, error) {
	f, err := s.FS.Open(s.FS.PathJoin(s.dir, closedFile))
	if err != nil {
		return nil, ignoreMissing(err)
	}
	b, err := io.ReadAll(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	end := len(b) - len("01234567 end\n")
	if end < 0 || string(b[end:]) != fmt.Sprintf("%08x end\n", crc32.Checksum(b[:end], castagnoli)) {
		return nil, fmt.Errorf("%s is damaged; if you remove it, the store opens, but lost files are not noticed", closedFile)
	}
	head, list, _ := strings.Cut(string(b[:end]), "\n")
	if head != closedHead+s.id {
		return nil, fmt.Errorf("%s and %s are not of one store", closedFile, storeFile)
	}
	all := make(map[string]sealed)
	for line := range strings.Lines(list) {
		var e sealed
		if _, err := fmt.Sscanf(line, "%08x %d %s\n", &e.sum, &e.size, &e.path); err != nil {
			return nil, fmt.Errorf("%s: line %q: %w", closedFile, line, err)
		}
		all[e.path] = e
	}
	return all, nil
}

// inspect finds damage before the database is opened. some is damage that hides
// only some of the values; all is damage that makes the whole Store unsafe to open.
func (s *Store) inspect() (some, all []string, err error) {
	names, err := s.FS.List(s.FS.PathJoin(s.dir, "db"))
	if err = ignoreMissing(err); err != nil {
		return nil, nil, err
	}
	if s.sealed, err = s.readClosed(); err != nil {
		return nil, []string{err.Error()}, nil
	}
	if s.sealed == nil {
		return s.inspectOpen(names)
	}
	for _, path := range slices.Sorted(maps.Keys(s.sealed)) {
		want := s.sealed[path]
		why, err := s.compare(want)
		if err != nil {
			return nil, nil, err
		}
		name := strings.TrimPrefix(path, "db/")
		switch {
		case why == "":
		case isTable(path):
			some = append(some, path+why)
		case strings.HasPrefix(name, "marker."): // its name says everything
			some = append(some, path+why)
		case strings.HasPrefix(name, "OPTIONS-"), strings.HasSuffix(name, ".log") && want.size <= journal.EmptyLog:
			s.hidden = append(s.hidden, name) // reads do not need it
			some = append(some, path+why)
		default:
			all = append(all, path+why)
		}
	}
	return some, all, nil
}

// compare returns how a file differs from the list, "" if it does not. It checks
// only the size of a table; opening the table checks the rest.
func (s *Store) compare(want sealed) (why string, err error) {
	size, err := sizeAt(s.FS, s.FS.PathJoin(s.dir, want.path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if name := s.FS.PathBase(want.path); isTable(name) || strings.HasPrefix(name, "marker.") {
			s.missing = append(s.missing, name)
		} else if strings.HasPrefix(name, "MANIFEST-") {
			s.noList = true
		}
		return fmt.Sprintf(" is missing, and had %d bytes", want.size), nil
	case err != nil:
		return "", err
	case size != want.size:
		return fmt.Sprintf(" has %d bytes, and had %d", size, want.size), nil
	case isTable(want.path):
		return "", nil
	}
	have, err := s.seal(want.path)
	if err == nil && have.sum != want.sum {
		why = " has changed: its checksum does not match"
	}
	return why, err
}

// inspectOpen finds damage in a Store that was not closed.
func (s *Store) inspectOpen(names []string) (some, all []string, err error) {
	var m journal.Manifest
	newest := make(map[string]uint64) // numbers of the files that exist once
	markers := lostMarkers(names)
	for _, name := range sealable(slices.Concat(names, markers)) {
		kind, rest, _ := strings.Cut(strings.TrimPrefix(name, "marker."), ".")
		if name == kind+rest {
			kind, rest, _ = strings.Cut(name, "-")
		}
		newest[kind], _ = strconv.ParseUint(rest, 10, 64) // a marker's number is not used
		switch kind {
		case "OPTIONS":
			if err := s.inspectOptions(name); err != nil {
				s.hidden = append(s.hidden, name) // reads do not need it
				some = append(some, fmt.Sprintf("db/%s: %v", name, err))
			}
		case "MANIFEST":
			var why error
			m, why, err = journal.ReadManifest(s.FS, s.FS.PathJoin(s.dir, "db", name))
			m.Name = name
			s.noList = errors.Is(err, fs.ErrNotExist)
			if err = cmp.Or(err, why); err != nil {
				return nil, []string{fmt.Sprintf("db/%s: %v", name, err)}, nil
			}
		}
	}
	logs := make(map[uint64]string)
	for _, name := range names {
		if number, err := strconv.ParseUint(strings.TrimSuffix(name, ".log"), 10, 64); err == nil {
			logs[number] = name
		}
	}
	numbers := slices.Sorted(maps.Keys(logs))
	if lacks := m.Lacks(numbers, newest["MANIFEST"], newest["OPTIONS"]); lacks != "" && newest["MANIFEST"] > 0 {
		all = append(all, fmt.Sprintf("db/%s is missing, or what db/MANIFEST-%06d ends with", lacks, newest["MANIFEST"]))
	}
	s.lists = m
	tables, err := s.inspectTables(m)
	if err != nil {
		return nil, nil, err
	}
	some = append(some, tables...)
	sound := true
	l := logScan{logs: logs, first: m.FirstLog, sums: make(map[uint64]uint32)}
	for _, number := range numbers {
		if number < m.FirstLog {
			continue
		}
		why, end, err := l.check(s.FS, s.FS.PathJoin(s.dir, "db"), number)
		if err != nil {
			return nil, nil, err
		}
		if why != "" && sound { // what follows may be a consequence
			all, sound = append(all, why), false
		}
		if s.Damaged {
			s.cut[logs[number]] = end
		}
	}
	if slices.ContainsFunc(names, isTable) || l.next > 0 { // otherwise the database may be about to make its first files
		for _, name := range markers {
			all = append(all, fmt.Sprintf("db/%s.* is missing", strings.Join(strings.Split(name, ".")[:2], ".")))
		}
		s.missing = append(s.missing, markers...)
	}
	if at := s.readAcked(); sound && l.lacks(at) {
		all = append(all, l.lost(at, ackedFile))
	}
	return some, all, nil
}

// lostMarkers returns the markers that are missing. A marker is an empty file whose
// name says which manifest is in use, or which format the database has.
func lostMarkers(names []string) (lost []string) {
	has := func(prefix string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, prefix) })
	}
	if !has("marker.manifest.") {
		manifest := ""
		for _, name := range names {
			if strings.HasPrefix(name, "MANIFEST-") {
				manifest = later(manifest, name)
			}
		}
		lost = append(lost, "marker.manifest.000001."+manifest)
	}
	if !has("marker.format-version.") {
		lost = append(lost, fmt.Sprintf("marker.format-version.000001.%03d", pebble.FormatValueSeparation))
	}
	return lost
}

// inspectOptions returns an error if the database cannot read its options.
func (s *Store) inspectOptions(name string) error {
	dir := s.FS.PathJoin(s.dir, "db")
	b, err := journal.ReadAll(s.FS, s.FS.PathJoin(dir, name))
	if err != nil {
		return err
	}
	o := new(pebble.Options)
	o.EnsureDefaults()
	return o.CheckCompatibility(dir, string(b))
}

// inspectTables checks all tables that a manifest names.
func (s *Store) inspectTables(m journal.Manifest) (some []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(m.Tables)) {
		want := sealed{path: "db/" + name, size: m.Tables[name]}
		why, err := s.compare(want)
		if err != nil {
			return nil, err
		}
		if why != "" {
			some = append(some, fmt.Sprintf("%s%s by %s", want.path, why, m.Name))
		} else if err := s.openable(want.path); err != nil {
			some = append(some, want.path+": "+err.Error())
		}
	}
	return some, nil
}
