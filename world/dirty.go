package world

import (
	"cmp"
	"maps"

	"github.com/cairnvoxel/cairn/internal/stone/column"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// dirty says what was changed since some commit. The zero value is nothing.
type dirty struct {
	all     bool // descriptions of dimensions and volumes, or properties
	chunks  map[volumeName]map[geom.ChunkPos]bool
	bases   map[volumeName]map[geom.ChunkPos]*voxel.Chunk // what chunks were in that commit, as far as that is known
	kept    int                                           // bytes of bases, of columns and files too
	columns map[string]map[geom.ColumnPos]parts
	files   map[string]bool

	columnBases map[string]map[geom.ColumnPos]*voxel.Column // as bases
	fileBases   map[string][]byte
}

// parts says which parts of a column were changed.
type parts struct {
	column bool
	lists  map[string]bool
}

func (d *dirty) empty() bool {
	return d == nil || !d.all && len(d.chunks) == 0 && len(d.columns) == 0 && len(d.files) == 0
}

// in returns the chunks of a volume, to be added to.
func (d *dirty) in(v volumeName) map[geom.ChunkPos]bool {
	chunks := d.chunks[v]
	if chunks == nil {
		if d.chunks == nil {
			d.chunks = make(map[volumeName]map[geom.ChunkPos]bool)
		}
		chunks = make(map[geom.ChunkPos]bool)
		d.chunks[v] = chunks
	}
	return chunks
}

// replaced adds the chunks that an update replaced in a volume. read are what some were that are not in memory.
func (d *dirty) replaced(v volumeName, all []grid.Replaced, read map[geom.ChunkPos]*voxel.Chunk) {
	chunks := d.in(v)
	for i := range all {
		r := &all[i]
		if chunks[r.Pos] {
			continue
		}
		chunks[r.Pos] = true
		if was := read[r.Pos]; was != nil || !r.Unknown {
			d.base(v, r.Pos, cmp.Or(r.Old, was))
		}
	}
}

// base notes what a chunk was, which is not noted to have changed yet; nil: all default.
func (d *dirty) base(v volumeName, pos geom.ChunkPos, was *voxel.Chunk) {
	if d.kept >= maxBases {
		return
	}
	if d.bases == nil {
		d.bases = make(map[volumeName]map[geom.ChunkPos]*voxel.Chunk)
	}
	if d.bases[v] == nil {
		d.bases[v] = make(map[geom.ChunkPos]*voxel.Chunk)
	}
	d.bases[v][pos] = was
	if d.kept += 64; was != nil {
		d.kept += was.Bytes()
	}
}

// columnBase notes what a column with its lists was, which is not noted to have changed yet.
func (d *dirty) columnBase(dim string, pos geom.ColumnPos, was *voxel.Column) {
	if was == nil || d.kept >= maxBases {
		return
	}
	if d.columnBases == nil {
		d.columnBases = make(map[string]map[geom.ColumnPos]*voxel.Column)
	}
	if d.columnBases[dim] == nil {
		d.columnBases[dim] = make(map[geom.ColumnPos]*voxel.Column)
	}
	d.columnBases[dim][pos] = was
	d.kept += column.Size(was)
}

// fileBase notes what a file was, which is not noted to have changed yet.
func (d *dirty) fileBase(path string, was []byte) {
	if was == nil || d.kept >= maxBases {
		return
	}
	if d.fileBases == nil {
		d.fileBases = make(map[string][]byte)
	}
	d.fileBases[path] = was
	d.kept += len(was)
}

// maxBases is up to how many bytes of memory is kept that commits are written as differences to.
const maxBases = 64 << 20

func (d *dirty) hasChunk(v volumeName, pos geom.ChunkPos) bool { return d != nil && d.chunks[v][pos] }

// of returns a copy of the chunks of a volume.
func (d *dirty) of(v volumeName) map[geom.ChunkPos]bool {
	if d == nil {
		return nil
	}
	return maps.Clone(d.chunks[v])
}

func (d *dirty) hasColumn(dim string, pos geom.ColumnPos) bool {
	if d == nil {
		return false
	}
	_, ok := d.columns[dim][pos]
	return ok
}

func (d *dirty) column(dim string, pos geom.ColumnPos, p parts) {
	if d.columns == nil {
		d.columns = make(map[string]map[geom.ColumnPos]parts)
	}
	if d.columns[dim] == nil {
		d.columns[dim] = make(map[geom.ColumnPos]parts)
	}
	have := d.columns[dim][pos]
	have.column = have.column || p.column
	for list := range p.lists {
		if have.lists == nil {
			have.lists = make(map[string]bool)
		}
		have.lists[list] = true
	}
	d.columns[dim][pos] = have
}

func (d *dirty) file(path string) {
	if d.files == nil {
		d.files = make(map[string]bool)
	}
	d.files[path] = true
}

// add adds what was changed after that.
func (d *dirty) add(e *dirty) {
	d.all = d.all || e.all
	for v, chunks := range e.chunks {
		have := d.in(v)
		for pos := range chunks {
			if was, known := e.bases[v][pos]; known && !have[pos] {
				d.base(v, pos, was)
			}
			have[pos] = true
		}
	}
	for dim, columns := range e.columns {
		for pos, p := range columns {
			if !d.hasColumn(dim, pos) {
				d.columnBase(dim, pos, e.columnBases[dim][pos])
			}
			d.column(dim, pos, p)
		}
	}
	for path := range e.files {
		if !d.files[path] {
			d.fileBase(path, e.fileBases[path])
		}
		d.file(path)
	}
}

// clone returns a copy that may be changed, without bases.
func (d *dirty) clone() *dirty {
	out := &dirty{all: d.all, files: maps.Clone(d.files)}
	if d.chunks != nil {
		out.chunks = make(map[volumeName]map[geom.ChunkPos]bool, len(d.chunks))
	}
	for name, chunks := range d.chunks {
		out.chunks[name] = maps.Clone(chunks)
	}
	for dim, columns := range d.columns {
		for pos, p := range columns {
			out.column(dim, pos, p)
		}
	}
	return out
}
