package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/game/arena"
	"github.com/cairnvoxel/cairn/game/edit"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// newArenaSite returns a Server with arenas that a goroutine steps.
func newArenaSite(t testing.TB, st history.Store, o server.Options) *site {
	t.Helper()
	arenas := arena.NewLeased(st, "", world.Options{}, edit.Options{})
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case now := <-tick.C:
				arenas.Step(now)
			case <-stop:
				return
			}
		}
	}()
	o.Arenas = arenas
	s := newSiteOf(t, st, o)
	t.Cleanup(func() {
		arenas.Close()
		close(stop)
		<-stopped
	})
	return s
}

// mustArena makes a world of blocks with n by n chunks.
func (s *site) mustArena(name string, n int) {
	s.t.Helper()
	ctx := context.Background()
	src, err := convert.Load(ctx, terrain.Survival(terrain.Options{Seed: 7, Size: 2 * n, Version: terrain.Modern}))
	if err != nil {
		s.t.Fatal(err)
	}
	var out bytes.Buffer
	id, _, err := convert.WriteStone(ctx, src, &out, stone.Options{Effort: stone.Quick})
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := world.Import(ctx, s.st, name, history.Stone{ID: id, Data: out.Bytes()}, world.Options{}, "made"); err != nil {
		s.t.Fatal(err)
	}
}

// dig makes a box of a world air, commits that, and returns how many cells it changed at most.
func (s *site) dig(name string, region string) {
	s.t.Helper()
	ctx := context.Background()
	w, err := world.Open(ctx, s.st, name, world.Options{Author: "digger", Whole: true})
	if err != nil {
		s.t.Fatal(err)
	}
	defer w.Close()
	_, err = w.Update(func(tx *world.Tx) error {
		v := tx.Dimension("overworld").Volume(voxel.Block)
		cell := v.Named("minecraft:glass")
		v.Fill(mustRegion(s.t, region), cell)
		return v.Err()
	})
	if err == nil {
		_, err = w.Commit(ctx, "dig")
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// event is one of a stream.
type event struct {
	id, name string
	data     operationJSON
}

type operationJSON struct {
	ID, World, Restore, State, Error string
	Total, Done, Failed, Cells       int
	Failures                         []struct{ Where, Error string }
	Commit                           *wire.Commit
}

// events reads a stream until it ends or stop says so.
func (s *site) events(path string, stop func(event) bool, header ...string) (all []event, raw string) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	if got := resp.Header.Get("Content-Type"); resp.StatusCode != 200 || got != "text/event-stream" {
		s.t.Fatalf("%s: %d %s", path, resp.StatusCode, got)
	}
	var now event
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		raw += lines.Text() + "\n"
		key, value, _ := strings.Cut(lines.Text(), ": ")
		switch key {
		case "id":
			now.id = value
		case "event":
			now.name = value
		case "data":
			if err := json.Unmarshal([]byte(value), &now.data); err != nil {
				s.t.Fatalf("%s: %v", value, err)
			}
		case "":
			if now.name != "" {
				all = append(all, now)
				if stop != nil && stop(now) {
					return all, raw
				}
			} else if stop != nil && stop(now) {
				return all, raw
			}
			now = event{}
		}
	}
	return all, raw
}

func (s *site) post(status int, path, body string, to any) {
	s.t.Helper()
	s.want(status, request{"POST", path, []byte(body), nil}, to)
}

