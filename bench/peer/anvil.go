package peer

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/Tnze/go-mc/nbt"
	"github.com/Tnze/go-mc/save"
	"github.com/Tnze/go-mc/save/region"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Anvil says how fast one library reads the chunks of worlds.
type Anvil struct {
	Peer    string  `json:"peer"`
	Chunks  int     `json:"chunks"`  // read; of go-mc those of entities and points of interest too
	Refused int     `json:"refused"` // chunks it could not read
	Bytes   int64   `json:"bytes"`   // of the chunks' NBT that was read
	Decode  float64 `json:"decode_mb_s"`

	took time.Duration
}

// MeasureAnvil reads worlds with cairn and with go-mc, world by world in turns.
//
// cairn opens the world and reads all of it into a sink that drops it: cells
// unpacked, names resolved, objects and all other tags kept apart. go-mc opens
// each region file, reads each sector, and decodes chunks of 1.18 and later to
// its save.Chunk, which skips or keeps raw what it has no field for and leaves
// cells packed, and all others to maps. Both decompress.
func MeasureAnvil(worlds []string, progress func(done int)) ([]Anvil, error) {
	ours, theirs := Anvil{Peer: "cairn format/anvil"}, Anvil{Peer: "go-mc save/region"}
	for i, dir := range worlds {
		if err := warm(dir); err != nil {
			return nil, err
		}
		turns := []func(string) error{ours.cairn, theirs.tnze}
		for j := range turns {
			runtime.GC()
			if err := turns[(i+j)%2](dir); err != nil {
				return nil, err
			}
		}
		progress(i + 1)
	}
	rows := []Anvil{ours, theirs}
	for i := range rows {
		rows[i].Decode = perSecond(rows[i].Bytes, rows[i].took.Seconds())
	}
	return rows, nil
}

// warm reads a world's files, so that the first to measure has no colder disk.
func warm(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		_, err = os.ReadFile(path)
		return err
	})
}

// discard is a Sink that drops everything.
type discard struct{}

func (discard) Dimension(*format.Dimension) error { return nil }

func (discard) Column(*format.Column) error { return nil }

func (discard) Chunk(string, geom.ChunkPos, *voxel.Chunk) error { return nil }

func (discard) File(format.File) error { return nil }

func (a *Anvil) cairn(dir string) error {
	start := time.Now()
	w, err := anvil.Open(dir, anvil.Options{})
	if err != nil {
		return err
	}
	defer w.Close()
	err = w.Read(context.Background(), discard{})
	a.took += time.Since(start)
	var damage *format.DamageError
	if err != nil && !errors.As(err, &damage) {
		return err
	}
	st := w.Stats()
	a.Bytes += st.RawBytes
	a.Chunks += st.Chunks
	a.Refused += len(st.Damaged)
	return nil
}

func (a *Anvil) tnze(dir string) error {
	files, err := Regions(dir)
	if err != nil {
		return err
	}
	for _, file := range files {
		docs, err := documents(file)
		if err != nil {
			return err
		}
		var modern [1024]bool
		for slot, doc := range docs {
			modern[slot] = bytes.Contains(doc, []byte("\x09\x00\x08sections\x0A"))
		}
		runtime.GC()
		start := time.Now()
		read, err := a.tnzeRegion(file, &modern)
		a.took += time.Since(start)
		if err != nil {
			return err
		}
		for slot, ok := range read {
			if ok {
				a.Chunks++
				a.Bytes += int64(len(docs[slot]))
			}
		}
	}
	return nil
}

// tnzeRegion reads all chunks of a file. Modern ones are of 1.18 or later: their
// sections lie in the root.
func (a *Anvil) tnzeRegion(path string, modern *[1024]bool) (read [1024]bool, err error) {
	f, err := os.Open(path) // region.Open wants to write
	if err != nil {
		return read, err
	}
	defer f.Close()
	r, err := region.Load(f)
	if err != nil {
		return read, err
	}
	for slot := range read {
		data, err := r.ReadSector(slot&31, slot>>5)
		if errors.Is(err, region.ErrNoSector) {
			continue
		}
		if err == nil {
			err = decodeChunk(data, modern[slot])
		}
		if read[slot] = err == nil; !read[slot] {
			a.Refused++
		}
	}
	return read, nil
}

func decodeChunk(data []byte, modern bool) error {
	if modern {
		var c save.Chunk
		return c.Load(data)
	}
	r, err := inflater(data[0], bytes.NewReader(data[1:]))
	if err != nil {
		return err
	}
	var v any
	_, err = nbt.NewDecoder(r).Decode(&v)
	return err
}
