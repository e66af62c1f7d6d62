package parts_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/testing/parts"
)

func TestPartsPostgres(t *testing.T) {
	parts.Need(t, "postgres")
	ctx := t.Context()
	p, err := parts.StartPostgres(ctx, t.TempDir(), parts.PostgresOptions{Standby: true})
	if err != nil {
		t.Fatal(err)
	}
	defer closes(t, p)
	query(t, p, "CREATE TABLE a (n int PRIMARY KEY)", "")
	for n := range 3 {
		query(t, p, fmt.Sprintf("INSERT INTO a VALUES (%d)", n), "")
		if !p.Whole() {
			t.Error("no standby")
		}
		if err := p.KillPrimary(); err != nil {
			t.Fatal(err)
		}
		if err := p.Promote(ctx); err != nil {
			t.Fatal(err)
		}
		query(t, p, "SELECT max(n) FROM a", fmt.Sprint(n))
		if err := p.Rebuild(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.KillPrimary(); err != nil {
		t.Fatal(err)
	}
	if err := p.Restart(ctx); err != nil {
		t.Fatal(err)
	}
	query(t, p, "SELECT count(*) FROM a", "3")
	if url := p.URL(); strings.Count(url, "127.0.0.1") != 2 {
		t.Errorf("URL %s: want two servers", url)
	}
}

// TestPartsPostgresAgain starts a database again in its folder, whichever server was the primary.
func TestPartsPostgresAgain(t *testing.T) {
	parts.Need(t, "postgres")
	ctx, dir := t.Context(), t.TempDir()
	for n := range 3 {
		p, err := parts.StartPostgres(ctx, dir, parts.PostgresOptions{Standby: true})
		if err != nil {
			t.Fatal(err)
		}
		query(t, p, "CREATE TABLE IF NOT EXISTS a (n int PRIMARY KEY)", "")
		query(t, p, "SELECT count(*) FROM a", fmt.Sprint(n))
		if n == 0 {
			err = errors.Join(p.KillPrimary(), p.Promote(ctx))
		}
		query(t, p, fmt.Sprintf("INSERT INTO a VALUES (%d)", n), "")
		if err = errors.Join(err, p.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPartsSupervise(t *testing.T) {
	parts.Need(t, "postgres")
	ctx, cancel := context.WithCancel(t.Context())
	p, err := parts.StartPostgres(ctx, t.TempDir(), parts.PostgresOptions{Standby: true})
	if err != nil {
		t.Fatal(err)
	}
	defer closes(t, p)
	done, told := make(chan struct{}), make(chan string)
	go func() {
		defer close(done)
		p.Supervise(ctx, func(what string, err error) { told <- fmt.Sprint(what, err) })
	}()
	for _, what := range []func() error{p.KillPrimary, p.KillStandby, p.KillPrimary} {
		if err := what(); err != nil {
			t.Fatal(err)
		}
		t.Log(<-told)
		t.Log(<-told)
		if !p.Whole() {
			t.Error("no standby")
		}
	}
	cancel()
	<-done
}

func query(t *testing.T, p *parts.Postgres, sql, want string) {
	t.Helper()
	if got, err := p.Query(t.Context(), sql); err != nil || got != want {
		t.Fatalf("%s: %q, %v: want %q", sql, got, err, want)
	}
}

func closes(t *testing.T, c io.Closer) {
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func TestPartsMinIO(t *testing.T) {
	parts.Need(t, "minio")
	var o parts.MinIOOptions
	if os.Geteuid() == 0 {
		o.Disk = 300 << 20
	}
	m, err := parts.StartMinIO(t.Context(), t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer closes(t, m)
	if o.Disk > 0 {
		if err := m.Fill(); err != nil {
			t.Error(err)
		}
		if err := m.Unfill(); err != nil {
			t.Error(err)
		}
	}
	if err := m.WipeDrive(1); err != nil {
		t.Error(err)
	}
	if err := m.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := m.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if status(t, m.URL()+"/minio/health/live") != "200 OK" {
		t.Error("it does not live")
	}
	if status(t, m.URL()+"/cairn/none") != "403 Forbidden" {
		t.Error("it lets everybody in")
	}
}

func status(t *testing.T, url string) string {
	t.Helper()
	a, err := http.Get(url)
	if err != nil {
		return "no answer"
	}
	defer closes(t, a.Body)
	return a.Status
}

func TestPartsFerret(t *testing.T) {
	parts.Need(t, "ferret")
	f, err := parts.StartFerret(t.Context(), t.TempDir(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	closes(t, f)
	if f.Running() {
		t.Error("it runs")
	}
}

func TestPartsProxies(t *testing.T) {
	parts.Need(t, "toxiproxy")
	ctx := t.Context()
	p, err := parts.StartProxies(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer closes(t, p)
	addr, err := parts.FreeAddr()
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Addr: addr, Handler: http.NotFoundHandler()}
	go func() { _ = s.ListenAndServe() }()
	defer closes(t, s)
	f, err := p.Front(ctx, addr)
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + f.Addr
	for _, tt := range []struct {
		name string
		do   func() error
		want string
	}{
		{"at first", func() error { return nil }, "404 Not Found"},
		{"cut", func() error { return f.Cut(ctx) }, "no answer"},
		{"healed", func() error { return f.Heal(ctx) }, "404 Not Found"},
		{"reset", func() error { return f.Reset(ctx, 0) }, "no answer"},
		{"healed again", func() error { return f.Heal(ctx) }, "404 Not Found"},
		{"late", func() error { return f.Delay(ctx, time.Millisecond) }, "404 Not Found"},
	} {
		http.DefaultClient.CloseIdleConnections()
		if err := tt.do(); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if got := status(t, url); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	if err := f.Drop(ctx); err != nil {
		t.Error(err)
	}
	if err := f.Heal(ctx); err != nil {
		t.Error(err)
	}
}

func TestPartsPrometheus(t *testing.T) {
	parts.Need(t, "prometheus", "promtool")
	dir := t.TempDir()
	config := dir + "/prometheus.yml"
	if err := os.WriteFile(config, []byte("global:\n  scrape_interval: 1s\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := parts.StartPrometheus(t.Context(), dir, config, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer closes(t, p)
	if got := status(t, p.URL()+"/api/v1/query?query=up"); got != "200 OK" {
		t.Error(got)
	}
}

// TestOutputEnds ends a program that has started another one, which keeps its output open.
func TestOutputEnds(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("servers are started on Linux alone")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := parts.Output(ctx, "sh", "-c", "sleep 1000 & sleep 1000"); err == nil {
		t.Error("it ended well")
	}
}

// TestFreeAddr takes more ports than one block has.
func TestFreeAddr(t *testing.T) {
	given := make(map[string]bool)
	for range 120 {
		addr, err := parts.FreeAddr()
		if err != nil {
			t.Fatal(err)
		}
		_, port, err := net.SplitHostPort(addr)
		if n, _ := strconv.Atoi(port); err != nil || n <= 10_000 || n >= 32_000 {
			t.Errorf("%s: a connection may take it", addr)
		}
		if given[addr] {
			t.Errorf("%s twice", addr)
		}
		given[addr] = true
	}
}
