package anvil

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format"
)

// ErrSeveral is wrapped where a folder has several worlds, and nothing says which one is meant.
var ErrSeveral = errors.New("several worlds")

const (
	// maxDepth bounds the folders above a world.
	maxDepth = 8
	// serverFile is the file in which a server keeps the name of its world.
	serverFile = "server.properties"
)

// serverSuffixes end the names of the folders in which servers keep a world's other dimensions.
var serverSuffixes = []string{"_nether", "_the_end"}

// inWorld is a file system of a world whose files lie elsewhere than their paths say.
type inWorld struct {
	fs.FS
	moved map[string]string // where they lie
}

// Open opens a file of the world.
func (f inWorld) Open(name string) (fs.File, error) {
	if at, ok := f.moved[name]; ok {
		name = at
	}
	return f.FS.Open(name)
}

// unite puts region files that are in no folder of regions, and where no level.dat is, into one of
// that kind.
func (w *Folder) unite(kind string) {
	bare := func(f file) bool { return isRegionPath("region/" + path.Base(f.path)) }
	for _, f := range w.files {
		if path.Base(f.path) == LevelPath || isRegionPath(f.path) {
			return
		}
	}
	for i, f := range w.files {
		if bare(f) || path.Ext(f.path) == ".mcc" {
			dir, base := path.Split(f.path)
			w.files[i].path = dir + kind + "/" + base
		}
	}
}

// find finds the world's folder, and makes all paths count from there. Other files are left out, and
// named in a note. The path of what was given may say that it is a dimension, or a folder of regions.
func (w *Folder) find(at string) error {
	kind := path.Base(at)
	if slices.Contains(kindFolders[:], kind) {
		at = path.Dir(at)
	} else {
		kind = kindFolders[kindChunk]
	}
	w.unite(kind)
	others, err := w.findBase()
	if err != nil {
		return err
	}
	if w.base != "" {
		beside := w.enter()
		if len(others) > 0 {
			beside += "; other worlds, of which give the folder: " + format.SomeOf(others)
		}
		if beside != "" {
			w.notes = append(w.notes, "the world is in "+w.base+beside)
		}
	}
	if dim := dimensionFolder.FindString(at); w.base == "" && dim != "" && !w.hasLevel() {
		for i, f := range w.files {
			w.files[i].path = dim[1:] + "/" + f.path
		}
	}
	moved, found := map[string]string{}, w.files
	w.files = nil
	for _, f := range found {
		if _, taken := moved[f.path]; taken {
			w.skip = append(w.skip, Skipped{f.at, "belongs where another file is"})
			continue
		}
		moved[f.path] = f.at
		w.files = append(w.files, f)
	}
	w.fsys = inWorld{w.fsys, moved}
	return nil
}

// findBase finds the folder of the world: the root if it has a level.dat or region files, else that
// with a level.dat, or the only one with region files. Of several it takes the least deep, or the one
// that a server names, and returns the others.
func (w *Folder) findBase() (others []string, err error) {
	folders, regions, worlds := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, f := range w.files {
		dir, base := path.Split(f.path)
		for up := path.Clean(dir); !folders[up]; up = path.Dir(up) {
			folders[up] = true
		}
		if base == LevelPath || base == OldLevelPath {
			worlds[path.Clean(dir)] = true
		} else if isRegionPath(f.path) {
			regions[path.Clean(dimensionFolder.ReplaceAllString("./"+path.Dir(path.Dir(f.path)), ""))] = true
		}
	}
	regions, worlds = ofServers(regions, folders), ofServers(worlds, folders)
	if len(worlds) == 0 && len(regions) == 1 {
		worlds = regions
	}
	if len(worlds) == 0 || worlds["."] || regions["."] {
		return nil, nil
	}
	deep := func(name string) int { return strings.Count(name, "/") }
	all := slices.SortedFunc(maps.Keys(worlds), func(a, b string) int { return cmp.Or(deep(a)-deep(b), strings.Compare(a, b)) })
	least := all
	if n := slices.IndexFunc(all, func(name string) bool { return deep(name) > deep(all[0]) }); n > 0 {
		least = all[:n]
	}
	w.base = least[0]
	if len(least) > 1 {
		if w.base = serverWorld(w.fsys, path.Dir(least[0])); !slices.Contains(least, w.base) {
			return nil, fmt.Errorf("%w: %s: give the folder of one", ErrSeveral, format.SomeOf(all))
		}
	}
	if deep(w.base) >= maxDepth {
		return nil, ErrNoWorld
	}
	return slices.DeleteFunc(all, func(name string) bool { return name == w.base || strings.HasPrefix(name, w.base+"/") }), nil
}

