package deploy_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/server/metrics"
	clientmetrics "github.com/cairnvoxel/cairn/store/client/metrics"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

const (
	dashboardFile = "grafana/cairn.json"
	alertsFile    = "prometheus/alerts.yml"
)

// dashboard is what is used here of Grafana's format.
type dashboard struct {
	UID           string
	Title         string
	SchemaVersion int
	Panels        []panel
	Templating    struct{ List []variable }
}

type panel struct {
	ID                       int
	Type, Title, Description string
	GridPos                  struct{ X, Y, W, H int }
	Datasource               source
	FieldConfig              struct {
		Defaults  struct{ Unit string }
		Overrides []any
	}
	Options map[string]any
	Targets []target
}

type source struct{ Type, UID string }

type target struct {
	RefID, Expr, LegendFormat, Format string
	Instant                           bool
	Datasource                        source
}

type variable struct {
	Name, Type string
	Definition string
	Query      any
}

func mustDashboard(t *testing.T) dashboard {
	t.Helper()
	var d dashboard
	text, err := os.ReadFile(dashboardFile)
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// An alert is a rule of alerts.yml.
type alert struct{ name, expr, todo string }

// mustAlerts reads the rules, which have one line for each field.
func mustAlerts(t *testing.T) (out []alert) {
	t.Helper()
	text, err := os.ReadFile(alertsFile)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "- alert":
			out = append(out, alert{name: value})
		case "expr":
			out[len(out)-1].expr = value
		case "todo":
			out[len(out)-1].todo = value
		}
	}
	if len(out) == 0 {
		t.Fatal("no alerts")
	}
	return out
}

// units are those of Grafana that the dashboard uses.
var units = []string{"short", "s", "bytes", "Bps", "reqps", "percentunit"}

// Grafana is no part of the tests. This is what can be said of the file without it.
func TestDashboard(t *testing.T) {
	d := mustDashboard(t)
	if d.UID != "cairn" || d.Title == "" || d.SchemaVersion < 36 {
		t.Errorf("uid %q, title %q, schema %d", d.UID, d.Title, d.SchemaVersion)
	}
	defined := map[string]bool{"__rate_interval": true}
	for _, v := range d.Templating.List {
		defined[v.Name] = true
	}
	ids, taken, row := map[int]bool{}, map[[2]int]int{}, ""
	titles := map[string]bool{}
	for _, p := range d.Panels {
		at := p.GridPos
		if ids[p.ID] || p.ID == 0 {
			t.Errorf("panel %q: number %d again", p.Title, p.ID)
		}
		ids[p.ID] = true
		if p.Title == "" || at.X < 0 || at.Y < 0 || at.W <= 0 || at.H <= 0 || at.X+at.W > 24 {
			t.Errorf("panel %d %q is at %+v", p.ID, p.Title, at)
		}
		for x := at.X; x < at.X+at.W; x++ {
			for y := at.Y; y < at.Y+at.H; y++ {
				if other, ok := taken[[2]int{x, y}]; ok {
					t.Fatalf("panels %d and %d are both at %d, %d", p.ID, other, x, y)
				}
				taken[[2]int{x, y}] = p.ID
			}
		}
		if p.Type == "row" {
			row = p.Title
			continue
		}
		if titles[row+p.Title] {
			t.Errorf("two panels %q in row %q", p.Title, row)
		}
		titles[row+p.Title] = true
		if !slices.Contains([]string{"stat", "timeseries", "bargauge"}, p.Type) || !slices.Contains(units, p.FieldConfig.Defaults.Unit) {
			t.Errorf("panel %q: type %q, unit %q", p.Title, p.Type, p.FieldConfig.Defaults.Unit)
		}
		if p.Datasource != (source{"prometheus", "${datasource}"}) || len(p.Targets) == 0 || p.Options == nil {
			t.Errorf("panel %q: %+v", p.Title, p)
		}
		refs := map[string]bool{}
		for _, q := range p.Targets {
			if refs[q.RefID] || q.RefID == "" || q.Expr == "" || q.LegendFormat == "" || q.Datasource != p.Datasource {
				t.Errorf("panel %q: query %+v", p.Title, q)
			}
			refs[q.RefID] = true
			for _, name := range variables.FindAllStringSubmatch(q.Expr, -1) {
				if !defined[name[1]] {
					t.Errorf("panel %q: no variable $%s", p.Title, name[1])
				}
			}
		}
	}
}

