package disk

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// storeFile marks a directory as a Store. It contains the version of the format and
// the identity.
const (
	storeFile  = "STORE"
	storeHead  = "cairn store 1\n"
	ownerFile  = "OWNER"
	lockFile   = "LOCK"
	maxIDBytes = 256
)

// identify reads the directory's identity. It gives an identity to an empty
// directory.
func (s *Store) identify() error {
	id, err := readID(s.FS, s.dir)
	if errors.Is(err, fs.ErrNotExist) && !s.ReadOnly {
		id, err = s.initDir()
	}
	s.id = id
	return err
}

func readID(on vfs.FS, dir string) (string, error) {
	f, err := on.Open(on.PathJoin(dir, storeFile))
	if err != nil {
		return "", fmt.Errorf("not a store: %w", err)
	}
	b, err := io.ReadAll(io.LimitReader(f, maxIDBytes))
	if err = errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	id, ok := strings.CutPrefix(string(b), storeHead)
	if !ok {
		return "", fmt.Errorf("%s says %q: want %q, then a name", storeFile, b, storeHead)
	}
	return strings.TrimSpace(id), nil
}

// initDir turns an empty directory into a Store.
func (s *Store) initDir() (string, error) {
	if err := s.FS.MkdirAll(s.dir, 0o700); err != nil {
		return "", err
	}
	list, err := s.FS.List(s.dir)
	if err != nil {
		return "", err
	}
	for _, name := range list {
		if name != storeFile+".tmp" && name != lockFile && name != "lost+found" {
			return "", fmt.Errorf("not a store, and not empty: there is %s and no %s", name, storeFile)
		}
	}
	id, err := writeID(s.FS, s.dir)
	if err != nil {
		return "", err
	}
	return id, syncDir(s.FS, s.FS.PathDir(s.dir))
}

// writeID gives a directory a unique identity.
func writeID(on vfs.FS, dir string) (string, error) {
	id := rand.Text()
	return id, writeFile(on, dir, storeFile, []byte(storeHead+id+"\n"))
}

// ErrInUse is returned by Open while another process has the Store open.
var ErrInUse = errors.New("in use")

// acquire locks the directory for this process.
func (s *Store) acquire() error {
	lock, err := s.FS.Lock(s.FS.PathJoin(s.dir, lockFile))
	switch {
	case errors.Is(err, fs.ErrPermission):
		return err
	case errors.Is(err, syscall.EAGAIN):
		return fmt.Errorf("%w by %s", ErrInUse, s.owner())
	case err != nil:
		return fmt.Errorf("%w by %s: %w", ErrInUse, s.owner(), err)
	}
	s.lock = lock
	if s.ReadOnly {
		return nil
	}
	host, _ := os.Hostname() // only for messages
	f, err := s.FS.Create(s.FS.PathJoin(s.dir, ownerFile), vfs.WriteCategoryUnspecified)
	if err == nil {
		_, err = fmt.Fprintf(f, "process %d on %s", os.Getpid(), host)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return errors.Join(err, lock.Close())
	}
	return nil
}

// owner returns who locked the Store last.
func (s *Store) owner() string {
	f, err := s.FS.Open(s.FS.PathJoin(s.dir, ownerFile))
	if err != nil {
		return "someone"
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxIDBytes))
	if err != nil || len(b) == 0 {
		return "someone"
	}
	return string(b)
}
