package parts

import (
	"context"
	"io"
	"path/filepath"
)

// Prometheus is a server of metrics.
type Prometheus struct {
	*Process
	addr string
}

// StartPrometheus starts a server with the configuration in a file. It keeps what it
// scrapes in dir.
func StartPrometheus(ctx context.Context, dir, config string, log io.Writer) (*Prometheus, error) {
	addr, err := FreeAddr()
	if err != nil {
		return nil, err
	}
	p := &Prometheus{addr: addr}
	if p.Process, err = newProcess("prometheus", "--config.file="+config, "--web.listen-address="+addr,
		"--storage.tsdb.path="+filepath.Join(dir, "prometheus"), "--web.enable-lifecycle"); err != nil {
		return nil, err
	}
	p.log = log
	p.ready = func(ctx context.Context) error { return Healthy(ctx, p.URL()+"/-/ready") }
	return p, p.Start(ctx)
}

// URL returns the server's URL.
func (p *Prometheus) URL() string { return "http://" + p.addr }

// Close ends the server. It keeps its files.
func (p *Prometheus) Close() error { return p.Kill() }
