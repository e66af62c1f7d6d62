package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/postgres"
	"github.com/cairnvoxel/cairn/internal/testing/parts"
	"github.com/cairnvoxel/cairn/store/history"
)

func start(t *testing.T, o parts.PostgresOptions) *parts.Postgres {
	t.Helper()
	parts.Need(t, "postgres")
	p, err := parts.StartPostgres(t.Context(), t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// writers change a record each until stop, and return how often each succeeded. An
// error that is not ErrAway fails the test.
func writers(t *testing.T, c *postgres.Database, during func(stop func())) (done [4]int) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var wg sync.WaitGroup
	for i := range done {
		wg.Go(func() {
			for n := 1; ctx.Err() == nil; n++ {
				err := c.Swap(ctx, nil, records(fmt.Sprint("w", i), fmt.Sprint(n)))
				switch {
				case err == nil:
					done[i] = n
				case ctx.Err() != nil:
				case !errors.Is(err, history.ErrAway):
					t.Error(err)
				}
			}
		})
	}
	during(stop)
	wg.Wait()
	return done
}

// wantDone checks that nothing that was acknowledged is lost.
func wantDone(t *testing.T, c *postgres.Database, done [4]int) {
	t.Helper()
	for i, want := range done {
		values := try(t, func() ([][]byte, error) { return c.Get(t.Context(), fmt.Sprint("w", i)) })
		var got int
		fmt.Sscan(string(values[0]), &got)
		if got < want {
			t.Errorf("writer %d: got %d, want %d", i, got, want)
		}
	}
}

// try calls what until it does not say ErrAway.
func try[T any](t *testing.T, what func() (T, error)) T {
	t.Helper()
	for n := 0; ; n++ {
		v, err := what()
		if errors.Is(err, history.ErrAway) && n < 1000 {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func swap(c *postgres.Database, pairs ...string) func() (struct{}, error) {
	return func() (struct{}, error) { return struct{}{}, c.Swap(context.Background(), nil, records(pairs...)) }
}

// TestPartsKilled kills a server, which comes back, and a primary, whose standby
// takes over.
func TestPartsKilled(t *testing.T) {
	p := start(t, parts.PostgresOptions{Standby: true})
	c := open(t, p.URL(), postgres.Options{Timeout: 2 * time.Second, Synchronous: true})
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		done := writers(t, c, func(stop func()) {
			try(t, swap(c, "x", "1"))
			must(p.KillPrimary())
			if err := c.Ping(ctx); !errors.Is(err, history.ErrAway) {
				t.Errorf("ping: got %v", err)
			}
			must(p.Promote(ctx))
			try(t, swap(c, "x", "2"))
			stop()
		})
		wantDone(t, c, done)
		must(p.Rebuild(ctx))
	}
	s, err := c.Stats(ctx)
	must(err)
	if len(s.Replicas) != 1 || !s.Synchronous || s.Replicas[0].Sync != "sync" || s.Replicas[0].State != "streaming" || s.Most != 16 {
		t.Errorf("stats: got %+v", s)
	}
	must(p.KillStandby()) // now a commit waits for nobody
	if err := c.Swap(ctx, nil, records("x", "3")); !errors.Is(err, history.ErrAway) {
		t.Errorf("swap without the standby: got %v", err)
	}
	must(p.Alone(ctx))
	try(t, swap(c, "x", "4"))
	if _, err := postgres.Open(ctx, p.URL(), postgres.Options{Synchronous: true}); !errors.Is(err, postgres.ErrNotSynchronous) {
		t.Errorf("open without a synchronous standby: got %v", err)
	}
	// A server that takes no writes any more.
	_, err = p.Query(ctx, "ALTER SYSTEM SET default_transaction_read_only = on")
	must(err)
	_, err = p.Query(ctx, "SELECT pg_reload_conf()")
	must(err)
	for err = nil; err == nil; err = c.Swap(ctx, nil, records("x", "5")) {
	}
	if !errors.Is(err, history.ErrAway) {
		t.Errorf("swap at a server that only reads: got %v", err)
	}
	_, err = p.Query(ctx, "SET transaction_read_only = off; ALTER SYSTEM RESET default_transaction_read_only; SELECT 1")
	_ = err
}

// TestPartsOldPrimary promotes a standby, and the old primary comes back. Nobody uses it, in
// whatever order the URL names the hosts.
func TestPartsOldPrimary(t *testing.T) {
	p := start(t, parts.PostgresOptions{Standby: true})
	ctx := t.Context()
	running := open(t, p.URL(), postgres.Options{Timeout: 2 * time.Second})
	try(t, swap(running, "x", "1"))
	if err := errors.Join(p.KillPrimary(), p.Promote(ctx)); err != nil {
		t.Fatal(err)
	}
	try(t, swap(running, "x", "2"))
	if err := p.Revive(ctx); err != nil {
		t.Fatal(err)
	}
	addrs := p.Addrs()
	for _, url := range []string{p.URL(), p.URL(addrs[1], addrs[0])} {
		c := open(t, url, postgres.Options{Timeout: 2 * time.Second})
		for range 20 {
			if got, err := c.Get(ctx, "x"); err != nil || string(got[0]) != "2" {
				t.Fatalf("%s: got %q, %v", url, got, err)
			}
		}
		s, err := c.Stats(ctx)
		if err != nil || s.Timeline < 2 || s.Primaries != 2 {
			t.Errorf("%s: got %+v, %v", url, s, err)
		}
	}
	if _, err := postgres.Open(ctx, "postgres://cairn@"+addrs[0]+"/cairn?sslmode=disable", postgres.Options{}); err != nil {
		t.Errorf("the old primary alone: got %v", err) // nothing shows that it is old
	}
}

// TestPartsHangs stops the server's processes, so that connections stay open and
// nothing answers.
func TestPartsHangs(t *testing.T) {
	p := start(t, parts.PostgresOptions{})
	c := open(t, p.URL(), postgres.Options{Timeout: 200 * time.Millisecond})
	ctx := t.Context()
	snap, release, err := c.Snapshot(ctx)
	if err == nil {
		_, err = snap.Get(ctx, "a")
	}
	if err == nil {
		err = p.Pause()
	}
	if err != nil {
		t.Fatal(err)
	}
	_, getErr := c.Get(ctx, "a")
	_, snapErr := snap.Get(ctx, "a")
	_, scanErr := c.Scan(ctx, "a", "b", 1, false)
	for name, err := range map[string]error{
		"get": getErr, "snapshot": snapErr, "scan": scanErr, "ping": c.Ping(ctx), "swap": c.Swap(ctx, nil, records("a", "1")),
	} {
		if !errors.Is(err, history.ErrAway) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	release()
	if err := p.Continue(); err != nil {
		t.Fatal(err)
	}
	try(t, swap(c, "a", "2"))
}

func TestPartsMigrate(t *testing.T) {
	url := schema(t)
	ctx := t.Context()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			c, err := postgres.Open(ctx, url, postgres.Options{Connections: 2})
			if err == nil {
				err = errors.Join(c.Swap(ctx, nil, records("a", "1")), c.Close())
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	_, name, _ := strings.Cut(url, "search_path=")
	if _, err := shared.server.Query(ctx, "UPDATE "+name+".cairn_schema SET version = 99"); err != nil {
		t.Fatal(err)
	}
	_, err := postgres.Open(ctx, url, postgres.Options{})
	if !errors.Is(err, postgres.ErrNewer) || !strings.Contains(err.Error(), "tables of version 99, this program knows versions up to 1") {
		t.Errorf("newer tables: got %v", err)
	}
}

func TestPartsClock(t *testing.T) {
	now := time.Now()
	c := open(t, schema(t), postgres.Options{Now: func() time.Time { return now }})
	ctx := t.Context()
	first, err := c.Time(ctx)
	if err != nil {
		t.Fatal(err)
	}
	now = now.Add(3 * time.Second)
	if got, err := c.Time(ctx); err != nil || got.Sub(first) != 3*time.Second {
		t.Errorf("3 s later without a call: got %v, %v", got.Sub(first), err)
	}
	now = now.Add(time.Hour) // the server's clock went on by less
	if got, err := c.Time(ctx); err != nil || got.Sub(first) > time.Minute || got.Before(first) {
		t.Errorf("after a call: got %v later, %v", got.Sub(first), err)
	}
}

func TestOpenRefused(t *testing.T) {
	ctx := t.Context()
	for _, tt := range []struct{ name, url, want string }{
		{"no URL", "postgres://a:secret@h:x/db", "cannot parse"},
		{"nobody there", "postgres://a:secret@127.0.0.1:1/db?connect_timeout=1", "cannot be reached"},
	} {
		_, err := postgres.Open(ctx, tt.url, postgres.Options{Timeout: time.Second})
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v", tt.name, err)
		}
	}
}

// TestPartsManyRemoved removes as many records as a world with a long log has.
func TestPartsManyRemoved(t *testing.T) {
	c := open(t, schema(t), postgres.Options{Timeout: 20 * time.Second})
	all := make([]history.Record, 40_000)
	for i := range all {
		all[i] = history.Record{Key: fmt.Sprintf("k%06d", i), Value: []byte("v")}
	}
	if err := c.Swap(t.Context(), nil, all); err != nil {
		t.Fatal(err)
	}
	for i := range all {
		all[i].Value = nil
	}
	if err := c.Swap(t.Context(), nil, all); err != nil {
		t.Fatal(err)
	}
	if left, err := c.Scan(t.Context(), "", "\xff", 1, false); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// TestPartsBusy lets a call wait too long for a connection, while others work: these
// connections stay.
func TestPartsBusy(t *testing.T) {
	c := open(t, schema(t), postgres.Options{Connections: 2, Timeout: 300 * time.Millisecond})
	ctx := t.Context()
	hold := func() (history.Records, func()) {
		snap, release, err := c.Snapshot(ctx)
		if err == nil {
			_, err = snap.Get(ctx, "a")
		}
		if err != nil {
			t.Fatal(err)
		}
		return snap, release
	}
	snap, release := hold()
	_, releaseSecond := hold()
	late := make(chan error, 1)
	go func() {
		_, err := c.Get(ctx, "a")
		late <- err
	}()
	for err := error(nil); err == nil; {
		if _, getErr := snap.Get(ctx, "a"); getErr != nil {
			t.Fatal(getErr)
		}
		select {
		case err = <-late:
			if !errors.Is(err, history.ErrAway) {
				t.Fatalf("without a connection: got %v", err)
			}
		default:
		}
	}
	release()
	releaseSecond()
	for c.Pool().InUse > 0 {
		time.Sleep(time.Millisecond)
	}
	if n := c.Pool().Connections; n != 2 {
		t.Errorf("%d of 2 connections stayed", n)
	}
}
