package measure

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/cairnvoxel/cairn/convert"
	"github.com/cairnvoxel/cairn/format/anvil"
)

// place is where a world was found, and of which kind of game and of world it is.
type place struct{ path, kind, class string }

// find returns the folders of Anvil worlds below dirs in the order of their paths; a
// world within a world is not one of its own.
func find(dirs []string) ([]place, error) { return findBy(dirs, anvil.Detect) }

// findBy finds the folders that are worlds.
func findBy(dirs []string, isWorld func(dir string) bool) ([]place, error) {
	var out []place
	seen := map[string]bool{}
	for _, dir := range dirs {
		kinds, err := readManifest(dir)
		if err != nil {
			return nil, err
		}
		err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.IsDir() || !isWorld(path) {
				return err
			}
			abs, err := filepath.Abs(path)
			if err == nil && !seen[abs] {
				seen[abs] = true
				out = append(out, kinds.place(path, abs))
			}
			if err == nil {
				err = fs.SkipDir
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("measure: %w", err)
		}
	}
	return out, nil
}

// manifest is the kinds of games and of worlds, from a file beside the worlds.
type manifest struct {
	root        string
	kind, class map[string]string // by slash path below root
}

const (
	manifestName  = "MANIFEST.tsv"
	manifestAbove = 2 // parents that may hold it
)

// gameKind finds the kind of game in the third field of a manifest's line.
var gameKind = regexp.MustCompile(`\[(minigame [^],]+)`)

// classes are the kinds of worlds by a word between brackets in the third field; the
// first that is there counts.
var classes = []struct{ word, class string }{
	{"[minigame", "competition maps"},
	{"island", "islands"},
	{"lobby", "lobbies"},
	{"parkour", "builds"},
	{"build", "builds"},
	{"built", "builds"},
	{"mapgen", "terrains"},
	{"server", "survival"},
	{"synthetic", "generated terrain"},
	{"terrain", "survival"},
	{"survival", "survival"},
	{"tiny", "single columns"},
}

// readManifest reads the manifest nearest above dir; without one it is empty.
func readManifest(dir string) (manifest, error) {
	m := manifest{kind: map[string]string{}, class: map[string]string{}}
	root, err := filepath.Abs(dir)
	if err != nil {
		return m, fmt.Errorf("measure: %w", err)
	}
	for range manifestAbove + 1 {
		text, err := os.ReadFile(filepath.Join(root, manifestName))
		if err == nil {
			m.root = root
			m.parse(string(text))
			break
		}
		root = filepath.Dir(root)
	}
	return m, nil
}

func (m manifest) parse(text string) {
	for line := range strings.Lines(text) {
		fields := strings.Split(line, "\t")
		if len(fields) < 3 {
			continue
		}
		if found := gameKind.FindStringSubmatch(fields[2]); found != nil {
			m.kind[fields[0]] = found[1]
		}
		_, note, _ := strings.Cut(fields[2], "[")
		for _, c := range classes {
			if strings.Contains("["+note, c.word) {
				m.class[fields[0]] = c.class
				break
			}
		}
	}
}

// place returns the world at path. What the manifest does not say of its kinds is
// the name of the folder that holds it.
func (m manifest) place(path, abs string) place {
	p := place{path: path}
	if rel, err := filepath.Rel(m.root, abs); err == nil {
		p.kind, p.class = m.kind[filepath.ToSlash(rel)], m.class[filepath.ToSlash(rel)]
	}
	folder := filepath.Base(filepath.Dir(abs))
	p.kind, p.class = cmp.Or(p.kind, folder), cmp.Or(p.class, folder)
	return p
}

// eachWorld calls f with every world below dirs that can be read, and returns the
// others.
func eachWorld(ctx context.Context, dirs []string, f func(*convert.World)) ([]SkippedWorld, error) {
	places, err := find(dirs)
	if err != nil {
		return nil, err
	}
	skipped := []SkippedWorld{}
	for _, p := range places {
		w, err := loadPlace(ctx, p)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			skipped = append(skipped, SkippedWorld{p.path, err.Error()})
		default:
			f(w)
		}
	}
	return skipped, nil
}

// loadPlace reads a world into memory; its files are gone with its Source.
func loadPlace(ctx context.Context, p place) (*convert.World, error) {
	src, err := anvil.Open(p.path, anvil.Options{})
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return convert.Load(ctx, src)
}
