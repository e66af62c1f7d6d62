package server

import (
	"net/http"

	"github.com/cairnvoxel/cairn/client"
	"github.com/cairnvoxel/cairn/history"
)

func adminRoutes() []route {
	return []route{
		{method: "GET", path: "/healthz", about: "the process runs", status: 200, gives: text, serve: (*call).alive},
		{method: "GET", path: "/readyz", about: "the store takes calls and the server is not draining", status: 200, gives: text, serve: (*call).ready},
		{method: "GET", path: "/v1/openapi.json", about: "this document", status: 200, gives: jsonOf(object{}), serve: (*call).document},
		{method: "GET", path: "/metrics", role: Admin, about: "metrics for Prometheus", status: 200, gives: text, serve: (*call).metrics},
		{method: "GET", path: "/v1/stats", role: Admin, about: "how many worlds there are and how large they are, as of a minute ago", status: 200, gives: jsonOf(statsAnswer{}), serve: (*call).stats},
		{method: "POST", path: "/v1/collect", role: Admin, long: true, about: "deletes commits and stones that nothing needs", takes: jsonOf(client.Policy{}), status: 200, gives: jsonOf(history.Collected{}), serve: (*call).collect},
	}
}

var text = bytesOf("text/plain; charset=utf-8")

func (c *call) alive() error {
	c.send(http.StatusOK, text.media, []byte("ok\n"))
	return nil
}

func (c *call) ready() error {
	if c.draining.Load() {
		return fault(client.Draining, "the server is shutting down")
	}
	if _, err := c.st.List(c.ctx, "", "", 1); err != nil {
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
		return fault(client.NoRoute, nowhere)
	}
	c.o.Metrics.ServeHTTP(c, c.r)
	return nil
}

func (c *call) collect() error {
	var p client.Policy
	if err := c.json(&p); err != nil {
		return err
	}
	c.snapshots.clear()
	done, err := c.st.Collect(c.ctx, p.World())
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, done)
}
