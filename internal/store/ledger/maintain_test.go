package ledger_test

import (
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/inmemory"
)

// laid is when a mark was put.
type laid struct {
	number uint64
	at     time.Time
}

// TestBusy writes so much that checkpoints come every few minutes, much more often than
// the grace. All that is old goes, and nothing goes too early.
func TestBusy(t *testing.T) {
	const minutes, a = 10 * 60, 2 // entries a minute
	for _, tt := range []struct {
		name  string
		owns  bool // the author deletes; otherwise only a process that does not write
		again int  // minutes after which who deletes begins anew; 0 for never
		grace time.Duration
		most  int // minutes for which an entry may stay
	}{
		{"own", true, 0, time.Hour, 2*60 + 15},
		{"foreign", false, 0, 2 * time.Hour, 4*60 + 15},
		{"foreign after restarts", false, 150, 2 * time.Hour, 150 + 2*60 + 15},
	} {
		t.Run(tt.name, func(t *testing.T) {
			clock := newClock()
			var mu sync.Mutex
			var marks []laid
			checkpoints := 0
			// known reports whether a mark at an entry or behind it is old enough.
			known := func(n uint64) bool {
				for _, m := range marks {
					if m.number >= n && clock.now().Sub(m.at) >= tt.grace {
						return true
					}
				}
				return false
			}
			h := &hooked{Bucket: inmemory.NewBucket(), hook: func(op, key string) (bool, error) {
				mu.Lock()
				defer mu.Unlock()
				kind, rest, _ := strings.Cut(strings.TrimPrefix(key, quick.Prefix), "/")
				if op != "delete" && (op != "put" || kind != "mark") {
					return false, nil
				}
				digits, _, _ := strings.Cut(rest, "-")
				n, err := strconv.ParseUint(digits, 10, 63)
				if err != nil {
					t.Error(err)
				}
				switch {
				case op == "put":
					marks = append(marks, laid{n, clock.now()})
					checkpoints++
				case kind == "log" && !known(n), kind != "log" && !known(n+1):
					t.Errorf("%s is deleted too early", key)
				}
				return false, nil
			}}
			o := quick
			o.Now = clock.now
			author := open(t, h, o)
			maintainer := author
			if !tt.owns {
				maintainer = open(t, h, o)
			}
			for i := range minutes {
				for k := range a {
					if err := author.Swap(t.Context(), number(i*a+k), number(i*a+k+1)); err != nil {
						t.Fatal(err)
					}
				}
				author.Quiet()
				clock.add(time.Minute)
				if tt.again > 0 && i%tt.again == tt.again-1 {
					maintainer = open(t, h, o)
				}
				if err := maintainer.Maintain(t.Context()); err != nil {
					t.Fatal(err)
				}
				// The checkpoints that are kept are no more than the entries ask for.
				have := keys(t, h.Bucket)
				if kept := have["log"]; kept > a*tt.most || have["mark"] > kept/10+2 || have["part"] > have["mark"] {
					t.Fatalf("after %d minutes the bucket has %v", i, have)
				}
			}
			if t.Logf("%d checkpoints, left %v", checkpoints, keys(t, h.Bucket)); checkpoints < minutes/10 {
				t.Errorf("only %d checkpoints", checkpoints)
			}
			if got := all(t, open(t, h, o)); !same(got, number(a*minutes)) {
				t.Errorf("got %q", got)
			}
		})
	}
}
