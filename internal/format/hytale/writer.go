package hytale

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/klauspost/compress/zstd"
)

// maxOpen bounds the chunks that wait for the rest of their columns.
const maxOpen = 64

// folderWriter writes a world as a folder of Hytale, a format.Writer. After an error it must be aborted.
type folderWriter struct {
	root    *os.Root
	dim     *format.Dimension
	folders map[string]bool
	enc     *encoder
	zstd    *zstd.Encoder
	waiting map[geom.ColumnPos]*chunk // by place of the chunk
	order   []geom.ColumnPos          // of waiting, first come first
	beside  map[geom.ChunkPos]map[string]*voxel.Chunk
	files   map[string]*regionOut // region files by path
	buf     []byte
	lost    map[string]int
}

// regionOut is a region file that is being written. Each blob is written when it comes; the table at the end.
type regionOut struct {
	first [blobs]uint32
	next  uint32 // the segment after the last
}

func createFolder(dir string, _ format.WriteOptions) (format.Writer, error) {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false), zstd.WithSingleSegment(true), zstd.WithZeroFrames(true))
	if err != nil {
		return nil, fmt.Errorf("hytale: write: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("hytale: write: %w", err)
	}
	return &folderWriter{root: root, zstd: z, folders: map[string]bool{}, files: map[string]*regionOut{}, lost: map[string]int{}}, nil
}

// Lost returns by name and count what the format could not hold.
func (w *folderWriter) Lost() map[string]int { return w.lost }

// Dimension begins a world, in its Folder.
func (w *folderWriter) Dimension(d *format.Dimension) error {
	if err := w.endDimension(); err != nil {
		return err
	}
	block := d.Volume(voxel.Block)
	switch {
	case block == nil || block.Names == nil || block.Scale != 1:
		return fmt.Errorf("hytale: write: dimension %s: %w: it has no blocks with names", d.Name, format.ErrHolds)
	case d.Folder != "" && !format.IsPath(d.Folder):
		return fmt.Errorf("hytale: write: dimension %s: its folder %q is no clean path", d.Name, d.Folder)
	case w.folders[d.Folder]:
		return fmt.Errorf("hytale: write: dimension folder %q is given twice", d.Folder)
	}
	w.folders[d.Folder] = true
	w.dim, w.enc = d, newEncoder(d, w.lost)
	w.waiting, w.order, w.beside = map[geom.ColumnPos]*chunk{}, nil, map[geom.ChunkPos]map[string]*voxel.Chunk{}
	return nil
}

// Chunk takes a chunk of a volume beside the blocks, or of the blocks of a world without columns. It is kept until its columns
// come, or until the end.
func (w *folderWriter) Chunk(volume string, pos geom.ChunkPos, c *voxel.Chunk) error {
	if w.dim == nil {
		return fmt.Errorf("hytale: write: chunk %v before any dimension", pos)
	}
	known := newDimension("", "").Volume(volume)
	v := w.dim.Volume(volume)
	if v == nil || known == nil || v.Schema != known.Schema || v.Scale != 1 || pos.Y < 0 || pos.Y >= maxSections {
		w.lost["chunks of the volume "+volume]++
		return nil
	}
	if w.beside[pos] == nil {
		w.beside[pos] = map[string]*voxel.Chunk{}
	}
	w.beside[pos][volume] = c
	return nil
}

// Column takes a column. The four of a chunk are written when all have come, or at the end.
func (w *folderWriter) Column(col *format.Column) error {
	if w.dim == nil {
		return fmt.Errorf("hytale: write: column %v before any dimension", col.Pos)
	}
	at := geom.ColumnPos{X: col.Pos.X >> 1, Z: col.Pos.Z >> 1}
	c := w.waiting[at]
	if c == nil {
		if len(w.order) >= maxOpen {
			if err := w.flush(w.order[0]); err != nil {
				return err
			}
		}
		c = w.begin(at)
	}
	if err := c.add(col, w.lost); err != nil {
		return err
	}
	if c.columns == 0xF {
		return w.flush(at)
	}
	return nil
}

// begin makes a chunk that waits.
func (w *folderWriter) begin(at geom.ColumnPos) *chunk {
	c := &chunk{objects: map[string][4][]voxel.Object{}, maps: map[string]*[mapCells]int32{}, mapped: map[string]int{}}
	w.waiting[at], w.order = c, append(w.order, at)
	return c
}

