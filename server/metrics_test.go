package server_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/server/inbox"
	"github.com/cairnvoxel/cairn/internal/server/keeper"
	"github.com/cairnvoxel/cairn/internal/server/metrics"
	"github.com/cairnvoxel/cairn/internal/store/backup"
	"github.com/cairnvoxel/cairn/internal/store/inmemory"
	"github.com/cairnvoxel/cairn/internal/store/ledger"
	"github.com/cairnvoxel/cairn/internal/store/metered"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/internal/store/postgres"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/local"
)

// exposed returns the names of the metrics with our prefix in an exposition, and
// the value of each sample.
func exposed(t *testing.T, body []byte) (names map[string]bool, samples map[string]string) {
	t.Helper()
	names, samples = map[string]bool{}, map[string]string{}
	for line := range strings.Lines(string(body)) {
		if rest, ok := strings.CutPrefix(line, "# TYPE "); ok {
			name, _, _ := strings.Cut(rest, " ")
			if strings.HasPrefix(name, "cairn_") {
				names[name] = true
			}
			continue
		}
		if i := strings.LastIndexByte(line, ' '); i > 0 && line[0] != '#' {
			samples[line[:i]] = strings.TrimSpace(line[i:])
		}
	}
	return names, samples
}

// told receives the lines of a log.
type told chan string

func (l told) Write(b []byte) (int, error) {
	l <- string(b)
	return len(b), nil
}

// wait waits for a line with some words.
func (l told) wait(words string) {
	for line := range l {
		if strings.Contains(line, words) {
			return
		}
	}
}

// start is when the clock of the keeper begins.
var start = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)

// clustered is a Store whose halves are counted.
type clustered struct {
	*pair.Pair
	calls     *metered.Calls
	catalogue history.Catalogue
}

func (c clustered) Calls() *metered.Calls        { return c.calls }
func (c clustered) Catalogue() history.Catalogue { return c.catalogue }

// sql is a catalogue that says what PostgreSQL would.
type sql struct{ *inmemory.Catalogue }

func (sql) Pool() postgres.Stats { return postgres.Stats{Connections: 3, InUse: 2, Most: 8} }

func (sql) Stats(context.Context) (postgres.Stats, error) {
	return postgres.Stats{Synchronous: true, Replicas: []postgres.Replica{
		{Name: "b", LagBytes: 5, Lag: time.Second}, {Name: "b", LagBytes: 3, Lag: 2 * time.Second}, {Name: "c"},
	}}, nil
}

func newClustered(catalogue history.Catalogue) clustered {
	calls := metered.New(nil)
	return clustered{pair.New(calls.Catalogue(catalogue), calls.Bucket(inmemory.NewBucket()), pair.Options{Inline: -1}), calls, catalogue}
}

// clusterSite is a Server of such a Store that was used a little.
func clusterSite(t *testing.T, catalogue history.Catalogue) *site {
	t.Helper()
	m := metrics.New()
	s := newSiteOf(t, newClustered(catalogue), server.Options{Observe: m.Observe, Metrics: m.Handler()})
	w := s.srv.Watched()
	w.Backups = metered.New(nil)
	w.Backups.Request(blob.Request{Op: "put", Bytes: 9})
	m.Watch(w)
	m.LastBackup(time.Time{})
	m.BackedUp(metrics.Backed{New: 1, Shared: 2, Worlds: 3, Changed: 4, Hurt: 5, Sampled: 6, Wrong: 7, Unfinished: true})
	m.Claimed(metrics.Collect, true, nil)
	m.Claimed(metrics.Collect, false, nil)
	m.Claimed(metrics.Backup, false, history.ErrAway)
	m.Observe(&metrics.CallEvent{Route: "GET /v1/stack/NAME", World: "w", Status: 200, Stale: true})
	for _, code := range []wire.Code{wire.Corrupt, wire.Internal, wire.Conflict} {
		m.Observe(&metrics.CallEvent{Route: "GET /v1/stack/NAME", World: "w", Code: code, Status: code.Status()})
		m.Observe(&metrics.CallEvent{Route: "POST /v1/commits/NAME", World: "w", Code: code, Status: code.Status()})
	}
	s.mustCommit("w", 1)
	return s
}

