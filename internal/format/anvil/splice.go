package anvil

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// A splice changes chunks in the region files of a world that no game has open. New chunks are appended, and then the
// header is written, which points at them: a crash leaves the world as it was, or some files changed and others not. Then
// the same splice completes it. All that is long is done before the first header: until then an error leaves every
// byte as it was.
type splice struct {
	w     *Folder
	from  reading // of what is to be there
	have  reading // of what is there
	step  func(what string) error
	files []*spliced
	moves []move   // of files beside region files, before any header
	gone  []string // files beside region files that no chunk needs after that
}

// spliced is a region file that is changed.
type spliced struct {
	at   string // where it lies
	file *os.File
	size int64 // before
	end  int64
	head [headerSize]byte
	move move // of a file that was not there
}

// move gives a file its name when it is complete.
type move struct{ temp, to string }

// SpliceOptions of Splice. The zero value is the default.
type SpliceOptions struct {
	// Dry writes nothing.
	Dry bool

	step func(what string) error // tests fail here, as a disk may
}

// Splice makes columns of a dimension what they are in from: their chunks, entities and points of interest. It returns
// those that differed by a tag; the others, and all chunks beside them, stay byte for byte. A column that from does not
// have is removed. from is a folder as a FolderWriter writes it, with the dimension in its root. It Holds the world.
func (w *Folder) Splice(ctx context.Context, dim string, from fs.FS, columns []geom.ColumnPos, o SpliceOptions) (changed []geom.ColumnPos, err error) {
	d := w.dimension(dim)
	switch {
	case w.Partial():
		return nil, fmt.Errorf("anvil: splice: no level.dat is in the folder: give that of the whole world: %w", ErrNoWorld)
	case w.head.Format != formatName:
		return nil, fmt.Errorf("anvil: splice: a world of region files of %s: %w", w.head.Format, ErrNotAnvil)
	case d == nil:
		return nil, fmt.Errorf("anvil: splice: the folder has no dimension %s", dim)
	}
	if err := w.Hold(o.Dry); err != nil {
		return nil, err
	}
	s := &splice{w: w, from: reading{w: &Folder{fsys: from}, used: map[string]bool{}}, have: reading{w: w, used: map[string]bool{}}, step: o.step}
	if s.step == nil {
		s.step = func(string) error { return nil }
	}
	byRegion := map[[2]int32][]geom.ColumnPos{}
	for _, pos := range columns {
		at := [2]int32{pos.X >> 5, pos.Z >> 5}
		byRegion[at] = append(byRegion[at], pos)
	}
	differ := map[geom.ColumnPos]bool{}
	for _, at := range slices.SortedFunc(maps.Keys(byRegion), func(a, b [2]int32) int { return cmp.Or(cmp.Compare(a[1], b[1]), cmp.Compare(a[0], b[0])) }) {
		for kind := range kinds {
			if err = cmp.Or(ctx.Err(), s.region(regionKey{d.folder, kind, at[0], at[1]}, byRegion[at], differ, o.Dry)); err != nil {
				return nil, errors.Join(fmt.Errorf("anvil: splice: %w", err), s.abort())
			}
		}
	}
	if err = s.sync(); err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("anvil: splice: %w", err), s.abort())
	}
	if err = s.commit(); err != nil {
		return nil, fmt.Errorf("anvil: splice: some region files are changed and others not, do it again: %w", err)
	}
	return slices.SortedFunc(maps.Keys(differ), geom.ColumnPos.Compare), nil
}

