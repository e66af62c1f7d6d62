package main

import (
	"fmt"
	"io"
	"math"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/stone/whole"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/tile"
)

// memoryFlag is what --memory allows the process to take, in bytes. It is a pflag.Value.
//
// Half of it is for what verbs keep: decoded pages and a loaded world. The rest is for the
// garbage that the collector has not taken yet, for directories, and for the work itself.
type memoryFlag struct {
	bytes int64
	stats bool // --stats
	pages tile.Pages[stone.PageKey]
}

// The default of --memory, and the least that verbs work with.
const (
	defaultMemory = 512 << 20
	leastMemory   = 64 << 20
)

var memoryUnits = []struct {
	name  string
	bytes int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}}

// parseSize parses a size, such as 512MiB or 2GiB.
func parseSize(text string) (int64, error) {
	for _, u := range memoryUnits {
		if number, found := strings.CutSuffix(text, u.name); found {
			if n, err := strconv.ParseInt(number, 10, 64); err == nil && n > 0 && n <= math.MaxInt64/u.bytes {
				return n * u.bytes, nil
			}
		}
	}
	return 0, fmt.Errorf("want a size such as 512MiB or 2GiB")
}

// Set parses a size.
func (m *memoryFlag) Set(text string) error {
	n, err := parseSize(text)
	switch {
	case err != nil:
		return err
	case n < leastMemory:
		return fmt.Errorf("at least %d MiB", leastMemory>>20)
	}
	m.bytes = n
	return nil
}

func (m *memoryFlag) String() string {
	for _, u := range memoryUnits[1:] {
		if n := m.bytes / u.bytes; m.bytes%u.bytes == 0 && n > 0 && n < 1<<10 {
			return strconv.FormatInt(n, 10) + u.name
		}
	}
	return strconv.FormatInt(m.bytes>>10, 10) + "KiB"
}

// Type is the placeholder that help shows.
func (*memoryFlag) Type() string { return "SIZE" }

// bound tells the garbage collector the limit. An eighth of it, or 28 MiB, is for what the
// collector does not count, such as the program itself.
func (m *memoryFlag) bound() { debug.SetMemoryLimit(m.bytes - max(m.bytes/8, 28<<20)) }

// cache returns the cache of decoded pages that the verb's readers share. What it cannot hold
// lies in a temporary file.
func (m *memoryFlag) cache() stone.PageCache {
	if m.pages.Cache == nil {
		m.pages = stone.NewCache(m.share()).Spill(func() (tile.TempFile, error) { return port.TempFile("") })
	}
	return m.pages
}

// close deletes the cache's temporary file.
func (m *memoryFlag) close() error {
	if m.pages.Cache == nil {
		return nil
	}
	return m.pages.Close()
}

// report prints what the cache did, for --stats.
func (m *memoryFlag) report(w io.Writer) {
	switch {
	case !m.stats:
	case m.pages.Cache == nil:
		fmt.Fprintln(w, "pages: the verb read none through the cache that --stats counts")
	default:
		s := m.pages.Stats()
		fmt.Fprintf(w, "pages: %d requests, %.1f %% hits, %d waits; %d pages decoded, %s once and %s again, %d read back; %s in %d pages, at most %s of %s\n",
			s.Requests, 100*s.HitRatio(), s.Waits, s.Reads, table.Size(s.UniqueBytes), table.Size(s.AgainBytes), s.Unpacked,
			table.Size(s.Bytes), s.Payloads, table.Size(s.PeakBytes), table.Size(s.Budget))
	}
}

// world returns how many bytes a loaded world may take.
func (m *memoryFlag) world() int64 { return m.share() }

// fixedMemory is for the program itself, and for encoding one page.
const fixedMemory = 64 << 20

// share returns what one of several things that a verb keeps may take.
func (m *memoryFlag) share() int64 { return max(fixedMemory/2, m.bytes-fixedMemory) / 4 }

// whole returns options to write a whole world with.
func (sf *storeFlag) whole(o stone.Options) whole.Options {
	m := &sf.memory
	o = port.AtOnce(o)
	o.AtOnce = int(min(int64(o.AtOnce), max(1, m.bytes/(2*fixedMemory))))
	return whole.Options{Options: o, Far: true, Memory: 2 * m.share(), Temp: sf.tempFile}
}

// tempFile makes a temporary file.
func (sf *storeFlag) tempFile() (whole.TempFile, error) { return port.TempFile(sf.temp) }
