package anvil

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/linear"
	"github.com/cairnvoxel/cairn/voxel"
)

// Names of the formats.
const (
	formatName   = "anvil"
	mcregionName = "mcregion"
	linearName   = "linear"
)

const (
	anvilExt    = ".mca"
	mcregionExt = ".mcr"
	sessionLock = "session.lock"
)

// linearExts are the extensions of region files in Linear's formats.
var linearExts = []string{linear.Ext(linear.V2), linear.Ext(linear.Buffered)}

// The kinds of region files, by the folder that holds them. Index into
// kindFolders.
const (
	kindChunk = iota
	kindEntities
	kindPOI
	kinds
)

var (
	kindFolders = [kinds]string{"region", "entities", "poi"}
	kindParts   = [kinds]string{voxel.PartChunk, voxel.PartEntities, voxel.PartPOI}
)

// dimension is a folder with region files.
type dimension struct {
	folder  string
	name    string
	old     bool // McRegion
	regions []*regionSet
}

// regionSet is the files of one region of a dimension, "" where there is none.
type regionSet struct {
	x, z  int32
	paths [kinds]string
}

type file struct {
	path string
	size int64
	at   string // where it lies

	modified int64 // nanoseconds
}

// DetectFS reports whether a folder looks like a world of Java Edition: it has a
// level.dat or a folder of region files, is that of a server whose world has a level.dat, or has chunks
// that OpenFS refuses by name. It is cheap; OpenFS tells more.
func DetectFS(fsys fs.FS) bool {
	for _, dir := range []string{"", serverWorld(fsys, ".")} {
		for _, name := range []string{LevelPath, OldLevelPath} {
			if info, err := fs.Stat(fsys, path.Join(dir, name)); err == nil && info.Mode().IsRegular() {
				return true
			}
		}
	}
	for _, dir := range []string{"region", "DIM-1/region", "DIM1/region", "dimensions/minecraft/overworld/region"} {
		list, err := fs.ReadDir(fsys, dir)
		if err == nil && slices.ContainsFunc(list, isRegion) {
			return true
		}
	}
	for _, pattern := range []string{"region2d/*.2dr", "region3d/*.3dr", "[0-9a-z]/*/c.*.dat", "1[0-9a-r]/*/c.*.dat"} {
		if list, _ := fs.Glob(fsys, pattern); len(list) > 0 {
			return true
		}
	}
	return false
}

func isRegion(e fs.DirEntry) bool {
	return e.Type().IsRegular() && isRegionPath("region/"+e.Name())
}

// scan lists the folder at a path: the region files by dimension, and all other files.
func (w *Folder) scan(at string) error {
	if err := w.walk(); err != nil {
		return err
	}
	if w.o.Live {
		w.settle()
	}
	if err := w.find(at); err != nil {
		return err
	}
	foreign := w.foreign()
	w.head.Properties = factsOf(w.level())
	switch {
	case w.has("db/CURRENT") && (w.has("levelname.txt") || !w.hasRegions(anvilExt)):
		return ErrBedrock
	case len(foreign) > 0 && !w.hasChunks(): // their entities may be in the format of Anvil
		return errors.New(strings.Join(foreign, "; "))
	case w.hasRegions(linearExts...):
		w.head.Format = linearName
		w.sortOut(append(linearExts, anvilExt)...)
		w.head.Version = w.linearVersion()
		if w.hasRegions(anvilExt) {
			foreign = append(foreign, "region files of Anvil of which there is one in Linear's format too")
		}
	case w.hasRegions(anvilExt):
		w.head.Format = formatName
		w.sortOut(anvilExt)
		if w.hasRegions(mcregionExt) {
			foreign = append(foreign, "region files of McRegion, which the game has left behind")
		}
	case w.hasRegions(mcregionExt):
		w.head.Format = mcregionName
		w.sortOut(mcregionExt)
	case w.hasLevel():
		w.head.Format = formatName
	default:
		err := ErrNoWorld
		for _, s := range w.skip[:min(len(w.skip), 3)] {
			err = fmt.Errorf("%w; %q %s", err, s.Path, s.Why)
		}
		return err
	}
	for _, f := range foreign {
		w.notes = append(w.notes, f+": kept as files")
	}
	return nil
}

// hasLevel reports whether the world has a level.dat, or the game's copy of it.
func (w *Folder) hasLevel() bool { return w.has(LevelPath) || w.has(OldLevelPath) }

