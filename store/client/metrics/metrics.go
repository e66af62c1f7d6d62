// Package metrics counts the loads of a program that opens worlds, in Prometheus'
// formats. Begin with New.
package metrics

import (
	"time"

	"github.com/cairnvoxel/cairn/store/history"
	"github.com/prometheus/client_golang/prometheus"
)

// Loads is a history.Steps with Prometheus metrics, for world.Options.Steps. Register it
// with a prometheus.Registerer. One is enough for all worlds of a program; any number of
// goroutines may use it.
//
//   - cairn_client_load_seconds: how long it took to open worlds with
//     world.Options.Whole, from the call to blocks that are ready.
//   - cairn_client_load_step_seconds: how long each step of a load took, by step: call,
//     fetch, open, decode, ready. They are the fields of history.LoadSteps.
//
// No metric has the name of a world.
type Loads struct {
	whole prometheus.Histogram
	steps *prometheus.HistogramVec
}

// bounds are the bounds of the histograms of seconds, of clients as of servers: from a
// tenth of a millisecond, a step of a load, to half a minute, a store that is away.
func bounds() []float64 {
	return []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 15, 30}
}

// New returns Loads that are all zero.
func New() *Loads {
	return &Loads{
		whole: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "cairn_client_load_seconds",
			Help: "How long opening a whole world took, from the call to blocks that are ready.", Buckets: bounds()}),
		steps: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "cairn_client_load_step_seconds",
			Help: "How long each step of a load took.", Buckets: bounds()}, []string{"step"}),
	}
}

// Describe is for prometheus.Collector.
func (l *Loads) Describe(to chan<- *prometheus.Desc) {
	l.whole.Describe(to)
	l.steps.Describe(to)
}

// Collect is for prometheus.Collector.
func (l *Loads) Collect(to chan<- prometheus.Metric) {
	l.whole.Collect(to)
	l.steps.Collect(to)
}

// Now is for history.Steps.
func (l *Loads) Now() time.Time { return time.Now() }

// Loaded is for history.Steps.
func (l *Loads) Loaded(_ string, t history.LoadSteps) {
	for _, s := range []struct {
		name string
		took time.Duration
	}{{"call", t.Call}, {"fetch", t.Fetch}, {"open", t.Open}, {"decode", t.Decode}, {"ready", t.Ready}} {
		if s.took > 0 {
			l.steps.WithLabelValues(s.name).Observe(s.took.Seconds())
		}
	}
	if t.Open > 0 && t.Decode > 0 {
		l.whole.Observe(t.Whole().Seconds())
	}
}