// ofServers returns the folders of the worlds that folders belong to, if these are some in which
// servers keep other dimensions.
func ofServers(worlds, folders map[string]bool) map[string]bool {
	out := map[string]bool{}
	for name := range worlds {
		for _, suffix := range serverSuffixes {
			if base, ok := strings.CutSuffix(name, suffix); ok && folders[base] {
				name = base
				break
			}
		}
		out[name] = true
	}
	return out
}

// serverWorld returns the folder of the world that a server in a folder runs, "" if there is no
// server.
func serverWorld(fsys fs.FS, dir string) string {
	name := path.Join(dir, serverFile)
	if info, err := fs.Stat(fsys, name); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := fsys.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	name = "world"
	for lines := bufio.NewScanner(io.LimitReader(f, 1<<20)); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), "="); ok && strings.TrimSpace(key) == "level-name" {
			name = strings.TrimSpace(value)
		}
	}
	if name = path.Join(dir, name); !fs.ValidPath(name) {
		return ""
	}
	return name
}

// dimensionFolder is the end of the path of a dimension's folder below that of a world.
var dimensionFolder = regexp.MustCompile(`/(DIM-?\d+|dimensions/.*)$`)

func isRegionPath(name string) bool {
	_, _, _, ok := placeOf(name, append(linearExts, anvilExt, mcregionExt)...)
	return ok
}

// counted returns a number of files as text.
func counted(n int) string {
	if n == 1 {
		return "1 file"
	}
	return fmt.Sprint(n, " files")
}

// enter leaves out what is beside the world's folder, and names it. The dimensions of a server lie
// within the world then, as the game has them, unless there is a folder of that name.
func (w *Folder) enter() string {
	own, taken := map[string]bool{}, map[string]bool{}
	for _, f := range w.files {
		if rest, ok := strings.CutPrefix(f.path, w.base+"/"); ok {
			taken[rest] = true
			own[dimensionOf(rest)] = own[dimensionOf(rest)] || isRegionPath(rest)
		}
	}
	within := func(at string) string {
		if rest, ok := strings.CutPrefix(at, w.base+"/"); ok {
			return rest
		}
		for _, suffix := range serverSuffixes {
			rest, ok := strings.CutPrefix(at, w.base+suffix+"/")
			if dim := dimensionOf(rest); ok && dim != "" && !own[dim] && !taken[rest] {
				taken[rest] = true
				return rest
			}
			if ok {
				return path.Base(w.base) + suffix + "/" + rest
			}
		}
		return ""
	}
	beside, n := map[string]bool{}, 0
	leave := func(at string) {
		top, _, _ := strings.Cut(strings.TrimPrefix(at, path.Dir(w.base)+"/"), "/")
		beside[top] = true
		n++
	}
	kept := w.files[:0]
	for _, f := range w.files {
		name := within(f.path)
		if name == "" {
			leave(f.path)
			continue
		}
		kept = append(kept, file{name, f.size, f.at, f.modified})
	}
	slices.SortFunc(kept, func(a, b file) int { return cmp.Or(strings.Compare(a.path, b.path), strings.Compare(a.at, b.at)) })
	w.files = kept
	skip := w.skip[:0]
	for _, s := range w.skip {
		at := s.Path
		if s.Path = within(at); s.Path == "" {
			leave(at)
		} else {
			skip = append(skip, s)
		}
	}
	w.skip = skip
	if n == 0 {
		return ""
	}
	return "; not read is what lies beside it, " + counted(n) + ": " + format.SomeOf(slices.Sorted(maps.Keys(beside)))
}

// dimensionOf returns the first folder of a path if it is that of a dimension, else "".
func dimensionOf(name string) string {
	first, _, _ := strings.Cut(name, "/")
	if first == "dimensions" || dimensionFolder.MatchString("/"+first) {
		return first
	}
	return ""
}
