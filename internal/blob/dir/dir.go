// Package dir is a blob.Bucket in a directory of a file system: for tests, for backups
// on another disk, and for shared file systems. It makes no copies itself. Begin with
// Open; names.go says how keys become names of files.
//
// Any number of processes may use the directory at once.
package dir

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
)

const (
	markName = "cairn-bucket" // a file that says that the directory is a bucket
	tempName = "tmp"          // a directory of bodies that are being put
	markText = "a bucket of cairn, version 1\n"
	// tempFor is how long a temporary file may stay unchanged.
	tempFor = time.Hour
)

// Options of Open. The zero value is the default.
type Options struct {
	// OnRequest is called after each call, by many goroutines at once. Default: nobody.
	OnRequest func(blob.Request)
	// Existing refuses a directory that is no bucket yet.
	Existing bool
	// Now is the clock of OnRequest, and between two looks at the file system's. Default time.Now.
	Now func() time.Time
}

// Folder is a blob.Bucket. A body is written under a temporary name and synced. Then
// it gets its name by a hard link, which fails if the name is there, and the
// directory is synced. Where hard links are not possible, Open fails.
type Folder struct {
	root string
	o    Options
	step func(call, path string) error // called before each call that changes files

	mu     sync.Mutex
	synced map[string]bool // directories whose names are known to be on stable storage
	ahead  time.Duration   // of the file system's clock
	asked  time.Time       // when it was learned
}

var _ blob.Bucket = (*Folder)(nil)

// Open opens the bucket in a directory, which it creates if it is not there. It
// refuses a directory with other things in it. It removes what crashed Puts left.
func Open(root string, o Options) (*Folder, error) {
	b := newBucket(root, o)
	if err := b.open(); err != nil {
		return nil, fmt.Errorf("dir: open %s: %w", root, err)
	}
	return b, nil
}

func newBucket(root string, o Options) *Folder {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.OnRequest == nil {
		o.OnRequest = func(blob.Request) {}
	}
	return &Folder{root: filepath.Clean(root), o: o, synced: make(map[string]bool), step: func(string, string) error { return nil }}
}

func (b *Folder) open() error {
	if b.o.Existing && errors.Is(b.marked(), blob.ErrAway) {
		return errors.New("no bucket is there; if its disk is mounted, cairn import SRC @NAME makes one")
	}
	if err := os.MkdirAll(filepath.Join(b.root, tempName), 0o700); err != nil {
		return err
	}
	found, err := os.ReadDir(b.root)
	if err != nil {
		return err
	}
	if err := b.marked(); errors.Is(err, blob.ErrAway) {
		for _, e := range found {
			if e.Name() != tempName && e.Name() != "lost+found" {
				return fmt.Errorf("it is no bucket, and it has %s in it", e.Name())
			}
		}
	} else if err != nil {
		return err
	}
	// This shows too that links are possible, and what time it is there.
	temp, err := b.temp(io.NewSectionReader(text(markText), 0, int64(len(markText))), true)
	if errors.Is(err, blob.ErrFull) && b.marked() == nil {
		return nil // what is there can be read
	}
	if err != nil {
		return err
	}
	defer os.Remove(temp)
	err = os.Link(temp, filepath.Join(b.root, markName))
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("hard links are needed: %w", err)
	}
	if err := errors.Join(syncDir(b.root), syncDir(filepath.Dir(b.root))); err != nil {
		return err
	}
	now, err := os.Stat(temp)
	if err != nil {
		return err
	}
	return b.clean(now.ModTime())
}

// text is bytes to read.
type text string

func (t text) ReadAt(p []byte, off int64) (int, error) { return copy(p, t[off:]), nil }

// marked checks that the directory is still the bucket. A file system that is not
// mounted any more leaves an empty directory, which must not look like a bucket
// without keys.
func (b *Folder) marked() error {
	_, err := os.Lstat(filepath.Join(b.root, markName))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is not there: %w", markName, blob.ErrAway)
	}
	return err
}

