// Package trial finds out what the history of backups would take: it reads as many as a time allows into
// a store in a temporary folder, which is gone when the Trial is closed.
package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/gallery"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/savings"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/local"
)

// Options of a Trial.
type Options struct {
	For      time.Duration // when it is over nothing more is read
	Temp     string        // the folder of the temporary store
	Read     port.Options
	Import   port.ImportOptions
	Store    local.Options
	Progress func(done, all int, next string)
}

// Trial is an Outcome, and the store with what was read.
type Trial struct {
	Outcome
	Store *local.Store

	o   Options
	dir string
}

// Run tries the backups in folders, and those given themselves. The caller closes the Trial, also after an error.
func Run(ctx context.Context, paths []string, o Options) (*Trial, error) {
	within, stop := context.WithTimeout(ctx, o.For)
	defer stop()
	half, stopHalf := context.WithTimeout(ctx, o.For/2)
	defer stopHalf()
	t := &Trial{o: o, Outcome: Outcome{Worlds: []*Timeline{}}}
	var all []*backup
	for _, path := range paths {
		found, err := t.find(ctx, half, path)
		if err != nil {
			return t, err
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		why := append(t.Remarks, "no backup of a world is there")
		return t, fmt.Errorf("%s: %s", strings.Join(paths, ", "), strings.Join(why[max(0, len(why)-3):], "; "))
	}
	t.group(all)
	err := t.begin()
	if err == nil {
		err = t.readAll(within, len(all))
	}
	if err == nil {
		_, err = t.Store.Collect(ctx, history.Policy{Keep: history.Retention{All: true}, Grace: -1})
	}
	if err = cmp.Or(ctx.Err(), err); err != nil {
		return t, err
	}
	stats, err := t.Store.Stats(ctx)
	t.Estimate(stats.StoneBytes)
	return t, err
}

// backup is a file or a folder with one state of a world.
type backup struct {
	path      string
	bytes     int64
	time      time.Time // in its name, LastPlayed, or of the file
	name, kin string    // backups of one world have the same kin; it is the name of what was not opened
}

// find finds archives and folders of worlds below root, or root itself if it is one. After half of the time it
// opens none.
func (t *Trial) find(ctx, half context.Context, root string) (found []*backup, err error) {
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		t.o.Progress(0, len(found), "looking for backups")
		dir := e != nil && e.IsDir()
		if ctx.Err() != nil || err == nil && dir && !savings.IsWorld(path) || err == nil && !dir && path != root && (!port.IsArchive(path) || !e.Type().IsRegular()) {
			return ctx.Err()
		}
		b := &backup{path: path}
		if err == nil {
			err = t.look(half, b, e)
		}
		if err == nil {
			found = append(found, b)
		} else {
			t.pass(path, err)
		}
		if dir {
			return fs.SkipDir
		}
		return nil
	})
	return found, err
}

// look finds out of which world and when the backup is. It opens no tar, because all of it would be unpacked.
func (t *Trial) look(half context.Context, b *backup, e fs.DirEntry) error {
	info, err := e.Info()
	if err == nil {
		b.bytes, b.time = info.Size(), info.ModTime()
	}
	if e.IsDir() {
		b.bytes, err = port.FolderSize(b.path)
	}
	if err != nil {
		return err
	}
	const apart = "-_. ()"
	b.name = strings.ToLower(strings.Trim(port.Undated(e.Name()), apart))
	if b.kin = b.name; half.Err() == nil && (!port.IsArchive(b.path) || strings.HasSuffix(b.path, ".zip")) {
		src, err := port.Open(b.path, t.o.Read)
		if err != nil {
			return err
		}
		defer src.Close()
		level, seed := src.Origin()
		if seed != 0 { // it tells worlds apart, so that numbers need not
			b.name = strings.TrimRight(b.name, apart+"0123456789")
		}
		b.kin, b.name = fmt.Sprint(b.name, "/", level, "/", seed), cmp.Or(b.name, level)
		if at := src.Played(); !at.IsZero() {
			b.time = at
		}
	}
	if at := port.DateIn(e.Name()); !at.IsZero() {
		b.time = at
	}
	if b.time.After(time.Now()) {
		return errors.New("its time is to come")
	}
	return nil
}

// pass notes why a file or a folder is left out.
func (t *Trial) pass(path string, err error) {
	t.LeftOut++
	t.Remarks = append(t.Remarks, path+": left out: "+strings.TrimPrefix(err.Error(), path+": "))
}

