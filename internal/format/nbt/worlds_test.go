package nbt_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/testing/long"
)

// TestWorlds takes the chunks of real worlds to trees and back.
func TestWorlds(t *testing.T) {
	long.Rest(t)
	dir := os.Getenv("CAIRN_WORLDS")
	if dir == "" {
		t.Skip("CAIRN_WORLDS is not set")
	}
	chunks := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".mca" {
			return err
		}
		chunks += roundTripRegion(t, path)
		return nil
	})
	if err != nil || chunks == 0 {
		t.Errorf("%d chunks, %v", chunks, err)
	}
	t.Logf("%d chunks", chunks)
}

// roundTripRegion checks some zlib chunks of a region file and returns how many.
func roundTripRegion(t *testing.T, path string) (chunks int) {
	region, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < 4096 && len(region) >= 8192 && chunks < 20; i += 4 {
		at := int(binary.BigEndian.Uint32(region[i:])>>8) * 4096
		if at == 0 || at+5 > len(region) || region[at+4] != 2 {
			continue
		}
		z, err := zlib.NewReader(bytes.NewReader(region[at+5:]))
		if err != nil {
			continue
		}
		if doc, err := io.ReadAll(z); err == nil {
			roundTrip(t, path, doc)
			chunks++
		}
	}
	return chunks
}

func roundTrip(t *testing.T, path string, doc []byte) {
	name, v, err := nbt.Parse(doc, nbt.Limits{})
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	r := nbt.NewReader(doc, nbt.Limits{})
	kind, _ := r.Root()
	if r.Skip(kind); r.Err() != nil || !bytes.Equal(nbt.Append(nil, name, v), doc[:r.Offset()]) {
		t.Errorf("%s: a chunk comes back different, %v", path, r.Err())
	}
}
