package deploy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/testing/parts"
	"github.com/cairnvoxel/cairn/server/stream"
	"github.com/cairnvoxel/cairn/store/client"
	clientmetrics "github.com/cairnvoxel/cairn/store/client/metrics"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// TestPartsPromtool lets Prometheus' own tool look at the rules, their tests and the
// configuration.
func TestPartsPromtool(t *testing.T) {
	parts.Need(t, "promtool")
	promtool(t, nil, "check", "config", "prometheus/prometheus.yml")
	promtool(t, nil, "test", "rules", "prometheus/alerts_test.yml")
}

// TestPartsFlags looks whether serve has the flags that units and containers give it.
func TestPartsFlags(t *testing.T) {
	parts.Need(t, "promtool")
	cairn, err := parts.BuildCairn(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	help, err := exec.CommandContext(t.Context(), cairn, "serve", "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"systemd/cairn.service", "systemd/cairn@.service", "Dockerfile", "compose.yml"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if !strings.Contains(line, "serve") && !strings.HasPrefix(line, "    --") {
				continue
			}
			for _, flag := range serveFlag.FindAllString(line, -1) {
				if !bytes.Contains(help, []byte(flag+" ")) {
					t.Errorf("%s: serve has no %s", file, flag)
				}
			}
		}
	}
}

var serveFlag = regexp.MustCompile(`--[a-z][a-z-]+`)

func promtool(t *testing.T, in io.Reader, args ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), filepath.Join(os.Getenv(parts.Env), "promtool"), args...)
	c.Stdin = in
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// TestPartsQueries evaluates every query of every panel and every alert in a real
// Prometheus that scraped servers and clients under load. A query that returns nothing
// has a wrong name, label or function.
func TestPartsQueries(t *testing.T) {
	parts.Need(t, "prometheus", "promtool", "postgres", "minio")
	dir, ctx := t.TempDir(), t.Context()
	cairn, err := parts.BuildCairn(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	loads := clientmetrics.New()
	games := prometheus.NewRegistry()
	games.MustRegister(loads)
	game := httptest.NewServer(promhttp.HandlerFor(games, promhttp.HandlerOpts{}))
	defer game.Close()

	sites := []*site{
		newSite(t, cairn, "local:"+filepath.Join(dir, "store"), "--backup", filepath.Join(dir, "backups"), "--every", "1s"),
		newSite(t, cairn, clusterOf(t, dir, "sql", newPostgres(t, dir)), "--backup", newBackups(t, dir), "--every", "1s"),
		newSite(t, cairn, clusterOf(t, dir, "ledger", "kind = \"bucket\"\n")),
	}
	for _, s := range sites { // sizes of worlds are counted at the first scrape
		s.work(0, loads)
	}
	p := newProm(t, dir, sites, strings.TrimPrefix(game.URL, "http://"))
	began := time.Time{} // of the scrapes
	for round := 1; began.IsZero() || time.Since(began) < 10*time.Second; round++ {
		for _, s := range sites {
			s.work(round, loads)
		}
		if began.IsZero() && len(p.query(t, fmt.Sprintf("count(up) == %d", len(sites)+1))) > 0 {
			began = time.Now()
		}
	}
	for _, s := range sites {
		promtool(t, bytes.NewReader(s.metrics()), "check", "metrics")
	}

	for _, panel := range mustDashboard(t).Panels {
		for _, q := range panel.Targets {
			t.Run(panel.Title+" "+q.RefID, func(t *testing.T) {
				got := p.over(t, bare(substitute(q.Expr)), began)
				if len(got) == 0 {
					t.Fatalf("nothing: %s", q.Expr)
				}
				for _, label := range legend.FindAllStringSubmatch(q.LegendFormat, -1) {
					if !slices.ContainsFunc(got, func(s series) bool { return s.Metric[label[1]] != "" }) {
						t.Errorf("no label %s for the legend %q: %s", label[1], q.LegendFormat, q.Expr)
					}
				}
			})
		}
	}
	for _, a := range mustAlerts(t) {
		t.Run(a.name, func(t *testing.T) {
			expr := strings.ReplaceAll(bare(a.expr), ":15s]", ":1s]") // a scrape is a second here
			if len(p.over(t, expr, began)) == 0 {
				t.Errorf("nothing: %s", bare(a.expr))
			}
		})
	}
	p.mustRules(t)
}

var legend = regexp.MustCompile(`\{\{(\w+)\}\}`)

// substitute puts values in place of the dashboard's variables.
func substitute(expr string) string {
	return strings.NewReplacer("$job", "cairn", "$instance", ".+", "$clients", "games", "$__rate_interval", "4s").Replace(expr)
}

// site is a server that is worked at.
type site struct {
	t       *testing.T
	store   history.Store
	streams string // address
	debug   string // address of /metrics
}

// newSite starts a server.
func newSite(t *testing.T, cairn, store string, flags ...string) *site {
	t.Helper()
	streams, err := parts.FreeAddr()
	if err != nil {
		t.Fatal(err)
	}
	flags = append([]string{"--collect-every", "1s", "--grace", "0s", "--versions", "newest=3", "--stream-listen", streams}, flags...)
	server, err := parts.StartServer(t.Context(), cairn, store, nil, flags...)
	if err != nil {
		t.Fatal(err)
	}
	st, err := client.Open(t.Context(), server.URL(), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(st.Close(), server.Stop()); err != nil {
			t.Errorf("%v\n%s", err, server.Said())
		}
	})
	return &site{t, st, streams, server.Debug()}
}