// foreign names the chunks of formats that cairn does not read, and whose they are.
func (w *Folder) foreign() (out []string) {
	found := map[string]map[string]int{} // files by format and dimension
	of := func(folder string) string {
		if inRegions.MatchString(path.Base(folder)) {
			folder = path.Dir(folder)
		}
		return nameOf(strings.TrimPrefix(folder, "."))
	}
	for _, f := range w.files {
		for _, k := range foreignChunks {
			if m := k.name.FindStringSubmatchIndex(f.path); m != nil {
				if found[k.format] == nil {
					found[k.format] = map[string]int{}
				}
				found[k.format][of(path.Clean(f.path[:m[2]]))]++
				break
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		n := 0
		for _, k := range found[name] {
			n += k
		}
		text := fmt.Sprintf("chunks in %s, which cairn does not read: %s", name, counted(n))
		out = append(out, text+" in "+format.SomeOf(slices.Sorted(maps.Keys(found[name]))))
	}
	return out
}

var inRegions = regexp.MustCompile(`^(region(2d|3d)?|entities|poi)$`)

// foreignChunks are the names of files with chunks in other formats of the game and its mods. What
// is before the group is their folder.
var foreignChunks = []struct {
	format string
	name   *regexp.Regexp
}{
	{"Cubic Chunks' format", regexp.MustCompile(`(?:^|/)(-?\d+\.-?\d+\.(?:-?\d+\.3dr|2dr))$`)},
	{"the format of Alpha", regexp.MustCompile(`(?:^|/)([0-9a-z]{1,2}/[0-9a-z]{1,2}/c\.-?[0-9a-z]+\.-?[0-9a-z]+\.dat)$`)},
	{"the format of Pocket Edition", regexp.MustCompile(`^(chunks\.dat)$`)},
}

func (w *Folder) hasRegions(exts ...string) bool {
	return slices.ContainsFunc(w.files, func(f file) bool {
		_, _, _, ok := placeOf(f.path, exts...)
		return ok
	})
}

// linearVersion returns the version of the first region file in Linear's format that tells one.
func (w *Folder) linearVersion() int {
	for _, r := range w.Regions() {
		if path.Ext(r.Path) == linear.Ext(linear.Buffered) {
			return linear.Buffered
		}
		if f, err := w.fsys.Open(r.Path); err == nil && path.Ext(r.Path) != anvilExt {
			var head [9]byte
			_, err = io.ReadFull(f, head[:])
			f.Close()
			if err == nil && head[8] < 3 {
				return linear.V1
			} else if err == nil {
				return linear.V2
			}
		}
	}
	return 0
}

// hasChunks reports whether there is a region file of chunks that can have one.
func (w *Folder) hasChunks() bool {
	return slices.ContainsFunc(w.files, func(f file) bool {
		return f.size > headerSize && path.Base(path.Dir(f.path)) == kindFolders[kindChunk] && isRegionPath(f.path) || f.size > 0 && slices.Contains(linearExts, path.Ext(f.path))
	})
}

func (w *Folder) has(name string) bool {
	return slices.ContainsFunc(w.files, func(f file) bool { return f.path == name })
}

// walk lists all regular files, sorted by path.
func (w *Folder) walk() error {
	defer func() {
		slices.SortFunc(w.files, func(a, b file) int { return cmp.Compare(a.path, b.path) })
	}()
	return fs.WalkDir(w.fsys, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && w.o.Live:
			return nil
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
			w.skip = append(w.skip, Skipped{name, "cannot be listed"})
			return nil
		case err != nil:
			return err
		case e.IsDir() || e.Name() == sessionLock:
			return nil
		case !fs.ValidPath(name):
			w.skip = append(w.skip, Skipped{name, "has a name that is no UTF-8"})
			return nil
		case !format.IsPath(name):
			w.skip = append(w.skip, Skipped{name, "has a name that not every system can have"})
			return nil
		case !e.Type().IsRegular():
			w.skip = append(w.skip, Skipped{name, "is no regular file"})
			return nil
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) && w.o.Live {
			return nil
		}
		if err != nil {
			return err
		}
		w.files = append(w.files, file{name, info.Size(), name, info.ModTime().UnixNano()})
		return nil
	})
}

// placeOf tells whether a path is a region file with one of some extensions: its dimension's folder, its
// kind and its coordinates follow.
func placeOf(name string, exts ...string) (folder string, kind int, at [2]int32, ok bool) {
	dir, base := path.Split(name)
	kind = slices.Index(kindFolders[:], path.Base(dir))
	for _, ext := range exts {
		if at[0], at[1], ok = parseRegionName(base, ext); ok {
			break
		}
	}
	if folder = path.Dir(path.Clean(dir)); folder == "." {
		folder = ""
	}
	return folder, kind, at, ok && kind >= 0
}

