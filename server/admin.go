package server

import (
	"errors"
	"net/http"

	"github.com/cairnvoxel/cairn/internal/server/archives"
	"github.com/cairnvoxel/cairn/internal/server/away"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/store/history"
)

func adminRoutes() []route {
	return []route{
		{method: "GET", path: "/healthz", about: "the process runs", status: 200, gives: text, serve: (*call).alive},
		{method: "GET", path: "/readyz", about: "the store can be reached and the server is not draining", status: 200, gives: text, serve: (*call).ready},
		{method: "GET", path: "/v1/openapi.json", about: "this document", status: 200, gives: jsonOf(object{}), serve: (*call).document},
		{method: "GET", path: "/metrics", role: Admin, about: "metrics for Prometheus", status: 200, gives: text, serve: (*call).metrics},
		{method: "GET", path: "/v1/stats", role: Admin, about: "how many worlds there are and how large they are, as of a minute ago", status: 200, gives: jsonOf(statsAnswer{}), serve: (*call).stats},
		{method: "POST", path: "/v1/archives", role: Admin, long: true, about: "gives out and takes in whole worlds, for backups and migrations", query: []param{oneOf("do", "what", "identity", "outlines", "archive", "stone", "lacks", "give", "adopt")}, needs: []string{"do"}, headers: []string{wire.RetryHeader}, takes: bytesOf(wire.RecordsType), status: 200, gives: bytesOf(wire.RecordsType), serve: (*call).archives},
		{method: "POST", path: "/v1/collect", role: Admin, long: true, about: "deletes commits and stones that nothing needs", takes: jsonOf(wire.CollectCall{}), status: 200, gives: jsonOf(history.Collected{}), serve: (*call).collect},
	}
}

var text = bytesOf("text/plain; charset=utf-8")

func (c *call) alive() error {
	c.send(http.StatusOK, text.media, []byte("ok\n"))
	return nil
}

func (c *call) ready() error {
	if c.draining.Load() {
		return fault(wire.Draining, "the server is shutting down")
	}
	if err := c.guard.Ready(c.ctx); away.Full(err) {
		return fault(wire.Away, "%s", away.Words(err))
	} else if err != nil {
		return err
	}
	return c.alive()
}

func (c *call) document() error {
	c.send(http.StatusOK, jsonType, c.api)
	return nil
}

func (c *call) metrics() error {
	if c.o.Metrics == nil {
		return fault(wire.NoRoute, nowhere)
	}
	c.secure(c.w.Header())
	c.o.Metrics.ServeHTTP(c, c.r)
	return nil
}

func (c *call) collect() error {
	var p wire.CollectCall
	if err := c.json(&p); err != nil {
		return err
	}
	if !p.DryRun {
		c.snapshots.Clear()
	}
	done, err := c.st.Collect(c.ctx, p.Policy().Or(c.o.Policy))
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, done)
}

// archives is POST /v1/archives.
func (c *call) archives() error {
	st, ok := c.st.(history.Archiver)
	if !ok {
		return fault(wire.NoRoute, "this store does not give out whole worlds")
	}
	r, err := c.records()
	if err != nil {
		return err
	}
	defer recycle(r)
	err = archives.Serve(c.ctx, st, c.query.Get("do"), c.r.Header.Get(wire.RetryHeader) == "1", r, c.limits.StoneBytes, func(b []byte) error { return c.part(wire.RecordsType, &b) })
	switch {
	case errors.Is(err, archives.ErrCall):
		return bad("%v", err)
	case errors.As(err, new(*archives.BodyError)):
		return ofCaller(err)
	}
	return err
}
