package parts

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
)

// Ferret is FerretDB, a server with the protocol of MongoDB. Its findOneAndUpdate
// is not atomic, and it has no transactions.
type Ferret struct {
	*Process
	addr string
}

// StartFerret starts a server with the files of SQLite in dir, or on the PostgreSQL
// at url if that is not empty.
func StartFerret(ctx context.Context, dir, url string, log io.Writer) (*Ferret, error) {
	addr, err := FreeAddr()
	if err != nil {
		return nil, err
	}
	dir = filepath.Join(dir, "ferret")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f := &Ferret{addr: addr}
	if f.Process, err = newProcess("ferret", "-listen", addr, "-sqlite", dir, "-postgres", url); err != nil {
		return nil, err
	}
	f.log, f.ready = log, func(ctx context.Context) error { return dial(ctx, addr) }
	return f, f.Start(ctx)
}

// URL returns the server's URL.
func (f *Ferret) URL() string { return fmt.Sprintf("mongodb://%s/", f.addr) }

// Addr returns the server's address, for a proxy.
func (f *Ferret) Addr() string { return f.addr }

// Close ends the server. It keeps its files.
func (f *Ferret) Close() error { return f.Kill() }

// dial reports whether something listens at an address.
func dial(ctx context.Context, addr string) error {
	c, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	return c.Close()
}
