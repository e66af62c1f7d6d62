// Package metrics counts what a server does: calls, loads and saves, packs, jobs and
// streams. A program reads the counts in Prometheus' formats.
package metrics

import (
	"cmp"
	"context"
	"hash/maphash"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/internal/server/inbox"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/server/stream"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/tile"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/cairnvoxel/cairn/internal/store/ledger"
	"github.com/cairnvoxel/cairn/internal/store/metered"
	localstore "github.com/cairnvoxel/cairn/store/local"
)

// CallEvent describes a finished call. The Server passes it to Observe.
type CallEvent struct {
	Route   string // a route of the table, such as "GET /v1/log/NAME"; "" if none matched
	World   string // "" if the call names no world
	Status  int    // 0 if the caller closed the connection
	Code    wire.Code
	Took    time.Duration
	In, Out int64    // bytes of the bodies
	Stale   bool     // the answer is from memory, because the catalogue is away
	Steps   []Timing // in their order
	// Stones is the number of stones in the stack that was asked for, 0 if none
	// was.
	Stones int
}

// Timing is the duration of one part of a call. The parts of a load are admit,
// fetch and send; those of a save are admit, receive, check, commit and send.
type Timing struct {
	Name string
	Took time.Duration
}

// Metrics are the Prometheus metrics of a Server, its Keeper and its Store.
// docs/SERVE.md lists them. No label contains a world or a token. All methods are
// safe for any number of goroutines.
type Metrics struct {
	all *prometheus.Registry

	requests *prometheus.CounterVec // by route and code
	failed   *prometheus.CounterVec // by code
	stale    *prometheus.CounterVec // by route
	seconds  *prometheus.HistogramVec
	load     transfer
	save     transfer
	stones   prometheus.Histogram
	active   active

	packQueue    prometheus.Gauge
	packs        *prometheus.CounterVec // by who
	packSeconds  prometheus.Histogram
	packFailures prometheus.Counter

	work         *prometheus.HistogramVec // seconds, by job
	workFailures *prometheus.CounterVec
	lastGood     *prometheus.GaugeVec
	condemned    prometheus.Gauge
	deleted      *prometheus.CounterVec
	backupBytes  *prometheus.GaugeVec
	backupWorlds *prometheus.GaugeVec
	backupRead   prometheus.Counter // objects that were read back
	backupWrong  prometheus.Counter
	unfinished   prometheus.Counter
	claims       *prometheus.CounterVec // by work and result
}

// transfer measures loads or saves.
type transfer struct {
	bytes prometheus.Histogram
	steps *prometheus.HistogramVec
}

// Bounds of the histograms.
var (
	secondBounds = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 15, 30}
	longBounds   = []float64{.01, .1, .5, 1, 5, 15, 60, 300, 900, 3600, 4 * 3600}
	byteBounds   = []float64{1 << 8, 1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26}
	stoneBounds  = []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 32, 64}
)

