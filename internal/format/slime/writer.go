package slime

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// ContainerWriter writes a Slime file and is a format.Sink. It keeps the encoded columns, not
// compressed, until Close. The same columns and files give the same bytes in any order. Its
// errors name the first block, column or file that the version cannot hold.
type ContainerWriter struct {
	out      io.Writer
	o        ContainerOptions
	dim      *format.Dimension
	hold     func(*format.Column) bool
	enc      *encoder
	columns  map[geom.ColumnPos]*columnBytes
	objects  [2][]placed // of versions before 11
	outliers []string    // columns of another data version
	others   int
	files    map[string][]byte
	lost     Losses
}

// columnBytes is an encoded column. The data after its sections depends on the world's flags.
type columnBytes struct {
	body    []byte
	flagged [3][]byte // a document for each flag of version 13, or nil
	tail    []byte
}

// placed is an object of the whole world.
type placed struct {
	from, at geom.ColumnPos // the column that had it, the one of its position
	payload  []byte
}

// maxNamed bounds the columns that an error names.
const maxNamed = 8

// Create returns a Writer whose Close writes the file to w.
func Create(w io.Writer, o ContainerOptions) (*ContainerWriter, error) {
	if o.Version < 0 || o.Version > maxVersion {
		return nil, fmt.Errorf("slime: version %d, known are 1 to %d", o.Version, maxVersion)
	}
	if o.WorldVersion < 0 || o.WorldVersion >= len(dataVersions) {
		return nil, fmt.Errorf("slime: world version %d, known are 1 to %d", o.WorldVersion, len(dataVersions)-1)
	}
	return &ContainerWriter{out: w, o: o, columns: map[geom.ColumnPos]*columnBytes{}, files: map[string][]byte{}, lost: Losses{}}, nil
}

// Lost returns what the file does not hold of everything that was given, by name.
func (w *ContainerWriter) Lost() map[string]int { return w.lost }

// Dimension begins the file's one dimension; a second is an error.
func (w *ContainerWriter) Dimension(d *format.Dimension) error {
	if w.dim != nil {
		return fmt.Errorf("slime: dimension %q: a Slime file holds one, and has %q", d.Name, w.dim.Name)
	}
	if d.Volume(voxel.Block) == nil || d.Volume(voxel.Biome) == nil {
		return fmt.Errorf("slime: dimension %q is not one of a block world", d.Name)
	}
	w.dim = d
	w.hold = Hold(w.o, d, w.lost)
	return nil
}

// Chunk returns an error: a Slime file holds only columns.
func (w *ContainerWriter) Chunk(volume string, pos geom.ChunkPos, _ *voxel.Chunk) error {
	return fmt.Errorf("slime: volume %q, chunk %v: a Slime file holds only columns", volume, pos)
}

// File takes the files of ExtraPath, MapsPath and OrderPath. It counts others as lost.
func (w *ContainerWriter) File(f format.File) error {
	if f.Path != ExtraPath && f.Path != MapsPath && f.Path != OrderPath {
		w.lost.add("file "+f.Path, 1)
		return nil
	}
	doc, err := f.Bytes()
	if err == nil && f.Path != OrderPath {
		err = checkDocument(doc)
	}
	if err != nil {
		return fmt.Errorf("slime: %s: %w", f.Path, err)
	}
	w.files[f.Path] = doc
	return nil
}

