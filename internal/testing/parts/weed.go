package parts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
)

// WeedEnv is the environment variable that names the program weed, if it is not among the
// programs of CAIRN_PARTS.
const WeedEnv = "CAIRN_WEED"

// WeedOptions is how SeaweedFS runs. The zero value is one master and three volume servers.
type WeedOptions struct {
	Servers int       // default 3
	Disk    int64     // bytes of a file system of its own for the last volume server, for which we must be root; 0 for none
	Log     io.Writer // gets what they print; may be nil
}

// Weed is a SeaweedFS.
type Weed struct {
	Master  *Process
	Volumes []*Process
	o       WeedOptions
	addr    string
	full    string // the folder of the last volume server
}

// StartWeed starts a SeaweedFS with its files in dir.
func StartWeed(ctx context.Context, dir string, o WeedOptions) (*Weed, error) {
	if o.Servers == 0 {
		o.Servers = 3
	}
	w := &Weed{o: o}
	if err := w.start(ctx, filepath.Join(dir, "weed")); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

func (w *Weed) start(ctx context.Context, dir string) error {
	port, err := weedPort()
	if err != nil {
		return err
	}
	w.addr = fmt.Sprintf("127.0.0.1:%d", port)
	meta := filepath.Join(dir, "master")
	if err := os.MkdirAll(meta, 0o700); err != nil {
		return err
	}
	if w.Master, err = newProcess("weed", "master", "-ip=127.0.0.1", fmt.Sprintf("-port=%d", port), "-mdir="+meta, "-peers=none", "-telemetry=false", "-volumeSizeLimitMB=64"); err != nil {
		return err
	}
	w.Master.log = w.o.Log
	w.Master.ready = func(ctx context.Context) error { return Healthy(ctx, "http://"+w.addr+"/cluster/status") }
	if err := w.Master.Start(ctx); err != nil {
		return err
	}
	for i := range w.o.Servers {
		port, err := weedPort()
		if err != nil {
			return err
		}
		at := filepath.Join(dir, fmt.Sprintf("volume%d", i))
		if err := os.MkdirAll(at, 0o700); err != nil {
			return err
		}
		p, err := newProcess("weed", "volume", "-ip=127.0.0.1", fmt.Sprintf("-port=%d", port), "-dir="+at, "-max=60", "-master="+w.addr, "-preStopSeconds=0")
		if err != nil {
			return err
		}
		p.log = w.o.Log
		p.ready = func(ctx context.Context) error { return Healthy(ctx, fmt.Sprintf("http://127.0.0.1:%d/status", port)) }
		if w.full = at; i == w.o.Servers-1 && w.o.Disk > 0 {
			if err := p.mount(ctx, at+".img", at, w.o.Disk); err != nil {
				return err
			}
		}
		w.Volumes = append(w.Volumes, p)
		if err := p.Start(ctx); err != nil {
			return err
		}
	}
	return until(ctx, readyLimit, func(ctx context.Context) error {
		return Healthy(ctx, fmt.Sprintf("http://%s/dir/assign?dataSize=1&collection=try&replication=%03d", w.addr, w.o.Servers-1))
	})
}

// weedPort returns a port whose neighbour 10,000 above is free too: SeaweedFS takes both.
func weedPort() (int, error) {
	for range 100 {
		addr, err := FreeAddr()
		if err != nil {
			return 0, err
		}
		var port int
		if _, err := fmt.Sscanf(addr, "127.0.0.1:%d", &port); err != nil {
			return 0, err
		}
		if l, err := net.Listen("tcp", addrOf(port+10_000)); err == nil {
			return port, l.Close()
		}
	}
	return 0, errors.New("parts: no two ports are free for SeaweedFS")
}

// Addr returns the address of the master.
func (w *Weed) Addr() string { return w.addr }

// Fill fills the file system of the last volume server, which WeedOptions.Disk made, until
// Unfill.
func (w *Weed) Fill() error {
	if w.o.Disk == 0 {
		return errors.New("parts: fill: the volume server has no file system of its own")
	}
	return fill(w.ballast())
}

// Unfill takes back what Fill did.
func (w *Weed) Unfill() error { return os.Remove(w.ballast()) }

func (w *Weed) ballast() string {
	return fmt.Sprintf("/proc/%d/root%s", w.Volumes[len(w.Volumes)-1].Pid(), filepath.Join(w.full, "ballast"))
}

// Close ends all processes. It keeps their files.
func (w *Weed) Close() error {
	var errs []error
	for _, p := range append(w.Volumes, w.Master) {
		if p != nil {
			errs = append(errs, p.Kill())
		}
	}
	return errors.Join(errs...)
}
