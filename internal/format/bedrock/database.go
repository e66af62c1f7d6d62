package bedrock

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/lru"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Bounds of memory and time. A block is inflated again when a chunk in it is read and it is not held any more; all that together
// is bounded, so that few bytes do not cost much time.
const (
	heldBlocks = 48 << 20
	maxRatio   = 300 // bytes inflated in all for each byte of the tables
	minInflate = 256 << 20
	maxKey     = 1 << 10
	maxNames   = 32 << 20 // bytes of keys that belong to no chunk
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
	lost   map[string]int
	stored int64 // bytes of the tables
	left   int64 // bytes that may yet be inflated
	blocks []block
	held   *lru.Cache[int32, []byte]
	logs   []logged // by key, the newest first

	chunks []chunkRef // as they are read
	actors []actorRef // by id
	others map[string][]int32
	names  int // bytes of others
}

// openDatabase reads all keys of a database in a folder.
func openDatabase(fsys fs.FS, o format.ReadOptions, lost map[string]int) (*database, error) {
	d := &database{fsys: fsys, o: o, lost: lost, held: lru.New[int32, []byte](heldBlocks, nil), others: map[string][]int32{}, left: minInflate}
	f, err := readManifest(fsys)
	if err != nil {
		return nil, err
	}
	if err := d.readLogs(f); err != nil {
		return nil, err
	}
	for _, e := range d.logs {
		if err := d.see(e.key, inLog); err != nil {
			return nil, err
		}
	}
	numbers := make([]uint64, 0, len(f.tables))
	for n := range f.tables {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		if err := d.readTable(n); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(d.chunks, compareChunks)
	d.chunks = slices.Compact(d.chunks)
	slices.SortFunc(d.actors, func(a, b actorRef) int { return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.block, b.block)) })
	return d, nil
}

// compareChunks orders chunks by dimension, and such that the four of a 32x32 footprint follow each other. Footprints go along z,
// as the database has chunks of one x together.
func compareChunks(a, b chunkRef) int {
	p, q := a.pos, b.pos
	return cmp.Or(cmp.Compare(a.dim, b.dim), cmp.Compare(p.X>>1, q.X>>1), cmp.Compare(p.Z>>1, q.Z>>1),
		cmp.Compare(p.Z, q.Z), cmp.Compare(p.X, q.X), cmp.Compare(a.block, b.block))
}

// readLogs reads the changes that are in no table yet.
func (d *database) readLogs(f files) error {
	list, err := fs.ReadDir(d.fsys, ".")
	if err != nil {
		return err
	}
	total := int64(0)
	for _, e := range list {
		text, ok := strings.CutSuffix(e.Name(), ".log")
		n, err := strconv.ParseUint(text, 10, 64)
		if !ok || err != nil || n < f.log && n != f.before {
			continue
		}
		name := dbFolder + "/" + e.Name()
		info, err := e.Info()
		if err != nil {
			return err
		}
		if total += info.Size(); total > maxLog {
			return fmt.Errorf("%s: logs of more than %d bytes", name, maxLog)
		}
		b, err := fs.ReadFile(d.fsys, e.Name())
		if err != nil {
			return err
		}
		cut, err := records(name, b, func(_ int, record []byte) (err error) {
			d.logs, err = appendBatch(d.logs, record)
			return err
		})
		if err != nil {
			return err
		}
		if cut {
			d.lost["the last change of a log, which is cut short"]++
		}
	}
	sortLogged(d.logs)
	return nil
}

