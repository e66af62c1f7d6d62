package crowd

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/cairnvoxel/cairn/bench/lab"
)

// What keeps whole .slime files keeps behind each the number of its save, so that
// no two are the same and a lost one is noticed.
const trailerBytes = 8

// whole returns an island as it is before its first save.
func (c *crowd) whole(i int) []byte { return numbered(c.of(i).Files[0], 0) }

// next returns an island as its next save leaves it.
func (c *crowd) next(i int) []byte {
	a := &c.accounts[i]
	return numbered(c.of(i).file(c.step(i)), a.saves+1)
}

func numbered(file []byte, n int) []byte {
	out := make([]byte, 0, len(file)+trailerBytes)
	return binary.LittleEndian.AppendUint64(append(out, file...), uint64(n))
}

// check returns an error unless b is the last save of an island.
func (c *crowd) check(i int, b []byte) error {
	if len(b) < trailerBytes {
		return fmt.Errorf("crowd: %s: %d bytes", nameOf(i), len(b))
	}
	if got := binary.LittleEndian.Uint64(b[len(b)-trailerBytes:]); got != uint64(c.accounts[i].saves) {
		return fmt.Errorf("crowd: %s: save %d: want %d", nameOf(i), got, c.accounts[i].saves)
	}
	return nil
}

// slimeDir is islands as .slime files in a directory, as safe as the file system
// makes them: a save is a new file, synced, that takes the place of the old one.
type slimeDir struct {
	dir   string
	crowd *crowd
}

// path shares the files out among directories.
func (s *slimeDir) path(i int) string {
	name := filepath.Base(nameOf(i))
	return filepath.Join(s.dir, name[:2], name+".slime")
}

func (s *slimeDir) fill(ctx context.Context, o lab.Options) error {
	var done atomic.Int64
	return inParallel(ctx, len(s.crowd.accounts), fileWorkers, func(i int) error {
		if n := int(done.Add(1)); n%fillStep == 1 {
			o.Step(n, len(s.crowd.accounts), "writing files")
		}
		path := s.path(i)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		return os.WriteFile(path, s.crowd.whole(i), 0o666)
	})
}

// fileWorkers is how many goroutines write files where nothing is synced.
const fileWorkers = 4

func (s *slimeDir) open(context.Context) error { return nil }

func (s *slimeDir) save(_ context.Context, c *crowd, i int) error {
	path := s.path(i)
	if err := writeSynced(path+".new", c.next(i)); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return err
	}
	if err := syncDir(filepath.Dir(path)); err != nil {
		return err
	}
	c.saved(i)
	return nil
}

func writeSynced(path string, b []byte) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func (s *slimeDir) load(_ context.Context, c *crowd, i int) (int64, error) {
	b, err := os.ReadFile(s.path(i))
	if err != nil {
		return 0, err
	}
	return int64(len(b)), c.check(i, b)
}

func (s *slimeDir) collect(context.Context) error { return nil }

func (s *slimeDir) used() lab.Usage { return lab.UsageOf(os.Getpid()) }

func (s *slimeDir) close(context.Context, *crowd) (int, error) { return 0, nil }