// sortOut moves region files from the world's files into its dimensions. Of two for one place it takes that whose extension
// comes first.
func (w *Folder) sortOut(exts ...string) {
	taken := map[string]int{} // by path without extension
	for _, f := range w.files {
		stem := strings.TrimSuffix(f.path, path.Ext(f.path))
		if i := slices.Index(exts, path.Ext(f.path)); i >= 0 {
			if first, ok := taken[stem]; !ok || i < first {
				taken[stem] = i
			}
		}
	}
	dims := map[string]*dimension{}
	sets := map[string]map[[2]int32]*regionSet{}
	rest := w.files[:0]
	for _, f := range w.files {
		folder, kind, at, ok := placeOf(f.path, exts...)
		if !ok || slices.Index(exts, path.Ext(f.path)) != taken[strings.TrimSuffix(f.path, path.Ext(f.path))] {
			rest = append(rest, f)
			continue
		}
		d := dims[folder]
		if d == nil {
			d = &dimension{folder: folder, old: exts[0] == mcregionExt}
			dims[folder], sets[folder] = d, map[[2]int32]*regionSet{}
			w.dims = append(w.dims, d)
		}
		set := sets[folder][at]
		if set == nil {
			set = &regionSet{x: at[0], z: at[1]}
			sets[folder][at] = set
			d.regions = append(d.regions, set)
		}
		set.paths[kind] = f.path
	}
	w.files = rest
	for _, d := range w.dims {
		d.name = nameOf(d.folder)
	}
	slices.SortFunc(w.dims, func(a, b *dimension) int {
		return cmp.Or(cmp.Compare(rank(a.name), rank(b.name)), cmp.Compare(w.rankOfFolder(a.folder), w.rankOfFolder(b.folder)), cmp.Compare(a.folder, b.folder))
	})
	w.nameDimensions()
	slices.SortStableFunc(w.dims, func(a, b *dimension) int { return cmp.Compare(rank(a.name), rank(b.name)) })
	for _, d := range w.dims {
		slices.SortFunc(d.regions, func(a, b *regionSet) int { return cmp.Or(cmp.Compare(a.z, b.z), cmp.Compare(a.x, b.x)) })
	}
}

// rank puts the dimensions of the game first.
func rank(name string) int {
	if i := slices.Index([]string{"overworld", "the_nether", "the_end"}, name); i >= 0 {
		return i
	}
	return 3
}

// rankOfFolder puts those folders first from which the game, or a server, takes a dimension.
func (w *Folder) rankOfFolder(folder string) (n int) {
	v, _ := strconv.Atoi(w.head.Properties["data_version"])
	if modern := v == 0 || v >= versionFolders; modern != strings.HasPrefix(folder, "dimensions/") {
		n = 2
	}
	if w.base != "" && !strings.Contains(folder, "/") {
		n++
	}
	return n
}

// nameDimensions gives names of their own to dimensions whose name another one before them has, as
// a folder of an old and of a new version of the game may, and notes it.
func (w *Folder) nameDimensions() {
	seen := map[string]*dimension{}
	for _, d := range w.dims {
		if first := seen[d.name]; first != nil {
			w.notes = append(w.notes, fmt.Sprintf("%s is in two folders: the one that the game takes is %q; %q is the dimension folder:%[3]s", d.name, cmp.Or(first.folder, "."), cmp.Or(d.folder, ".")))
		}
		d.name = shortName(d.name)
		for fallback := shortName("folder:" + cmp.Or(d.folder, ".")); seen[d.name] != nil; fallback += "'" {
			d.name = fallback
		}
		seen[d.name] = d
	}
}

// shortName returns a name that a dimension can have, and some room behind it.
func shortName(name string) string {
	name = strings.ToValidUTF8(name, "?")
	return strings.ToValidUTF8(name[:min(len(name), voxel.MaxName-64)], "")
}

// nameOf returns the name of the dimension in a folder, which is one of: the
// world's own, DIM-1 and DIM1 (also in a folder of their own, as Bukkit has
// them), dimensions/NAMESPACE/PATH. Any other is "folder:" and its path.
func nameOf(folder string) string {
	if rest, ok := strings.CutPrefix(folder, "dimensions/"); ok {
		if space, name, ok := strings.Cut(rest, "/"); ok && space == "minecraft" && slices.Contains([]string{"overworld", "the_nether", "the_end"}, name) {
			return name
		} else if ok {
			return space + ":" + name
		}
	}
	parts := strings.Split(folder, "/")
	switch base := parts[len(parts)-1]; {
	case folder == "":
		return "overworld"
	case base == "DIM-1" && len(parts) <= 2:
		return "the_nether"
	case base == "DIM1" && len(parts) <= 2:
		return "the_end"
	}
	return "folder:" + folder
}

// blockDimension returns the dimension as a Sink gets it.
func (d *dimension) blockDimension() *format.Dimension {
	return format.BlockDimension(d.name, d.folder)
}
