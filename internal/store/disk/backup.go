package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cairnvoxel/cairn/internal/stone"
	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/store/history"
)

// Checkpoint makes a copy of the current Store in dir, which must not exist. It
// uses hard links if the file system has them. The copy is for reading; Restore
// makes a Store that can be changed.
func (s *Store) Checkpoint(ctx context.Context, dir string) error {
	leave, err := s.enter(ctx)
	if err != nil {
		return fmt.Errorf("local: checkpoint: %w", err)
	}
	defer leave()
	if err := s.checkpoint(ctx, dir); err != nil {
		return fmt.Errorf("local: checkpoint %s: %w", dir, err)
	}
	return nil
}

func (s *Store) checkpoint(ctx context.Context, dir string) error {
	s.alone.Lock() // otherwise Collect could delete files of stones
	defer s.alone.Unlock()
	if _, err := s.FS.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fs.ErrExist, err)
	}
	if err := s.FS.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	err := s.write(func() error { return s.db.Checkpoint(s.FS.PathJoin(dir, "db"), pebble.WithFlushedWAL()) })
	if err != nil {
		return err
	}
	// Now the files of all stones in the copy of the database exist.
	to := files{fs: s.FS, dir: s.FS.PathJoin(dir, "stones")}
	made := make(map[string]bool)
	err = s.files.each(func(id stone.ID) error {
		at, _ := to.place(id)
		if !made[at] {
			made[at] = true
			if err := s.FS.MkdirAll(at, 0o700); err != nil {
				return err
			}
		}
		return linkOrCopy(ctx, s.FS, s.files.path(id), to.path(id))
	})
	if err != nil {
		return err
	}
	return writeFile(s.FS, dir, storeFile, []byte(storeHead+s.id+"\n"))
}

// BackupOptions of a Backup. The zero value is the default.
type BackupOptions struct {
	// Keep says which backups of this Store stay; the default keeps all. Those of other
	// Stores are never removed.
	Keep history.Keep
	// Force makes a backup even if the Store has far fewer worlds than the backup before.
	// Without it the error is history.ErrShrunk.
	Force bool
	// DryRun makes no backup, and removes none: Backed.Removed says which would go.
	DryRun bool
	// Progress, if not nil, is called with how much of the new backup is verified.
	Progress func(done, total int64)
}

// Backed is the result of Backup.
type Backed struct {
	Name string `json:"name"` // of the new backup in the directory
	// Report says what the new backup has. Its faults are those of the Store.
	Report  Report   `json:"report"`
	New     int64    `json:"new"`    // bytes of files that the last backup lacks
	Shared  int64    `json:"shared"` // bytes of files that the last backup has
	Removed []string `json:"removed"`
}

const (
	backupName = "20060102T150405.000Z"
	partial    = ".partial"
)

// Backup adds a backup to the directory dir, which may be on another file system. A
// backup is a whole Store, named by the time. It shares unchanged files with the
// backup before it. Backup verifies the new backup before it gives it the final
// name, and only then removes the backups that Keep does not keep. If the Store has
// faults, the backup has them too and the Report names the worlds; if these are more
// than stones that were broken when they were stored, Backup removes nothing. Only one
// process at a time may back up to a directory.
func (s *Store) Backup(ctx context.Context, dir string, o BackupOptions) (Backed, error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return Backed{}, fmt.Errorf("local: backup: %w", err)
	}
	defer leave()
	b := &backup{Store: s, ctx: ctx, dir: dir, o: o}
	if err := b.run(); err != nil {
		return Backed{}, fmt.Errorf("local: backup to %s: %w", dir, err)
	}
	return b.done, nil
}

// backup is one Backup.
type backup struct {
	*Store
	ctx  context.Context
	dir  string
	o    BackupOptions
	last string // path of the previous backup of this Store, "" if there is none
	done Backed
	// before is last, or the newest backup of any Store.
	before string
}

