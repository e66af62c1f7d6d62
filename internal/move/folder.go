package move

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/atomicfile"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/store/history"
)

// folder is a place of files and folders of any format, one for each world. A folder that is a world itself is a place of
// that one world.
type folder struct {
	path  string
	alone bool              // it is a world
	paths map[string]string // of the worlds of the last List, by name
	rest  []string          // what else the last List found
}

func openFolder(path string, make bool) (Depot, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) && make { // Make makes it
		info, err = os.Stat(filepath.Dir(path))
	}
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: path, Err: errors.New("not a folder: a place of worlds is a folder, or a URL of redis, mysql or mongodb")}
	}
	if err != nil {
		return nil, err
	}
	abs, err := absolute(path)
	f := &folder{path: abs, alone: port.FolderFormat(os.DirFS(path)) != ""}
	if err == nil {
		err = f.heal()
	}
	return f, err
}

func (f *folder) String() string { return f.path }
func (f *folder) Close() error   { return nil }

// List finds worlds by the names of files and by what is in folders. Of several with one name all but the first keep their
// extensions.
func (f *folder) List(context.Context) ([]string, error) {
	err := f.look()
	return slices.Sorted(maps.Keys(f.paths)), err
}

// look finds the worlds.
func (f *folder) look() error {
	f.paths, f.rest = map[string]string{}, nil
	if f.alone {
		f.paths[filepath.Base(f.path)] = f.path
		return nil
	}
	list, err := os.ReadDir(f.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range list {
		path := filepath.Join(f.path, e.Name())
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if !isWorld(path, e) {
			f.rest = append(f.rest, e.Name())
			continue
		}
		name := e.Name()
		if !e.IsDir() {
			name = port.TrimExt(name)
		}
		name, _ = history.Unescape(name)
		if _, taken := f.paths[name]; taken {
			name = e.Name()
		}
		f.paths[name] = path
	}
	return nil
}

// isWorld reports whether something in a folder is a world, or has the name of one and cannot be read.
func isWorld(path string, e fs.DirEntry) bool {
	if e.Type().IsRegular() && slices.ContainsFunc(port.FileExts(), func(ext string) bool { return strings.HasSuffix(path, ext) }) {
		return true
	}
	return !errors.Is(port.Detect(path), format.ErrNoWorld)
}

// find returns the path of a world, also of one that was not there at the last List.
func (f *folder) find(name string) (string, error) {
	if f.paths == nil {
		if err := f.look(); err != nil {
			return "", err
		}
	}
	path, ok := f.paths[name]
	if !ok {
		return "", noWorld(f, name)
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", noWorld(f, name)
	}
	return path, nil
}

// Sign is of the sizes and times of the files.
func (f *folder) Sign(_ context.Context, name string) (string, error) {
	path, err := f.find(name)
	if err != nil {
		return "", err
	}
	return signOfPath(path)
}

func signOfPath(path string) (string, error) {
	info, err := os.Stat(path)
	if err == nil && info.Mode().IsRegular() {
		return fmt.Sprintf("%d bytes of %d", info.Size(), info.ModTime().UnixNano()), nil
	}
	sum := sha256.New()
	if err == nil {
		err = filepath.WalkDir(path, func(at string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || e.Name() == "session.lock" { // a game writes it when it opens the world
				return err
			}
			info, err := e.Info()
			if err == nil {
				rel, _ := filepath.Rel(path, at)
				fmt.Fprintf(sum, "%q %d %d\n", rel, info.Size(), info.ModTime().UnixNano())
			}
			return err
		})
	}
	return fmt.Sprintf("files %x", sum.Sum(nil)[:16]), err
}

// Open opens a world. It is not one that changes while it is read: then the sign is another afterwards.
func (f *folder) Open(_ context.Context, name string, o port.Options) (*Loaded, error) {
	path, err := f.find(name)
	if err != nil {
		return nil, err
	}
	sign, err := signOfPath(path)
	if err != nil {
		return nil, err
	}
	src, err := port.Open(path, o)
	if err != nil {
		return nil, err
	}
	return &Loaded{Opened: src, Sign: sign}, nil
}

// Make writes a file or a folder beside the others under a name that List passes over.
func (f *folder) Make(ctx context.Context, name string, w *Loaded, o Wanted) (*Made, error) {
	path, err := f.target(name, w, &o)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(f.path, 0o777); err != nil {
		return nil, err
	}
	k, _ := port.Format(o.Format)
	m := &Made{Lost: map[string]int{}}
	t := port.Target{Format: o.Format, Version: o.Version, Name: name}
	var pending *atomicfile.Pending
	if k.CreateFolder != nil {
		if pending, err = atomicfile.NewFolder(path); err == nil {
			err = m.folder(ctx, w, pending.Temp, t)
		}
	} else if pending, err = atomicfile.NewFile(path, 0o666); err == nil {
		err = m.file(ctx, w, pending.File, t)
	}
	if err != nil {
		if pending != nil {
			pending.Abort()
		}
		return nil, err
	}
	m.drop = pending.Abort
	m.open = func(o port.Options) (*Loaded, error) {
		src, err := port.Open(pending.Temp, o)
		return &Loaded{Opened: src}, err
	}
	m.put = func(ctx context.Context, was string) (string, error) {
		if err := unchanged(ctx, f, name, was); err != nil {
			return "", err
		}
		err := f.replace(path, pending)
		if err != nil {
			return "", err
		}
		f.paths[name] = path
		return signOfPath(path)
	}
	return m, nil
}

// target returns where a world is to be written, and sets the format: that in which it is there already, else that of o,
// else that which it was read from.
func (f *folder) target(name string, w *Loaded, o *Wanted) (string, error) {
	there, err := f.find(name)
	if f.alone {
		return "", fmt.Errorf("move: %s is a world and no folder of worlds: %w", f.path, errNotWritten)
	}
	if err == nil {
		has := port.FormatOf(there)
		if info, err := os.Stat(there); err != nil {
			return "", err
		} else if info.IsDir() {
			has = port.FolderFormat(os.DirFS(there))
		}
		if k, ok := port.Format(has); !ok || port.IsArchive(there) || k.CreateFolder == nil && !strings.HasSuffix(there, k.Ext) {
			return "", fmt.Errorf("%s: %w", there, errNotWritten)
		}
		if o.Format != "" && o.Format != has {
			return "", fmt.Errorf("%s is there in the format %s, not %s", there, has, o.Format)
		}
		o.Format = has
		return there, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if o.Format == "" {
		o.Format = formatOf(w.Content)
	}
	k, ok := port.Format(o.Format)
	if !ok {
		return "", fmt.Errorf("%s: %w", o.Format, errNotWritten)
	}
	return filepath.Join(f.path, fileName(name)+k.Ext), nil
}

// fileName makes the name of a world one of a file of every system: its own, or escaped.
func fileName(name string) string {
	own := filepath.IsLocal(name) && !strings.HasPrefix(name, ".") && !strings.HasSuffix(name, " ") &&
		!strings.ContainsAny(name, `/\:*?"<>|`) && !strings.ContainsFunc(name, func(r rune) bool { return r < ' ' })
	if back, _ := history.Unescape(name); !own || back != name {
		return history.Escape(name)
	}
	return name
}

// aside is how the name of a folder begins while another takes its place.
const aside = ".cairn-old-"

// replace puts what was written at its path. A folder that is there is put aside first: after a crash heal puts it back.
func (f *folder) replace(path string, p *atomicfile.Pending) error {
	if p.File != nil {
		return p.Commit()
	}
	old := filepath.Join(f.path, aside+filepath.Base(path))
	if src, err := port.Open(path, port.Options{}); err == nil { // else a game may have it open
		if err := errors.Join(src.Close(), os.Rename(path, old)); err != nil {
			return err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := p.Commit(); err != nil {
		return errors.Join(err, f.heal())
	}
	return os.RemoveAll(old)
}

// heal puts folders back that were put aside for others that did not come.
func (f *folder) heal() error {
	olds, err := filepath.Glob(filepath.Join(f.path, aside+"*"))
	for _, old := range olds {
		path := filepath.Join(f.path, strings.TrimPrefix(filepath.Base(old), aside))
		if _, no := os.Stat(path); errors.Is(no, fs.ErrNotExist) {
			err = errors.Join(err, os.Rename(old, path))
		} else {
			err = errors.Join(err, os.RemoveAll(old))
		}
	}
	return err
}