func TestSnapshotsOverHTTP(t *testing.T) {
	s := newArenaSite(t, memory.New(memory.Options{}), server.Options{})
	s.mustArena("hub/one", 2)
	var saved struct {
		World, Snapshot, Stored, Message, Region, Mask string
		Commit                                         wire.Commit
	}
	s.post(201, "/v1/snapshots/hub/one", `{"snapshot":"before","message":"round 1","author":"ann","region":"box:0,0,0..31,255,31","mask":"!air"}`, &saved)
	if saved.Stored != "hub/one/.snapshots/before" || saved.Message != "round 1" || saved.Commit.Author != "ann" || saved.Region != "box:0,0,0..31,255,31" || saved.Mask != "!air" {
		t.Errorf("got %+v", saved)
	}
	s.do(request{"POST", "/v1/snapshots/hub/one", []byte(`{"snapshot":"before"}`), nil}).wantCode(t, wire.Exists)
	s.post(201, "/v1/snapshots/hub/one", `{"snapshot":"before","replace":true,"region":"box:0,0,0..31,255,31"}`, nil)
	s.dig("hub/one", "box:0,60,0..63,63,63")
	diff := func() (d struct{ Cells int }) {
		t.Helper()
		s.want(200, request{method: "GET", path: "/v1/diff/hub/one?snapshot=before"}, &d)
		return d
	}
	changed := diff().Cells
	if changed == 0 || changed > 32*32*4 {
		t.Fatalf("%d cells differ in the region", changed)
	}
	var op operationJSON
	s.post(201, "/v1/operations/hub/one", `{"restore":"before","author":"ann","message":"again"}`, &op)
	all, _ := s.events("/v1/events/hub/one?operation="+op.ID, nil, "Last-Event-ID", "7")
	last := all[len(all)-1]
	if all[0].name != "begun" || last.name != "done" || last.data.State != "done" || last.data.Cells != changed || last.data.Done != last.data.Total ||
		last.data.Commit == nil || last.data.Commit.Author != "ann" || last.data.Commit.Message != "again" {
		t.Errorf("got events %+v", all)
	}
	if n := diff().Cells; n != 0 {
		t.Errorf("%d cells differ after a restore", n)
	}
	if l, err := s.st.Leased(context.Background(), "hub/one"); err != nil || l != (history.Lease{}) {
		t.Errorf("got lease %+v, %v", l, err)
	}
	var list struct{ Operations []operationJSON }
	s.want(200, request{method: "GET", path: "/v1/operations/hub/one"}, &list)
	if len(list.Operations) != 1 || list.Operations[0].State != "done" {
		t.Errorf("got %+v", list)
	}
	s.want(204, request{method: "DELETE", path: "/v1/snapshots/hub/one?snapshot=before"}, nil)
	var none struct{ Snapshots []any }
	s.want(200, request{method: "GET", path: "/v1/snapshots/hub/one"}, &none)
	if none.Snapshots == nil || len(none.Snapshots) != 0 {
		t.Errorf("got %+v", none)
	}
	for _, tt := range []struct {
		method, path, body string
		want               wire.Code
	}{
		{"POST", "/v1/snapshots/hub/one", `{"snapshot":"a/b"}`, wire.BadName},
		{"POST", "/v1/snapshots/hub/one", `{"snapshot":""}`, wire.BadRequest},
		{"POST", "/v1/snapshots/hub/one", `{"snapshot":"x","region":"bax:1"}`, wire.BadRequest},
		{"POST", "/v1/snapshots/hub/one", `{"snapshot":"x","mask":"stone,"}`, wire.BadRequest},
		{"POST", "/v1/snapshots/hub/one", `{"snapshot":"x","dimension":"moon"}`, wire.BadRequest},
		{"POST", "/v1/snapshots/hub/one", `{"snapshot":"x","at":"99"}`, wire.NoCommit},
		{"POST", "/v1/snapshots/hub/two", `{"snapshot":"x"}`, wire.NoWorld},
		{"GET", "/v1/snapshots/hub/two", ``, wire.NoWorld},
		{"DELETE", "/v1/snapshots/hub/one?snapshot=before", ``, wire.NoWorld},
		{"GET", "/v1/diff/hub/one?snapshot=before", ``, wire.NoWorld},
		{"GET", "/v1/diff/hub/one?region=all", ``, wire.BadRequest},
		{"POST", "/v1/operations/hub/one", `{"restore":"before"}`, wire.NoWorld},
		{"POST", "/v1/operations/hub/one", `{}`, wire.BadRequest},
		{"POST", "/v1/operations/hub/one", `{"restore":"x","region":"box:1"}`, wire.BadRequest},
		{"PATCH", "/v1/operations/hub/one", `{"operation":"1","paused":true}`, wire.BadRequest},
		{"DELETE", "/v1/operations/hub/one?operation=1", ``, wire.BadRequest},
		{"GET", "/v1/events/hub/one?operation=1", ``, wire.BadRequest},
		{"GET", "/v1/events/hub/two", ``, wire.NoWorld},
	} {
		t.Run(tt.method+" "+tt.path+" "+tt.body, func(t *testing.T) {
			s.do(request{tt.method, tt.path, []byte(tt.body), nil}).wantCode(t, tt.want)
		})
	}
}