// region prepares one region file.
func (s *splice) region(key regionKey, columns []geom.ColumnPos, differ map[geom.ColumnPos]bool, dry bool) error {
	to, err := openRegion(s.from.w.fsys, regionKey{"", key.kind, key.x, key.z}.path(anvilExt), key.x, key.z)
	if errors.Is(err, fs.ErrNotExist) {
		to, err = nil, nil
	}
	if err != nil {
		return err
	}
	if to != nil {
		defer to.file.Close()
	}
	name := key.path(anvilExt)
	there, err := s.open(name, key)
	if err != nil {
		return err
	}
	if there != nil {
		defer there.file.Close()
	}
	var f *spliced
	for _, pos := range columns {
		slot := int(pos.X&31 | pos.Z&31<<5)
		same, err := s.same(key.kind, slot, to, there)
		if err != nil {
			return fmt.Errorf("column %v: %w", pos, err)
		}
		if same {
			continue
		}
		if differ[pos] = true; dry {
			continue
		}
		if f == nil {
			if f, err = s.begin(name, there); err != nil {
				return err
			}
		}
		if err := s.put(f, name, slot, pos, to, there); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// open opens a region file of the world. It returns nil if there is none, or one that is empty.
func (s *splice) open(name string, key regionKey) (*region, error) {
	g, err := openRegion(s.w.fsys, s.w.place(name), key.x, key.z)
	if err == nil {
		return g, nil
	}
	if info, no := s.w.root.Stat(s.w.place(name)); errors.Is(no, fs.ErrNotExist) || no == nil && info.Size() == 0 {
		return nil, nil
	}
	return nil, fmt.Errorf("%s: %w", name, err)
}

// same reports whether a slot holds the tags that it is to have. What cannot be read there is another.
func (s *splice) same(kind, slot int, to, there *region) (bool, error) {
	gone := to == nil || to.absent(slot)
	if lacks := there == nil || there.absent(slot); gone || lacks {
		return gone == lacks, nil
	}
	want, _, err := s.from.document(to, kind, slot)
	if err != nil {
		return false, err
	}
	have, _, err := s.have.document(there, kind, slot)
	if err != nil {
		return false, nil
	}
	_, same := nbt.Equal(have, want)
	return same, nil
}

// begin opens a region file for writing, or makes one.
func (s *splice) begin(name string, there *region) (*spliced, error) {
	f := &spliced{at: s.w.place(name), end: headerSize}
	info, err := s.w.regular(name)
	switch {
	case err != nil:
		return nil, err
	case info == nil:
		if f.file, f.move, err = s.w.create(f.at); err != nil {
			return nil, err
		}
	default:
		if f.file, err = s.w.root.OpenFile(f.at, os.O_RDWR, 0); err != nil {
			return nil, err
		}
		f.size = info.Size()
		f.end = max(f.end, (f.size+sector-1)/sector*sector)
	}
	if s.files = append(s.files, f); there != nil {
		f.head = there.head
	}
	return f, nil
}

// put appends what a slot is to hold, and points the header at it.
func (s *splice) put(f *spliced, name string, slot int, pos geom.ColumnPos, to, there *region) error {
	beside := func(of string) string {
		return path.Join(path.Dir(of), fmt.Sprintf("c.%d.%d.mcc", pos.X, pos.Z))
	}
	var place, stamp uint32
	external := false
	if to != nil {
		stamp = to.stamp(slot)
	}
	if to != nil && !to.absent(slot) {
		stored, err := to.stored(slot, nil)
		if err != nil {
			return err
		}
		if external = stored[4]&typeExternal != 0; external {
			payload, err := s.from.external(beside(to.path))
			if err == nil {
				err = s.write(beside(name), payload)
			}
			if err != nil {
				return err
			}
		}
		count := int64(len(stored)+sector-1) / sector
		first := f.end / sector
		if first+count >= 1<<24 {
			return errors.New("the region file has no room: the game makes room when it writes it")
		}
		if err := s.step("chunk"); err != nil {
			return err
		}
		if _, err := f.file.WriteAt(append(stored, make([]byte, count*sector-int64(len(stored)))...), f.end); err != nil {
			return err
		}
		place = uint32(first)<<8 | uint32(min(count, maxCount))
		f.end += count * sector
	}
	if there != nil && !there.absent(slot) && !external {
		if old, err := there.sectors(slot, nil); err == nil && len(old) > 4 && old[4]&typeExternal != 0 {
			s.gone = append(s.gone, s.w.place(beside(name)))
		}
	}
	binary.BigEndian.PutUint32(f.head[4*slot:], place)
	binary.BigEndian.PutUint32(f.head[sector+4*slot:], stamp)
	return nil
}

// write writes a file that gets its name later.
func (s *splice) write(name string, data []byte) error {
	if _, err := s.w.regular(name); err != nil {
		return err
	}
	f, m, err := s.w.create(s.w.place(name))
	if err != nil {
		return err
	}
	s.moves = append(s.moves, m)
	if err = s.step("file"); err == nil {
		_, err = f.Write(data)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// sync puts all that is new on stable storage.
func (s *splice) sync() error {
	for _, f := range s.files {
		err := s.step("sync")
		if err == nil && f.move.temp != "" {
			_, err = f.file.WriteAt(f.head[:], 0)
		}
		if err = cmp.Or(err, f.file.Sync()); err != nil {
			return err
		}
	}
	return nil
}

// commit makes all that was prepared visible.
func (s *splice) commit() (err error) {
	dirs := map[string]bool{}
	rename := func(m move) error {
		dirs[path.Dir(m.to)] = true
		return s.w.root.Rename(m.temp, m.to)
	}
	for _, m := range s.moves {
		if err := rename(m); err != nil {
			return err
		}
	}
	for _, f := range s.files {
		err := s.step("header")
		if err == nil && f.move.temp == "" {
			if _, err = f.file.WriteAt(f.head[:], 0); err == nil {
				err = f.file.Sync()
			}
		}
		if err = errors.Join(err, f.file.Close()); err == nil && f.move.temp != "" {
			err = rename(f.move)
		}
		if err != nil {
			return err
		}
	}
	for _, name := range s.gone {
		if err := s.w.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for dir := range dirs {
		err = errors.Join(err, s.w.syncDir(dir))
	}
	return err
}

// abort takes back what was prepared.
func (s *splice) abort() (err error) {
	for _, f := range s.files {
		if f.move.temp == "" {
			err = errors.Join(err, f.file.Truncate(f.size))
		}
		err = errors.Join(err, f.file.Close())
		s.moves = append(s.moves, f.move)
	}
	for _, m := range s.moves {
		if m.temp != "" {
			err = errors.Join(err, s.w.root.Remove(m.temp))
		}
	}
	return err
}

// place returns where a file of the world lies, or is to lie: beside those of its folder.
func (w *Folder) place(name string) string {
	in := w.fsys.(inWorld).moved
	if at, ok := in[name]; ok {
		return at
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		for _, f := range slices.Sorted(maps.Keys(in)) {
			if rest, ok := strings.CutPrefix(f, dir+"/"); ok && strings.HasSuffix(in[f], "/"+f) {
				return strings.TrimSuffix(in[f], dir+"/"+rest) + name
			}
		}
	}
	return path.Join(w.base, name)
}

// regular returns the facts of a file of the world, nil if there is none. It fails if something is there that cairn did
// not read: a link, or what lies behind one.
func (w *Folder) regular(name string) (fs.FileInfo, error) {
	at := w.place(name)
	info, err := w.root.Lstat(at)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if _, known := w.fsys.(inWorld).moved[name]; err == nil && (!known || !info.Mode().IsRegular()) {
		err = fmt.Errorf("%s: it is no regular file of the folder, or lies behind a link", at)
	}
	return info, err
}

// create makes a file with a temporary name, and the folders above it. It gets the owner of the folder that is there.
func (w *Folder) create(at string) (*os.File, move, error) {
	dir := path.Dir(at)
	above := dir
	info, err := w.root.Stat(above)
	for errors.Is(err, fs.ErrNotExist) {
		above = path.Dir(above)
		info, err = w.root.Stat(above)
	}
	if err == nil {
		err = w.root.MkdirAll(dir, 0o755)
	}
	for made := dir; err == nil && made != above; made = path.Dir(made) {
		err = own(w.root, made, info)
	}
	for i := 0; ; i++ {
		m := move{path.Join(dir, fmt.Sprintf(".cairn-%d-%d.tmp", os.Getpid(), i)), at}
		if err != nil {
			return nil, m, err
		}
		f, err := w.root.OpenFile(m.temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			if err = own(w.root, m.temp, info); err != nil {
				err = errors.Join(err, f.Close(), w.root.Remove(m.temp))
			}
		}
		return f, m, err
	}
}

// syncDir puts the names in a folder on stable storage.
func (w *Folder) syncDir(dir string) error {
	f, err := w.root.Open(dir)
	if err != nil {
		return err
	}
	if err = f.Sync(); errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, f.Close())
}

// Hold takes the lock of a game until Close, so that none begins. It fails with ErrInUse if one has it. With dry it only looks.
func (w *Folder) Hold(dry bool) error {
	if w.holds {
		return nil
	}
	bases := []string{w.base}
	for _, suffix := range serverSuffixes {
		if w.base != "" {
			bases = append(bases, w.base+suffix)
		}
	}
	for _, base := range bases {
		name := path.Join(base, sessionLock)
		info, err := w.root.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
			continue
		}
		flag := os.O_RDWR
		if dry {
			flag = os.O_RDONLY
		}
		f, err := w.root.OpenFile(name, flag, 0)
		if err == nil {
			w.locks = append(w.locks, f)
			err = takeLock(f, dry)
		}
		if err != nil {
			return fmt.Errorf("anvil: %s: %w", name, err)
		}
	}
	w.holds = !dry
	return nil
}

// PutFile makes a file of the world what data is. It returns what it was, nil if there was none, and whether that is the
// same. It Holds the world. With dry it writes nothing.
func (w *Folder) PutFile(name string, data []byte, dry bool) (was []byte, same bool, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("anvil: put %q: %w", name, err)
		}
	}()
	switch region := isRegionPath(name); {
	case !format.IsPath(name) || !format.FitsSystem(name, runtime.GOOS):
		return nil, false, errors.New("no path that a file of a folder can have here")
	case region || path.Base(name) == sessionLock:
		return nil, false, errors.New("no file that is put back alone; a region brings chunks back")
	}
	if err := w.Hold(dry); err != nil {
		return nil, false, err
	}
	info, err := w.regular(name)
	if err != nil {
		return nil, false, err
	}
	if info != nil {
		if was, err = fs.ReadFile(w.fsys, name); err != nil || bytes.Equal(was, data) {
			return was, err == nil, err
		}
		was = append([]byte{}, was...) // not nil
	}
	if dry {
		return was, false, nil
	}
	s := &splice{w: w, step: func(string) error { return nil }}
	if err = s.write(name, data); err != nil {
		return was, false, errors.Join(err, s.abort())
	}
	if info != nil {
		if err = own(w.root, s.moves[0].temp, info); err != nil {
			return was, false, errors.Join(err, s.abort())
		}
	}
	return was, false, s.commit()
}
