package metrics

import (
	"context"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/ledger"
	"github.com/cairnvoxel/cairn/internal/store/metered"
	"github.com/cairnvoxel/cairn/internal/store/postgres"
	"github.com/prometheus/client_golang/prometheus"
)

// callMetrics shows the calls to the halves of a Store, and to the bucket of its
// backups. Either may be nil.
type callMetrics struct{ store, backups *metered.Calls }

var (
	callsDesc   = describe("store_calls_total", "Calls to the catalogue, the bucket, and the bucket of backups, by operation and result.", "half", "operation", "result")
	secondsDesc = describe("store_call_seconds", "How long calls to the catalogue and the buckets took.", "half", "operation")
	bytesDesc   = describe("bucket_bytes_total", "Bytes that were put into buckets and got from them.", "half", "operation")
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

func (a *asked[T]) get() (T, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now := time.Now(); a.at.IsZero() || now.Sub(a.at) >= askEvery {
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

// sqlMetrics show the connections to PostgreSQL, and while it is there its replicas.
func sqlMetrics(sql sqlCatalogue) []prometheus.Collector {
	state := &asked[postgres.Stats]{ask: sql.Stats}
	return []prometheus.Collector{
		numbers[postgres.Stats]{func() (postgres.Stats, error) { return sql.Pool(), nil }, connections},
		numbers[postgres.Stats]{state.get, primary},
		replicas{state},
	}
}

var (
	connections = []number[postgres.Stats]{
		{describe("catalogue_connections", "Open connections to the catalogue."), gauge, func(s postgres.Stats) float64 { return float64(s.Connections) }, nil},
		{describe("catalogue_connections_in_use", "Connections to the catalogue that a call uses."), gauge, func(s postgres.Stats) float64 { return float64(s.InUse) }, nil},
		{describe("catalogue_connections_limit", "How many connections to the catalogue there may be."), gauge, func(s postgres.Stats) float64 { return float64(s.Most) }, nil},
		{describe("catalogue_connection_waits_total", "How often a call waited for a connection."), counter, func(s postgres.Stats) float64 { return float64(s.Waits) }, nil},
		{describe("catalogue_connection_wait_seconds_total", "How long calls waited for connections."), counter, func(s postgres.Stats) float64 { return s.Waited.Seconds() }, nil},
	}
	primary = []number[postgres.Stats]{
		{describe("catalogue_synchronous", "1 if an acknowledged change is on a replica too, else 0."), gauge, func(s postgres.Stats) float64 { return oneIf(s.Synchronous) }, nil},
		{describe("catalogue_timeline", "Timeline of the catalogue's primary, which each promotion raises; 0 if it is not known."), gauge, func(s postgres.Stats) float64 { return float64(s.Timeline) }, nil},
		{describe("catalogue_primaries", "Hosts of the catalogue that take writes; 0 if there is only one host."), gauge, func(s postgres.Stats) float64 { return float64(s.Primaries) }, nil},
		{describe("catalogue_clock_ahead_seconds", "By how much the catalogue's clock is ahead of this server's."), gauge, func(s postgres.Stats) float64 { return s.Ahead.Seconds() }, nil},
	}
	lagBytes   = describe("replica_lag_bytes", "Bytes of the log of the catalogue that a replica has not applied.", "replica")
	lagSeconds = describe("replica_lag_seconds", "How long it took until a change was applied by a replica of the catalogue.", "replica")
)

// replicas shows the replicas of PostgreSQL.
type replicas struct{ *asked[postgres.Stats] }

func (replicas) Describe(to chan<- *prometheus.Desc) {
	to <- lagBytes
	to <- lagSeconds
}

func (m replicas) Collect(to chan<- prometheus.Metric) {
	s, err := m.get()
	if err != nil {
		return
	}
	worst := make(map[string]postgres.Replica) // several may have one name
	for _, r := range s.Replicas {
		w := worst[r.Name]
		worst[r.Name] = postgres.Replica{Lag: max(w.Lag, r.Lag), LagBytes: max(w.LagBytes, r.LagBytes)}
	}
	for name, r := range worst {
		to <- prometheus.MustNewConstMetric(lagBytes, gauge, float64(r.LagBytes), name)
		to <- prometheus.MustNewConstMetric(lagSeconds, gauge, r.Lag.Seconds(), name)
	}
}

// ledgerCatalogue is a catalogue in a bucket.
type ledgerCatalogue interface{ Stats() ledger.Stats }

var entriesDesc = describe("ledger_entries_total", "Entries of the ledger that were applied, by who wrote them: own, other.", "by")

var ledgerNumbers = []number[ledger.Stats]{
	{describe("ledger_entry", "Number of the last entry of the ledger that was applied."), gauge, func(s ledger.Stats) float64 { return float64(s.Entry) }, nil},
	{describe("ledger_log_bytes", "Bytes of the entries behind the newest checkpoint."), gauge, func(s ledger.Stats) float64 { return float64(s.LogBytes) }, nil},
	{describe("ledger_checkpoint_bytes", "Bytes of the newest checkpoint."), gauge, func(s ledger.Stats) float64 { return float64(s.CheckpointBytes) }, nil},
	{describe("ledger_checkpoint_timestamp_seconds", "When the newest checkpoint was taken; 0 for never."), gauge, func(s ledger.Stats) float64 { return secondsOf(s.CheckpointTime) }, nil},
	{describe("ledger_swaps_total", "Changes that this server asked of the ledger."), counter, func(s ledger.Stats) float64 { return float64(s.Swaps) }, nil},
	{describe("ledger_swaps_refused_total", "Of these changes, those whose conditions did not hold."), counter, func(s ledger.Stats) float64 { return float64(s.Changed) }, nil},
	{describe("ledger_swaps_unknown_total", "Of these changes, those whose outcome is not known, because the bucket was away."), counter, func(s ledger.Stats) float64 { return float64(s.Unknown) }, nil},
	{entriesDesc, counter, func(s ledger.Stats) float64 { return float64(s.Entries) }, []string{"own"}},
	{entriesDesc, counter, func(s ledger.Stats) float64 { return float64(s.Applied) }, []string{"other"}},
	{describe("ledger_races_total", "Entries whose number another server took."), counter, func(s ledger.Stats) float64 { return float64(s.Races) }, nil},
	{describe("ledger_probes_total", "Looks at the end of the log."), counter, func(s ledger.Stats) float64 { return float64(s.Probes) }, nil},
	{describe("ledger_repeated_calls_total", "Calls of the bucket that were made a second time, because the first was slow."), counter, func(s ledger.Stats) float64 { return float64(s.Repeated) }, nil},
	{describe("ledger_checkpoints_total", "Checkpoints that this server wrote."), counter, func(s ledger.Stats) float64 { return float64(s.Checkpoints) }, nil},
	{describe("ledger_rebuilds_total", "How often the records were read from a checkpoint again."), counter, func(s ledger.Stats) float64 { return float64(s.Rebuilds) }, nil},
	{describe("ledger_troubles_total", "Checkpoints and deletions that failed."), counter, func(s ledger.Stats) float64 { return float64(s.Troubles) }, nil},
	{describe("ledger_holes", "Objects of the ledger that the bucket has lost and that nothing replaces yet."), gauge, func(s ledger.Stats) float64 { return float64(s.Holes) }, nil},
	{describe("catalogue_clock_ahead_seconds", "By how much the catalogue's clock is ahead of this server's."), gauge, func(s ledger.Stats) float64 { return s.Ahead.Seconds() }, nil},
}
