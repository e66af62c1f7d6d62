package luanti

import (
	"cmp"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// writer writes a world as a folder, a format.Writer. After an error it must be aborted.
type writer struct {
	root    *os.Root
	db      *sql.DB
	tx      *sql.Tx
	insert  *sql.Stmt
	packer  *packer
	ours    bool  // the world is one of Luanti
	version uint8 // of map blocks that do not say another
	forced  bool  // they say it in vain
	named   bool  // there is a world.mt
	dim     *format.Dimension
	beside  map[geom.ChunkPos]*[4]*voxel.Chunk // by volumes
	heights map[geom.ColumnPos][]int32         // of chunks in beside, by a column over them
	written map[geom.ColumnPos]bool
	ids     [int(voxel.MaxCell) + 1]uint16 // 1 + the id of a cell in the map block
	flat    []voxel.Cell
	lost    map[string]int
}

func createFolder(dir string, o format.WriteOptions) (format.Writer, error) {
	w := &writer{
		version: maxVersion, ours: o.Head.Format == formatName, forced: o.Version != 0, flat: make([]voxel.Cell, blockNodes),
		beside: map[geom.ChunkPos]*[4]*voxel.Chunk{}, heights: map[geom.ColumnPos][]int32{}, written: map[geom.ColumnPos]bool{}, lost: map[string]int{},
	}
	if v := cmp.Or(o.Version, o.Head.Version); (w.ours || w.forced) && v != 0 {
		if v < minVersion || v > maxVersion {
			return nil, fmt.Errorf("luanti: write: version %d cannot be written, only %d to %d", v, minVersion, maxVersion)
		}
		w.version = uint8(v)
	}
	as := tablePos
	if w.ours && o.Head.Properties[propXYZ] == valueXYZ {
		as = tableXYZ
	}
	var err error
	if w.packer, err = newPacker(0); err == nil {
		if w.root, err = os.OpenRoot(dir); err == nil {
			err = w.createMap(filepath.Join(dir, mapFile), as)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("luanti: write: %w", err)
	}
	return w, nil
}

// createMap makes the database. A journal would be of no use: the folder counts only when it is complete.
func (w *writer) createMap(path string, as table) (err error) {
	w.db, err = openSQLite(path, url.Values{"_pragma": {"journal_mode(off)", "synchronous(off)"}})
	if err != nil {
		return err
	}
	if _, err = w.db.Exec(as.create); err == nil {
		if w.tx, err = w.db.Begin(); err == nil {
			w.insert, err = w.tx.Prepare(as.put)
		}
	}
	return err
}

// Lost returns by name and count what the format could not hold.
func (w *writer) Lost() map[string]int { return w.lost }

// Dimension begins the only dimension.
func (w *writer) Dimension(d *format.Dimension) error {
	block := d.Volume(voxel.Block)
	switch {
	case w.dim != nil:
		return fmt.Errorf("luanti: write: dimension %s: %w: a second one", d.Name, format.ErrHolds)
	case block == nil || block.Names == nil || block.Scale != 1:
		return fmt.Errorf("luanti: write: dimension %s: %w: it has no blocks with names", d.Name, format.ErrHolds)
	}
	w.dim = d
	return nil
}

// Chunk takes a chunk of a volume beside the blocks, or of blocks where no section can be. It is kept until its columns come.
func (w *writer) Chunk(volume string, pos geom.ChunkPos, c *voxel.Chunk) error {
	if w.dim == nil {
		return fmt.Errorf("luanti: write: chunk %v before any dimension", pos)
	}
	i, v := slices.Index(volumes[:], volume), w.dim.Volume(volume)
	if v == nil || i < 0 || i > 0 && v.Schema != voxel.Level || v.Scale != 1 || !(blockPos{pos.X * 2, pos.Y * 2, pos.Z * 2}).valid() {
		w.lost["chunks of the volume "+volume]++
		return nil
	}
	all := w.beside[pos]
	if all == nil {
		all = new([4]*voxel.Chunk)
		w.beside[pos] = all
		for _, at := range pos.Columns() {
			w.heights[at] = append(w.heights[at], pos.Y)
		}
	}
	all[i] = c
	return nil
}

// outgoing is a map block that is being written.
type outgoing struct {
	kept
	mapBlock
	cells []voxel.Cell // nil for air, or one for all
}

// Column takes a column, and writes its map blocks.
func (w *writer) Column(c *format.Column) error {
	if w.dim == nil {
		return fmt.Errorf("luanti: write: column %v before any dimension", c.Pos)
	}
	if !(blockPos{x: c.Pos.X, z: c.Pos.Z}).valid() {
		w.lost["columns beyond 2048 map blocks"]++
		return nil
	}
	w.written[c.Pos] = true
	blocks := map[int32]*outgoing{}
	for i, s := range c.Sections {
		w.addSection(blocks, s, c.Cells[i])
	}
	w.count("biomes of columns", len(c.Biomes))
	for _, m := range c.Maps {
		w.lost["map "+m.Name]++
	}
	for _, p := range c.Parts {
		if p.Name != PartBlocks || p.Damaged || !addPart(blocks, p.Data) {
			w.lost["part "+p.Name]++
		}
	}
	w.addFar(blocks, c.Pos)
	for _, l := range c.Lists {
		for _, o := range l.Objects {
			if !addObject(blocks, c.Pos, l.Name, o) {
				w.lost["objects of the list "+l.Name]++
			}
		}
	}
	for _, y := range slices.Sorted(maps.Keys(blocks)) {
		if err := w.put(blockPos{c.Pos.X, y, c.Pos.Z}, blocks[y]); err != nil {
			return fmt.Errorf("luanti: write: map block (%d,%d,%d): %w", c.Pos.X, y, c.Pos.Z, err)
		}
	}
	return nil
}

func (w *writer) count(what string, n int) {
	if n > 0 {
		w.lost[what] += n
	}
}

// addSection takes a section.
func (w *writer) addSection(blocks map[int32]*outgoing, s voxel.Section, cells format.Cells) {
	b := &outgoing{cells: cells.Block}
	if s.Tags != nil {
		e, _ := entriesOf(s.Tags)
		if b.kept = keptOf(e); b.head == nil && b.stored == nil {
			w.lost["tags of sections"]++
		}
	}
	w.count("biomes of sections", len(cells.Biome))
	w.count("sections with light", min(1, len(cells.Sky)+len(cells.Light)))
	if s.Has&voxel.HasBlock != 0 || b.stored != nil {
		blocks[int32(s.Y)] = b
	}
}

// addPart takes the map blocks that are no sections. It reports whether the part is one of Luanti.
func addPart(blocks map[int32]*outgoing, doc []byte) bool {
	_, v, _ := nbt.Parse(doc, nbt.Limits{})
	part, _ := v.(nbt.Entries)
	list, ok := part.Get(tagBlocks).(nbt.Items)
	for _, v := range list.Values {
		e, _ := v.(nbt.Entries)
		y, has := e.Get(tagHeight).(int32)
		if !has || !(blockPos{y: y}).valid() {
			return false
		}
		blocks[y] = &outgoing{kept: keptOf(e)}
	}
	return ok
}

// addFar takes the cells of map blocks that came as chunks. Map blocks that nobody listed are written if they have any, or numbers.
func (w *writer) addFar(blocks map[int32]*outgoing, pos geom.ColumnPos) {
	for _, chunk := range w.heights[pos] {
		for y := 2 * chunk; y < 2*chunk+2; y++ {
			p := blockPos{pos.X, y, pos.Z}
			for k, c := range w.beside[p.chunk()] {
				if c == nil || k > 0 && blocks[y] != nil {
					continue
				}
				cells := make([]voxel.Cell, blockNodes)
				c.ReadBox(p.inChunk(), cells)
				some := slices.ContainsFunc(cells, func(c voxel.Cell) bool { return c != 0 })
				if some && blocks[y] == nil {
					blocks[y] = &outgoing{}
				}
				if b := blocks[y]; k == 0 && b != nil && (some || b.stored == nil) {
					b.cells = cells
				}
			}
		}
	}
}

// addObject adds an object to the map block that has it. It reports whether there is one, and the object is one of Luanti.
func addObject(blocks map[int32]*outgoing, pos geom.ColumnPos, list string, o voxel.Object) bool {
	switch list {
	case voxel.BlockEntities:
		b := blocks[int32(o.At.Y>>4)]
		node := uint16(o.At.Z&15<<8 | o.At.Y&15<<4 | o.At.X&15)
		return b != nil && o.At.Column() == pos && b.addNode(node, o.Payload) == nil
	case voxel.Entities:
		s, y, err := staticOf(o)
		if b := blocks[y]; err == nil && b != nil {
			b.statics = append(b.statics, s)
			return true
		}
	}
	return false
}

// put writes a map block.
func (w *writer) put(p blockPos, b *outgoing) error {
	data := b.stored
	if data == nil || len(b.cells) > 0 {
		if err := w.fill(p, b); err != nil {
			return err
		}
		data = w.packer.encode(&b.mapBlock)
	}
	_, err := w.insert.Exec(p.x, p.y, p.z, data)
	return err
}

// fill makes the map block of its cells and of what was kept of it.
func (w *writer) fill(p blockPos, b *outgoing) error {
	m := &b.mapBlock
	m.nodes = make([]byte, 4*blockNodes)
	if err := w.fillIDs(b.cells, m); err != nil {
		return err
	}
	for k, name := range volumes[1:] {
		chunks := w.beside[p.chunk()]
		if chunks == nil || chunks[k+1] == nil {
			continue
		}
		chunks[k+1].ReadBox(p.inChunk(), w.flat)
		most, shift := voxel.Cell(15), 4*k
		if name == param2 {
			most, shift = 255, 0
		}
		for i, v := range w.flat {
			if v > most {
				w.lost["numbers of the volume "+name+" that are too large"]++
				v = most
			}
			m.nodes[(2+k/2)*blockNodes+sectionIndex(i)] |= byte(v << shift)
		}
	}
	return w.fillHeader(b)
}

// fillHeader makes the header, of what was kept of it.
func (w *writer) fillHeader(b *outgoing) error {
	m := &b.mapBlock
	was := header{version: w.version}
	if b.head != nil {
		var err error
		if was, err = headerOf(b.head); err != nil {
			return err
		}
	}
	if m.version = was.version; w.forced {
		m.version = w.version
	}
	m.header = m.usual(m.version)
	if b.head != nil {
		m.flags, m.lighting, m.timestamp = was.flags, was.lighting, was.timestamp
		if m.version == was.version && (was.metadata != 0 || len(m.meta) == 0) {
			m.metadata = was.metadata
		}
	}
	if m.lighting != allLit && !hasLighting(m.version) {
		w.lost["how far light is in map blocks"]++
	}
	for _, d := range m.meta {
		if m.metadata < 2 && slices.ContainsFunc(d.vars, func(v variable) bool { return v.private != 0 }) {
			w.lost["that metadata is private"]++
		}
	}
	if n := max(len(m.meta), len(m.statics), len(m.timers)); n > math.MaxUint16 {
		return fmt.Errorf("%w: %d objects", format.ErrHolds, n)
	}
	return nil
}

// fillIDs numbers the names of cells in the order of the nodes, as the game does.
func (w *writer) fillIDs(cells []voxel.Cell, m *mapBlock) error {
	names := w.dim.Volume(voxel.Block).Names
	clear(w.ids[:])
	if len(cells) < blockNodes { // none, or one for all
		cells = slices.Repeat([]voxel.Cell{append(slices.Clip(cells), 0)[0]}, blockNodes)
	}
	for i := range blockNodes {
		c := cells[sectionIndex(i)]
		if w.ids[c] == 0 {
			name := names.Name(c)
			if name == "" || len(name) > math.MaxUint16 {
				return fmt.Errorf("%w: a node %.40q", format.ErrHolds, name)
			}
			m.names = append(m.names, nodeName{uint16(len(m.names)), []byte(name)})
			w.ids[c] = uint16(len(m.names))
		}
		binary.BigEndian.PutUint16(m.nodes[2*i:], w.ids[c]-1)
	}
	return nil
}

// File writes a file of the world.
func (w *writer) File(f format.File) error {
	if isMap(f.Path) {
		w.lost["file "+f.Path+", whose name the map has"]++
		return nil
	}
	w.named = w.named || f.Path == worldFile
	if err := format.WriteFile(w.root, f, w.lost); err != nil {
		return fmt.Errorf("luanti: write: %w", err)
	}
	return nil
}

// Close writes what came as chunks where there are no columns, and completes the database.
func (w *writer) Close() error {
	var err error
	for _, at := range slices.SortedFunc(maps.Keys(w.heights), geom.ColumnPos.Compare) {
		if !w.written[at] && err == nil {
			err = w.Column(&format.Column{Column: voxel.Column{Pos: at}})
		}
	}
	if !w.named && !w.ours && err == nil {
		err = w.File(format.FileOf(worldFile, []byte("backend = sqlite3\ngameid = minetest_game\n")))
	}
	if err == nil {
		err = w.tx.Commit()
	}
	if err = errors.Join(err, w.Abort()); err != nil {
		return fmt.Errorf("luanti: write: %w", err)
	}
	return nil
}

// Abort gives up. What was written stays.
func (w *writer) Abort() error { return errors.Join(w.db.Close(), w.root.Close()) }