// New returns metrics that are all zero.
func New() *Metrics {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	f := factory{r}
	m := &Metrics{
		all:      r,
		requests: f.counters("requests_total", "Calls, by route and code of the answer: ok, or a code of the API.", "route", "code"),
		failed:   f.counters("failed_requests_total", "Calls that failed because of the server or its store, by code.", "code"),
		stale:    f.counters("stale_answers_total", "Answers from memory while the catalogue was away, by route.", "route"),
		seconds:  f.histograms("request_seconds", "How long calls took.", secondBounds, "route"),
		stones:   f.histogram("load_stones", "How many stones were in the stacks that were loaded.", stoneBounds),

		packQueue:    f.gauge("pack_queue", "Worlds that wait to be packed."),
		packs:        f.counters("packs_total", "Worlds that were packed: from the queue, or by a save because packing was late.", "by"),
		packSeconds:  f.histogram("pack_seconds", "How long packing a world took.", secondBounds),
		packFailures: f.counter("pack_failures_total", "Worlds that could not be packed."),

		work:         f.histograms("work_seconds", "How long the jobs took: collect, backup.", longBounds, "work"),
		workFailures: f.counters("work_failures_total", "Jobs that failed.", "work"),
		lastGood:     f.gauges("work_last_good_timestamp_seconds", "When the last successful run of each job began; 0 for never.", "work"),
		condemned:    f.gauge("garbage_condemned_stones", "Stones whose grace had not ended at the last collection."),
		deleted:      f.counters("garbage_deleted_total", "What collections deleted: worlds, commits, stones, bytes of stones.", "what"),
		backupBytes:  f.gauges("backup_bytes", "Bytes of the last backup: new, and shared with the backup before it.", "part"),
		backupWorlds: f.gauges("backup_worlds", "Worlds of the last backup: all, changed since the one before, hurt: those that could not be read.", "part"),
		backupRead:   f.counter("backup_sampled_objects_total", "Objects of backups that were read back and compared."),
		backupWrong:  f.counter("backup_wrong_objects_total", "Objects of backups that were missing or damaged when they were read back."),
		unfinished:   f.counter("backup_unfinished_total", "Backups that were made, but whose lock, deletion of older backups or claim failed."),
		claims:       f.counters("work_claims_total", "How often this server asked for a job of the cluster: got, other (another server has it, or it was done lately), failed.", "work", "result"),
	}
	m.load = transfer{
		f.histogram("load_bytes", "Bytes of the answers of loads.", byteBounds),
		f.histograms("load_step_seconds", "How long each step of a load took.", secondBounds, "step"),
	}
	m.save = transfer{
		f.histogram("save_bytes", "Bytes of the bodies of saves.", byteBounds),
		f.histograms("save_step_seconds", "How long each step of a save took.", secondBounds, "step"),
	}
	for _, by := range []string{ByQueue, BySave} { // so that a count of 0 is there too
		m.packs.WithLabelValues(by)
	}
	m.stale.WithLabelValues(loadRoute)
	for _, code := range ownFaults {
		m.failed.WithLabelValues(string(code))
	}
	for _, job := range []string{Collect, Backup} {
		m.workFailures.WithLabelValues(job)
	}
	r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "cairn_worlds_loaded", Help: "Worlds that were loaded or saved in the last five to ten minutes.",
	}, func() float64 { return float64(m.active.count()) }))
	return m
}

// factory makes metrics and registers them.
type factory struct{ r *prometheus.Registry }

func registered[C prometheus.Collector](f factory, c C) C {
	f.r.MustRegister(c)
	return c
}

func (f factory) counter(name, help string) prometheus.Counter {
	return registered(f, prometheus.NewCounter(prometheus.CounterOpts{Name: "cairn_" + name, Help: help}))
}

func (f factory) counters(name, help string, labels ...string) *prometheus.CounterVec {
	return registered(f, prometheus.NewCounterVec(prometheus.CounterOpts{Name: "cairn_" + name, Help: help}, labels))
}

func (f factory) gauge(name, help string) prometheus.Gauge {
	return registered(f, prometheus.NewGauge(prometheus.GaugeOpts{Name: "cairn_" + name, Help: help}))
}

func (f factory) gauges(name, help string, labels ...string) *prometheus.GaugeVec {
	return registered(f, prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "cairn_" + name, Help: help}, labels))
}

func (f factory) histogram(name, help string, bounds []float64) prometheus.Histogram {
	return registered(f, prometheus.NewHistogram(prometheus.HistogramOpts{Name: "cairn_" + name, Help: help, Buckets: bounds}))
}

func (f factory) histograms(name, help string, bounds []float64, labels ...string) *prometheus.HistogramVec {
	return registered(f, prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "cairn_" + name, Help: help, Buckets: bounds}, labels))
}

// Handler serves the metrics in Prometheus' formats.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.all, promhttp.HandlerOpts{Registry: m.all, MaxRequestsInFlight: 4})
}

// Values of the label by: who packed a world.
const (
	ByQueue = "queue"
	BySave  = "save"
)

// Names of jobs.
const (
	Collect = "collect"
	Backup  = "backup"
)

// Packed counts a world that was packed.
func (m *Metrics) Packed(by string, took time.Duration) {
	m.packs.WithLabelValues(by).Inc()
	m.packSeconds.Observe(took.Seconds())
}

// Worked counts a run of a job that began at now.
func (m *Metrics) Worked(job string, now time.Time, took time.Duration, err error) {
	m.work.WithLabelValues(job).Observe(took.Seconds())
	if err != nil {
		m.workFailures.WithLabelValues(job).Inc()
		return
	}
	m.lastGood.WithLabelValues(job).Set(secondsOf(now))
}

