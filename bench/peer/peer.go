// Package peer does the work of cairn beside other Go libraries, in the same
// process and run: reading and writing NBT, decoding region files, holding,
// reading and writing block chunks in memory. Only ratios count: absolute numbers
// depend on the machine.
//
// The peers are github.com/Tnze/go-mc, github.com/sandertv/gophertunnel and
// github.com/df-mc/dragonfly, at the versions in go.mod. Both go-mc and
// gophertunnel die of hostile NBT, so point them at trusted worlds only.
//
// The package does not print, does not write to what it reads, and is no part
// of the library.
package peer

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Worlds returns the folders below the given ones, and these themselves, that
// hold a world: level.dat or a region folder. It does not look into worlds.
func Worlds(dirs ...string) ([]string, error) {
	var worlds []string
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() || !exists(path, "level.dat") && !exists(path, "region") {
				return err
			}
			worlds = append(worlds, path)
			return fs.SkipDir
		})
		if err != nil {
			return nil, fmt.Errorf("peer: worlds: %w", err)
		}
	}
	return worlds, nil
}

func exists(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

// Regions returns the region files below dir, those of entities and points of
// interest too, without empty ones.
func Regions(dir string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".mca" {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Size() >= 8192 {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("peer: regions: %w", err)
	}
	return files, nil
}

// documents returns by slot (z*32+x) the NBT of a region file's chunks, nil
// where there is none that all peers can decompress.
func documents(path string) ([1024][]byte, error) {
	var docs [1024][]byte
	region, err := os.ReadFile(path)
	if err != nil {
		return docs, err
	}
	for slot := range docs {
		at := int(binary.BigEndian.Uint32(region[4*slot:])>>8) * 4096
		if at < 8192 || at+5 > len(region) {
			continue
		}
		end := at + 4 + int(binary.BigEndian.Uint32(region[at:]))
		if end > at+5 && end <= len(region) {
			docs[slot] = inflate(region[at+4], region[at+5:end])
		}
	}
	return docs, nil
}

// inflate returns the content of a chunk, or nil if it is damaged.
func inflate(compression byte, stored []byte) []byte {
	r, err := inflater(compression, bytes.NewReader(stored))
	if err != nil {
		return nil
	}
	doc, err := io.ReadAll(r)
	if err != nil {
		return nil
	}
	return slices.Clip(doc)
}

func inflater(compression byte, r io.Reader) (io.Reader, error) {
	switch compression {
	case 1:
		return gzip.NewReader(r)
	case 2:
		return zlib.NewReader(r)
	case 3:
		return r, nil
	}
	return nil, fmt.Errorf("peer: compression %d", compression)
}

// perSecond returns the rate in MB/s (10^6 bytes), 0 if there was nothing.
func perSecond(bytes int64, seconds float64) float64 {
	if seconds == 0 {
		return 0
	}
	return float64(bytes) / 1e6 / seconds
}
