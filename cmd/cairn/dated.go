package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
)

// datedImport is the result of import --dated.
type datedImport struct {
	World   string         `json:"world"`
	Sources []*datedSource `json:"sources"` // those without a time, then oldest first
	Remarks []string       `json:"remarks,omitempty"`
}

// datedSource is a world that is to become the version of its time.
type datedSource struct {
	Source string    `json:"source"`
	Time   time.Time `json:"time,omitzero"`
	By     string    `json:"by,omitempty"`  // what says the time: "name" or "level.dat"
	State  string    `json:"state"`         // "new", "version", "same", "skipped" or "failed"
	Why    string    `json:"why,omitempty"` // it was skipped or failed
	Import *imported `json:"import,omitempty"`
}

// importDated makes each source in a folder that matches --dated the version of its time, oldest first.
func importDated(ctx context.Context, sf *storeFlag, dir, to string, o importOptions) (*datedImport, error) {
	name, err := parseName(to)
	if err = cmp.Or(err, o.note.check()); err == nil && o.time != "" {
		err = usagef("--time and --dated: give one of them")
	}
	d := &datedImport{World: to}
	if err == nil {
		err = d.find(ctx, sf, dir, o.dated)
	}
	var last history.Commit
	if sf.writes = !o.dryRun; err == nil {
		last, err = sf.newest(ctx, name)
	}
	if err != nil {
		return nil, err
	}
	states := map[string]int{}
	for _, s := range d.Sources {
		switch {
		case s.State == "failed":
		case !s.Time.After(last.Time):
			s.State, s.Why = "skipped", fmt.Sprintf("version %d is of %s", last.Number, stamp(last.Time))
		case s.Time.After(time.Now()):
			s.settle(nil, errors.New("its time is to come"))
		case !o.dryRun:
			o.note.time = s.Time
			done, err := importWorld(ctx, sf, s.Source, to, o)
			wrong := (*port.SourceError)(nil)
			if err != nil && (ctx.Err() != nil || done != nil && done.written && !errors.As(err, &wrong)) {
				return d, partly{fmt.Errorf("%s: %w", s.Source, err)} // of the store: others would meet it too
			}
			s.settle(done, err)
		}
		states[s.State]++
	}
	if states["version"] > 0 {
		d.Remarks = sf.leaving(ctx, name)
	}
	if failed := states["failed"]; failed > 0 {
		err = partly{fmt.Errorf("%s of %d failed; a source that is older than the newest version cannot become one", console.Counted(failed, "source"), len(d.Sources))}
	}
	return d, err
}

// find lists the sources in a folder, in the order of their times.
func (d *datedImport) find(ctx context.Context, sf *storeFlag, dir, pattern string) error {
	names, err := fs.Glob(os.DirFS(dir), pattern)
	if err != nil || len(names) == 0 {
		return usagef("%s: nothing in it matches %s; want a pattern such as '*.zip'", dir, pattern)
	}
	for _, name := range names {
		s := &datedSource{Source: filepath.Join(dir, name), State: "new"}
		s.date(ctx, sf)
		d.Sources = append(d.Sources, s)
	}
	slices.SortStableFunc(d.Sources, func(a, b *datedSource) int { return a.Time.Compare(b.Time) })
	for i, s := range d.Sources[1:] {
		if before := d.Sources[i]; s.By != "" && s.Time.Equal(before.Time) {
			return usagef("%s and %s are both of %s: give a pattern of one world's, with a time in each name", before.Source, s.Source, stamp(s.Time))
		}
	}
	return nil
}

// date finds the time of the source.
func (s *datedSource) date(ctx context.Context, sf *storeFlag) {
	if s.Time, s.By = port.DateIn(filepath.Base(s.Source)), "name"; !s.Time.IsZero() {
		return
	}
	src, err := openSource(ctx, sf, s.Source, false)
	if err == nil {
		s.Time, s.By, err = src.Played(), "level.dat", src.Close()
	}
	if err == nil && s.Time.IsZero() {
		err = errors.New("no date in its name, and no LastPlayed in a level.dat")
	}
	if err != nil {
		s.By = ""
		s.settle(nil, err)
	}
}

// settle notes what became of the source.
func (s *datedSource) settle(done *imported, err error) {
	switch {
	case err != nil:
		s.State = "failed"
		s.Why, _, _ = strings.Cut(strings.TrimPrefix(message(err, nil), s.Source+": "), "\n")
	case done.Same:
		s.State, s.Import = "same", done
	default:
		s.State, s.Import = "version", done
	}
}

// newest returns the newest version of a world; the zero Commit if there is none, or no store.
func (sf *storeFlag) newest(ctx context.Context, name string) (c history.Commit, err error) {
	if dir, isLocal := strings.CutPrefix(sf.location(), localScheme); isLocal && checkStoreDir(dir) != nil {
		return c, nil
	}
	st, err := sf.get(ctx, sf.writes)
	if err == nil {
		c, err = inspect.Find(ctx, st, name, "")
	}
	if errors.Is(err, history.ErrNoWorld) || errors.Is(err, history.ErrNoCommit) {
		err = nil
	}
	return c, err
}

// leaving remarks how many versions of a world a collection drops that is not told what to keep.
func (sf *storeFlag) leaving(ctx context.Context, name string) []string {
	var times []time.Time // newest first
	for c, err := range world.Commits(ctx, sf.st, name) {
		if err != nil {
			return []string{fmt.Sprintf("which versions a collection drops is not known: %v", err)}
		}
		times = append(times, c.Time)
	}
	drops := len(slices.DeleteFunc(history.Retention{}.Keep(time.Now(), times), func(stays bool) bool { return stays }))
	if drops == 0 {
		return nil
	}
	return []string{fmt.Sprintf("a collection by the default drops %s of %d, which are old: cairn gc --keep all and cairn serve --versions all keep them", console.Counted(drops, "version"), len(times))}
}

func (d *datedImport) print(out io.Writer) {
	t := console.NewColumns(out)
	for _, s := range d.Sources {
		at, what := "", strings.TrimSuffix(s.State+": "+console.Line(s.Why), ": ")
		if s.By != "" {
			at = stamp(s.Time) + " by its " + s.By
		}
		if s.Import != nil {
			what += " " + s.Import.Commit.String()
		}
		t.Row(console.Line(s.Source), at, what)
	}
	t.Flush()
	for _, s := range d.Sources {
		if s.Import != nil {
			s.Import.printRemarks(out, s.Source+": ")
		}
	}
	console.PrintList(out, "remarks:", d.Remarks)
}