// within reports whether a path is dir or below dir.
func within(path, dir string) bool {
	path, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return false
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

func (b *backup) run() error {
	if within(b.dir, b.Store.dir) {
		return errors.New("the target is inside the store itself")
	}
	if b.o.DryRun {
		return b.retire(b.Now().UTC())
	}
	if err := b.prepare(); err != nil {
		return err
	}
	if err := b.compare(); err != nil {
		return err
	}
	b.done.Name = BackupName(b.Now())
	path := b.FS.PathJoin(b.dir, b.done.Name)
	if _, err := b.FS.Stat(path); err == nil {
		return fmt.Errorf("%s: %w", b.done.Name, fs.ErrExist)
	}
	from := b.FS.PathJoin(b.Store.dir, "checkpoint"+partial)
	if err := b.FS.RemoveAll(from); err != nil {
		return err
	}
	err := b.checkpoint(b.ctx, from)
	if err == nil {
		err = eachFile(b.FS, from, "", func(rel string) error { return b.add(from, path+partial, rel) })
	}
	damaged := false
	if err = errors.Join(err, b.FS.RemoveAll(from)); err == nil {
		b.done.Report, damaged, err = verify(b.ctx, path+partial, b.Options, b.o.Progress)
	}
	if err != nil {
		return errors.Join(err, b.FS.RemoveAll(path+partial))
	}
	err = errors.Join(b.FS.Rename(path+partial, path), syncDir(b.FS, b.dir))
	if err != nil || damaged { // older backups may have what is damaged
		return err
	}
	return b.retire(backupTime(b.done.Name))
}

// compare returns an error if the Store has far fewer worlds than the backup before. One
// that cannot be opened says nothing.
func (b *backup) compare() error {
	if b.o.Force || b.before == "" {
		return nil
	}
	s, err := Open(b.before, Options{FS: b.FS, ReadOnly: true, CacheBytes: b.CacheBytes})
	if err != nil {
		return nil
	}
	before, err := s.countWorlds()
	if err = errors.Join(err, s.Close(), unlock(b.FS, b.before)); err != nil {
		return nil
	}
	worlds, err := b.countWorlds()
	if err != nil {
		return err
	}
	return history.Shrunk(worlds, before)
}

// countWorlds counts the worlds, and the deleted ones that can be restored.
func (s *Store) countWorlds() (n int64, err error) {
	for _, kind := range []byte{'n', 't'} {
		it, err := s.live().iterator(span(kind))
		if err != nil {
			return n, err
		}
		for more := it.First(); more; more = it.Next() {
			if kind == 'n' || !record.Doomed(it.Key()) {
				n++
			}
		}
		if err := ended(it, nil); err != nil {
			return n, err
		}
	}
	return n, nil
}

// prepare finds the last backup and removes unfinished ones.
func (b *backup) prepare() error {
	if err := b.FS.MkdirAll(b.dir, 0o700); err != nil {
		return err
	}
	names, err := b.FS.List(b.dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if isBackup(strings.TrimSuffix(name, partial)) && strings.HasSuffix(name, partial) {
			if err := b.FS.RemoveAll(b.FS.PathJoin(b.dir, name)); err != nil {
				return err
			}
		}
	}
	backups, err := backupsIn(b.FS, b.dir)
	if err != nil || len(backups) == 0 {
		return err
	}
	b.before = b.FS.PathJoin(b.dir, backups[len(backups)-1])
	if own := b.own(backups); len(own) > 0 {
		b.last = b.FS.PathJoin(b.dir, own[len(own)-1])
		b.before = b.last
	}
	return nil
}

// own returns the backups that are of this Store.
func (b *backup) own(backups []string) []string {
	return slices.DeleteFunc(backups, func(name string) bool {
		id, err := readID(b.FS, b.FS.PathJoin(b.dir, name))
		return err != nil || id != b.id
	})
}

func isBackup(name string) bool {
	_, err := time.Parse(backupName, name)
	return err == nil
}

// backupsIn returns the names of the backups in a directory, oldest first.
func backupsIn(on vfs.FS, dir string) ([]string, error) {
	names, err := on.List(dir)
	names = slices.DeleteFunc(names, func(name string) bool { return !isBackup(name) })
	slices.Sort(names)
	return names, err
}

// add adds one file of a checkpoint to the backup at to.
func (b *backup) add(from, to, rel string) error {
	source, target := b.FS.PathJoin(from, rel), b.FS.PathJoin(to, rel)
	size, err := sizeAt(b.FS, source)
	if err != nil {
		return err
	}
	if err := b.FS.MkdirAll(b.FS.PathDir(target), 0o700); err != nil {
		return err
	}
	had := b.FS.PathJoin(b.last, rel)
	if n, err := sizeAt(b.FS, had); b.last != "" && err == nil && n == size && immutable(rel) {
		b.done.Shared += size
		return linkOrCopy(b.ctx, b.FS, had, target)
	}
	b.done.New += size
	return linkOrCopy(b.ctx, b.FS, source, target)
}

// immutable reports whether a file of this name never changes in a Store.
func immutable(rel string) bool {
	return strings.HasSuffix(rel, ".sst") || strings.HasSuffix(rel, ".blob") || strings.HasPrefix(rel, "stones")
}

// verify opens a copy of a Store and checks it, as check does.
func verify(ctx context.Context, dir string, o Options, progress func(done, total int64)) (r Report, damaged bool, err error) {
	o.ReadOnly = true
	s, err := Open(dir, o)
	if err != nil {
		return r, false, err
	}
	r, damaged, err = s.check(ctx, progress)
	if err = errors.Join(err, s.Close()); err != nil {
		return r, damaged, err
	}
	return r, damaged, errors.Join(unlock(o.FS, dir), syncTree(o.FS, dir))
}

// unlock removes what was left of the locks of a copy that was opened to read it.
func unlock(on vfs.FS, dir string) error {
	return errors.Join(ignoreMissing(on.Remove(on.PathJoin(dir, lockFile))), ignoreMissing(on.Remove(on.PathJoin(dir, "db", lockFile))))
}

// retire removes the backups of this Store that Keep does not keep next to the new one,
// oldest first.
func (b *backup) retire(made time.Time) error {
	backups, err := backupsIn(b.FS, b.dir)
	if err = ignoreMissing(err); err != nil {
		return err
	}
	backups = b.own(backups)
	var times []time.Time
	for _, name := range backups {
		times = append(times, backupTime(name))
	}
	if b.o.DryRun {
		times = append(times, made)
	}
	for _, i := range b.o.Keep.Over(times, made) {
		name := backups[i]
		if b.o.DryRun {
			b.done.Removed = append(b.done.Removed, name)
			continue
		}
		path := b.FS.PathJoin(b.dir, name)
		if err := b.FS.Rename(path, path+partial); err != nil { // so that no half backup has a final name
			return err
		}
		if err := b.FS.RemoveAll(path + partial); err != nil {
			return err
		}
		b.done.Removed = append(b.done.Removed, name)
	}
	return nil
}

// Restored is the result of Restore.
type Restored struct {
	Backup string `json:"backup"` // the path of the backup
	Salvaged
}

// Restore makes a Store in to, which must be missing or empty, from a backup, or
// from the newest backup in a directory. It copies and verifies everything before
// the Store gets its final name. Of a damaged backup it makes what Salvage would. It
// uses only FS, Now and CacheBytes of o.
func Restore(ctx context.Context, from, to string, o Options) (done Restored, err error) {
	o = o.withDefaults()
	if done.Backup, err = newest(o.FS, from); err == nil {
		var damaged bool
		done.Report, damaged, err = restore(ctx, done.Backup, to, o)
		if damaged {
			done.Salvaged, err = salvageTo(ctx, done.Backup, to, Options{FS: o.FS, Now: o.Now, CacheBytes: o.CacheBytes, ReserveBytes: -1})
		}
	}
	if err != nil {
		return done, fmt.Errorf("local: restore %s to %s: %w", from, to, err)
	}
	return done, nil
}

// restore makes a Store from a backup, unless that is damaged.
func restore(ctx context.Context, from, to string, o Options) (r Report, damaged bool, err error) {
	if list, err := o.FS.List(to); err == nil && len(list) > 0 {
		return r, false, fmt.Errorf("not empty: there is %s", list[0])
	}
	temp := to + partial
	if err := o.FS.RemoveAll(temp); err != nil {
		return r, false, err
	}
	err = eachFile(o.FS, from, "", func(rel string) error {
		if rel == closedFile || rel == ackedFile {
			return nil // they belong to the identity of the old store
		}
		target := o.FS.PathJoin(temp, rel)
		if err := o.FS.MkdirAll(o.FS.PathDir(target), 0o700); err != nil {
			return err
		}
		return copyFile(ctx, o.FS, o.FS.PathJoin(from, rel), target)
	})
	if err == nil {
		_, err = writeID(o.FS, temp) // otherwise its backups would share files with those of the old store
	}
	if err == nil {
		r, damaged, err = verify(ctx, temp, o, nil)
		damaged = damaged || errors.As(err, new(*DamageError))
	}
	if err != nil || damaged {
		return r, damaged, errors.Join(err, o.FS.RemoveAll(temp))
	}
	if err := ignoreMissing(o.FS.Remove(to)); err != nil {
		return r, false, err
	}
	return r, false, errors.Join(o.FS.Rename(temp, to), syncDir(o.FS, o.FS.PathDir(to)))
}

// newest returns dir if it is a Store, or the newest backup in it.
func newest(on vfs.FS, dir string) (string, error) {
	_, err := readID(on, dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return dir, err
	}
	backups, err := backupsIn(on, dir)
	if err == nil && len(backups) == 0 {
		err = errors.New("neither a backup nor a directory of backups")
	}
	if err != nil {
		return "", err
	}
	return on.PathJoin(dir, backups[len(backups)-1]), nil
}

// backupTime returns the time when the backup of this name was made.
func backupTime(name string) time.Time {
	t, _ := time.Parse(backupName, name) // backupsIn has checked the name
	return t
}

// BackupName returns the name of the backup that was made at a time.
func BackupName(at time.Time) string { return at.UTC().Format(backupName) }

// Backups returns the times of the backups in dir, oldest first. A missing dir has
// none. It does not read the backups; each was verified when it was made. It uses
// only FS of o.
func Backups(dir string, o Options) ([]time.Time, error) {
	names, err := backupsIn(o.withDefaults().FS, dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("local: backups in %s: %w", dir, err)
	}
	var out []time.Time
	for _, name := range names {
		out = append(out, backupTime(name))
	}
	return out, nil
}