// group sorts backups into worlds. What was not opened belongs to the first world of its name.
func (t *Trial) group(all []*backup) {
	slices.SortStableFunc(all, func(a, b *backup) int { return a.time.Compare(b.time) })
	worlds, taken, named := map[string]*Timeline{}, map[string]bool{}, 0
	for _, opened := range []bool{true, false} {
		for _, b := range all {
			if opened != strings.Contains(b.kin, "/") {
				continue
			}
			w := worlds[b.kin]
			if !opened {
				named++
			}
			if w == nil {
				w = &Timeline{Name: gallery.NameOf(strings.ReplaceAll(b.name, "/", "-"), taken)}
				t.Worlds = append(t.Worlds, w)
				worlds[b.kin], worlds[b.name] = w, cmp.Or(worlds[b.name], w)
			}
			w.states = append(w.states, b)
			w.Backups, w.Bytes = w.Backups+1, w.Bytes+b.bytes
		}
	}
	if named > 0 {
		t.Remarks = append(t.Remarks, "told apart by their names alone, because they are tars or half of the time was over: "+console.Counted(named, "backup"))
	}
	for _, w := range t.Worlds {
		slices.SortStableFunc(w.states, func(a, b *backup) int { return a.time.Compare(b.time) })
	}
	slices.SortStableFunc(t.Worlds, func(a, b *Timeline) int { return b.Backups - a.Backups })
}

// begin makes the store. It deletes those of trials that were killed, which no process holds and whose names are those
// of temporary folders; one of the last minute may not be held yet.
func (t *Trial) begin() (err error) {
	const prefix = "cairn-try-"
	old, _ := filepath.Glob(filepath.Join(t.o.Temp, prefix+"*", "STORE"))
	for _, file := range old {
		_, named := strconv.ParseUint(strings.TrimPrefix(filepath.Base(filepath.Dir(file)), prefix), 10, 64)
		if info, err := os.Lstat(file); named != nil || err != nil || time.Since(info.ModTime()) < time.Minute {
			continue
		}
		st, err := local.Open(filepath.Dir(file), local.Options{ReadOnly: true})
		if err == nil {
			err = st.Close()
		}
		if !errors.Is(err, local.ErrInUse) {
			_ = os.RemoveAll(filepath.Dir(file)) // it fails if another user has it
		}
	}
	if t.dir, err = os.MkdirTemp(t.o.Temp, prefix); err == nil {
		t.Store, err = local.Open(t.dir, t.o.Store)
	}
	return err
}

// readAll reads until the time is over: the oldest two of each world, then the next of each.
func (t *Trial) readAll(within context.Context, all int) error {
	for last, done := 1, 0; done < all; last++ {
		for _, w := range t.Worlds {
			for i := last - 1/last; i <= last && i < len(w.states); i++ {
				b := w.states[i]
				t.o.Progress(done, all, filepath.Base(b.path))
				err := t.read(within, w, b)
				source := (*port.SourceError)(nil)
				switch done++; {
				case err == nil:
				case within.Err() != nil:
					t.Stopped = fmt.Sprintf("--for %v was over", t.o.For)
					return nil
				case errors.Is(err, syscall.ENOSPC) && t.Seconds > 0:
					t.Stopped = t.o.Temp + " is full; TMPDIR names another folder"
					return nil
				case errors.As(err, &source) && !errors.Is(err, syscall.ENOSPC), errors.Is(err, port.ErrHolds):
					w.Backups, w.Bytes = w.Backups-1, w.Bytes-b.bytes
					t.pass(b.path, err)
				default:
					return fmt.Errorf("%s: the store in %s, for which TMPDIR names another folder: %w", b.path, t.o.Temp, err)
				}
			}
		}
	}
	return nil
}

// read makes a backup the next version of its world.
func (t *Trial) read(ctx context.Context, w *Timeline, b *backup) error {
	began := time.Now()
	src, err := port.Open(b.path, t.o.Read)
	if err != nil {
		return &port.SourceError{Err: err}
	}
	defer src.Close()
	w.seen.Now = began
	src.Since(w.seen) // of the state before, only what changed is read
	c, err := src.Parts(ctx, nil)
	if err != nil {
		return &port.SourceError{Err: err}
	}
	o := t.o.Import
	o.Note.Time, o.Note.Message = b.time, filepath.Base(b.path)
	done, err := src.Import(ctx, func(context.Context) (history.Store, error) { return t.Store, nil }, w.Name, c, o)
	if err != nil {
		return err
	}
	if n := len(src.Remarks().Damaged); n > 0 {
		t.Remarks = append(t.Remarks, fmt.Sprintf("%s: %s, kept as stored", b.path, console.Counted(n, "damaged chunk")))
	}
	w.seen = port.Seen{Head: done.Commit.ID(), Headers: src.Headers()}
	w.stones, w.ReadBytes = append(w.stones, 0), w.ReadBytes+b.bytes
	for _, s := range done.Commit.Stones {
		if !done.Same {
			w.stones[len(w.stones)-1] += s.Size
		}
	}
	t.Seconds += time.Since(began).Seconds()
	return nil
}

// Close deletes the store.
func (t *Trial) Close() (err error) {
	if t.Store != nil {
		err = t.Store.Close()
	}
	return errors.Join(err, os.RemoveAll(t.dir))
}
