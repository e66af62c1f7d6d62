package rules_test

import (
	"crypto/sha256"
	"slices"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/rules"
	"github.com/cairnvoxel/cairn/store/history"
)

// TestLive asks which leases are live. One that was taken while a clock was wrong is not.
func TestLive(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		until time.Duration
		want  bool
	}{{-time.Second, false}, {0, false}, {time.Second, true}, {24 * time.Hour, true}, {24*time.Hour + 30*time.Minute, true}, {26 * time.Hour, false}, {4 * 365 * 24 * time.Hour, false}} {
		if got := rules.Live(history.Lease{Fence: 1, Until: now.Add(tt.until)}, now); got != tt.want {
			t.Errorf("until %v from now: got %v", tt.until, got)
		}
	}
	if rules.Live(history.Lease{}, now) {
		t.Error("no lease is live")
	}
}

func dataOf(text string) (history.Stone, history.StoneRef) {
	s := history.Stone{ID: sha256.Sum256([]byte(text)), Data: []byte(text)}
	return s, history.StoneRef{ID: s.ID, Size: int64(len(text))}
}

func TestCommitAdmit(t *testing.T) {
	one, refOne := dataOf("one")
	two, refTwo := dataOf("two")
	long := refOne
	long.Size++
	for _, tt := range []struct {
		name   string
		named  []history.StoneRef
		given  []history.Stone
		parent history.ID
		want   []history.StoneRef
		ok     bool
	}{
		{"nothing", nil, nil, history.ID{}, nil, true},
		{"all given", []history.StoneRef{refOne, refTwo}, []history.Stone{two, one}, history.ID{}, nil, true},
		{"one reached", []history.StoneRef{refOne, refTwo}, []history.Stone{two}, history.ID{}, []history.StoneRef{refOne}, true},
		{"named twice", []history.StoneRef{refOne, refOne}, []history.Stone{one}, history.ID{}, nil, true},
		{"given twice", []history.StoneRef{refOne}, []history.Stone{one, one}, history.ID{}, nil, true},
		{"another parent", nil, nil, history.ID{1}, nil, false},
		{"another size", []history.StoneRef{long}, []history.Stone{one}, history.ID{}, nil, false},
		{"not named", []history.StoneRef{refOne, refOne}, []history.Stone{one, two}, history.ID{}, nil, false},
		{"other bytes", []history.StoneRef{refOne}, []history.Stone{{ID: one.ID, Data: two.Data}}, history.ID{}, nil, false},
	} {
		got, err := rules.Admit(history.Commit{Parent: tt.parent, Stones: tt.named}, history.Head{}, tt.given)
		if tt.ok != (err == nil) || !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, %v, want %v, ok %v", tt.name, got, err, tt.want, tt.ok)
		}
	}
}
