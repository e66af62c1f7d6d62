package metrics_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/server/metrics"
	"github.com/cairnvoxel/cairn/server/stream"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/tile"
)

// many is a Store of many worlds: of ten, nine have 1,000 bytes and one has 100,000. One
// has just been deleted.
type many struct {
	history.Store
	worlds int
	asked  atomic.Int64
	err    error
}

func (m *many) List(_ context.Context, _, after string, n int) (out []string, err error) {
	i := 0
	if after != "" {
		if _, err := fmt.Sscanf(after, "w%06d", &i); err != nil {
			return nil, err
		}
		i++
	}
	for ; i < m.worlds && len(out) < n; i++ {
		out = append(out, fmt.Sprintf("w%06d", i))
	}
	return out, m.err
}

func (m *many) Fetch(_ context.Context, name string, _ history.ID, _ int64) (f history.Fetched, err error) {
	m.asked.Add(1)
	var i int
	if _, err := fmt.Sscanf(name, "w%06d", &i); err != nil {
		return f, err
	}
	size := int64(1000)
	switch i % 10 {
	case 3:
		size = 100_000
	case 4:
		if i == 4 {
			return f, fmt.Errorf("many: %s: %w", name, history.ErrNoWorld)
		}
	}
	f.Layers = []history.Layer{{Stone: history.StoneRef{Size: size / 2}}, {Stone: history.StoneRef{Size: size - size/2}}}
	return f, nil
}

// samples returns the values of the metrics.
func samples(t *testing.T, m *metrics.Metrics) map[string]float64 {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	out := map[string]float64{}
	for line := range strings.Lines(w.Body.String()) {
		if i := strings.LastIndexByte(line, ' '); i > 0 && line[0] != '#' {
			var v float64
			if _, err := fmt.Sscan(line[i:], &v); err != nil {
				t.Fatal(err)
			}
			out[line[:i]] = v
		}
	}
	return out
}

func watch(st history.Store) *metrics.Metrics {
	m := metrics.New()
	now := time.Unix(1e9, 0)
	m.Watch(metrics.Watched{Store: st, Now: func() time.Time { return now }, InFlight: func() int64 { return 0 }, Pages: func() tile.Stats { return tile.Stats{} },
		Streams: func() (stream.Stats, int) { return stream.Stats{}, 0 }})
	return m
}

// Few worlds are all looked at, of many some; the sum stands for all.
func TestWorldBytes(t *testing.T) {
	for _, tt := range []struct {
		worlds, asked int
		exact         bool
	}{{0, 0, true}, {10, 10, true}, {100, 100, true}, {4999, 100, false}, {5000, 100, false}, {12_345, 300, false}} {
		t.Run(fmt.Sprint(tt.worlds), func(t *testing.T) {
			st := &many{Store: memory.New(memory.Options{}), worlds: tt.worlds}
			m := watch(st)
			got := samples(t, m)
			if again := samples(t, m); again["cairn_world_bytes_sum"] != got["cairn_world_bytes_sum"] {
				t.Error("a second walk within a minute")
			}
			if n := st.asked.Load(); n != int64(tt.asked) {
				t.Errorf("asked for %d sizes, want %d", n, tt.asked)
			}
			n := float64(tt.worlds)
			if got["cairn_worlds"] != n || got["cairn_world_bytes_count"] != n {
				t.Errorf("%v worlds, %v by size; want %v", got["cairn_worlds"], got["cairn_world_bytes_count"], n)
			}
			small, sum := got[`cairn_world_bytes_bucket{le="1024"}`], got["cairn_world_bytes_sum"]
			if tt.exact && tt.worlds > 0 {
				// The deleted world counts like the others of its page.
				share := n / (n - 1)
				if want := 1000*share*(0.9*n-1) + 100_000*share*0.1*n; sum < want-1 || sum > want+1 {
					t.Errorf("%v bytes, want %v", sum, want)
				}
			}
			if small < 0.6*n || small > n || got[`cairn_world_bytes_bucket{le="262144"}`] != n {
				t.Errorf("%v of %v worlds are small", small, n)
			}
		})
	}
}

// While the store is away its worlds are absent, and nothing else.
func TestWorldBytesAway(t *testing.T) {
	got := samples(t, watch(&many{Store: memory.New(memory.Options{}), worlds: 10, err: history.ErrAway}))
	for name := range got {
		if strings.HasPrefix(name, "cairn_world_bytes") || name == "cairn_worlds" {
			t.Errorf("%s without a store", name)
		}
	}
	if _, ok := got["cairn_requests_in_flight"]; !ok {
		t.Error("the other metrics are gone")
	}
}
