package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/local"
	"github.com/spf13/cobra"
)

type serveOptions struct {
	listen, tokens, cert, key string
	debug                     string
	debugOpen, demo           bool
	backup, every, keep       string
	collectEvery              string
	gc                        gcOptions // --versions, --grace, --deleted
	drain, slow               string
	logFormat                 string
}

func newServe(sf *storeFlag) *cobra.Command {
	var o serveOptions
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serves the store over HTTP",
		Long: `serve serves the worlds of the store over HTTP (server/API.md), packs them as they
are saved, collects what nothing needs, and makes backups. It makes the store if it
is not there.

When it takes calls it prints "ready URL". Everything else it says is a log on
standard error. SIGTERM or Ctrl-C makes it finish what is under way and exit; a
second one ends it at once, which loses nothing that was acknowledged. SIGHUP makes
it read the tokens and the certificate again.

Without --tokens it serves programs on this machine alone, and takes each for an
administrator. cairn token makes tokens. docs/SERVE.md says how to run it for good.`,
		Example: "  cairn serve --demo\n  cairn serve --store local:/srv/cairn --listen :7070 --tokens tokens.json --tls-cert cert.pem --tls-key key.pem --backup /mnt/backups --every 12h --keep 3w",
		Args:    takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			if f := c.Flags(); o.backup == "" && (f.Changed("every") || f.Changed("keep")) {
				return usagef("--every and --keep are about backups: --backup says in which folder")
			}
			return runServe(c.Context(), sf, c.OutOrStdout(), c.ErrOrStderr(), o)
		},
	}
	f := c.Flags()
	for _, s := range []struct {
		to                    *string
		name, standard, about string
	}{
		{&o.listen, "listen", "127.0.0.1:7070", "the address; port 0 is any that is free"},
		{&o.tokens, "tokens", "", "the file of tokens, made by cairn token new"},
		{&o.cert, "tls-cert", "", "the file of the certificate and those it stands on, PEM"},
		{&o.key, "tls-key", "", "the file of its key, PEM"},
		{&o.debug, "debug", "", "an address of its own for /debug/pprof and /metrics, on this machine"},
		{&o.backup, "backup", "", "the folder of backups; none are made without"},
		{&o.every, "every", "12h", "how often a backup is made"},
		{&o.keep, "keep", "3w", keepHelp},
		{&o.collectEvery, "collect-every", "1h", "how often cairn gc is done; 0 is never"},
		{&o.gc.keep, "versions", standardVersions, "which versions stay, as cairn gc --keep"},
		{&o.gc.grace, "grace", "1h", "how long a condemned stone stays"},
		{&o.gc.deleted, "deleted", "7d", "how long a deleted world can be had back"},
		{&o.drain, "drain", "30s", "how long what is under way may take at the end"},
		{&o.slow, "slow", "1s", "calls that took longer are logged; 0 is none"},
		{&o.logFormat, "log-format", "text", "text or json"},
	} {
		f.StringVar(s.to, s.name, s.standard, s.about)
	}
	f.BoolVar(&o.debugOpen, "debug-open", false, "let --debug be an address that others reach: whoever does reads this process's memory")
	f.BoolVar(&o.demo, "demo", false, "put a few made-up worlds below demo/ first")
	return c
}

// service is a server under way.
type service struct {
	serveSettings
	log     *slog.Logger
	tokens  *server.Tokens // nil: none
	cert    *certificate   // nil: no TLS
	server  *server.Server
	http    *http.Server
	debug   *http.Server // nil: none
	keeper  *server.Keeper
	metrics *server.Metrics
	failed  chan error // of what serves
}

func runServe(ctx context.Context, sf *storeFlag, out, log io.Writer, o serveOptions) error {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx) // from here on signals end it otherwise
	settings, err := o.settings()
	if err == nil && isServed(sf.where()) {
		err = usagef("--store %s: that is a server already", sf.where())
	}
	if err != nil {
		return err
	}
	s := &service{serveSettings: settings, log: settings.logger(log), failed: make(chan error, 2)}
	l, err := s.prepare(ctx, sf)
	if err != nil {
		return err
	}
	s.log.Info("start", "store", sf.where(), "listen", l.main.Addr().String(), "tokens", s.tokens != nil, "tls", s.cert != nil)
	if s.cert == nil && server.Loopback(s.listen) != nil {
		s.log.Warn("tokens and worlds can be read on their way: there is no --tls-cert")
	}
	if s.tokens != nil && len(s.tokens.All()) == 0 {
		s.log.Warn("the file holds no tokens: nobody may call", "tokens", s.tokensFile)
	}
	if sf.where() == memoryStore {
		s.log.Warn("the store is in memory: nothing is kept when this process ends")
	}
	s.serve(l, out)
	return s.end(signals, s.wait(signals))
}

// listeners are where it listens.
type listeners struct{ main, debug net.Listener }

func (l *listeners) close() error {
	var err error
	for _, one := range []net.Listener{l.main, l.debug} {
		if one != nil {
			err = errors.Join(err, one.Close())
		}
	}
	return err
}