// An operation can be paused, its stream beats meanwhile, and a cancel leaves the world as it
// was. A caller who goes does not end it.
func TestOperationIsCanceled(t *testing.T) {
	s := newArenaSite(t, memory.New(memory.Options{}), server.Options{Limits: server.Limits{Heartbeat: 1, Operations: 1}})
	ctx := context.Background()
	s.mustArena("a", 2)
	s.mustArena("b", 1)
	s.post(201, "/v1/snapshots/a", `{"snapshot":"x"}`, nil)
	s.post(201, "/v1/snapshots/b", `{"snapshot":"x"}`, nil)
	s.dig("a", "box:0,60,0..63,63,63")
	head, err := s.st.Head(ctx, "a")
	if err != nil {
		t.Fatal(err)
	}
	arenas := arena.NewLeased(s.st, "", world.Options{}, edit.Options{}) // nobody steps these but the test
	s = newSiteOf(t, s.st, server.Options{Arenas: arenas, Limits: server.Limits{Heartbeat: 1, Operations: 1}})
	var op operationJSON
	s.post(201, "/v1/operations/a", `{"restore":"x"}`, &op)
	s.do(request{"POST", "/v1/operations/b", []byte(`{"restore":"x"}`), nil}).wantCode(t, wire.Busy)
	s.want(200, request{"PATCH", "/v1/operations/a", []byte(`{"operation":"` + op.ID + `","paused":true}`), nil}, &op)
	if op.State != "paused" {
		t.Errorf("got %+v", op)
	}
	beats := 0
	_, raw := s.events("/v1/events/a", func(e event) bool {
		beats++
		return beats > 3 // the caller goes
	})
	if !strings.Contains(raw, ": still here") || !strings.Contains(raw, `"state":"paused"`) {
		t.Errorf("got %q", raw)
	}
	s.do(request{method: "POST", path: "/v1/leases/a", body: []byte(`{"seconds":1}`)}).wantCode(t, wire.Leased)
	s.want(200, request{"PATCH", "/v1/operations/a", []byte(`{"operation":"` + op.ID + `","paused":false}`), nil}, nil)
	s.want(200, request{method: "DELETE", path: "/v1/operations/a?operation=" + op.ID}, nil)
	arenas.Step(time.Now())
	all, _ := s.events("/v1/events/a?operation="+op.ID, nil)
	if last := all[len(all)-1]; last.name != "done" || last.data.State != "canceled" || last.data.Commit != nil {
		t.Errorf("got %+v", all)
	}
	if now, err := s.st.Head(ctx, "a"); err != nil || now.Commit != head.Commit {
		t.Errorf("the world changed: %v, %v", now, err)
	}
	arenas.Close()
}

// A world that a game holds is not touched.
func TestOperationOnALeasedWorld(t *testing.T) {
	s := newArenaSite(t, memory.New(memory.Options{}), server.Options{})
	s.mustArena("a", 1)
	s.post(201, "/v1/snapshots/a", `{"snapshot":"x"}`, nil)
	s.post(201, "/v1/leases/a", `{"holder":"game","seconds":60}`, nil)
	s.do(request{"POST", "/v1/operations/a", []byte(`{"restore":"x"}`), nil}).wantCode(t, wire.Leased)
	var list struct{ Operations []operationJSON }
	s.want(200, request{method: "GET", path: "/v1/operations/a"}, &list)
	if len(list.Operations) != 0 {
		t.Errorf("got %+v", list)
	}
	s.want(204, request{method: "DELETE", path: "/v1/leases/a", header: []string{"Cairn-Fence", "force"}}, nil)
	s.post(201, "/v1/leases/a", `{"holder":"cairn serve","seconds":60}`, nil) // of a server that crashed
	var op operationJSON
	s.post(201, "/v1/operations/a", `{"restore":"x"}`, &op)
	if all, _ := s.events("/v1/events/a?operation="+op.ID, nil); all[len(all)-1].data.State != "done" {
		t.Errorf("got %+v", all)
	}
}

