package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/internal/console"
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
	if err != nil {
		return nil, err
	}
	d := &datedImport{World: to}
	if err := d.find(ctx, sf, dir, o.dated); err != nil {
		return nil, err
	}
	sf.writes = !o.dryRun
	last, err := sf.newest(ctx, name)
	if err != nil {
		return nil, err
	}
	for _, s := range d.Sources {
		switch {
		case s.State == "failed":
		case last.Number > 0 && !s.Time.After(last.Time):
			s.State, s.Why = "skipped", fmt.Sprintf("version %d is of %s", last.Number, stamp(last.Time))
		case s.Time.After(time.Now()):
			s.fail(errors.New("its time is to come"))
		case !o.dryRun:
			o.note.time = s.Time
			if err := s.become(ctx, sf, to, o); err != nil {
				return d, partly{fmt.Errorf("%s: %w", s.Source, err)}
			}
		}
	}
	return d, d.finish(ctx, sf, name)
}

// find lists the sources in a folder, in the order of their times.
func (d *datedImport) find(ctx context.Context, sf *storeFlag, dir, pattern string) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return pathError(dir, err)
	}
	for _, e := range list {
		match, err := filepath.Match(pattern, e.Name())
		if err != nil {
			return usagef("--dated %s: want a pattern such as '*.zip'", pattern)
		}
		if match {
			s := &datedSource{Source: filepath.Join(dir, e.Name()), State: "new"}
			if err := s.date(ctx, sf); err != nil {
				s.fail(err)
			}
			d.Sources = append(d.Sources, s)
		}
	}
	slices.SortFunc(d.Sources, func(a, b *datedSource) int {
		return cmp.Or(a.Time.Compare(b.Time), strings.Compare(a.Source, b.Source))
	})
	if len(d.Sources) == 0 {
		return usagef("%s: nothing in it matches %s", dir, pattern)
	}
	for i, s := range d.Sources[1:] {
		if before := d.Sources[i]; s.By != "" && s.Time.Equal(before.Time) {
			return usagef("%s and %s are both of %s: give a pattern of one world's, with a time in each name", before.Source, s.Source, stamp(s.Time))
		}
	}
	return nil
}

// date finds the time of the source.
func (s *datedSource) date(ctx context.Context, sf *storeFlag) error {
	at, ok := port.DateIn(filepath.Base(s.Source))
	if s.By = "name"; !ok {
		src, err := openSource(ctx, sf, s.Source, false)
		if err == nil {
			at, ok = src.Played()
			err = src.Close()
		}
		if s.By = "level.dat"; err != nil || !ok {
			s.By = ""
			return cmp.Or(err, errors.New("no date in its name, and no LastPlayed in a level.dat"))
		}
	}
	s.Time = at
	return nil
}

// become makes the source a version. An error is one of the store, which others would meet too.
func (s *datedSource) become(ctx context.Context, sf *storeFlag, to string, o importOptions) error {
	done, err := importWorld(ctx, sf, s.Source, to, o)
	wrong := (*port.SourceError)(nil)
	switch {
	case err != nil && (ctx.Err() != nil || done != nil && done.written && !errors.As(err, &wrong)):
		return err
	case err != nil:
		s.fail(err)
	case done.Same:
		s.State, s.Import = "same", done
	default:
		s.State, s.Import = "version", done
	}
	return nil
}

func (s *datedSource) fail(err error) {
	s.State = "failed"
	s.Why, _, _ = strings.Cut(strings.TrimPrefix(message(err, nil), s.Source+": "), "\n")
}

// finish returns an error if sources failed. It remarks which versions will not stay.
func (d *datedImport) finish(ctx context.Context, sf *storeFlag, name string) error {
	failed, made := 0, false
	for _, s := range d.Sources {
		made = made || s.Import != nil
		if s.State == "failed" {
			failed++
		}
	}
	if made {
		var err error
		if d.Remarks, err = sf.leaving(ctx, name); err != nil {
			return partly{err}
		}
	}
	if failed > 0 {
		return partly{fmt.Errorf("%s of %d failed; a source that is older than the newest version cannot become one", console.Counted(failed, "source"), len(d.Sources))}
	}
	return nil
}

// newest returns the newest version of a world; the zero Commit if there is none, or no store.
func (sf *storeFlag) newest(ctx context.Context, name string) (c history.Commit, err error) {
	if dir, isLocal := strings.CutPrefix(sf.location(), localScheme); isLocal && checkStoreDir(dir) != nil {
		return c, nil
	}
	st, err := sf.get(ctx, sf.writes)
	if err != nil {
		return c, err
	}
	log, err := st.Log(ctx, name, history.ID{}, 1)
	if errors.Is(err, history.ErrNoWorld) {
		return c, nil
	}
	if len(log) > 0 {
		c = log[0]
	}
	return c, err
}

// leaving remarks how many versions of a world a collection drops that is not told what to keep.
func (sf *storeFlag) leaving(ctx context.Context, name string) ([]string, error) {
	st, err := sf.open(ctx)
	if err != nil {
		return nil, err
	}
	var times []time.Time // newest first
	for c, err := range world.Commits(ctx, st, name) {
		if err != nil {
			return nil, err
		}
		times = append(times, c.Time)
	}
	kept := history.Retention{}.Keep(time.Now(), times)
	drops := len(slices.DeleteFunc(kept, func(stays bool) bool { return stays }))
	if drops == 0 {
		return nil, nil
	}
	return []string{fmt.Sprintf("a collection by the default drops %s of %d, which are old: cairn gc --keep all and cairn serve --versions all keep them", console.Counted(drops, "version"), len(times))}, nil
}

func (d *datedImport) print(out io.Writer) {
	t := console.NewColumns(out)
	for _, s := range d.Sources {
		at, what := "", s.State
		if s.By != "" {
			at = stamp(s.Time) + " by its " + s.By
		}
		switch {
		case s.Import != nil && s.Import.Commit != nil:
			what += " " + s.Import.Commit.String()
		case s.Why != "":
			what += ": " + console.Line(s.Why)
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