// flush writes a chunk that waits.
func (w *folderWriter) flush(at geom.ColumnPos) error {
	c := w.waiting[at]
	delete(w.waiting, at)
	w.order = slices.DeleteFunc(w.order, func(p geom.ColumnPos) bool { return p == at })
	for y := range c.volumes {
		pos := geom.ChunkPos{X: at.X, Y: int32(y), Z: at.Z}
		c.volumes[y] = w.beside[pos]
		delete(w.beside, pos)
		if blocks := c.volumes[y][voxel.Block]; blocks != nil {
			c.blocks[y] = new([sectionCells]voxel.Cell)
			blocks.Flat(c.blocks[y])
		}
	}
	stored := c.stored
	if stored == nil {
		var err error
		if w.buf, err = w.enc.encode(w.buf[:0], c); err != nil {
			return fmt.Errorf("hytale: write: chunk (%d,%d): %w", at.X, at.Z, err)
		}
		stored = w.zstd.EncodeAll(w.buf, binary.BigEndian.AppendUint64(nil, uint64(len(w.buf))<<32))
		binary.BigEndian.PutUint32(stored[4:], uint32(len(stored)-blobHeader))
	}
	name := path.Join(w.dim.Folder, chunksFolder, regionName(at.X>>5, at.Z>>5))
	if err := w.put(name, blobOf(at.X, at.Z), stored); err != nil {
		return fmt.Errorf("hytale: write: %s: chunk (%d,%d): %w", name, at.X, at.Z, err)
	}
	return nil
}

// put writes a blob behind the others of its file.
func (w *folderWriter) put(name string, blob int, stored []byte) (err error) {
	out := w.files[name]
	if out == nil {
		out = &regionOut{next: 1}
		if err := w.root.MkdirAll(path.Dir(name), 0o755); err != nil {
			return err
		}
		w.files[name] = out
	}
	if out.first[blob] != 0 {
		return errors.New("given twice")
	}
	f, err := w.root.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, f.Close()) }()
	if _, err := f.WriteAt(stored, int64(headerSize)+int64(out.next-1)*segmentSize); err != nil {
		return err
	}
	out.first[blob] = out.next
	out.next += uint32((len(stored) + segmentSize - 1) / segmentSize)
	return nil
}

// endDimension writes the chunks that wait.
func (w *folderWriter) endDimension() error {
	for w.dim != nil && len(w.order) > 0 {
		if err := w.flush(w.order[0]); err != nil {
			return err
		}
	}
	towers := map[geom.ColumnPos]bool{}
	for pos, volumes := range w.beside {
		if volumes[voxel.Block] != nil {
			towers[geom.ColumnPos{X: pos.X, Z: pos.Z}] = true
		}
	}
	for _, at := range slices.SortedFunc(maps.Keys(towers), geom.ColumnPos.Compare) {
		w.begin(at)
		if err := w.flush(at); err != nil {
			return err
		}
	}
	for _, volumes := range w.beside {
		for name := range volumes {
			w.lost["chunks of the volume "+name+" where there are no columns"]++
		}
	}
	w.dim, w.beside = nil, nil
	return nil
}

// File writes a file of the world, unless this system cannot have its path.
func (w *folderWriter) File(f format.File) error {
	if err := format.WriteFile(w.root, f, w.lost); err != nil {
		return fmt.Errorf("hytale: write: %w", err)
	}
	return nil
}

// Close writes the headers of the region files.
func (w *folderWriter) Close() error {
	err := w.endDimension()
	for _, name := range slices.Sorted(maps.Keys(w.files)) {
		err = cmp.Or(err, w.finish(name, w.files[name]))
	}
	return cmp.Or(err, w.root.Close())
}

// finish writes the header of a region file.
func (w *folderWriter) finish(name string, out *regionOut) (err error) {
	be := binary.BigEndian
	head := []byte(regionMagic)
	for _, v := range []uint32{regionVersion, blobs, segmentSize} {
		head = be.AppendUint32(head, v)
	}
	for _, first := range out.first {
		head = be.AppendUint32(head, first)
	}
	f, err := w.root.OpenFile(name, os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("hytale: write: %w", err)
	}
	defer func() { err = cmp.Or(err, f.Close()) }()
	_, err = f.WriteAt(head, 0)
	return err
}

// Abort gives up. What was written stays.
func (w *folderWriter) Abort() error { return w.root.Close() }
