package metrics

import (
	"context"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/ledger"
	"github.com/cairnvoxel/cairn/internal/store/metered"
	"github.com/cairnvoxel/cairn/internal/store/postgres"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/prometheus/client_golang/prometheus"
)

// Clustered is a Store of two halves that other servers keep.
type Clustered interface {
	Calls() *metered.Calls        // the counts of the calls to the halves
	Catalogue() history.Catalogue // may know more of itself, such as its replicas
}

// callMetrics shows the calls to the halves of a Store, and to the bucket of its
// backups. Either may be nil.
type callMetrics struct{ store, backups *metered.Calls }

var (
	halfLabels  = []string{"half", "operation"}
	callsDesc   = prometheus.NewDesc("cairn_store_calls_total", "Calls to the catalogue, the bucket, and the bucket of backups, by operation and result.", []string{"half", "operation", "result"}, nil)
	secondsDesc = prometheus.NewDesc("cairn_store_call_seconds", "How long calls to the catalogue and the buckets took.", halfLabels, nil)
	bytesDesc   = prometheus.NewDesc("cairn_bucket_bytes_total", "Bytes that were put into buckets and got from them.", halfLabels, nil)
)

func (callMetrics) Describe(to chan<- *prometheus.Desc) {
	to <- callsDesc
	to <- secondsDesc
	to <- bytesDesc
}

func (m callMetrics) Collect(to chan<- prometheus.Metric) {
	if m.store != nil {
		for _, c := range m.store.All() {
			show(to, c)
		}
	}
	if m.backups != nil {
		for _, c := range m.backups.All() {
			if c.Half == metered.Bucket {
				c.Half = "backup"
				show(to, c)
			}
		}
	}
}

func show(to chan<- prometheus.Metric, c metered.Counts) {
	for result, n := range c.Results {
		to <- prometheus.MustNewConstMetric(callsDesc, prometheus.CounterValue, float64(n), c.Half, c.Operation, metered.ResultNames[result])
	}
	bounds, sum := make(map[float64]uint64, len(metered.Bounds)), uint64(0)
	for i, n := range c.Times {
		if sum += n; i < len(metered.Bounds) {
			bounds[metered.Bounds[i].Seconds()] = sum
		}
	}
	to <- prometheus.MustNewConstHistogram(secondsDesc, sum, c.Took.Seconds(), bounds, c.Half, c.Operation)
	if c.Half != metered.Catalogue && (c.Operation == "put" || c.Operation == "get") {
		to <- prometheus.MustNewConstMetric(bytesDesc, prometheus.CounterValue, float64(c.Bytes), c.Half, c.Operation)
	}
}

// asked keeps what was asked of a server for a while, so that scrapes cost little.
type asked[T any] struct {
	ask func(context.Context) (T, error)

	mu  sync.Mutex // guards what follows; held while asking
	at  time.Time
	got T
	err error
}

// What asking costs at most.
const (
	askEvery = 10 * time.Second
	askTime  = time.Second
)

func (a *asked[T]) get(now time.Time) (T, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.at.IsZero() || now.Sub(a.at) >= askEvery {
		ctx, cancel := context.WithTimeout(context.Background(), askTime)
		defer cancel()
		a.got, a.err = a.ask(ctx)
		a.at = now
	}
	return a.got, a.err
}

// sqlCatalogue is a catalogue in PostgreSQL.
type sqlCatalogue interface {
	Pool() postgres.Stats // without a call
	Stats(context.Context) (postgres.Stats, error)
}

// sqlMetrics shows the connections to PostgreSQL, and its replicas.
type sqlMetrics struct {
	asked[postgres.Stats]
	of sqlCatalogue
}

// number is a metric that is a number of a T.
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

func (n number[T]) show(to chan<- prometheus.Metric, of T) {
	to <- prometheus.MustNewConstMetric(n.desc, n.kind, n.of(of), n.labels...)
}

var (
	connections = []number[postgres.Stats]{
		{describe("catalogue_connections", "Open connections to the catalogue."), gauge, func(s postgres.Stats) float64 { return float64(s.Connections) }, nil},
		{describe("catalogue_connections_in_use", "Connections to the catalogue that a call uses."), gauge, func(s postgres.Stats) float64 { return float64(s.InUse) }, nil},
		{describe("catalogue_connections_limit", "How many connections to the catalogue there may be."), gauge, func(s postgres.Stats) float64 { return float64(s.Most) }, nil},
		{describe("catalogue_connection_waits_total", "How often a call waited for a connection."), counter, func(s postgres.Stats) float64 { return float64(s.Waits) }, nil},
		{describe("catalogue_connection_wait_seconds_total", "How long calls waited for connections."), counter, func(s postgres.Stats) float64 { return s.Waited.Seconds() }, nil},
	}
	synchronous = describe("catalogue_synchronous", "1 if an acknowledged change is on a replica too, else 0.")
	timeline    = describe("catalogue_timeline", "Timeline of the catalogue's primary, which each promotion raises; 0 if it is not known.")
	primaries   = describe("catalogue_primaries", "Hosts of the catalogue that take writes; 0 if there is only one host.")
	sqlAhead    = describe("catalogue_clock_ahead_seconds", "By how much the catalogue's clock is ahead of this server's.")
	lagBytes    = prometheus.NewDesc("cairn_replica_lag_bytes", "Bytes of the log of the catalogue that a replica has not applied.", []string{"replica"}, nil)
	lagSeconds  = prometheus.NewDesc("cairn_replica_lag_seconds", "How long it took until a change was applied by a replica of the catalogue.", []string{"replica"}, nil)
)