// prepare opens everything that a service needs, or nothing but the store, which
// is the depot's to close.
func (s *service) prepare(ctx context.Context, sf *storeFlag) (l *listeners, err error) {
	l = &listeners{}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.close())
		}
	}()
	if s.tokensFile != "" {
		s.tokens, err = server.ReadTokens(s.tokensFile)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w; cairn token new makes it", err)
		}
		if err != nil {
			return l, err
		}
	}
	if s.certFile != "" {
		if s.cert, err = newCertificate(s.certFile, s.keyFile); err != nil {
			return l, err
		}
	}
	if s.debugAddr != "" {
		if l.debug, err = net.Listen("tcp", s.debugAddr); err != nil {
			return l, err
		}
	}
	sf.writes = true
	st, err := sf.make(ctx)
	if err != nil {
		return l, err
	}
	if s.demo {
		if err := s.fillDemo(ctx, sf, st); err != nil {
			return l, err
		}
	}
	if err := s.open(ctx, sf, st); err != nil {
		return l, err
	}
	l.main, err = s.server.Listen(s.listen)
	return l, err
}

// open makes the server and the keeper of a store.
func (s *service) open(ctx context.Context, sf *storeFlag, st history.Store) (err error) {
	s.metrics = server.NewMetrics()
	k := server.KeeperOptions{CollectEvery: s.collectEvery, Policy: s.policy, Metrics: s.metrics, Log: s.log}
	if s.backupDir != "" {
		if err := s.keepBackups(ctx, sf, &k); err != nil {
			return err
		}
	}
	o := server.Options{Packs: true, Tokens: s.tokens, Log: s.log, Observe: s.observe, Metrics: s.metrics.Handler(),
		Saved: func(name string) { s.keeper.Saved(name) }}
	if s.server, err = server.New(st, o); err != nil {
		return err
	}
	s.metrics.Watch(s.server)
	s.keeper = server.NewKeeper(st, time.Now(), k)
	s.http = s.server.HTTP()
	return nil
}

// keepBackups lets the keeper make backups, of which the next is due after the
// last that is there.
func (s *service) keepBackups(ctx context.Context, sf *storeFlag, k *server.KeeperOptions) error {
	st, err := sf.local(ctx)
	if err != nil {
		return err
	}
	times, err := local.Backups(s.backupDir, local.Options{})
	if err != nil {
		return err
	}
	if n := len(times); n > 0 {
		k.LastBackup = times[n-1]
	}
	k.BackupEvery = s.backupEvery
	k.Backup = func(ctx context.Context) (local.Backed, error) {
		return st.Backup(ctx, s.backupDir, local.BackupOptions{Keep: s.backupKeep})
	}
	return nil
}

// observe tells the metrics of a call, and the log of one that was slow.
func (s *service) observe(e *server.Event) {
	s.metrics.Observe(e)
	if s.slow > 0 && e.Took > s.slow {
		args := []any{"route", e.Route, "code", e.Code, "seconds", e.Took.Seconds()}
		for _, step := range e.Steps {
			args = append(args, step.Name, step.Took.Seconds())
		}
		s.log.Warn("slow", args...)
	}
}

// serve begins to serve and says so.
func (s *service) serve(l *listeners, out io.Writer) {
	scheme := "http"
	if s.cert != nil {
		scheme = "https"
		s.http.TLSConfig = s.cert.config()
		go func() { s.failed <- s.http.ServeTLS(l.main, "", "") }()
	} else {
		go func() { s.failed <- s.http.Serve(l.main) }()
	}
	if l.debug != nil {
		s.debug = &http.Server{Handler: debugHandler(s.metrics, !s.debugOpen), ReadHeaderTimeout: 10 * time.Second}
		go func() { s.failed <- s.debug.Serve(l.debug) }()
		fmt.Fprintf(out, "debug http://%s\n", l.debug.Addr())
	}
	fmt.Fprintf(out, "ready %s://%s\n", scheme, l.main.Addr())
}

// wait steps the keeper until a signal or a fault ends the service.
func (s *service) wait(signals <-chan os.Signal) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	s.keeper.Step(time.Now())
	for {
		select {
		case now := <-tick.C:
			s.keeper.Step(now)
		case err := <-s.failed:
			return err
		case signal := <-signals:
			if signal != syscall.SIGHUP {
				s.log.Info("drain", "signal", signal.String(), "seconds", s.drain.Seconds())
				return nil
			}
			s.reload()
		}
	}
}

// reload reads the files of secrets again. What cannot be read stays as it was.
func (s *service) reload() {
	var err error
	if s.tokens != nil {
		err = s.tokens.Reload()
	}
	if s.cert != nil {
		err = errors.Join(err, s.cert.reload())
	}
	if err != nil {
		s.log.Error("reload failed: what was read before stays", "err", err)
		return
	}
	s.log.Info("reloaded")
}

// end finishes what is under way, as long as it may, and returns err or what could
// not be finished. A second signal ends the process.
func (s *service) end(signals <-chan os.Signal, err error) error {
	go func() {
		for signal := range signals {
			if signal != syscall.SIGHUP {
				os.Exit(exitInterrupted) // what was acknowledged is on the disk
			}
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), s.drain)
	defer cancel()
	err = errors.Join(err, s.server.Drain(ctx))
	if cut := s.http.Shutdown(ctx); cut != nil {
		err = errors.Join(err, fmt.Errorf("calls were cut: %w", cut))
	}
	err = errors.Join(err, s.http.Close()) // those that took too long
	err = errors.Join(err, s.keeper.Close(ctx))
	if s.debug != nil {
		err = errors.Join(err, s.debug.Close())
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return fmt.Errorf("serve: not finished within --drain %v: %w", s.drain, err)
	case err != nil:
		return fmt.Errorf("serve: %w", err)
	}
	s.log.Info("stop")
	return nil
}