var variables = regexp.MustCompile(`\$\{?([a-z_]+)`)

// metricNames returns the names of metrics in expressions, without the endings that
// Prometheus adds to those of histograms.
func metricNames(exprs ...string) map[string]bool {
	out := map[string]bool{}
	for _, e := range exprs {
		for _, name := range metricName.FindAllString(e, -1) {
			out[histogramEnd.ReplaceAllString(name, "")] = true
		}
	}
	return out
}

var (
	metricName   = regexp.MustCompile(`\b(cairn|go|process)_[a-z_]+`)
	histogramEnd = regexp.MustCompile(`_(bucket|sum|count)$`)
)

// documented returns the metrics in the table of docs/SERVE.md, which a test of the
// server compares with what a server exposes.
func documented(t *testing.T) map[string]bool {
	t.Helper()
	page, err := os.ReadFile("../docs/SERVE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "\n## Metrics")
	table, _, _ = strings.Cut(table, "\n## ")
	return metricNames(table)
}

// exposed returns the metrics of collectors.
func exposed(t *testing.T, h func() string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for line := range strings.Lines(h()) {
		if rest, ok := strings.CutPrefix(line, "# TYPE "); ok {
			name, _, _ := strings.Cut(rest, " ")
			out[name] = true
		}
	}
	return out
}

// Dashboard and alerts use only metrics that are there, and each of our metrics is on
// the dashboard.
func TestNames(t *testing.T) {
	r := prometheus.NewRegistry()
	loads := clientmetrics.New()
	r.MustRegister(loads)
	loads.Loaded("w", history.LoadSteps{Call: 1})
	known := exposed(t, func() string {
		w := httptest.NewRecorder()
		promhttp.HandlerFor(r, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		metrics.New().Handler().ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		return w.Body.String()
	})
	pages := documented(t)
	for name := range known {
		if strings.HasPrefix(name, "cairn_") && !pages[name] {
			t.Errorf("docs/SERVE.md does not have %s", name)
		}
	}
	for name := range pages {
		known[name] = true
	}
	var exprs []string
	for _, p := range mustDashboard(t).Panels {
		for _, q := range p.Targets {
			exprs = append(exprs, q.Expr)
		}
	}
	shown := metricNames(exprs...)
	for name := range pages {
		if !shown[name] {
			t.Errorf("the dashboard does not show %s", name)
		}
	}
	for _, a := range mustAlerts(t) {
		exprs = append(exprs, a.expr)
	}
	for name := range metricNames(exprs...) {
		if !known[name] {
			t.Errorf("nobody exposes %s", name)
		}
	}
}

// Each alert has a test, and a section that says what to do.
func TestAlerts(t *testing.T) {
	tests, err := os.ReadFile("prometheus/alerts_test.yml")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../docs/ALERTS.md")
	if err != nil {
		t.Fatal(err)
	}
	var sections []string
	for line := range strings.Lines(string(page)) {
		if name, ok := strings.CutPrefix(line, "## "); ok {
			sections = append(sections, strings.TrimSpace(name))
		}
	}
	var names []string
	for _, a := range mustAlerts(t) {
		names = append(names, a.name)
		if !strings.Contains(string(tests), a.name) {
			t.Errorf("%s has no test", a.name)
		}
		if want := fmt.Sprintf("See docs/ALERTS.md#%s.", strings.ToLower(a.name)); !strings.Contains(a.todo, want) {
			t.Errorf("%s: %q does not say: %s", a.name, a.todo, want)
		}
		if bare(a.expr) == a.expr {
			t.Errorf("%s: %q compares nothing", a.name, a.expr)
		}
	}
	if !slices.Equal(names, sections) {
		t.Errorf("alerts %q, sections of docs/ALERTS.md %q", names, sections)
	}
}

// bare returns an expression without the comparison at its end.
func bare(expr string) string { return comparison.ReplaceAllString(expr, "") }

var comparison = regexp.MustCompile(` (==|!=|>=|<=|>|<) [0-9.e]+$`)