// What was done under a lease that is lost is not saved.
func TestOperationLosesItsLease(t *testing.T) {
	st := memory.New(memory.Options{})
	arenas := arena.NewLeased(st, "me", world.Options{}, edit.Options{})
	defer arenas.Close()
	s := newSiteOf(t, st, server.Options{Arenas: arenas})
	s.mustArena("a", 1)
	s.post(201, "/v1/snapshots/a", `{"snapshot":"x"}`, nil)
	s.dig("a", "box:0,60,0..31,63,31")
	var op operationJSON
	s.post(201, "/v1/operations/a", `{"restore":"x"}`, &op)
	s.want(204, request{method: "DELETE", path: "/v1/leases/a", header: []string{"Cairn-Fence", "force"}}, nil)
	for arenas.Queue().Len() > 0 {
		arenas.Step(time.Now())
		runtime.Gosched()
	}
	all, _ := s.events("/v1/events/a?operation="+op.ID, nil)
	if last := all[len(all)-1].data; last.State != "failed" || last.Commit != nil || !strings.Contains(last.Error, "lease") {
		t.Errorf("got %+v", last)
	}
	if log, err := st.Log(context.Background(), "a", history.ID{}, 9); err != nil || len(log) != 2 {
		t.Errorf("%d versions, %v", len(log), err)
	}
}

// Tokens reach snapshots and operations as they reach the world.
func TestOperationsNeedTheWorld(t *testing.T) {
	tokens, secrets := mustTokens(t, token.Token{Role: token.Read, Prefixes: []string{"a"}}, token.Token{Role: token.Write, Prefixes: []string{"b"}})
	s := newArenaSite(t, memory.New(memory.Options{}), server.Options{Tokens: tokens})
	s.mustArena("a", 1)
	bearer := func(i int) []string { return []string{"Authorization", "Bearer " + secrets[i]} }
	s.want(200, request{"GET", "/v1/snapshots/a", nil, bearer(0)}, nil)
	for i := range secrets {
		s.do(request{"POST", "/v1/snapshots/a", []byte(`{"snapshot":"x"}`), bearer(i)}).wantCode(t, wire.Forbidden)
		s.do(request{"POST", "/v1/operations/a", []byte(`{"restore":"x"}`), bearer(i)}).wantCode(t, wire.Forbidden)
	}
	s.do(request{"GET", "/v1/events/a", nil, bearer(1)}).wantCode(t, wire.Forbidden)
}

// game is a program that has a world open, and serves it itself.
type game struct {
	*site
	w     *world.World
	queue *edit.Queue
	arena edit.Arena
	fail  error // of the Sink, in every other chunk
}

// newGame returns a game of a world a with n by n chunks, glass in it that snapshot x does not have, and no commit of the glass.
func newGame(t *testing.T, n int) *game {
	g := &game{queue: edit.New(edit.Options{})}
	g.site = newSiteOf(t, memory.New(memory.Options{}), server.Options{Arenas: g})
	g.mustArena("a", n)
	var err error
	if g.w, err = world.Open(context.Background(), g.st, "a", world.Options{Whole: true}); err != nil {
		t.Fatal(err)
	}
	g.arena = edit.Arena{World: g.w, Dimension: "overworld", Sink: g}
	t.Cleanup(func() {
		g.queue.Close()
		g.w.Close()
	})
	return g
}

func (g *game) Queue() *edit.Queue { return g.queue }

func (g *game) Open(_ context.Context, name, _ string) (*arena.OpenArena, error) {
	if name != "a" {
		return nil, history.ErrNoWorld
	}
	return &arena.OpenArena{Arena: &g.arena}, nil
}