// Collected counts a collection.
func (m *Metrics) Collected(c history.Collected) {
	m.condemned.Set(float64(c.Condemned))
	m.deleted.WithLabelValues("worlds").Add(float64(c.Worlds))
	m.deleted.WithLabelValues("commits").Add(float64(c.Commits))
	m.deleted.WithLabelValues("stones").Add(float64(c.Stones))
	m.deleted.WithLabelValues("bytes").Add(float64(c.Bytes))
}

// Claimed counts a claim of a job that the servers of a cluster share, as
// history.Shared.Claim answered it. The job has no world in its name.
func (m *Metrics) Claimed(job string, got bool, err error) {
	result := "other"
	switch {
	case err != nil:
		result = "failed"
	case got:
		result = "got"
	}
	m.claims.WithLabelValues(job, result).Inc()
}

// Backed says what a backup did. What a kind of backups does not have is 0.
type Backed struct {
	New, Shared           int64 // bytes that were written, and bytes that were there
	Worlds, Changed, Hurt int   // all, changed since the backup before, those that could not be read
	Sampled, Wrong        int   // objects that were read back; of these missing or damaged
	Unfinished            bool  // it was made, but its lock, the deletion of older ones or the end of its claim failed
}

// BackedUp counts a backup.
func (m *Metrics) BackedUp(b Backed) {
	m.backupBytes.WithLabelValues("new").Set(float64(b.New))
	m.backupBytes.WithLabelValues("shared").Set(float64(b.Shared))
	m.backupWorlds.WithLabelValues("all").Set(float64(b.Worlds))
	m.backupWorlds.WithLabelValues("changed").Set(float64(b.Changed))
	m.backupWorlds.WithLabelValues("hurt").Set(float64(b.Hurt))
	m.backupRead.Add(float64(b.Sampled))
	m.backupWrong.Add(float64(b.Wrong))
	if b.Unfinished {
		m.unfinished.Inc()
	}
}

// secondsOf is a time in seconds since 1970, 0 for never.
func secondsOf(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMilli()) / 1000
}

// LastBackup says when the newest backup began that was there when the server started.
// Without it the age of the last backup is not known until the next one.
func (m *Metrics) LastBackup(at time.Time) {
	m.lastGood.WithLabelValues(Backup).Set(secondsOf(at))
}

// PackFailed counts a world that could not be packed.
func (m *Metrics) PackFailed() { m.packFailures.Inc() }

// Waiting says how many worlds wait to be packed.
func (m *Metrics) Waiting(worlds int) { m.packQueue.Set(float64(worlds)) }

// Step sets the time.
func (m *Metrics) Step(now time.Time) { m.active.step(now) }

// The routes that load and save worlds: as stones, and as whole files.
const (
	loadRoute  = "GET /v1/stack/NAME"
	wholeRoute = "GET /v1/export/NAME"
	saveRoute  = "POST /v1/commits/NAME"
	fileRoute  = "POST /v1/import/NAME"
)

// ownFaults are the codes of calls that failed because of the server or its store.
// Corrupt is one of them only where something was read: whoever uploads may send
// anything.
var ownFaults = []wire.Code{wire.Internal, wire.Timeout, wire.Full, wire.Corrupt, "away"}

// Observe counts a call; it is for Options.Observe.
func (m *Metrics) Observe(e *CallEvent) {
	route, code := cmp.Or(e.Route, "none"), cmp.Or(string(e.Code), "ok")
	m.requests.WithLabelValues(route, code).Inc()
	m.seconds.WithLabelValues(route).Observe(e.Took.Seconds())
	if slices.Contains(ownFaults, e.Code) && (e.Code != wire.Corrupt || strings.HasPrefix(route, "GET ")) {
		m.failed.WithLabelValues(code).Inc()
	}
	if e.Stale {
		m.stale.WithLabelValues(route).Inc()
	}
	if e.Code != "" || e.Status == 0 {
		return
	}
	switch route {
	case loadRoute, wholeRoute:
		m.load.saw(e.Out, e.Steps)
		m.active.saw(e.World)
		if e.Stones > 0 {
			m.stones.Observe(float64(e.Stones))
		}
	case saveRoute, fileRoute:
		m.save.saw(e.In, e.Steps)
		m.active.saw(e.World)
	}
}

