package main

import (
	"fmt"
	"io"
	"path"
	"strings"
	"sync"
)

// The columns of a table: kills, then syncs by the kind of file.
const (
	kills = iota
	syncLog
	syncManifest
	syncTable
	syncStone
	syncDir
	syncOther
	columns
)

// table counts stops by what was in progress.
type table struct {
	mu   sync.Mutex
	rows map[string]*[columns]int
}

func (t *table) add(row string, column int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.rows[row] == nil {
		t.rows[row] = new([columns]int)
	}
	t.rows[row][column]++
}

func (t *table) sums() (killed, synced int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.rows {
		for column, n := range r {
			if column == kills {
				killed += n
			} else {
				synced += n
			}
		}
	}
	return killed, synced
}

func (t *table) print(to io.Writer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintf(to, "%-10s %7s  at a sync of: %7s %9s %7s %7s %12s %7s\n",
		"during", "kill -9", "log", "manifest", "tables", "stones", "directories", "others")
	for _, row := range append(kinds(), opening, between) {
		r := t.rows[row]
		if r == nil {
			r = new([columns]int)
		}
		fmt.Fprintf(to, "%-10s %7d %22d %9d %7d %7d %12d %7d\n",
			row, r[kills], r[syncLog], r[syncManifest], r[syncTable], r[syncStone], r[syncDir], r[syncOther])
	}
}

// columnOf returns the column of a file of a store.
func columnOf(name string, isDir bool) int {
	base := path.Base(name)
	switch ext := path.Ext(base); {
	case isDir:
		return syncDir
	case strings.Contains(name, "/stones/"):
		return syncStone
	case ext == ".log":
		return syncLog
	case ext == ".sst", ext == ".blob":
		return syncTable
	case strings.HasPrefix(base, "MANIFEST"):
		return syncManifest
	}
	return syncOther
}