// clusterOf writes a cluster file and returns its URL.
func clusterOf(t *testing.T, dir, name, catalogue string) string {
	t.Helper()
	file := filepath.Join(dir, name+".toml")
	text := fmt.Sprintf("[catalogue]\n%s\n[bucket]\nkind = \"dir\"\npath = %q\n", catalogue, filepath.Join(dir, name))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return "cluster:" + file
}

// newPostgres starts PostgreSQL with a standby and returns what a cluster file says of
// it.
func newPostgres(t *testing.T, dir string) string {
	t.Helper()
	db, err := parts.StartPostgres(t.Context(), filepath.Join(dir, "postgres"), parts.PostgresOptions{Standby: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return fmt.Sprintf("kind = \"postgres\"\nurl = %q\n", db.URL())
}

// newBackups starts MinIO, whose keys servers find in their environment, and returns the
// URL of a place for backups.
func newBackups(t *testing.T, dir string) string {
	t.Helper()
	m, err := parts.StartMinIO(t.Context(), filepath.Join(dir, "minio"), parts.MinIOOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	for key, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": parts.AccessKey, "AWS_SECRET_ACCESS_KEY": parts.SecretKey, "AWS_REGION": "us-east-1", "AWS_ENDPOINT_URL": m.URL(),
	} {
		t.Setenv(key, value)
	}
	return "s3://cairn/backups"
}

// work does some of everything.
func (s *site) work(round int, loads history.Steps) {
	s.t.Helper()
	ctx, name := s.t.Context(), fmt.Sprintf("players/%d/island", round%5)
	w, err := world.Open(ctx, s.store, name, world.Options{Whole: true, Steps: loads})
	if err != nil {
		w, err = world.Create(ctx, s.store, name, world.Options{Whole: true})
	}
	if err != nil {
		s.t.Fatal(err)
	}
	defer w.Close()
	for i := range 3 {
		if _, err := w.Update(func(tx *world.Tx) error {
			v := tx.AddDimension("overworld", voxel.BlockVolumes(), nil).Volume(voxel.Block)
			for x := range 20 {
				v.Set(geom.Point{X: x, Y: 64 + i, Z: round}, v.Named("minecraft:stone"))
			}
			return nil
		}); err != nil {
			s.t.Fatal(err)
		}
		if _, err := w.Commit(ctx, "stones"); err != nil {
			s.t.Fatal(err)
		}
	}
	if _, err := s.store.Head(ctx, "missing"); err == nil {
		s.t.Error("a world that is missing was found")
	}
	if round == 0 {
		s.view(name)
	}
}

// view looks at a world until the test ends.
func (s *site) view(name string) {
	s.t.Helper()
	conn, err := net.Dial("tcp", s.streams)
	if err != nil {
		s.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c := &stream.Client{Told: func(stream.Frame) {}}
		_ = c.Run(conn, stream.Hello{World: name}, stream.Viewpoint{Radius: 200, Memory: 1 << 26}) // it ends when conn is closed
	}()
	s.t.Cleanup(func() {
		conn.Close()
		<-ended
	})
}

// metrics returns what /metrics answers.
func (s *site) metrics() []byte {
	s.t.Helper()
	return fetched(s.t, "http://"+s.debug+"/metrics")
}

func fetched(t *testing.T, address string) []byte {
	t.Helper()
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s\n%s", address, answer.Status, body)
	}
	return body
}

// prom is a Prometheus that scrapes every second.
type prom struct{ *parts.Prometheus }

func newProm(t *testing.T, dir string, sites []*site, game string) prom {
	t.Helper()
	rules, err := filepath.Abs(alertsFile)
	if err != nil {
		t.Fatal(err)
	}
	var servers []string
	for _, s := range sites {
		servers = append(servers, s.debug)
	}
	config := fmt.Sprintf("global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: [%q]\nscrape_configs:\n"+
		"  - {job_name: cairn, static_configs: [{targets: %s}]}\n  - {job_name: games, static_configs: [{targets: [%q]}]}\n",
		rules, strings.ReplaceAll(fmt.Sprintf("%q", servers), " ", ", "), game)
	file := filepath.Join(dir, "prometheus.yml")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := parts.StartPrometheus(t.Context(), dir, file, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return prom{p}
}

// series is what Prometheus answers to a query.
type series struct {
	Metric map[string]string
	Value  [2]any
	Values [][2]any
}

// ask calls Prometheus' API.
func (p prom) ask(t *testing.T, path string, query url.Values, data any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL()+"/api/v1/"+path+"?"+query.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	answer := struct {
		Error string
		Data  any
	}{Data: data}
	if err := json.NewDecoder(a.Body).Decode(&answer); err != nil || answer.Error != "" {
		t.Fatalf("%s %v: %v %s", path, query, err, answer.Error)
	}
}

// query returns what an expression is now.
func (p prom) query(t *testing.T, expr string) []series {
	t.Helper()
	var data struct{ Result []series }
	p.ask(t, "query", url.Values{"query": {expr}}, &data)
	return data.Result
}

// over returns the series of an expression that had a value at some time since began.
func (p prom) over(t *testing.T, expr string, began time.Time) (out []series) {
	t.Helper()
	var data struct{ Result []series }
	seconds := func(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }
	p.ask(t, "query_range", url.Values{"query": {expr}, "start": {seconds(began)}, "end": {seconds(time.Now())}, "step": {"1"}}, &data)
	for _, s := range data.Result {
		if slices.ContainsFunc(s.Values, func(v [2]any) bool {
			f, err := strconv.ParseFloat(fmt.Sprint(v[1]), 64)
			return err == nil && !math.IsNaN(f)
		}) {
			out = append(out, s)
		}
	}
	return out
}

// mustRules checks that Prometheus evaluated all alerts.
func (p prom) mustRules(t *testing.T) {
	t.Helper()
	var data struct {
		Groups []struct {
			Rules []struct{ Name, Health, LastError string }
		}
	}
	p.ask(t, "rules", nil, &data)
	n := 0
	for _, g := range data.Groups {
		for _, r := range g.Rules {
			if n++; r.Health != "ok" {
				t.Errorf("alert %s is %s: %s", r.Name, r.Health, r.LastError)
			}
		}
	}
	if want := len(mustAlerts(t)); n != want {
		t.Errorf("Prometheus has %d alerts, want %d", n, want)
	}
}
