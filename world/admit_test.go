package world_test

import (
	"crypto/sha256"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/world"
)

func dataOf(text string) (world.Stone, world.StoneRef) {
	s := world.Stone{ID: sha256.Sum256([]byte(text)), Data: []byte(text)}
	return s, world.StoneRef{ID: s.ID, Size: int64(len(text))}
}

func TestCommitAdmit(t *testing.T) {
	one, refOne := dataOf("one")
	two, refTwo := dataOf("two")
	long := refOne
	long.Size++
	for _, tt := range []struct {
		name   string
		named  []world.StoneRef
		given  []world.Stone
		parent world.ID
		want   []world.StoneRef
		ok     bool
	}{
		{"nothing", nil, nil, world.ID{}, nil, true},
		{"all given", []world.StoneRef{refOne, refTwo}, []world.Stone{two, one}, world.ID{}, nil, true},
		{"one reached", []world.StoneRef{refOne, refTwo}, []world.Stone{two}, world.ID{}, []world.StoneRef{refOne}, true},
		{"named twice", []world.StoneRef{refOne, refOne}, []world.Stone{one}, world.ID{}, nil, true},
		{"given twice", []world.StoneRef{refOne}, []world.Stone{one, one}, world.ID{}, nil, true},
		{"another parent", nil, nil, world.ID{1}, nil, false},
		{"another size", []world.StoneRef{long}, []world.Stone{one}, world.ID{}, nil, false},
		{"not named", []world.StoneRef{refOne, refOne}, []world.Stone{one, two}, world.ID{}, nil, false},
		{"other bytes", []world.StoneRef{refOne}, []world.Stone{{ID: one.ID, Data: two.Data}}, world.ID{}, nil, false},
	} {
		got, err := world.Commit{Parent: tt.parent, Stones: tt.named}.Admit(world.Head{}, tt.given)
		if tt.ok != (err == nil) || !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, %v, want %v, ok %v", tt.name, got, err, tt.want, tt.ok)
		}
	}
}

func TestCommitComplete(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 1_999_999, time.FixedZone("", 3600))
	first := world.Commit{Number: 9}.Complete(world.Commit{}, now)
	if want := now.UTC().Truncate(time.Millisecond); first.Number != 1 || first.Time != want {
		t.Errorf("got %d at %v, want 1 at %v", first.Number, first.Time, want)
	}
	if next := (world.Commit{}).Complete(first, now.Add(-time.Hour)); next.Number != 2 || next.Time != first.Time {
		t.Errorf("got %d at %v, want 2 at %v", next.Number, next.Time, first.Time)
	}
	old := time.Date(1960, 1, 1, 0, 0, 0, 0, time.UTC)
	if c := (world.Commit{}).Complete(world.Commit{}, old); c.Time != old {
		t.Errorf("got %v, want %v", c.Time, old)
	}
}

func TestPackAdmit(t *testing.T) {
	one, ref := dataOf("one")
	two, _ := dataOf("two")
	a, b := world.ID{1}, world.ID{2}
	for _, tt := range []struct {
		name string
		pack world.Pack
		give world.Stone
		ok   bool
	}{
		{"partial", world.Pack{After: a, Upto: b, Stone: ref}, one, true},
		{"full", world.Pack{Upto: b, Stone: ref}, one, true},
		{"of nothing", world.Pack{After: b, Upto: b, Stone: ref}, one, false},
		{"another stone", world.Pack{Upto: b, Stone: ref}, two, false},
		{"other bytes", world.Pack{Upto: b, Stone: ref}, world.Stone{ID: one.ID, Data: two.Data}, false},
	} {
		if err := tt.pack.Admit(tt.give); tt.ok != (err == nil) {
			t.Errorf("%s: got %v, want ok %v", tt.name, err, tt.ok)
		}
	}
	if err := (world.Pack{Stone: ref}).Admit(one); !errors.Is(err, world.ErrNoCommit) {
		t.Errorf("upto nothing: got %v, want %v", err, world.ErrNoCommit)
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
		if got := (world.Policy{Grace: tt.wait, Deleted: -1}).GraceOver(now, now.Add(-tt.age)); got != tt.want {
			t.Errorf("grace %v after %v: got %v", tt.wait, tt.age, got)
		}
	}
	week := 7 * 24 * time.Hour
	if p := (world.Policy{}); p.DeletedOver(now, now.Add(-week)) || !p.DeletedOver(now, now.Add(-week-1)) {
		t.Error("a deleted world stays for another time than a week")
	}
}