func (t *transfer) saw(bytes int64, steps []Timing) {
	t.bytes.Observe(float64(bytes))
	for _, s := range steps {
		t.steps.WithLabelValues(s.Name).Observe(s.Took.Seconds())
	}
}

// active counts the worlds that were loaded or saved lately. It forgets older
// worlds one half at a time.
type active struct {
	mu    sync.Mutex // guards what follows
	seed  maphash.Seed
	since time.Time           // when young began
	young map[uint64]struct{} // hashes of names
	old   map[uint64]struct{}
	both  int // how many of young are in old
}

const (
	activeFor = 5 * time.Minute
	maxActive = 1 << 20 // in each half
)

// saw notes that a world was loaded or saved.
func (a *active) saw(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.young == nil {
		a.seed, a.young = maphash.MakeSeed(), make(map[uint64]struct{})
	}
	h := maphash.String(a.seed, name)
	if _, ok := a.young[h]; ok || len(a.young) >= maxActive {
		return
	}
	a.young[h] = struct{}{}
	if _, ok := a.old[h]; ok {
		a.both++
	}
}

// step sets the time.
func (a *active) step(now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.young != nil && now.Sub(a.since) >= activeFor {
		a.old, a.young, a.both = a.young, make(map[uint64]struct{}), 0
		a.since = now
	}
}

func (a *active) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.young) + len(a.old) - a.both
}

// Watched is what metrics read of a server each time somebody asks for them.
type Watched struct {
	Store    history.Store
	InFlight func() int64               // calls in progress
	Pages    func() tile.Stats          // of the page cache
	Streams  func() (stream.Stats, int) // and how many worlds are looked at
	Ready    func() bool                // what /readyz answers; nil for not known
	Inbox    func() inbox.Stats         // nil for none
	Backups  *metered.Calls             // to the bucket of backups; nil for none
	Now      func() time.Time           // the clock of walks over worlds; nil for time.Now
}

// Counted is a Store with statistics.
type Counted interface {
	Stats(context.Context) (localstore.Stats, error)
}

// Clustered is a Store of two halves that other servers keep.
type Clustered interface {
	Calls() *metered.Calls        // the counts of the calls to the halves
	Catalogue() history.Catalogue // may know more of itself, such as its replicas
}

// Watch adds metrics of a server, and of its Store if the Store has Stats. Call it once.
func (m *Metrics) Watch(s Watched) {
	if s.Now == nil {
		s.Now = time.Now
	}
	st, counted := s.Store.(Counted)
	all := []prometheus.Collector{
		numbers[Watched]{func() (Watched, error) { return s, nil }, serverNumbers},
		numbers[stream.Stats]{func() (stream.Stats, error) { all, _ := s.Streams(); return all, nil }, streamNumbers},
		numbers[tile.Stats]{func() (tile.Stats, error) { return s.Pages(), nil }, pageNumbers},
		worldMetrics{&worlds{st: s.Store, page: stepNames, now: s.Now}, !counted},
	}
	if s.Inbox != nil {
		all = append(all, numbers[inbox.Stats]{func() (inbox.Stats, error) { return s.Inbox(), nil }, inboxNumbers})
	}
	if counted { // a Store that stopped has no numbers
		all = append(all, numbers[localstore.Stats]{func() (localstore.Stats, error) { return st.Stats(context.Background()) }, storeNumbers})
	}
	calls := callMetrics{backups: s.Backups}
	if c, ok := s.Store.(Clustered); ok {
		calls.store = c.Calls()
		if sql, ok := c.Catalogue().(sqlCatalogue); ok {
			all = append(all, sqlMetrics(sql)...)
		}
		if l, ok := c.Catalogue().(ledgerCatalogue); ok {
			all = append(all, numbers[ledger.Stats]{func() (ledger.Stats, error) { return l.Stats(), nil }, ledgerNumbers})
		}
	}
	if calls != (callMetrics{}) {
		all = append(all, calls)
	}
	m.all.MustRegister(all...)
}
