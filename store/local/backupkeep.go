package local

import (
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// Keep says which backups stay in a directory: those that either rule keeps, and
// always the newest good one. The zero value keeps all.
type Keep struct {
	Newest int           // how many, the new one with them; 0 is no rule
	For    time.Duration // how long, by the times that they are named by; 0 is no rule
}

// over returns which of the backups, oldest first, are kept no longer beside the
// new one, which is not the last of them if the clock went back.
func (k Keep) over(backups []string, made string) (out []string) {
	if k.Newest <= 0 && k.For <= 0 {
		return nil
	}
	now := backupTime(made)
	for i, name := range backups {
		among := k.Newest > 0 && len(backups)-i <= k.Newest
		young := k.For > 0 && now.Sub(backupTime(name)) <= k.For
		if name != made && !among && !young {
			out = append(out, name)
		}
	}
	return out
}

// backupTime is when a backup of that name was made.
func backupTime(name string) time.Time {
	t, _ := time.Parse(backupName, name) // backupsIn found that it is one
	return t
}

// Backups returns the times of the backups in dir, oldest first: none if dir is
// missing. It does not read them; each was verified when it was made. Of o it
// uses FS.
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
