package bedrock

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/lru"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Bounds of memory and time. All that is done is counted as bytes that are inflated, also those of a block that is inflated again
// since it is not held any more, so that few bytes do not cost much.
const (
	heldBlocks = 48 << 20
	maxRatio   = 300 // bytes inflated in all for each byte of the tables
	minInflate = 64 << 20
	keyCost    = 128      // of these for each key
	chunkCost  = 4 << 10  // and each chunk, entity, or key of no chunk
	cellsCost  = 4 << 10  // and each section of which cells differ, or that goes into a volume without columns
	objectCost = 256      // and each object
	maxLog     = 64 << 20 // bytes of all logs; the game keeps some 4 MB in one
	maxKey     = 1 << 10
	maxNames   = 32 << 20 // bytes of keys that belong to no chunk
)

// Files of a database.
const (
	dbFolder       = "db"
	currentFile    = "CURRENT"
	manifestPrefix = "MANIFEST-"
)

// inLog is the number of the block that stands for all logs.
const inLog = -1

// chunkRef says that a block has keys of a chunk.
type chunkRef struct {
	dim   int32
	pos   geom.ColumnPos
	block int32
}

// actorRef says that a block has an entity.
type actorRef struct {
	id    uint64
	block int32
}

// database is a LevelDB database that is only read: LevelDB itself would write to its folder.
type database struct {
	fsys   fs.FS // of its folder
	o      format.ReadOptions
	files  manifest
	lost   map[string]int
	stored int64 // bytes of the tables
	left   int64 // bytes that may yet be inflated
	blocks []dataBlock
	held   *lru.Cache[int32, []entry]
	logs   []entry // sorted

	indexed bool
	chunks  []chunkRef // as they are read
	actors  []actorRef // by id
	others  map[string][]int32
	names   int // bytes of others
}

// openDatabase reads which files are part of the database in a folder.
func openDatabase(fsys fs.FS, o format.ReadOptions, lost map[string]int) (*database, error) {
	d := &database{fsys: fsys, o: o, lost: lost, held: lru.New[int32, []entry](heldBlocks, nil), others: map[string][]int32{}, left: minInflate}
	var err error
	d.files, err = readManifest(fsys)
	return d, err
}

// index notes where all keys are, once.
func (d *database) index(ctx context.Context) error {
	if d.indexed {
		d.left = minInflate + d.stored*maxRatio // as much as before
		return nil
	}
	if err := d.readLogs(); err != nil {
		return err
	}
	if err := d.see(d.logs, inLog); err != nil {
		return err
	}
	for _, n := range slices.Sorted(maps.Keys(d.files.tables)) {
		if err := cmp.Or(ctx.Err(), d.readTable(n)); err != nil {
			return err
		}
	}
	slices.SortFunc(d.chunks, compareChunks)
	d.chunks = slices.Compact(d.chunks)
	slices.SortFunc(d.actors, func(a, b actorRef) int { return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.block, b.block)) })
	d.indexed = true
	return nil
}

// compareChunks orders chunks by dimension, and such that the four of a 32x32 footprint follow each other. Footprints go along z,
// as the database has chunks of one x together.
func compareChunks(a, b chunkRef) int {
	p, q := a.pos, b.pos
	return cmp.Or(cmp.Compare(a.dim, b.dim), cmp.Compare(p.X>>1, q.X>>1), cmp.Compare(p.Z>>1, q.Z>>1),
		cmp.Compare(p.Z, q.Z), cmp.Compare(p.X, q.X), cmp.Compare(a.block, b.block))
}

// readLogs reads the changes that are in no table yet.
func (d *database) readLogs() error {
	list, err := fs.ReadDir(d.fsys, ".")
	if err != nil {
		return err
	}
	total := int64(0)
	for _, e := range list {
		text, ok := strings.CutSuffix(e.Name(), ".log")
		n, err := strconv.ParseUint(text, 10, 64)
		if !ok || err != nil || n < d.files.log && n != d.files.before {
			continue
		}
		name := dbFolder + "/" + e.Name()
		info, err := e.Info()
		if err != nil {
			return err
		}
		if total += info.Size(); total > maxLog {
			return corrupt(0, name, fmt.Errorf("logs of more than %d bytes", maxLog))
		}
		b, err := fs.ReadFile(d.fsys, e.Name())
		if err != nil {
			return err
		}
		cut, err := records(name, b, func(c *cursor.Cursor) { d.logs = appendBatch(d.logs, c) })
		if err != nil {
			return err
		}
		if cut {
			d.lost["the last change of a log, which is cut short"]++
		}
	}
	sortEntries(d.logs)
	return nil
}

