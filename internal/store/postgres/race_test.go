package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/cairnvoxel/cairn/internal/store/inmemory"
	"github.com/cairnvoxel/cairn/internal/store/postgres"
	"github.com/cairnvoxel/cairn/store/history"
)

func records(pairs ...string) (out []history.Record) {
	for i := 0; i < len(pairs); i += 2 {
		r := history.Record{Key: pairs[i]}
		if pairs[i+1] != "" {
			r.Value = []byte(pairs[i+1])
		}
		out = append(out, r)
	}
	return out
}

// TestPartsRaces has 16 writers on two Catalogues make Swaps of which one can
// succeed.
func TestPartsRaces(t *testing.T) {
	url := schema(t)
	both := []*postgres.Database{open(t, url, postgres.Options{}), open(t, url, postgres.Options{})}
	ctx := t.Context()
	for _, tt := range []struct {
		name                string
		rounds              int
		first               []history.Record
		conditions, changes func(i int) []history.Record
	}{
		{
			"change", 100, records("a", "0"),
			func(int) []history.Record { return records("a", "0") },
			func(i int) []history.Record { return records("a", fmt.Sprint("w", i)) },
		},
		{
			"make", 100, nil,
			func(int) []history.Record { return records("a", "") },
			func(i int) []history.Record { return records("a", fmt.Sprint("w", i)) },
		},
		{
			"delete", 50, records("a", "0", "e", "1"),
			func(int) []history.Record { return records("a", "0", "e", "1") },
			func(i int) []history.Record { return records("a", "", fmt.Sprint("b", i), "1") },
		},
		{ // each of them needs what all others change
			"others unchanged", 20, records("w0", "0", "w1", "0", "w2", "0"),
			func(int) []history.Record { return records("w0", "0", "w1", "0", "w2", "0") },
			func(i int) []history.Record { return records(fmt.Sprint("w", i%3), fmt.Sprint("by", i)) },
		},
		{
			"others absent", 20, nil,
			func(int) []history.Record { return records("w0", "", "w1", "", "w2", "") },
			func(i int) []history.Record { return records(fmt.Sprint("w", i%3), fmt.Sprint("by", i)) },
		},
		{
			"absent key set without a condition", 20, records("e", "1"),
			func(i int) []history.Record { return records("free", "", "e", "1") },
			func(i int) []history.Record { return records("e", fmt.Sprint("by", i)) },
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for round := range tt.rounds {
				old, err := both[0].Scan(ctx, "", "\xff", 1000, false)
				if err != nil {
					t.Fatal(err)
				}
				for i := range old {
					old[i].Value = nil
				}
				if err := both[0].Swap(ctx, nil, append(old, tt.first...)); err != nil {
					t.Fatal(err)
				}
				var won atomic.Int64
				var wg sync.WaitGroup
				for i := range 16 {
					wg.Go(func() {
						err := both[i%2].Swap(ctx, tt.conditions(i), tt.changes(i))
						if err == nil {
							won.Add(1)
						} else if !errors.Is(err, history.ErrChanged) || errors.Is(err, history.ErrAway) {
							t.Error(err)
						}
					})
				}
				wg.Wait()
				if won.Load() != 1 {
					t.Fatalf("round %d: got %d winners, want 1", round, won.Load())
				}
			}
		})
	}
}

// work is one call of the test of concurrent calls.
type work struct {
	conditions, changes []history.Record // of a Swap; none for a Get of all keys
}

// model is a inmemory.Catalogue, step by step.
var model = porcupine.Model{
	Init: func() any { return map[string]string{} },
	Step: func(state, in, out any) (bool, any) {
		w, twin := in.(work), inmemory.NewCatalogue()
		ctx := context.Background()
		var had []history.Record
		for k, v := range state.(map[string]string) {
			had = append(had, history.Record{Key: k, Value: []byte(v)})
		}
		if err := twin.Swap(ctx, nil, had); err != nil {
			return false, state
		}
		if w.changes == nil {
			values, err := twin.Get(ctx, workKeys...)
			return err == nil && reflect.DeepEqual(values, out), state
		}
		changed := errors.Is(twin.Swap(ctx, w.conditions, w.changes), history.ErrChanged)
		all, err := twin.Scan(ctx, "", "\xff", 100, false)
		next := map[string]string{}
		for _, r := range all {
			next[r.Key] = string(r.Value)
		}
		return err == nil && changed == out, next
	},
	Equal: func(a, b any) bool { return reflect.DeepEqual(a, b) },
}

// oneByOne reads values of one moment.
func oneByOne(ctx context.Context, c history.Catalogue, keys []string) (out [][]byte, err error) {
	snap, release, err := c.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	for _, key := range keys {
		v, err := snap.Get(ctx, key)
		if err != nil {
			return nil, err
		}
		out = append(out, v...)
	}
	return out, nil
}

var workKeys = []string{"a", "b", "c", "d", "e"}

// TestPartsTwin makes random calls from several goroutines, and looks for an order in
// which inmemory.Catalogue gives the same answers.
func TestPartsTwin(t *testing.T) {
	url := schema(t)
	both := []*postgres.Database{open(t, url, postgres.Options{Timeout: time.Minute}), open(t, url, postgres.Options{Timeout: time.Minute})}
	ctx := t.Context()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	var mu sync.Mutex
	var calls []porcupine.Operation
	var swapped, lost int
	var wg sync.WaitGroup
	begun := time.Now()
	for i := range 6 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(i)))
			c := both[i%2]
			for n := range 60 {
				note := func(in work, at time.Duration, out any) {
					mu.Lock()
					defer mu.Unlock()
					calls = append(calls, porcupine.Operation{ClientId: i, Input: in, Call: int64(at), Output: out, Return: int64(time.Since(begun))})
				}
				at := time.Since(begun)
				get := c.Get
				if n%3 == 0 {
					get = func(ctx context.Context, keys ...string) ([][]byte, error) { return oneByOne(ctx, c, keys) }
				}
				values, err := get(ctx, workKeys...)
				if err != nil {
					t.Error(err)
					return
				}
				note(work{}, at, values)
				var w work
				for k, key := range workKeys {
					if rng.IntN(2) == 0 {
						w.conditions = append(w.conditions, history.Record{Key: key, Value: values[k]})
					}
					switch rng.IntN(5) {
					case 0:
						w.changes = append(w.changes, history.Record{Key: key})
					case 1:
						w.changes = append(w.changes, history.Record{Key: key, Value: fmt.Append(nil, i, ".", n)})
					}
				}
				if w.changes == nil {
					continue
				}
				at = time.Since(begun)
				err = c.Swap(ctx, w.conditions, w.changes)
				if err != nil && !errors.Is(err, history.ErrChanged) {
					t.Error(err)
					return
				}
				note(w, at, err != nil)
				mu.Lock()
				if err == nil {
					swapped++
				} else {
					lost++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	t.Logf("%d swaps, %d lost", swapped, lost)
	if swapped == 0 || lost == 0 {
		t.Error("no races")
	}
	if got := porcupine.CheckOperationsTimeout(model, calls, time.Minute); got != porcupine.Ok {
		t.Errorf("the answers fit no order: %v", got)
	}
}
