package history_test

import (
	"crypto/sha256"
	"errors"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/store/history"
)

func dataOf(text string) (history.Stone, history.StoneRef) {
	s := history.Stone{ID: sha256.Sum256([]byte(text)), Data: []byte(text)}
	return s, history.StoneRef{ID: s.ID, Size: int64(len(text))}
}

func TestCommitComplete(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 1_999_999, time.FixedZone("", 3600))
	first := history.Commit{Number: 9}.Complete(history.Commit{}, now)
	if want := now.UTC().Truncate(time.Millisecond); first.Number != 1 || first.Time != want {
		t.Errorf("got %d at %v, want 1 at %v", first.Number, first.Time, want)
	}
	if next := (history.Commit{}).Complete(first, now.Add(-time.Hour)); next.Number != 2 || next.Time != first.Time {
		t.Errorf("got %d at %v, want 2 at %v", next.Number, next.Time, first.Time)
	}
	old := time.Date(1960, 1, 1, 0, 0, 0, 0, time.UTC)
	if c := (history.Commit{}).Complete(history.Commit{}, old); c.Time != old {
		t.Errorf("got %v, want %v", c.Time, old)
	}
}

func TestPackAdmit(t *testing.T) {
	one, ref := dataOf("one")
	two, _ := dataOf("two")
	a, b := history.ID{1}, history.ID{2}
	for _, tt := range []struct {
		name string
		pack history.Pack
		give history.Stone
		ok   bool
	}{
		{"partial", history.Pack{After: a, Upto: b, Stone: ref}, one, true},
		{"full", history.Pack{Upto: b, Stone: ref}, one, true},
		{"of nothing", history.Pack{After: b, Upto: b, Stone: ref}, one, false},
		{"another stone", history.Pack{Upto: b, Stone: ref}, two, false},
		{"other bytes", history.Pack{Upto: b, Stone: ref}, history.Stone{ID: one.ID, Data: two.Data}, false},
	} {
		if err := tt.pack.Admit(tt.give); tt.ok != (err == nil) {
			t.Errorf("%s: got %v, want ok %v", tt.name, err, tt.ok)
		}
	}
	if err := (history.Pack{Stone: ref}).Admit(one); !errors.Is(err, history.ErrNoCommit) {
		t.Errorf("upto nothing: got %v, want %v", err, history.ErrNoCommit)
	}
}

func TestPolicyOver(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		wait, age time.Duration
		want      bool
	}{
		{0, time.Hour, false},
		{0, time.Hour + 1, true},
		{time.Minute, time.Minute, false},
		{time.Minute, 2 * time.Minute, true},
		{time.Minute, -time.Hour, false},
		{-1, 0, true},
		{-1, -time.Hour, true},
	} {
		if got := (history.Policy{Grace: tt.wait, Deleted: -1}).GraceOver(now, now.Add(-tt.age)); got != tt.want {
			t.Errorf("grace %v after %v: got %v", tt.wait, tt.age, got)
		}
	}
	week := 7 * 24 * time.Hour
	if p := (history.Policy{}); p.DeletedOver(now, now.Add(-week)) || !p.DeletedOver(now, now.Add(-week-1)) {
		t.Error("a deleted world stays for another time than a week")
	}
}