func (g *game) Capture(context.Context, string) (*world.Capture, error) { return g.w.Capture() }

func (g *game) Section(s *edit.SectionChange) error {
	if (s.Min.X>>5+s.Min.Z>>5)&1 == 0 {
		return g.fail
	}
	return nil
}

func (g *game) Column(geom.ColumnPos, *voxel.Column) error { return nil }

// glass makes a layer of the world glass, in memory alone.
func (g *game) glass() {
	g.t.Helper()
	_, err := g.w.Update(func(tx *world.Tx) error {
		v := tx.Dimension("overworld").Volume(voxel.Block)
		v.Fill(mustRegion(g.t, "box:0,60,0..63,60,63"), v.Named("minecraft:glass"))
		return v.Err()
	})
	if err != nil {
		g.t.Fatal(err)
	}
}

// restore restores a snapshot, stepping the queue as a game does, and returns how it ended.
func (g *game) restore(snapshot string) operationJSON {
	g.t.Helper()
	var op operationJSON
	g.post(201, "/v1/operations/a", `{"restore":"`+snapshot+`"}`, &op)
	for g.queue.Len() > 0 {
		g.queue.Step(time.Now(), 0)
		runtime.Gosched()
	}
	all, _ := g.events("/v1/events/a?operation="+op.ID, nil)
	return all[len(all)-1].data
}

// A game's own world: a snapshot has what no commit holds, and a restore changes the world that
// players are in, and commits nothing.
func TestArenasOfAGame(t *testing.T) {
	g := newGame(t, 2)
	g.glass()
	g.post(201, "/v1/snapshots/a", `{"snapshot":"glass"}`, nil)
	before := g.w.View().Dimension("overworld").Volume(voxel.Block)
	_, err := g.w.Update(func(tx *world.Tx) error {
		v := tx.Dimension("overworld").Volume(voxel.Block)
		v.Fill(mustRegion(t, "box:0,50,0..63,80,63"), v.Named("minecraft:stone"))
		return v.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	got := g.restore("glass")
	if got.State != "done" || got.Cells == 0 || got.Commit != nil {
		t.Errorf("got %+v", got)
	}
	after := g.w.View().Dimension("overworld").Volume(voxel.Block)
	for pos, c := range before.Chunks() {
		if d, _ := after.Chunk(pos); !c.Equal(d) {
			t.Errorf("chunk %v differs after a restore", pos)
		}
	}
}

// Properties of a world that a game has open change there, as cells do; the answer is the newest version.
func TestPropertiesOfAGame(t *testing.T) {
	g := newGame(t, 1)
	patch := request{"PATCH", "/v1/properties/a", []byte(`{"set":{"owner":"ann"}}`), nil}
	g.do(patch).wantCode(t, wire.Unsupported) // its blocks are the game's
	g.arena.Sink = nil
	var c wire.Commit
	g.want(200, patch, &c)
	if c.Number != 1 {
		t.Errorf("the answer is version %d", c.Number)
	}
	if got := g.w.View().Property("owner"); got != "ann" {
		t.Errorf("the game's world has the owner %q", got)
	}
	if got := string(g.get("/v1/properties/a").body); strings.Contains(got, "ann") {
		t.Errorf("it is saved before the game saves it: %s", got)
	}
}

// A chunk that fails is told, and the others are restored.
func TestOperationFails(t *testing.T) {
	g := newGame(t, 2)
	g.post(201, "/v1/snapshots/a", `{"snapshot":"x"}`, nil)
	g.glass()
	g.fail = errors.New("the sink is full")
	got := g.restore("x")
	if got.State != "failed" || got.Failed != 2 || got.Done != got.Total || got.Cells == 0 || len(got.Failures) != 2 || got.Failures[0].Where == "" || got.Error == "" {
		t.Errorf("got %+v", got)
	}
	g.fail = nil
	if got = g.restore("x"); got.State != "done" || got.Cells == 0 {
		t.Errorf("again: got %+v", got)
	}
}

func mustRegion(t testing.TB, text string) region.Region {
	t.Helper()
	r, err := region.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
