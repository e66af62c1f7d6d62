package parts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Proxies is a toxiproxy, which forwards connections and makes their network bad on
// demand.
type Proxies struct {
	*Process
	api string
}

// Proxy forwards connections from Addr to a server. Its methods may be called by
// several goroutines.
type Proxy struct {
	Addr string // where it listens

	name string
	of   *Proxies
}

// StartProxies starts a toxiproxy without proxies.
func StartProxies(ctx context.Context) (*Proxies, error) {
	addr, err := FreeAddr()
	if err != nil {
		return nil, err
	}
	p := &Proxies{api: "http://" + addr}
	if p.Process, err = newProcess("toxiproxy", addr); err != nil {
		return nil, err
	}
	p.ready = func(ctx context.Context) error { return dial(ctx, addr) }
	return p, p.Start(ctx)
}

// Front makes a proxy in front of the server at addr.
func (p *Proxies) Front(ctx context.Context, addr string) (*Proxy, error) {
	listen, err := FreeAddr()
	if err != nil {
		return nil, err
	}
	f := &Proxy{Addr: listen, name: "to-" + addr + "-at-" + listen, of: p}
	return f, p.call(ctx, http.MethodPost, "/proxies", map[string]any{"name": f.name, "listen": listen, "upstream": addr, "enabled": true})
}

// Delay makes every answer late by d.
func (f *Proxy) Delay(ctx context.Context, d time.Duration) error {
	return f.toxic(ctx, "latency", map[string]any{"latency": d.Milliseconds()})
}

// Drop makes the proxy forward nothing, in neither direction. Connections stay open
// and new ones are accepted, as behind a network that lost a cable.
func (f *Proxy) Drop(ctx context.Context) error {
	up := f.of.call(ctx, http.MethodPost, "/proxies/"+f.name+"/toxics",
		map[string]any{"type": "timeout", "stream": "upstream", "attributes": map[string]any{"timeout": 0}})
	return errors.Join(up, f.toxic(ctx, "timeout", map[string]any{"timeout": 0}))
}

// Reset makes the proxy end every connection, after it forwarded what came in the
// time d.
func (f *Proxy) Reset(ctx context.Context, d time.Duration) error {
	return f.toxic(ctx, "reset_peer", map[string]any{"timeout": d.Milliseconds()})
}

// Cut makes the proxy end its connections and refuse new ones.
func (f *Proxy) Cut(ctx context.Context) error { return f.enable(ctx, false) }

// Heal takes back what the other methods did.
func (f *Proxy) Heal(ctx context.Context) error {
	var is struct {
		Toxics []struct{ Name string }
	}
	if err := f.of.get(ctx, "/proxies/"+f.name, &is); err != nil {
		return err
	}
	for _, t := range is.Toxics {
		if err := f.of.call(ctx, http.MethodDelete, "/proxies/"+f.name+"/toxics/"+t.Name, nil); err != nil {
			return err
		}
	}
	return f.enable(ctx, true)
}

func (f *Proxy) enable(ctx context.Context, on bool) error {
	return f.of.call(ctx, http.MethodPost, "/proxies/"+f.name, map[string]any{"enabled": on})
}

func (f *Proxy) toxic(ctx context.Context, kind string, attributes map[string]any) error {
	return f.of.call(ctx, http.MethodPost, "/proxies/"+f.name+"/toxics",
		map[string]any{"type": kind, "stream": "downstream", "attributes": attributes})
}

func (p *Proxies) get(ctx context.Context, path string, to any) error {
	b, err := p.ask(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, to)
}

func (p *Proxies) call(ctx context.Context, method, path string, body any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	_, err = p.ask(ctx, method, path, b)
	return err
}

func (p *Proxies) ask(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, p.api+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, fmt.Errorf("parts: toxiproxy: %w", err)
	}
	b, err := io.ReadAll(a.Body)
	if a.StatusCode >= http.StatusMultipleChoices {
		err = errors.Join(err, fmt.Errorf("parts: toxiproxy: %s %s: %s: %s", method, path, a.Status, b))
	}
	return b, errors.Join(err, a.Body.Close())
}

// Close ends the proxies.
func (p *Proxies) Close() error { return p.Kill() }
