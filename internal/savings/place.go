package savings

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/port"
)

// Place is where a world was found, its kind of game, what the manifest notes of
// it between brackets, and the name of its format if that is not Anvil.
type Place struct{ Path, Kind, Note, Format string }

// Find returns the folders of Anvil worlds below dirs, in the order of their paths. It ignores
// worlds within worlds.
func Find(dirs []string) ([]Place, error) {
	return find(dirs, func(path string) (format string, ok bool) { return "", IsWorld(path) })
}

// findAll is Find with the folders of worlds in any format.
func findAll(dirs []string) ([]Place, error) {
	return find(dirs, func(path string) (format string, ok bool) {
		if IsWorld(path) {
			return "", true
		}
		format = port.FolderFormat(os.DirFS(path))
		return format, format != "" && format != port.Anvil
	})
}

// find returns the folders that are worlds. A kind that is of another format than Anvil is that format.
func find(dirs []string, is func(path string) (format string, ok bool)) ([]Place, error) {
	var out []Place
	seen := map[string]bool{}
	for _, dir := range dirs {
		kinds, err := readManifest(dir)
		if err != nil {
			return nil, err
		}
		err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.IsDir() {
				return err
			}
			format, ok := is(path)
			if !ok {
				return nil
			}
			abs, err := filepath.Abs(path)
			if err == nil && !seen[abs] {
				seen[abs] = true
				p := kinds.place(path, abs)
				if p.Format = format; format != "" {
					p.Kind = format
				}
				out = append(out, p)
			}
			if err == nil {
				err = fs.SkipDir
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("savings: %w", err)
		}
	}
	return out, nil
}

// IsWorld reports whether a folder is that of a world, and not of a server with several.
func IsWorld(dir string) bool {
	_, server := os.Stat(filepath.Join(dir, "server.properties"))
	_, level := os.Stat(filepath.Join(dir, anvil.LevelPath))
	return (server != nil || level == nil) && anvil.DetectFS(os.DirFS(dir))
}

// manifest is a file near the worlds with their kinds and notes.
type manifest struct {
	root       string
	kind, note map[string]string // by slash path below root
}

const (
	manifestName  = "MANIFEST.tsv"
	manifestAbove = 2 // parents that may hold it
)

// gameKind finds the kind of game in the third field of a manifest's line.
var gameKind = regexp.MustCompile(`\[(minigame [^],]+)`)

// readManifest reads the nearest manifest above dir. If there is none it returns an empty one.
func readManifest(dir string) (manifest, error) {
	m := manifest{kind: map[string]string{}, note: map[string]string{}}
	root, err := filepath.Abs(dir)
	if err != nil {
		return m, fmt.Errorf("savings: %w", err)
	}
	var text []byte
	for range manifestAbove + 1 {
		if text, err = os.ReadFile(filepath.Join(root, manifestName)); err == nil {
			m.root = root
			break
		}
		root = filepath.Dir(root)
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(line, "\t")
		if len(fields) < 3 {
			continue
		}
		if found := gameKind.FindStringSubmatch(fields[2]); found != nil {
			m.kind[fields[0]] = found[1]
		}
		if i := strings.Index(fields[2], "["); i >= 0 {
			m.note[fields[0]] = fields[2][i:]
		}
	}
	return m, nil
}

// place returns the world at path. A kind that the manifest does not say is the name
// of the folder that holds the world.
func (m manifest) place(path, abs string) Place {
	p := Place{Path: path}
	if rel, err := filepath.Rel(m.root, abs); err == nil {
		p.Kind, p.Note = m.kind[filepath.ToSlash(rel)], m.note[filepath.ToSlash(rel)]
	}
	p.Kind = cmp.Or(p.Kind, filepath.Base(filepath.Dir(abs)))
	return p
}
