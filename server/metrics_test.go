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

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/server/keeper"
	"github.com/cairnvoxel/cairn/server/metrics"
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
	k := keeper.New(st, start, keeper.Options{Metrics: m, Log: slog.New(slog.NewTextHandler(log, nil)), Backup: func(c context.Context) (local.Backed, error) {
		return st.Backup(c, filepath.Join(dir, "backups"), local.BackupOptions{})
	}})
	s := newSiteOf(t, st, server.Options{Observe: m.Observe, Metrics: m.Handler(), Saved: k.Saved})
	m.Watch(s.srv.Watched())
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
		`cairn_worlds`: "1",
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

// The page says of each metric what it is, and of no other.
func TestMetricsDocumented(t *testing.T) {
	names, _ := exposed(t, busySite(t).get("/metrics").body)
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