// readTable opens a table and reads its keys. Salvage leaves out blocks that are damaged.
func (d *database) readTable(number uint64) error {
	t, err := openTable(d.fsys, fmt.Sprintf("%06d.ldb", number))
	if errors.Is(err, fs.ErrNotExist) {
		old, err2 := openTable(d.fsys, fmt.Sprintf("%06d.sst", number))
		if t = old; err2 == nil {
			err = nil
		}
	}
	if err != nil {
		return fmt.Errorf("a table of the database: %w", err)
	}
	d.stored, d.left = d.stored+t.size, d.left+t.size*maxRatio
	list, err := t.blocks(d.inflate)
	if err != nil {
		return err
	}
	for _, b := range list {
		number := int32(len(d.blocks))
		d.blocks = append(d.blocks, b)
		entries, err := d.entries(number)
		if corrupt := (*format.CorruptError)(nil); d.o.Salvage && errors.As(err, &corrupt) {
			d.lost[fmt.Sprintf("block of the database: %v", err)]++
			d.blocks[number].table, err = nil, nil
		}
		if err = cmp.Or(err, d.see(entries, number)); err != nil {
			return err
		}
	}
	return nil
}

// inflate returns a block's bytes.
func (d *database) inflate(b dataBlock) ([]byte, error) {
	if err := d.spend(0); err != nil {
		return nil, err
	}
	most := int64(maxBlock)
	if d.o.MaxBytes > 0 {
		most = min(most, d.o.MaxBytes)
	}
	data, err := b.inflate(most)
	return data, cmp.Or(err, d.spend(int64(len(data))))
}

// spend counts work.
func (d *database) spend(n int64) error {
	if d.left -= n; d.left < 0 {
		return corrupt(0, dbFolder, fmt.Errorf("more in it than a database of %d bytes has: it is %w", d.stored, errLarge))
	}
	return nil
}

// entries returns the keys of a block, sorted.
func (d *database) entries(number int32) ([]entry, error) {
	if number == inLog {
		return d.logs, nil
	}
	b := d.blocks[number]
	list, ok := d.held.Get(number)
	if ok || b.table == nil { // damaged
		return list, nil
	}
	data, err := d.inflate(b)
	if err != nil {
		return nil, err
	}
	if list, err = b.entries(data); err != nil {
		return nil, err
	}
	size, err := unmark(list)
	if err != nil {
		return nil, b.corrupt(err)
	}
	sortEntries(list)
	d.held.Put(number, list, int64(len(data)+size))
	return list, nil
}

// Keys of entities, and of the list of those of a chunk.
const (
	actorPrefix  = "actorprefix"
	digestPrefix = "digp"
)

// see notes which keys are in a block.
func (d *database) see(list []entry, block int32) error {
	if err := d.spend(int64(len(list)) * keyCost); err != nil {
		return err
	}
	for _, e := range list {
		if k, ok := parseKey(e.key); ok {
			r := chunkRef{k.dim, k.pos, block}
			if n := len(d.chunks); n == 0 || d.chunks[n-1] != r {
				d.chunks = append(d.chunks, r)
				if err := d.spend(chunkCost); err != nil {
					return err
				}
			}
			continue
		}
		if id, ok := bytes.CutPrefix(e.key, []byte(actorPrefix)); ok && len(id) == 8 {
			if err := d.spend(chunkCost); err != nil {
				return err
			}
			d.actors = append(d.actors, actorRef{binary.LittleEndian.Uint64(id), block})
			continue
		}
		at, known := d.others[string(e.key)]
		if !known {
			if err := d.spend(chunkCost); err != nil {
				return err
			}
			d.names += len(e.key) + perEntry
		}
		if len(e.key) > maxKey || d.names > maxNames {
			return corrupt(0, dbFolder, fmt.Errorf("keys of no chunk that have more than %d bytes, or %d in all", maxKey, maxNames))
		}
		if !known || at[len(at)-1] != block {
			d.others[string(e.key)] = append(at, block)
		}
	}
	return nil
}

