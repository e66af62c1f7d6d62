package archive_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/archive"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// someArchive has a log of two commits on a third, and a pack.
func someArchive() history.Archive {
	var commits []history.Commit
	var parent history.ID
	for i := range 3 {
		c := history.Commit{Parent: parent, Base: parent, Number: uint64(i + 1), Time: time.UnixMilli(int64(i)).UTC(),
			Stones: []history.StoneRef{{ID: stone.ID{byte(i)}, Size: int64(i)}}}
		commits, parent = append(commits, c), c.ID()
	}
	pack := history.Pack{Upto: commits[1].ID(), After: commits[0].ID(), Stone: history.StoneRef{ID: stone.ID{9}, Size: 9}}
	return history.Archive{Name: "a/b", Deleted: time.UnixMilli(5).UTC(), Head: history.Head{Commit: parent, Fence: 7},
		Log: []history.ID{parent, commits[1].ID()}, Commits: commits, Packs: []history.Pack{pack}}
}

func TestArchive(t *testing.T) {
	a := someArchive()
	b := archive.Append(nil, &a)
	back, err := archive.Parse(b)
	if err != nil || !bytes.Equal(archive.Append(nil, &back), b) || archive.Sum(&back) != archive.Sum(&a) {
		t.Fatalf("got %+v, %v", back, err)
	}
	if got := len(archive.Stones(&a)); got != 3 {
		t.Errorf("got %d stones, want those of two commits and of the pack", got)
	}
	for n := range b {
		if _, err := archive.Parse(b[:n]); !errors.As(err, new(*stone.CorruptError)) {
			t.Fatalf("cut to %d bytes: got %v", n, err)
		}
	}
	for name, change := range map[string]func(*history.Archive){
		"no commit":       func(a *history.Archive) { a.Commits = a.Commits[:2] },
		"no base":         func(a *history.Archive) { a.Commits = a.Commits[1:] },
		"another head":    func(a *history.Archive) { a.Head.Commit[0]++ },
		"order":           func(a *history.Archive) { a.Commits[0], a.Commits[1] = a.Commits[1], a.Commits[0] },
		"log ascends":     func(a *history.Archive) { a.Log[0], a.Log[1] = a.Log[1], a.Log[0]; a.Head.Commit = a.Log[0] },
		"a circle":        func(a *history.Archive) { a.Packs[0].After = a.Packs[0].Upto },
		"a pack too much": func(a *history.Archive) { a.Packs = append(a.Packs, history.Pack{Upto: history.ID{255, 255}}) },
		"a bad name":      func(a *history.Archive) { a.Name = "A" },
		"force":           func(a *history.Archive) { a.Head.Fence = history.Force },
	} {
		a := someArchive()
		change(&a)
		if err := archive.Check(&a); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzParseArchive(f *testing.F) {
	a := someArchive()
	f.Add(archive.Append(nil, &a))
	f.Add(archive.Append(nil, &history.Archive{Name: "a"}))
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := archive.Parse(b)
		if err == nil && !bytes.Equal(archive.Append(nil, &a), b) {
			t.Errorf("%x is parsed as %+v", b, a)
		}
	})
}
