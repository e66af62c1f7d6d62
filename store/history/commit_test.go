package history_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

func example() history.Commit {
	return history.Commit{
		Parent: history.ID{1}, Base: history.ID{2}, Number: 300, Time: time.UnixMilli(1_800_000_000_123).UTC(),
		Author: "ann", Message: "a wall", Stones: []history.StoneRef{{ID: stone.ID{3}, Size: 1000}, {ID: stone.ID{4}, Size: 1}},
	}
}

// called is the example with a call.
func keyed() history.Commit {
	c := example()
	c.IdempotencyKey = 1 << 60
	return c
}

func TestCommitRoundTrip(t *testing.T) {
	for _, c := range []history.Commit{{Time: time.UnixMilli(0).UTC()}, example(), keyed(), {Time: time.UnixMilli(0).UTC(), IdempotencyKey: 1}} {
		got, err := history.ParseCommit(c.Append(nil))
		if err != nil || !reflect.DeepEqual(got, c) {
			t.Errorf("got %+v, %v, want %+v", got, err, c)
		}
	}
}

func TestParseCommitDamage(t *testing.T) {
	whole := example().Append(nil)
	var corrupt *stone.CorruptError
	for _, whole := range [][]byte{whole, keyed().Append(nil)} {
		for n := range whole {
			if _, err := history.ParseCommit(whole[:n]); !errors.As(err, &corrupt) {
				t.Errorf("%d bytes: got %v, want a CorruptError", n, err)
			}
		}
	}
	zero := keyed().Append(nil)
	clear(zero[len(zero)-8:])
	if _, err := history.ParseCommit(zero); !errors.As(err, &corrupt) {
		t.Errorf("a call that is 0: got %v, want a CorruptError", err)
	}
	if _, err := history.ParseCommit(append(bytes.Clone(whole), 0)); !errors.As(err, &corrupt) {
		t.Errorf("one byte too many: got %v, want a CorruptError", err)
	}
	long := append(bytes.Clone(whole[:65]), 0x80, 0x00) // number 0 in two bytes
	if _, err := history.ParseCommit(append(long, history.Commit{}.Append(nil)[66:]...)); !errors.As(err, &corrupt) {
		t.Errorf("a long number: got %v, want a CorruptError", err)
	}
}

func FuzzParseCommit(f *testing.F) {
	f.Add(example().Append(nil))
	f.Add(keyed().Append(nil))
	f.Add(history.Commit{}.Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := history.ParseCommit(b)
		if err == nil && !bytes.Equal(c.Append(nil), b) {
			t.Errorf("%x: parsed and appended is another commit", b)
		}
	})
}

func TestCheckName(t *testing.T) {
	for name, ok := range map[string]bool{
		"a": true, "player/island-1": true, "a.b_c/0": true, strings.Repeat("a", 64): true, "1/2/3/4/5/6/7/8": true,
		"": false, "/": false, "a/": false, "/a": false, "a//b": false, ".": false, "..": false, "a/../b": false, "A": false, "a b": false,
		"a\x00": false, "ä": false, "a@b": false, strings.Repeat("a", 65): false, "1/2/3/4/5/6/7/8/9": false, "aXb": false,
	} {
		if err := history.CheckName(name); ok != (err == nil) || err != nil && !errors.Is(err, history.ErrName) {
			t.Errorf("%q: got %v, want ok %v", name, err, ok)
		}
	}
}

func TestRetention(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 30, 0, 0, time.UTC)
	var log []time.Time
	for at := now; now.Sub(at) < 800*24*time.Hour; at = at.Add(-10 * time.Minute) {
		log = append(log, at)
	}
	kept := 0
	for i, keep := range (history.Retention{}).Keep(now, log) {
		if keep {
			kept++
		}
		if i < 16 && !keep {
			t.Errorf("commit %d of the newest is dropped", i)
		}
	}
	// 16 newest, which end in the 10th hour; hours of a day back; days; months.
	if kept < 16+21+13+11 || kept > 16+24+15+13 {
		t.Errorf("kept %d of %d", kept, len(log))
	}
	for _, keep := range (history.Retention{All: true}).Keep(now, log) {
		if !keep {
			t.Fatal("All drops a commit")
		}
	}
}