// Column takes a column and keeps what Hold leaves of it.
func (w *ContainerWriter) Column(c *format.Column) error {
	if w.dim == nil {
		return errors.New("slime: a column before any dimension")
	}
	held := *c
	chunk := slices.ContainsFunc(c.Parts, func(p voxel.Part) bool { return p.Name == voxel.PartChunk })
	if c.Version == 0 && w.o.DataVersion != 0 && !chunk {
		held.Version = w.o.DataVersion
	}
	if isBare(c) {
		w.hold(&held)
		return nil
	}
	if err := w.begin(held.Version); err != nil {
		return err
	}
	if !w.fits(&held) || !w.hold(&held) {
		return nil
	}
	if w.columns[c.Pos] != nil {
		return fmt.Errorf("slime: column %v comes twice", c.Pos)
	}
	b, err := w.enc.column(&held)
	if err != nil {
		return fmt.Errorf("slime: column %v: %w", c.Pos, err)
	}
	w.columns[c.Pos] = b
	if w.enc.version < 11 {
		w.addObjects(&held)
	}
	return nil
}

// begin decides the version from the first column.
func (w *ContainerWriter) begin(version int32) error {
	if w.enc != nil {
		return nil
	}
	l := w.o.resolve(version)
	l.env = environmentOf(w.dim)
	switch {
	case l.version < 4 && l.world >= worldNames:
		return fmt.Errorf("slime: version %d holds numeric blocks, not those of data version %d: %w", l.version, version, format.ErrHolds)
	case l.version < 6 && l.world > worldNames:
		return fmt.Errorf("slime: version %d holds worlds of up to 1.13, not data version %d: %w", l.version, version, format.ErrHolds)
	case l.version < 9 && l.world >= worldContainers:
		return fmt.Errorf("slime: version %d holds worlds of up to 1.17, not data version %d: %w", l.version, version, format.ErrHolds)
	case l.hasCoords() && worldOf(l.data) < worldContainers:
		return fmt.Errorf("slime: version %d holds worlds of 1.18 and later, not data version %d: %w", l.version, l.data, format.ErrHolds)
	}
	w.enc = newEncoder(l, w.dim)
	w.enc.cache = w.o.HypixelBlocks3
	var err error
	if l.version == 11 {
		w.enc.frames, err = newDeflater(w.o.Level)
	}
	return err
}

// fits reports whether c is of the file's data version, and notes it if not.
func (w *ContainerWriter) fits(c *format.Column) bool {
	ok := worldOf(c.Version) == w.enc.world
	if w.enc.hasCoords() {
		ok = c.Version == w.enc.data
	}
	if !ok {
		w.others++
		if len(w.outliers) < maxNamed {
			w.outliers = append(w.outliers, fmt.Sprintf("%v has %d", c.Pos, c.Version))
		}
	}
	return ok
}

func (w *ContainerWriter) addObjects(c *format.Column) {
	for i := range w.objects {
		for _, l := range c.Lists {
			if l.Name != kinds[i].list {
				continue
			}
			for _, o := range l.Objects {
				w.objects[i] = append(w.objects[i], placed{c.Pos, o.At.Column(), document.AppendObject(nil, &o)})
			}
		}
	}
}

// Abort gives up. Nothing has been written.
func (w *ContainerWriter) Abort() error { return nil }

// Close writes the file. It must be called once; without it there is no file.
func (w *ContainerWriter) Close() error {
	if w.others > 0 {
		return fmt.Errorf("slime: %d columns are not of the file's one version (%s): %v",
			w.others, w.versionText(), w.outliers)
	}
	if w.dim == nil {
		w.dim = format.BlockDimension(environments[0].dimension, "")
	}
	if err := w.begin(w.o.DataVersion); err != nil { // of a file without columns
		return err
	}
	d, err := newDeflater(w.o.Level)
	if err != nil {
		return err
	}
	var dst []byte
	if w.enc.hasCoords() {
		dst, err = w.appendNew(d)
	} else {
		dst, err = w.appendOld(d)
	}
	if err != nil {
		return err
	}
	if _, err := w.out.Write(dst); err != nil {
		return fmt.Errorf("slime: write: %w", err)
	}
	return nil
}

func (w *ContainerWriter) versionText() string {
	if w.enc.hasCoords() {
		return fmt.Sprintf("data version %d", w.enc.data)
	}
	return fmt.Sprintf("world version %d", w.enc.world)
}
