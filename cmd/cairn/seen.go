package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/internal/atomicfile"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/store/history"
)

// seenFor is how long what is remembered of an import is kept.
const seenFor = 90 * 24 * time.Hour

// seenFile is where the command remembers the folder that became a world's newest version: a file in the
// user's cache. If it is lost, or of another version of the command, the next import reads everything.
type seenFile string

// seenOf returns the file for a world in the store.
func (sf *storeFlag) seenOf(name string) seenFile {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	at := sf.location()
	if dir, ok := strings.CutPrefix(at, localScheme); ok {
		if dir, err = filepath.Abs(dir); err != nil {
			return ""
		}
		at = localScheme + dir
	}
	key := sha256.Sum256([]byte(at + "\x00" + name))
	return seenFile(filepath.Join(cache, "cairn", "imports", hex.EncodeToString(key[:16])))
}

// read returns what is remembered, nothing if there is nothing that can be read.
func (f seenFile) read() (s port.Seen) {
	data, err := os.ReadFile(string(f))
	magic := []byte(buildOf().String() + "\n")
	if err != nil || len(data) < sha256.Size || !bytes.HasPrefix(data[sha256.Size:], magic) {
		return s
	}
	sum := sha256.Sum256(data[sha256.Size:])
	rest := data[sha256.Size+len(magic):]
	if !bytes.Equal(sum[:], data[:sha256.Size]) || len(rest) < len(s.Head) {
		return s
	}
	if h, err := anvil.ParseHeaders(rest[len(s.Head):]); err == nil {
		s.Head, s.Headers = history.ID(rest[:len(s.Head)]), h
	}
	return s
}

// write remembers an import, and forgets what is old.
func (f seenFile) write(s port.Seen) error {
	if f == "" {
		return nil
	}
	dir := filepath.Dir(string(f))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	file, err := atomicfile.NewFile(string(f), 0o600)
	if err != nil {
		return err
	}
	defer file.Abort()
	body := s.Headers.Append(append([]byte(buildOf().String()+"\n"), s.Head[:]...))
	sum := sha256.Sum256(body)
	if _, err = file.File.Write(append(sum[:], body...)); err == nil {
		err = file.Commit()
	}
	list, unread := os.ReadDir(dir)
	err = errors.Join(err, unread)
	for _, e := range list {
		if info, gone := e.Info(); gone == nil && time.Since(info.ModTime()) > seenFor {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return err
}