// busySite is a Server with a keeper and metrics that has seen some of everything.
func busySite(t *testing.T) *site {
	t.Helper()
	log, dir := make(told, 1000), t.TempDir()
	st, err := local.Open(filepath.Join(dir, "store"), local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	m := metrics.New()
	k := keeper.New(st, start, keeper.Options{Metrics: m, Log: slog.New(slog.NewTextHandler(log, nil)), Backup: func(c context.Context) (keeper.Backed, error) {
		r, err := backup.Run(c, st, inmemory.NewBucket(), backup.Options{})
		return keeper.Backed{Name: r.Name, Backed: metrics.Backed{New: r.New, Shared: r.Shared, Worlds: r.Worlds}}, err
	}})
	s := newSiteOf(t, st, server.Options{Observe: m.Observe, Metrics: m.Handler(), Saved: k.Saved})
	watched := s.srv.Watched()
	watched.Inbox = func() inbox.Stats { return inbox.Stats{} }
	m.Watch(watched)
	k.Step(start)
	log.wait("backup done")
	k.Step(start.Add(time.Hour))
	log.wait("collect done")

	s.want(201, request{method: "PUT", path: "/v1/worlds/w"}, nil)
	var head history.ID
	for i := range 20 {
		c := mustStone(t, i)
		s.want(201, commitRequest("w", commitOf(head, "", c), c), nil)
		h, err := st.Head(t.Context(), "w")
		if err != nil {
			t.Fatal(err)
		}
		head = h.Commit
	}
	s.want(200, request{method: "GET", path: "/v1/stack/w"}, nil)
	s.want(404, request{method: "GET", path: "/v1/stack/none"}, nil)
	s.want(404, request{method: "GET", path: "/nowhere"}, nil)
	if err := k.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestMetrics(t *testing.T) {
	body := busySite(t).get("/metrics").body
	_, samples := exposed(t, body)
	for sample, want := range map[string]string{
		`cairn_requests_total{code="ok",route="POST /v1/commits/NAME"}`:    "20",
		`cairn_requests_total{code="no_world",route="GET /v1/stack/NAME"}`: "1",
		`cairn_requests_total{code="no_route",route="none"}`:               "1",
		`cairn_request_seconds_count{route="GET /v1/stack/NAME"}`:          "2",
		`cairn_requests_in_flight`:                                         "1",
		`cairn_load_bytes_count`:                                           "1",
		`cairn_load_stones_count`:                                          "1",
		`cairn_save_bytes_count`:                                           "20",
		`cairn_worlds_loaded`:                                              "1",
		`cairn_work_last_good_timestamp_seconds{work="backup"}`:            fmt.Sprintf("%.10g", float64(start.Unix())),
		`cairn_work_seconds_count{work="collect"}`:                         "1",
		`cairn_pack_failures_total`:                                        "0",
		`cairn_store_commits`:                                              "0",
		`cairn_garbage_deleted_total{what="bytes"}`:                        "0",
		`cairn_worlds`:            "1",
		`cairn_world_bytes_count`: "1",
		`cairn_ready`:             "1",
	} {
		got := samples[sample]
		var a, b float64
		fmt.Sscan(got, &a)
		fmt.Sscan(want, &b)
		if got == "" || a != b {
			t.Errorf("%s is %q, want %s", sample, got, want)
		}
	}
	for kind, steps := range map[string][]string{"load": {"admit", "fetch", "send"}, "save": {"admit", "receive", "check", "commit", "send"}} {
		for _, step := range steps {
			sample := fmt.Sprintf(`cairn_%s_step_seconds_count{step="%s"}`, kind, step)
			if got := samples[sample]; got == "" || got == "0" {
				t.Errorf("%s is %q", sample, got)
			}
		}
	}
	if samples[`cairn_packs_total{by="queue"}`] == "" && samples[`cairn_packs_total{by="save"}`] == "" {
		t.Error("nothing was packed")
	}
	for _, name := range []string{"go_goroutines", "process_resident_memory_bytes"} {
		if samples[name] == "" {
			t.Errorf("there is no %s", name)
		}
	}
	if problems, err := promlint.New(bytes.NewReader(body)).Lint(); err != nil || len(problems) > 0 {
		t.Errorf("lint: %v, %v", problems, err)
	}
}

func mustLedger(t *testing.T) *ledger.Ledger {
	t.Helper()
	l, err := ledger.Open(t.Context(), inmemory.NewBucket(), ledger.Options{Prefix: "ledger/"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func TestLedgerMetrics(t *testing.T) {
	l := mustLedger(t)
	body := clusterSite(t, l).get("/metrics").body
	_, samples := exposed(t, body)
	for sample, want := range map[string]float64{
		`cairn_ledger_entry`:                        float64(l.Stats().Entry),
		`cairn_ledger_entries_total{by="own"}`:      float64(l.Stats().Entries),
		`cairn_ledger_entries_total{by="other"}`:    0,
		`cairn_ledger_checkpoint_timestamp_seconds`: 0,
		`cairn_ledger_troubles_total`:               0,
	} {
		var got float64
		if _, err := fmt.Sscan(samples[sample], &got); err != nil || got != want {
			t.Errorf("%s is %q, want %v", sample, samples[sample], want)
		}
	}
	if l.Stats().Entries == 0 {
		t.Error("nothing was written")
	}
	if problems, err := promlint.New(bytes.NewReader(body)).Lint(); err != nil || len(problems) > 0 {
		t.Errorf("lint: %v, %v", problems, err)
	}
}

func TestClusterMetrics(t *testing.T) {
	body := clusterSite(t, sql{inmemory.NewCatalogue()}).get("/metrics").body
	_, samples := exposed(t, body)
	for sample, want := range map[string]string{
		`cairn_worlds`:            "1",
		`cairn_world_bytes_count`: "1",
		`cairn_store_calls_total{half="bucket",operation="put",result="ok"}`:     "1",
		`cairn_store_call_seconds_count{half="bucket",operation="put"}`:          "1",
		`cairn_store_calls_total{half="catalogue",operation="ping",result="ok"}`: "0",
		`cairn_failed_requests_total{code="corrupt"}`:                            "1", // of an upload it is the caller's
		`cairn_failed_requests_total{code="internal"}`:                           "2",
		`cairn_failed_requests_total{code="full"}`:                               "0",
		`cairn_failed_requests_total{code="conflict"}`:                           "",
		`cairn_catalogue_connections_in_use`:                                     "2",
		`cairn_catalogue_synchronous`:                                            "1",
		`cairn_replica_lag_seconds{replica="b"}`:                                 "2", // two have that name
		`cairn_replica_lag_bytes{replica="b"}`:                                   "5",
		`cairn_replica_lag_bytes{replica="c"}`:                                   "0",
		`cairn_work_last_good_timestamp_seconds{work="backup"}`:                  "0", // never
		`cairn_backup_worlds{part="hurt"}`:                                       "5",
		`cairn_backup_sampled_objects_total`:                                     "6",
		`cairn_backup_wrong_objects_total`:                                       "7",
		`cairn_backup_unfinished_total`:                                          "1",
		`cairn_store_calls_total{half="backup",operation="put",result="ok"}`:     "1",
		`cairn_bucket_bytes_total{half="backup",operation="put"}`:                "9",
		`cairn_work_claims_total{result="got",work="collect"}`:                   "1",
		`cairn_work_claims_total{result="other",work="collect"}`:                 "1",
		`cairn_work_claims_total{result="failed",work="backup"}`:                 "1",
		`cairn_stale_answers_total{route="GET /v1/stack/NAME"}`:                  "1",
	} {
		if got := strings.TrimSpace(samples[sample]); got != want {
			t.Errorf("%s is %q, want %s", sample, got, want)
		}
	}
	if got := strings.TrimSpace(samples[`cairn_bucket_bytes_total{half="bucket",operation="put"}`]); got == "" || got == "0" {
		t.Errorf("put %q bytes", got)
	}
	if problems, err := promlint.New(bytes.NewReader(body)).Lint(); err != nil || len(problems) > 0 {
		t.Errorf("lint: %v, %v", problems, err)
	}
}

// The page says of each metric what it is, and of no other.
func TestMetricsDocumented(t *testing.T) {
	names, _ := exposed(t, busySite(t).get("/metrics").body)
	for _, c := range []history.Catalogue{sql{inmemory.NewCatalogue()}, mustLedger(t)} {
		more, _ := exposed(t, clusterSite(t, c).get("/metrics").body)
		maps.Copy(names, more)
	}
	names["cairn_client_load_seconds"], names["cairn_client_load_step_seconds"] = true, true // of client/metrics
	page, err := os.ReadFile("../docs/SERVE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, page, _ = bytes.Cut(page, []byte("## Metrics"))
	documented := map[string]bool{}
	for row := range strings.Lines(string(page)) {
		if first, _, ok := strings.Cut(strings.TrimPrefix(row, "|"), "|"); ok && row[0] == '|' {
			for _, name := range regexp.MustCompile("cairn_[a-z_]+").FindAllString(first, -1) {
				documented[name] = true
			}
		}
	}
	if !maps.Equal(names, documented) {
		t.Errorf("exposed:\n%q\ndocumented:\n%q", slices.Sorted(maps.Keys(names)), slices.Sorted(maps.Keys(documented)))
	}
}
