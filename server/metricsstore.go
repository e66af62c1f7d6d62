package server

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	localstore "github.com/cairnvoxel/cairn/store/local"
)

// Watch reads a Server, and its Store if that knows such things, whenever the
// metrics are looked at. It is called once.
func (m *Metrics) Watch(s *Server) {
	m.all.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "cairn_requests_in_flight", Help: "Calls under way.",
	}, func() float64 { return float64(s.calls.Load()) }))
	if st, ok := s.st.(counted); ok {
		m.all.MustRegister(storeMetrics{st})
	}
}

// counted is a Store that can say what it holds.
type counted interface {
	Stats(context.Context) (localstore.Stats, error)
}

// storeMetrics asks a Store whenever the metrics are looked at.
type storeMetrics struct{ st counted }

// storeMetric is a number that a Store knows.
type storeMetric struct {
	desc    *prometheus.Desc
	of      func(*localstore.Stats) float64
	collect bool // it is as of the last collection
}

func describe(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("cairn_"+name, help, nil, nil)
}

func storeNumbers() []storeMetric {
	return []storeMetric{
		{describe("worlds", "Worlds in the store, as of a minute ago."), func(s *localstore.Stats) float64 { return float64(s.Worlds) }, false},
		{describe("store_disk_bytes", "Bytes of the store on the disk."), func(s *localstore.Stats) float64 { return float64(s.DiskBytes) }, false},
		{describe("store_dead_bytes", "Bytes on the disk that the database has not let go of yet."), func(s *localstore.Stats) float64 { return float64(s.DeadBytes) }, false},
		{describe("store_commits", "Commits in the store, at the last collection."), func(s *localstore.Stats) float64 { return float64(s.Commits) }, true},
		{describe("store_packs", "Packs in the store, at the last collection."), func(s *localstore.Stats) float64 { return float64(s.Packs) }, true},
		{describe("store_stones", "Stones that are needed, at the last collection."), func(s *localstore.Stats) float64 { return float64(s.Stones) }, true},
		{describe("store_stone_bytes", "Bytes of the stones that are needed, at the last collection."), func(s *localstore.Stats) float64 { return float64(s.StoneBytes) }, true},
		{describe("garbage_condemned_bytes", "Bytes of the stones that waited for their grace to end, at the last collection."), func(s *localstore.Stats) float64 { return float64(s.CondemnedBytes) }, true},
	}
}

// Describe is for prometheus.Collector.
func (storeMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, n := range storeNumbers() {
		to <- n.desc
	}
}

// Collect is for prometheus.Collector.
func (m storeMetrics) Collect(to chan<- prometheus.Metric) {
	stats, err := m.st.Stats(context.Background())
	if err != nil {
		return // a Store that stopped: what is missing says so
	}
	for _, n := range storeNumbers() {
		if !n.collect || !stats.Collected.IsZero() {
			to <- prometheus.MustNewConstMetric(n.desc, prometheus.GaugeValue, n.of(&stats))
		}
	}
}