// clean removes temporary files that nobody writes any more. A Put that still wanted
// one fails.
func (b *Folder) clean(now time.Time) error {
	dir := filepath.Join(b.root, tempName)
	found, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range found {
		in, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if now.Sub(in.ModTime()) < tempFor {
			continue
		}
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// request makes a call and tells OnRequest.
func (b *Folder) request(ctx context.Context, op, key string, what func() (int64, error)) error {
	began := b.o.Now()
	n, err := int64(0), ctx.Err()
	if err == nil {
		n, err = what()
	}
	if errors.Is(err, fs.ErrNotExist) {
		if away := b.marked(); away != nil {
			err = away
		}
	}
	if err != nil {
		err = fmt.Errorf("dir: %s %s: %w", op, key, err)
	}
	b.o.OnRequest(blob.Request{Op: op, Bytes: n, Took: b.o.Now().Sub(began), Err: err})
	return err
}

// room is what must fit onto a disk that is not full: a block.
var room = strings.Repeat("room", 1024)

// Ping is for blob.Pinger. It finds out whether the disk has room, too.
func (b *Folder) Ping(ctx context.Context) error {
	return b.request(ctx, "ping", b.root, func() (int64, error) {
		if err := b.marked(); err != nil {
			return 0, err
		}
		temp, err := b.temp(io.NewSectionReader(text(room), 0, int64(len(room))), false)
		if err == nil {
			err = os.Remove(temp)
		}
		return 0, err
	})
}

// asksAgain is how long the difference of the clocks is used.
const asksAgain = 10 * time.Second

// Time is for blob.Clock. It is the time of the file system, which all machines share, and
// not that of this one. It needs a file once in ten seconds.
func (b *Folder) Time(ctx context.Context) (time.Time, error) {
	now := b.o.Now()
	b.mu.Lock()
	ahead, asked := b.ahead, b.asked
	b.mu.Unlock()
	if age := now.Sub(asked); asked.IsZero() || age < 0 || age > asksAgain {
		err := b.request(ctx, "time", b.root, func() (int64, error) {
			if err := b.marked(); err != nil {
				return 0, err
			}
			temp, err := b.temp(io.NewSectionReader(text(""), 0, 0), false)
			if err != nil {
				return 0, err
			}
			in, err := os.Stat(temp)
			if err == nil {
				ahead = in.ModTime().Sub(b.o.Now().Round(0))
			}
			return 0, errors.Join(err, os.Remove(temp))
		})
		if err != nil && (asked.IsZero() || !errors.Is(err, blob.ErrFull)) { // a full disk goes by what was learned
			return time.Time{}, err
		}
		b.mu.Lock()
		b.ahead, b.asked = ahead, now
		b.mu.Unlock()
	}
	return now.Round(0).Add(ahead), nil
}

func (b *Folder) Put(ctx context.Context, key string, body *io.SectionReader) error {
	return b.request(ctx, "put", key, func() (int64, error) {
		if err := blob.CheckKey(key); err != nil {
			return 0, err
		}
		return body.Size(), b.put(ctx, b.path(key), body)
	})
}

func (b *Folder) put(ctx context.Context, path string, body *io.SectionReader) error {
	if _, err := os.Lstat(path); err == nil {
		return b.exists(path)
	}
	if err := b.marked(); err != nil {
		return err
	}
	temp, err := b.temp(body, true)
	if err != nil {
		return err
	}
	err = b.makeDir(filepath.Dir(path))
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = full(b.do("link", path, func() error { return os.Link(temp, path) }))
	}
	linked := err == nil
	if errors.Is(err, fs.ErrExist) {
		err = b.exists(path)
	}
	if gone := b.do("remove", temp, func() error { return os.Remove(temp) }); err == nil {
		err = gone
	}
	if linked {
		err = errors.Join(err, b.syncDir(filepath.Dir(path)))
	}
	return err
}

// exists returns blob.ErrExists once the name is on the disk: whoever put the key may
// have been stopped before that.
func (b *Folder) exists(path string) error {
	if err := b.syncDir(filepath.Dir(path)); err != nil {
		return err
	}
	return blob.ErrExists
}

// do makes a call that changes files.
func (b *Folder) do(call, path string, what func() error) error {
	if err := b.step(call, path); err != nil {
		return err
	}
	return what()
}

// temp writes a body under a temporary name, and syncs it if sync is set.
func (b *Folder) temp(body *io.SectionReader, sync bool) (string, error) {
	name := filepath.Join(b.root, tempName, rand.Text())
	var f *os.File
	err := b.do("create", name, func() (err error) {
		f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		return err
	})
	if err != nil {
		return "", full(err)
	}
	err = b.do("write", name, func() error {
		n, err := io.Copy(f, io.NewSectionReader(body, 0, body.Size()))
		if err == nil && n < body.Size() {
			err = fmt.Errorf("the body has %d bytes of %d: %w", n, body.Size(), io.ErrUnexpectedEOF)
		}
		return err
	})
	if err == nil && sync {
		err = b.do("sync", name, f.Sync)
	}
	err = errors.Join(err, f.Close())
	if err != nil {
		// A full disk must not stay full.
		return "", errors.Join(full(err), b.do("remove", name, func() error { return os.Remove(name) }))
	}
	return name, nil
}

// full adds blob.ErrFull to an error that says that the disk, or the share of its owner, is
// full.
func full(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		err = fmt.Errorf("%w: %w", blob.ErrFull, err)
	}
	return err
}