func (*sqlMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, c := range connections {
		to <- c.desc
	}
	for _, d := range []*prometheus.Desc{synchronous, timeline, primaries, sqlAhead, lagBytes, lagSeconds} {
		to <- d
	}
}

// Collect is for prometheus.Collector. While the catalogue is away it shows connections
// alone.
func (m *sqlMetrics) Collect(to chan<- prometheus.Metric) {
	pool := m.of.Pool()
	for _, c := range connections {
		c.show(to, pool)
	}
	s, err := m.get(time.Now())
	if err != nil {
		return
	}
	is := 0.0
	if s.Synchronous {
		is = 1
	}
	to <- prometheus.MustNewConstMetric(synchronous, prometheus.GaugeValue, is)
	to <- prometheus.MustNewConstMetric(timeline, prometheus.GaugeValue, float64(s.Timeline))
	to <- prometheus.MustNewConstMetric(primaries, prometheus.GaugeValue, float64(s.Primaries))
	to <- prometheus.MustNewConstMetric(sqlAhead, prometheus.GaugeValue, s.Ahead.Seconds())
	worst := make(map[string]postgres.Replica) // several may have one name
	for _, r := range s.Replicas {
		w := worst[r.Name]
		worst[r.Name] = postgres.Replica{Lag: max(w.Lag, r.Lag), LagBytes: max(w.LagBytes, r.LagBytes)}
	}
	for name, r := range worst {
		to <- prometheus.MustNewConstMetric(lagBytes, prometheus.GaugeValue, float64(r.LagBytes), name)
		to <- prometheus.MustNewConstMetric(lagSeconds, prometheus.GaugeValue, r.Lag.Seconds(), name)
	}
}

// ledgerMetrics shows a catalogue in a bucket.
type ledgerMetrics struct{ of ledgerCatalogue }

type ledgerCatalogue interface{ Stats() ledger.Stats }

var (
	entriesDesc = prometheus.NewDesc("cairn_ledger_entries_total", "Entries of the ledger that were applied, by who wrote them: own, other.", []string{"by"}, nil)

	ledgerNumbers = []number[ledger.Stats]{
		{describe("ledger_entry", "Number of the last entry of the ledger that was applied."), gauge, func(s ledger.Stats) float64 { return float64(s.Entry) }, nil},
		{describe("ledger_log_bytes", "Bytes of the entries behind the newest checkpoint."), gauge, func(s ledger.Stats) float64 { return float64(s.LogBytes) }, nil},
		{describe("ledger_checkpoint_bytes", "Bytes of the newest checkpoint."), gauge, func(s ledger.Stats) float64 { return float64(s.CheckpointBytes) }, nil},
		{describe("ledger_checkpoint_timestamp_seconds", "When the newest checkpoint was taken; 0 for never."), gauge, func(s ledger.Stats) float64 {
			if s.CheckpointTime.IsZero() {
				return 0
			}
			return float64(s.CheckpointTime.UnixMilli()) / 1000
		}, nil},
		{describe("ledger_swaps_total", "Changes that this server asked of the ledger."), counter, func(s ledger.Stats) float64 { return float64(s.Swaps) }, nil},
		{describe("ledger_swaps_refused_total", "Of these changes, those whose conditions did not hold."), counter, func(s ledger.Stats) float64 { return float64(s.Changed) }, nil},
		{describe("ledger_swaps_unknown_total", "Of these changes, those whose outcome is not known, because the bucket was away."), counter, func(s ledger.Stats) float64 { return float64(s.Unknown) }, nil},
		{entriesDesc, counter, func(s ledger.Stats) float64 { return float64(s.Entries) }, []string{"own"}},
		{entriesDesc, counter, func(s ledger.Stats) float64 { return float64(s.Applied) }, []string{"other"}},
		{describe("ledger_races_total", "Entries whose number another server took."), counter, func(s ledger.Stats) float64 { return float64(s.Races) }, nil},
		{describe("ledger_probes_total", "Looks at the end of the log."), counter, func(s ledger.Stats) float64 { return float64(s.Probes) }, nil},
		{describe("ledger_checkpoints_total", "Checkpoints that this server wrote."), counter, func(s ledger.Stats) float64 { return float64(s.Checkpoints) }, nil},
		{describe("ledger_rebuilds_total", "How often the records were read from a checkpoint again."), counter, func(s ledger.Stats) float64 { return float64(s.Rebuilds) }, nil},
		{describe("ledger_troubles_total", "Checkpoints and deletions that failed."), counter, func(s ledger.Stats) float64 { return float64(s.Troubles) }, nil},
		{describe("ledger_holes", "Objects of the ledger that the bucket has lost and that nothing replaces yet."), gauge, func(s ledger.Stats) float64 { return float64(s.Holes) }, nil},
		{describe("catalogue_clock_ahead_seconds", "By how much the catalogue's clock is ahead of this server's."), gauge, func(s ledger.Stats) float64 { return s.Ahead.Seconds() }, nil},
	}
)

func (ledgerMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, n := range ledgerNumbers {
		to <- n.desc
	}
}

func (m ledgerMetrics) Collect(to chan<- prometheus.Metric) {
	s := m.of.Stats()
	for _, n := range ledgerNumbers {
		n.show(to, s)
	}
}
