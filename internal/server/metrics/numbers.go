package metrics

import (
	"math"

	"github.com/cairnvoxel/cairn/internal/server/inbox"
	"github.com/cairnvoxel/cairn/server/stream"
	"github.com/cairnvoxel/cairn/tile"
	"github.com/prometheus/client_golang/prometheus"

	localstore "github.com/cairnvoxel/cairn/store/local"
)

// numbers shows numbers of what ask returns each time somebody asks for the metrics. After an
// error they are absent.
type numbers[T any] struct {
	ask func() (T, error)
	all []number[T]
}

// number is a metric that is a number of a T. It is absent while it is NaN.
type number[T any] struct {
	desc   *prometheus.Desc
	kind   prometheus.ValueType
	of     func(T) float64
	labels []string // values
}

const (
	gauge   = prometheus.GaugeValue
	counter = prometheus.CounterValue
)

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("cairn_"+name, help, labels, nil)
}

func (m numbers[T]) Describe(to chan<- *prometheus.Desc) {
	for _, n := range m.all {
		to <- n.desc
	}
}

func (m numbers[T]) Collect(to chan<- prometheus.Metric) {
	of, err := m.ask()
	if err != nil {
		return
	}
	for _, n := range m.all {
		if v := n.of(of); !math.IsNaN(v) {
			to <- prometheus.MustNewConstMetric(n.desc, n.kind, v, n.labels...)
		}
	}
}

// oneIf is a truth as a metric.
func oneIf(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// collected is a number that a store knows once it has collected.
func collected(of func(localstore.Stats) int64) func(localstore.Stats) float64 {
	return func(s localstore.Stats) float64 {
		if s.Collected.IsZero() {
			return math.NaN()
		}
		return float64(of(s))
	}
}

var (
	serverNumbers = []number[Watched]{
		{describe("requests_in_flight", "Calls in progress."), gauge, func(s Watched) float64 { return float64(s.InFlight()) }, nil},
		{describe("ready", "1 if the server can answer, 0 if it ends or its store is away."), gauge, func(s Watched) float64 {
			if s.Ready == nil {
				return math.NaN()
			}
			return oneIf(s.Ready())
		}, nil},
	}
	streamNumbers = []number[stream.Stats]{
		{describe("stream_viewers", "Viewers that look at worlds."), gauge, func(s stream.Stats) float64 { return float64(s.Viewers) }, nil},
		{describe("stream_cubes_total", "Cubes that viewers were sent whole."), counter, func(s stream.Stats) float64 { return float64(s.Cubes) }, nil},
		{describe("stream_edits_total", "Cubes of which viewers were sent what changed."), counter, func(s stream.Stats) float64 { return float64(s.Edits) }, nil},
		{describe("stream_sent_bytes_total", "Bytes that viewers were sent."), counter, func(s stream.Stats) float64 { return float64(s.Bytes) }, nil},
		{describe("stream_cut_total", "Viewers that were cut off because they did not read."), counter, func(s stream.Stats) float64 { return float64(s.Cut) }, nil},
	}
	pageNumbers = []number[tile.Stats]{
		{describe("page_requests_total", "Requests of decoded pages."), counter, func(s tile.Stats) float64 { return float64(s.Requests) }, nil},
		{describe("page_hits_total", "Requests of decoded pages that found the page."), counter, func(s tile.Stats) float64 { return float64(s.Hits) }, nil},
		{describe("page_waits_total", "Requests that waited for the page of another request."), counter, func(s tile.Stats) float64 { return float64(s.Waits) }, nil},
		{describe("page_decoded_bytes_total", "Bytes of pages that were decoded."), counter, func(s tile.Stats) float64 { return float64(s.UniqueBytes + s.AgainBytes) }, nil},
		{describe("page_decoded_again_bytes_total", "Bytes of pages that were decoded again."), counter, func(s tile.Stats) float64 { return float64(s.AgainBytes) }, nil},
		{describe("page_bytes", "Bytes of decoded pages in memory."), gauge, func(s tile.Stats) float64 { return float64(s.Bytes) }, nil},
	}
	inboxNumbers = []number[inbox.Stats]{
		{describe("inbox_worlds", "Worlds for which something was saved of which no version is made yet."), gauge, func(s inbox.Stats) float64 { return float64(s.Waiting) }, nil},
		{describe("inbox_kept_worlds", "Of these, those of which no version can be made: the log says why."), gauge, func(s inbox.Stats) float64 { return float64(s.Kept) }, nil},
		{describe("inbox_oldest_seconds", "How long the oldest waits of what a version is due."), gauge, func(s inbox.Stats) float64 { return s.Oldest.Seconds() }, nil},
		{describe("inbox_saves_total", "What was saved into inboxes."), counter, func(s inbox.Stats) float64 { return float64(s.Saves) }, nil},
		{describe("inbox_versions_total", "Versions that were made of what waited."), counter, func(s inbox.Stats) float64 { return float64(s.Made) }, nil},
		{describe("inbox_failures_total", "Tries to make a version that failed because of what was saved."), counter, func(s inbox.Stats) float64 { return float64(s.Failed) }, nil},
	}
	storeNumbers = []number[localstore.Stats]{
		{describe("worlds", "Worlds in the store, as of a minute ago."), gauge, func(s localstore.Stats) float64 { return float64(s.Worlds) }, nil},
		{describe("store_disk_bytes", "Bytes of the store on the disk, as du says."), gauge, func(s localstore.Stats) float64 { return float64(s.DiskBytes) }, nil},
		{describe("store_free_bytes", "Bytes that are free on the disk of the store."), gauge, func(s localstore.Stats) float64 { return float64(s.FreeBytes) }, nil},
		{describe("store_reserved_bytes", "Bytes on the disk that logs have for what is saved next."), gauge, func(s localstore.Stats) float64 { return float64(s.ReservedBytes) }, nil},
		{describe("store_dead_bytes", "Bytes on the disk that the database has not freed yet."), gauge, func(s localstore.Stats) float64 { return float64(s.DeadBytes) }, nil},
		{describe("store_commits", "Commits in the store, at the last collection."), gauge, collected(func(s localstore.Stats) int64 { return int64(s.Commits) }), nil},
		{describe("store_packs", "Packs in the store, at the last collection."), gauge, collected(func(s localstore.Stats) int64 { return int64(s.Packs) }), nil},
		{describe("store_stones", "Stones that are needed, at the last collection."), gauge, collected(func(s localstore.Stats) int64 { return int64(s.Stones) }), nil},
		{describe("store_stone_bytes", "Bytes of the stones that are needed, at the last collection."), gauge, collected(func(s localstore.Stats) int64 { return s.StoneBytes }), nil},
		{describe("garbage_condemned_bytes", "Bytes of the stones whose grace had not ended at the last collection."), gauge, collected(func(s localstore.Stats) int64 { return s.CondemnedBytes }), nil},
	}
)
