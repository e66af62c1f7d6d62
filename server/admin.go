package server

import (
	"cmp"
	"net/http"

	"github.com/cairnvoxel/cairn/internal/server/archives"
	"github.com/cairnvoxel/cairn/internal/server/away"
	"github.com/cairnvoxel/cairn/internal/server/metrics"
	"github.com/cairnvoxel/cairn/internal/server/streams"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/store/history"

	localstore "github.com/cairnvoxel/cairn/store/local"
)

// state is that of the server and of its store as a whole.
type state struct {
	st       history.Store
	worlds   *worlds
	gate     *gate
	hub      *streams.Hub
	sizes    metrics.Sizes
	metrics  http.Handler // nil for none
	policy   history.Policy
	packs    bool
	document []byte // openapi.json
}

func (h *state) routes() []route {
	return []route{
		{method: "GET", path: "/healthz", about: "the process runs", status: 200, handler: plain(alive, text)},
		{method: "GET", path: "/readyz", about: "the store can be reached and the server is not draining", status: 200, handler: plain(h.ready, text)},
		{method: "GET", path: "/v1/openapi.json", about: "this document", status: 200, handler: plain(h.api, jsonOf(object{}))},
		{method: "GET", path: "/metrics", role: token.Admin, about: "metrics for Prometheus", status: 200, handler: plain(h.counts, text)},
		{method: "GET", path: "/v1/stats", role: token.Admin, about: "how many worlds there are and how large they are, as of a minute ago", status: 200, handler: gives(h.stats)},
		{method: "POST", path: "/v1/archives", role: token.Admin, long: true, about: "gives out and takes in whole worlds, for backups and migrations", query: []param{oneOf("do", "what", "identity", "outlines", "archive", "stone", "lacks", "give", "adopt")}, needs: []string{"do"}, headers: []string{wire.RetryHeader}, status: 200, handler: plain(h.archives, records).from(records)},
		{method: "POST", path: "/v1/collect", role: token.Admin, long: true, about: "deletes commits and stones that nothing needs", status: 200, handler: takes(h.collect)},
	}
}

func alive(c *call) error {
	return c.send(http.StatusOK, text.media, []byte("ok\n"))
}

func (h *state) ready(c *call) error {
	if h.gate.draining.Load() {
		return errDraining
	}
	if err := h.worlds.guard.Ready(c.ctx); away.Full(err) {
		return fault(wire.Away, "%s", away.Words(err))
	} else if err != nil {
		return err
	}
	return alive(c)
}

func (h *state) api(c *call) error {
	return c.send(http.StatusOK, jsonType, h.document)
}

func (h *state) counts(c *call) error {
	if h.metrics == nil {
		return fault(wire.NoRoute, nowhere)
	}
	c.secure(c.w.Header())
	h.metrics.ServeHTTP(c, c.r)
	return nil
}

// statsAnswer has nothing that changes from second to second: that is in the metrics.
type statsAnswer struct {
	Time   wire.Time          `json:"time"` // of the sample
	Worlds int                `json:"worlds"`
	Sizes  metrics.WorldSizes `json:"sizes"`
	Store  *localstore.Stats  `json:"store"` // null if the store counts nothing
	Stream streamStats        `json:"stream"`
	Packs  bool               `json:"packs"` // the server packs
}

type streamStats struct {
	Viewers int   `json:"viewers"`
	Worlds  int   `json:"worlds"`
	Bytes   int64 `json:"bytes"`
	Cubes   int64 `json:"cubes"`
	Edits   int64 `json:"edits"`
	Cut     int64 `json:"cut"`
}

func (h *state) stats(c *call) (a statsAnswer, err error) {
	sizes, all, at, err := h.sizes.Of(c.ctx, h.st)
	if err != nil {
		return a, err
	}
	a = statsAnswer{Time: wire.Time{Time: at}, Worlds: all, Sizes: sizes, Packs: h.packs}
	if st, ok := h.st.(metrics.Counted); ok {
		s, err := st.Stats(c.ctx)
		if err != nil {
			return a, err
		}
		a.Worlds, a.Store = s.Worlds, &s
	}
	shown, worlds := h.hub.Stats()
	a.Stream = streamStats{shown.Viewers, worlds, shown.Bytes, shown.Cubes, shown.Edits, shown.Cut}
	return a, nil
}

func (h *state) collect(c *call, p *wire.CollectCall) (history.Collected, error) {
	if !p.DryRun {
		h.worlds.open.Clear()
	}
	return h.st.Collect(c.ctx, policyOr(p.Policy(), h.policy))
}

func (h *state) archives(c *call) error {
	st, ok := h.st.(history.Archiver)
	if !ok {
		return fault(wire.NoRoute, "this store does not give out whole worlds")
	}
	r, err := c.records()
	if err != nil {
		return err
	}
	defer recycle(r)
	return archives.Serve(c.ctx, st, c.query.Get("do"), c.r.Header.Get(wire.RetryHeader) == "1", r, c.limits.StoneBytes, func(b []byte) error { return c.part(wire.RecordsType, &b) })
}

// policyOr returns p with what it does not say from other.
func policyOr(p, other history.Policy) history.Policy {
	if p.Keep == (history.Retention{}) {
		p.Keep = other.Keep
	}
	p.Grace, p.Deleted = cmp.Or(p.Grace, other.Grace), cmp.Or(p.Deleted, other.Deleted)
	return p
}