// makeDir makes the directory and those above it, and syncs each that this process
// has not synced before: another process may have made it and crashed.
func (b *Folder) makeDir(path string) error {
	b.mu.Lock()
	done := path == b.root || b.synced[path]
	b.mu.Unlock()
	if done {
		return nil
	}
	if err := b.makeDir(filepath.Dir(path)); err != nil {
		return err
	}
	err := b.do("mkdir", path, func() error { return os.Mkdir(path, 0o700) })
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return full(err)
	}
	if err := b.syncDir(filepath.Dir(path)); err != nil {
		return err
	}
	b.mu.Lock()
	b.synced[path] = true
	b.mu.Unlock()
	return nil
}

func (b *Folder) syncDir(path string) error {
	return b.do("sync", path, func() error { return syncDir(path) })
}

// syncDir puts the names in a directory on stable storage. Windows does so by itself.
func syncDir(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func (b *Folder) Get(ctx context.Context, key string, off, n int64) (out []byte, err error) {
	err = b.request(ctx, "get", key, func() (int64, error) {
		if err := blob.CheckKey(key); err != nil {
			return 0, err
		}
		f, err := os.Open(b.path(key))
		if err != nil {
			return 0, err
		}
		defer f.Close()
		in, err := f.Stat()
		if err != nil {
			return 0, err
		}
		if off < 0 || off > in.Size() || n > in.Size()-off {
			return 0, fmt.Errorf("%d bytes from %d of %d: %w", n, off, in.Size(), io.ErrUnexpectedEOF)
		}
		if n < 0 {
			n = in.Size() - off
		}
		got := make([]byte, n)
		if n, err := f.ReadAt(got, off); n < len(got) {
			return 0, err
		}
		out = got
		return n, nil
	})
	return out, err
}

func (b *Folder) Head(ctx context.Context, key string) (out blob.Object, err error) {
	err = b.request(ctx, "head", key, func() (int64, error) {
		if err := blob.CheckKey(key); err != nil {
			return 0, err
		}
		out, err = stat(key, b.path(key))
		return 0, err
	})
	return out, err
}

func stat(key, path string) (blob.Object, error) {
	in, err := os.Lstat(path)
	if err != nil {
		return blob.Object{}, err
	}
	return blob.Object{Key: key, Size: in.Size(), Modified: in.ModTime().UTC().Truncate(time.Second)}, nil
}

func (b *Folder) Delete(ctx context.Context, key string) error {
	return b.request(ctx, "delete", key, func() (int64, error) {
		if err := errors.Join(blob.CheckKey(key), b.marked()); err != nil {
			return 0, err
		}
		path := b.path(key)
		err := b.do("remove", path, func() error { return os.Remove(path) })
		if errors.Is(err, fs.ErrNotExist) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		return 0, b.syncDir(filepath.Dir(path))
	})
}

// List is for blob.ReadOnly. It holds the names of one directory at a time, and of
// those above it.
func (b *Folder) List(ctx context.Context, prefix, after string, n int) (out []blob.Object, err error) {
	err = b.request(ctx, "list", prefix, func() (int64, error) {
		if err := b.marked(); err != nil {
			return 0, err
		}
		l := &lister{ctx: ctx, prefix: prefix, after: after, n: n}
		err := l.walk(b.root, "")
		out = l.found
		return 0, err
	})
	return out, err
}

// lister collects what List returns.
type lister struct {
	ctx           context.Context
	prefix, after string
	n             int
	found         []blob.Object
}

// walk looks at a directory whose keys begin with the bytes of base.
func (l *lister) walk(path, base string) error {
	if err := l.ctx.Err(); err != nil || len(l.found) >= l.n {
		return err
	}
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	names, err := d.Readdirnames(-1)
	if err := errors.Join(err, d.Close()); err != nil {
		return err
	}
	var all []entry
	for _, name := range names {
		if e, ok := parse(name, base); ok && l.wants(e) {
			all = append(all, e)
		}
	}
	slices.SortFunc(all, entry.compare)
	for _, e := range all {
		if len(l.found) >= l.n {
			return nil
		}
		path := filepath.Join(path, e.name)
		if e.dir {
			if err := l.walk(path, e.key); err != nil {
				return err
			}
			continue
		}
		in, err := stat(e.key, path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted meanwhile
		}
		if err != nil {
			return err
		}
		l.found = append(l.found, in)
	}
	return nil
}