// readTable opens a table and reads its keys.
func (d *database) readTable(number uint64) error {
	t, err := openTable(d.fsys, fmt.Sprintf("%06d.ldb", number))
	if errors.Is(err, fs.ErrNotExist) {
		var missing error = err
		if t, err = openTable(d.fsys, fmt.Sprintf("%06d.sst", number)); err != nil {
			err = fmt.Errorf("a table that the database names: %w", missing)
		}
	}
	if err != nil {
		return err
	}
	d.stored, d.left = d.stored+t.size, d.left+t.size*maxRatio
	list, err := t.blocks(d)
	if err != nil {
		return err
	}
	for _, b := range list {
		number := int32(len(d.blocks))
		d.blocks = append(d.blocks, b)
		err := d.readBlock(b, number)
		if corrupt := (*format.CorruptError)(nil); d.o.Salvage && errors.As(err, &corrupt) {
			d.lost[fmt.Sprintf("block of the database: %v", err)]++
			d.blocks[number].table = nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// readBlock reads the keys of a block.
func (d *database) readBlock(b block, number int32) error {
	data, err := d.inflate(b)
	if err != nil {
		return err
	}
	e, err := openEntries(data)
	if err == nil {
		err = e.check(func(key, _ []byte) error { return d.see(key[:len(key)-8], number) })
	}
	if err != nil {
		return b.table.corrupt(b.at, err)
	}
	return nil
}

// restart lets as much be inflated as for the first reading.
func (d *database) restart() { d.left = minInflate + d.stored*maxRatio }

// inflate returns a block's bytes.
func (d *database) inflate(b block) ([]byte, error) {
	stored, compression, err := b.read()
	if err != nil {
		return nil, err
	}
	most := int64(maxBlock)
	if d.o.MaxBytes > 0 {
		most = min(most, d.o.MaxBytes)
	}
	data, err := unpack(stored, compression, most)
	if d.left -= int64(len(data)); d.left < 0 && err == nil {
		err = fmt.Errorf("%w: the database inflates to more than %d times its size", errLarge, maxRatio)
	}
	if err != nil {
		return nil, b.table.corrupt(b.at, err)
	}
	return data, nil
}

// Keys of entities, and of the list of those of a chunk.
const (
	actorPrefix  = "actorprefix"
	digestPrefix = "digp"
)

// see notes where a key is.
func (d *database) see(key []byte, block int32) error {
	if k, ok := parseKey(key); ok {
		r := chunkRef{k.dim, k.pos, block}
		if n := len(d.chunks); n == 0 || d.chunks[n-1] != r {
			d.chunks = append(d.chunks, r)
		}
		return nil
	}
	if id, ok := bytes.CutPrefix(key, []byte(actorPrefix)); ok && len(id) == 8 {
		d.actors = append(d.actors, actorRef{binary.LittleEndian.Uint64(id), block})
		return nil
	}
	at, known := d.others[string(key)]
	if !known {
		d.names += len(key) + 64
	}
	if len(key) > maxKey || d.names > maxNames {
		return fmt.Errorf("keys of no chunk that have more than %d bytes, or %d in all", maxKey, maxNames)
	}
	if !known || at[len(at)-1] != block {
		d.others[string(key)] = append(at, block)
	}
	return nil
}

// all returns the keys of a block that begin with a prefix, or are it if it is whole.
func (d *database) all(number int32, prefix []byte, whole bool) iter.Seq2[logged, error] {
	takes := func(key []byte) bool { return bytes.HasPrefix(key, prefix) && (!whole || len(key) == len(prefix)) }
	return func(yield func(logged, error) bool) {
		if number == inLog {
			i, _ := slices.BinarySearchFunc(d.logs, prefix, func(e logged, p []byte) int { return bytes.Compare(e.key, p) })
			for ; i < len(d.logs) && takes(d.logs[i].key) && yield(d.logs[i], nil); i++ {
			}
			return
		}
		if d.blocks[number].table == nil { // damaged
			return
		}
		data, ok := d.held.Get(number)
		if !ok {
			var err error
			if data, err = d.inflate(d.blocks[number]); err != nil {
				yield(logged{}, err)
				return
			}
			d.held.Put(number, data, int64(len(data)))
		}
		e, err := openEntries(data)
		if err != nil {
			yield(logged{}, err)
			return
		}
		for e.seek(prefix); e.next(); {
			user, _ := userKey(e.key)
			if has := takes(user); !has && bytes.Compare(user, prefix) > 0 {
				return
			} else if has {
				mark := binary.LittleEndian.Uint64(e.key[len(user):])
				if !yield(logged{bytes.Clone(user), e.value, mark >> 8, mark&0xFF == 0}, nil) {
					return
				}
			}
		}
	}
}

// find returns the newest of each key of all in some blocks, without deleted ones, in order of keys.
func (d *database) find(blocks []int32, prefix []byte, whole bool) ([]logged, error) {
	var list []logged
	for _, b := range blocks {
		for e, err := range d.all(b, prefix, whole) {
			if err != nil {
				return nil, err
			}
			list = append(list, e)
		}
	}
	sortLogged(list)
	list = slices.CompactFunc(list, func(a, b logged) bool { return bytes.Equal(a.key, b.key) })
	return slices.DeleteFunc(list, func(e logged) bool { return e.gone }), nil
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
func (d *database) chunk(dim int32, pos geom.ColumnPos, blocks []int32) ([]logged, error) {
	prefix := binary.LittleEndian.AppendUint32(nil, uint32(pos.X))
	prefix = binary.LittleEndian.AppendUint32(prefix, uint32(pos.Z))
	if dim != 0 {
		prefix = binary.LittleEndian.AppendUint32(prefix, uint32(dim))
	}
	keys, err := d.find(blocks, prefix, false)
	if err != nil {
		return nil, err
	}
	keys = slices.DeleteFunc(keys, func(e logged) bool {
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
