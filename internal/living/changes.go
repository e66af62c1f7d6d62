package living

import (
	"context"
	"errors"
	"hash/maphash"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// watch returns a channel on which something comes after the folder has changed. Changes that nobody
// takes count once. If the system cannot tell, the folder is looked through every poll.
func watch(ctx context.Context, dir string, poll time.Duration) (<-chan struct{}, error) {
	if _, err := os.ReadDir(dir); err != nil {
		return nil, err
	}
	out := make(chan struct{}, 1)
	w, err := fsnotify.NewWatcher()
	if err == nil {
		if err = addAll(w, dir); err == nil {
			go notified(ctx, w, dir, poll, out)
			return out, nil
		}
		_ = w.Close() // it is not used
	}
	go polled(ctx, dir, poll, out)
	return out, nil
}

func tell(out chan<- struct{}) {
	select {
	case out <- struct{}{}:
	default: // it is told already
	}
}

// addAll watches a folder and those in it. What goes meanwhile is no error.
func addAll(w *fsnotify.Watcher, dir string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			err = w.Add(path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return err
	})
}

// notified passes on what the system tells. If it cannot tell of a new folder, all are looked through from then on.
func notified(ctx context.Context, w *fsnotify.Watcher, dir string, poll time.Duration, out chan<- struct{}) {
	defer w.Close()
	for {
		select {
		case e, ok := <-w.Events:
			if !ok {
				return
			}
			if e.Has(fsnotify.Create) && addAll(w, e.Name) != nil {
				tell(out)
				go polled(ctx, dir, poll, out)
				return
			}
			if e.Op != fsnotify.Chmod {
				tell(out)
			}
		case _, ok := <-w.Errors: // too much came at once
			if !ok {
				return
			}
			tell(out)
		case <-ctx.Done():
			return
		}
	}
}

// polled looks through the folder again and again.
func polled(ctx context.Context, dir string, poll time.Duration, out chan<- struct{}) {
	seed := maphash.MakeSeed()
	last := sumOf(seed, dir)
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if now := sumOf(seed, dir); now != last {
			last = now
			tell(out)
		}
	}
}

// sumOf sums up the names, sizes and times of all files in a folder.
func sumOf(seed maphash.Seed, dir string) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error { // what cannot be read counts as its name
		_, _ = h.WriteString(path)
		if err != nil {
			return nil
		}
		if info, err := e.Info(); err == nil && !e.IsDir() {
			maphash.WriteComparable(&h, [2]int64{info.Size(), info.ModTime().UnixNano()})
		}
		return nil
	})
	return h.Sum64()
}