// find returns the keys in some blocks that begin with a prefix, or are it if it is whole: the newest of each, without deleted
// ones, sorted.
func (d *database) find(blocks []int32, prefix []byte, whole bool) (found []entry, err error) {
	for _, b := range blocks {
		list, err := d.entries(b)
		if err != nil {
			return nil, err
		}
		i, _ := slices.BinarySearchFunc(list, prefix, func(e entry, p []byte) int { return bytes.Compare(e.key, p) })
		for ; i < len(list) && bytes.HasPrefix(list[i].key, prefix) && (!whole || len(list[i].key) == len(prefix)); i++ {
			found = append(found, list[i])
		}
	}
	sortEntries(found)
	found = slices.CompactFunc(found, func(a, b entry) bool { return bytes.Equal(a.key, b.key) })
	return slices.DeleteFunc(found, func(e entry) bool { return e.gone }), nil
}

// get returns the value of a key that is in some of the blocks.
func (d *database) get(blocks []int32, key []byte) (value []byte, ok bool, err error) {
	list, err := d.find(blocks, key, true)
	if err != nil || len(list) == 0 {
		return nil, false, err
	}
	return list[0].value, true, nil
}

// chunk returns the keys of a chunk.
func (d *database) chunk(dim int32, pos geom.ColumnPos, blocks []int32) ([]entry, error) {
	prefix := binary.LittleEndian.AppendUint32(nil, uint32(pos.X))
	prefix = binary.LittleEndian.AppendUint32(prefix, uint32(pos.Z))
	if dim != 0 {
		prefix = binary.LittleEndian.AppendUint32(prefix, uint32(dim))
	}
	keys, err := d.find(blocks, prefix, false)
	if err != nil {
		return nil, err
	}
	keys = slices.DeleteFunc(keys, func(e entry) bool {
		k, ok := parseKey(e.key)
		return !ok || k.dim != dim
	})
	digest := append([]byte(digestPrefix), prefix...)
	list, err := d.find(blocks, digest, true)
	return append(keys, list...), err
}

// actor returns an entity.
func (d *database) actor(id uint64) (value []byte, ok bool, err error) {
	i, _ := slices.BinarySearchFunc(d.actors, id, func(r actorRef, id uint64) int { return cmp.Compare(r.id, id) })
	var blocks []int32
	for ; i < len(d.actors) && d.actors[i].id == id; i++ {
		blocks = append(blocks, d.actors[i].block)
	}
	return d.get(blocks, binary.LittleEndian.AppendUint64([]byte(actorPrefix), id))
}

// chunkKey is a key of a chunk.
type chunkKey struct {
	dim int32
	pos geom.ColumnPos
	tag byte // or tagDigest
	y   int8 // of a sub-chunk
}

// parseKey reads a key of a chunk in range: x, z, the dimension unless it is 0, a tag, and the height of a sub-chunk. Keys of text
// are none, since their x would be out of range.
func parseKey(key []byte) (k chunkKey, ok bool) {
	rest, digest := bytes.CutPrefix(key, []byte(digestPrefix))
	if digest {
		rest = append(bytes.Clone(rest), tagDigest)
	}
	n := len(rest)
	if n > 9 && n != 13 && rest[n-2] == tagSubChunk {
		k.y, n = int8(rest[n-1]), n-1
	}
	if n != 9 && n != 13 {
		return k, false
	}
	k.tag = rest[n-1]
	k.pos = geom.ColumnPos{X: int32(binary.LittleEndian.Uint32(rest)), Z: int32(binary.LittleEndian.Uint32(rest[4:]))}
	if n == 13 {
		k.dim = int32(binary.LittleEndian.Uint32(rest[8:]))
	}
	return k, k.pos.Check() == nil && (n == 9 || k.dim != 0) && (k.tag != tagSubChunk) == (n == len(rest))
}
