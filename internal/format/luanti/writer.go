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
	"strconv"
	"strings"

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
	xyz     bool
	ours    bool  // the world is one of Luanti
	version uint8 // of map blocks that do not say another
	forced  bool  // they say it in vain
	named   bool  // there is a world.mt
	dim     *format.Dimension
	beside  map[geom.ChunkPos]map[string]*voxel.Chunk
	heights map[geom.ColumnPos][]int32 // of chunks of blocks in beside, by a column over them
	written map[geom.ColumnPos]bool
	ids     [int(voxel.MaxCell) + 1]int32 // 1 + the id of a cell in the map block
	flat    []voxel.Cell
	lost    map[string]int
}

func createFolder(dir string, o format.WriteOptions) (format.Writer, error) {
	w := &writer{lost: map[string]int{}, version: maxVersion, ours: o.Head.Format == formatName, forced: o.Version != 0, flat: make([]voxel.Cell, blockNodes)}
	if v := cmp.Or(o.Version, o.Head.Version); (w.ours || w.forced) && v != 0 {
		if v < minVersion || v > maxVersion {
			return nil, fmt.Errorf("luanti: write: version %d cannot be written, only %d to %d", v, minVersion, maxVersion)
		}
		w.version = uint8(v)
	}
	w.xyz = w.ours && o.Head.Properties[propXYZ] == valueXYZ
	var err error
	if w.packer, err = newPacker(0); err == nil {
		if w.root, err = os.OpenRoot(dir); err == nil {
			err = w.createMap(filepath.Join(dir, mapFile))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("luanti: write: %w", err)
	}
	return w, nil
}

// createMap makes the database. A journal would be of no use: the folder counts only when it is complete.
func (w *writer) createMap(path string) (err error) {
	path, err = filepath.Abs(path)
	if err != nil {
		return err
	}
	w.db, err = sql.Open(driverName, dsn(path, url.Values{"_pragma": {"journal_mode(off)", "synchronous(off)"}}))
	if err != nil {
		return err
	}
	w.db.SetMaxOpenConns(1)
	table, values := tablePos, "?, ?"
	if w.xyz {
		table, values = tableXYZ, "?, ?, ?, ?"
	}
	if _, err = w.db.Exec(table); err == nil {
		if w.tx, err = w.db.Begin(); err == nil {
			w.insert, err = w.tx.Prepare("INSERT INTO blocks VALUES (" + values + ")")
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
	w.dim, w.beside, w.heights, w.written = d, map[geom.ChunkPos]map[string]*voxel.Chunk{}, map[geom.ColumnPos][]int32{}, map[geom.ColumnPos]bool{}
	return nil
}

// Chunk takes a chunk of a volume beside the blocks, or of blocks where no section can be. It is kept until its columns come.
func (w *writer) Chunk(volume string, pos geom.ChunkPos, c *voxel.Chunk) error {
	if w.dim == nil {
		return fmt.Errorf("luanti: write: chunk %v before any dimension", pos)
	}
	known, v := newDimension().Volume(volume), w.dim.Volume(volume)
	if v == nil || known == nil || v.Schema != known.Schema || v.Scale != 1 || !(blockPos{pos.X * 2, pos.Y * 2, pos.Z * 2}).valid() {
		w.lost["chunks of the volume "+volume]++
		return nil
	}
	if w.beside[pos] == nil {
		w.beside[pos] = map[string]*voxel.Chunk{}
	}
	if w.beside[pos][volume] = c; volume == voxel.Block {
		for _, at := range pos.Columns() {
			w.heights[at] = append(w.heights[at], pos.Y)
		}
	}
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
		if p.Name != PartBlocks || p.Damaged || w.addPart(blocks, p.Data) != nil {
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
		r := nbt.NewPayload(s.Tags, nbt.Limits{})
		var err error
		if b.kept, _, err = readKept(&r); err != nil {
			b.kept = kept{}
			w.lost["tags of sections"]++
		}
	}
	w.count("biomes of sections", len(cells.Biome))
	w.count("sections with light", min(1, len(cells.Sky)+len(cells.Light)))
	if s.Has&voxel.HasBlock != 0 || b.stored != nil {
		blocks[int32(s.Y)] = b
	}
}

// addPart takes the map blocks that are no sections.
func (w *writer) addPart(blocks map[int32]*outgoing, doc []byte) error {
	r := nbt.NewReader(doc, nbt.Limits{})
	if t, _ := r.Root(); t != nbt.Compound {
		return errNotOurs
	}
	if t, name := r.Next(); t != nbt.List || string(name) != tagBlocks {
		return errNotOurs
	}
	elem, n := r.List()
	if elem != nbt.Compound {
		return errNotOurs
	}
	for range n {
		k, y, err := readKept(&r)
		if err != nil || !(blockPos{y: y}).valid() {
			return errNotOurs
		}
		blocks[y] = &outgoing{kept: k}
	}
	return r.Err()
}

// addFar takes the cells of map blocks that came as chunks. Those that nobody listed are written if they have any.
func (w *writer) addFar(blocks map[int32]*outgoing, pos geom.ColumnPos) {
	for _, chunk := range w.heights[pos] {
		for y := 2 * chunk; y < 2*chunk+2; y++ {
			p := blockPos{pos.X, y, pos.Z}
			cells := make([]voxel.Cell, blockNodes)
			w.beside[p.chunk()][voxel.Block].ReadBox(p.box(), cells)
			if blocks[y] == nil && slices.ContainsFunc(cells, func(c voxel.Cell) bool { return c != 0 }) {
				blocks[y] = &outgoing{}
			}
			if blocks[y] != nil {
				blocks[y].cells = cells
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
	_, err := w.insert.Exec(append(p.keys(w.xyz), data)...)
	return err
}

// fill makes the map block of its cells and of what was kept of it.
func (w *writer) fill(p blockPos, b *outgoing) error {
	m := &b.mapBlock
	m.nodes = make([]byte, 4*blockNodes)
	if err := w.fillIDs(b.cells, m); err != nil {
		return err
	}
	for k, name := range extraVolumes {
		c := w.beside[p.chunk()][name]
		if c == nil {
			continue
		}
		c.ReadBox(p.box(), w.flat)
		for i, v := range w.flat {
			most, shift := voxel.Cell(15), 4*k
			if name == param2 {
				most, shift = 255, 0
			}
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
	was, c := header{version: w.version}, &coder{b: b.head}
	if b.head != nil {
		if was.code(c); c.end() != nil || was.version < minVersion || was.version > maxVersion {
			return fmt.Errorf("its header: %w", errNotOurs)
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

// fillIDs numbers the names of cells in the order of the nodes, as the game does. Ids without names keep their numbers.
func (w *writer) fillIDs(cells []voxel.Cell, m *mapBlock) error {
	names := w.dim.Volume(voxel.Block).Names
	var used []voxel.Cell
	taken := map[uint16]bool{}
	add := func(c voxel.Cell, id uint16) {
		taken[id], w.ids[c], used = true, int32(id)+1, append(used, c)
	}
	defer func() {
		for _, c := range used {
			w.ids[c] = 0
		}
	}()
	if len(cells) == 0 {
		cells = []voxel.Cell{0}
	}
	for _, c := range cells {
		if n, ok := strings.CutPrefix(names.Name(c), unnamed); ok && w.ids[c] == 0 {
			id, err := strconv.ParseUint(n, 10, 16)
			if err != nil {
				return fmt.Errorf("%w: a node %q", format.ErrHolds, names.Name(c))
			}
			add(c, uint16(id))
		}
	}
	next := uint16(0)
	for i := range blockNodes {
		c := cells[0]
		if len(cells) > 1 {
			c = cells[sectionIndex(i)]
		}
		if w.ids[c] == 0 {
			for taken[next] {
				next++
			}
			name := names.Name(c)
			if name == "" || len(name) > math.MaxUint16 {
				return fmt.Errorf("%w: a node %.40q", format.ErrHolds, name)
			}
			add(c, next)
			m.names = append(m.names, nodeName{next, []byte(name)})
		}
		binary.BigEndian.PutUint16(m.nodes[2*i:], uint16(w.ids[c]-1))
	}
	return nil
}

// File writes a file of the world.
func (w *writer) File(f format.File) error {
	if slices.Contains(ours, f.Path) {
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
	for pos, volumes := range w.beside {
		for name := range volumes {
			if at := pos.Columns(); !slices.ContainsFunc(at[:], func(c geom.ColumnPos) bool { return w.written[c] }) {
				w.lost["chunks of the volume "+name+" where there are no columns"]++
			}
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
