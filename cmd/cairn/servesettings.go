package main

import (
	"io"
	"log/slog"
	"net"
	"time"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/local"
)

// serveSettings are what the flags of serve say.
type serveSettings struct {
	listen, debugAddr string
	tokensFile        string
	certFile, keyFile string
	debugOpen, demo   bool
	backupDir         string
	backupEvery       time.Duration
	backupKeep        local.Keep
	collectEvery      time.Duration // negative is never
	policy            history.Policy
	drain, slow       time.Duration
	jsonLog           bool
}

// settings checks the flags.
func (o *serveOptions) settings() (s serveSettings, err error) {
	s = serveSettings{
		listen: o.listen, debugAddr: o.debug, tokensFile: o.tokens, certFile: o.cert, keyFile: o.key,
		debugOpen: o.debugOpen, demo: o.demo, backupDir: o.backup, jsonLog: o.logFormat == "json",
	}
	if err := o.check(); err != nil {
		return s, err
	}
	if s.policy, err = o.gc.policy("--versions"); err != nil {
		return s, err
	}
	if s.backupKeep, err = parseKeep(o.keep); err != nil {
		return s, err
	}
	for _, span := range []struct {
		to         *time.Duration
		flag, text string
	}{
		{&s.backupEvery, "--every", o.every},
		{&s.collectEvery, "--collect-every", o.collectEvery},
		{&s.drain, "--drain", o.drain},
		{&s.slow, "--slow", o.slow},
	} {
		if *span.to, err = parseSpan(span.flag, span.text); err != nil {
			return s, err
		}
	}
	if s.backupEvery < time.Second {
		return s, usagef("--every %s: at least a second", o.every)
	}
	return s, nil
}

// check checks what stands for itself.
func (o *serveOptions) check() error {
	switch {
	case o.logFormat != "text" && o.logFormat != "json":
		return usagef("--log-format %q: want text or json", o.logFormat)
	case (o.cert == "") != (o.key == ""):
		return usagef("--tls-cert and --tls-key go together")
	case !hasPort(o.listen):
		return usagef("--listen %s: want HOST:PORT, or :PORT for all of this machine's addresses", o.listen)
	case o.debug != "" && !hasPort(o.debug):
		return usagef("--debug %s: want HOST:PORT", o.debug)
	case o.debug == "" && o.debugOpen:
		return usagef("--debug-open: --debug says at which address")
	case o.tokens == "" && server.Loopback(o.listen) != nil:
		return usagef("--listen %s: other machines reach that address: it needs --tokens, see cairn token", o.listen)
	case o.debug != "" && !o.debugOpen && server.Loopback(o.debug) != nil:
		return usagef("--debug %s: other machines reach that address: it needs --debug-open", o.debug)
	}
	return nil
}

func hasPort(s string) bool {
	_, _, err := net.SplitHostPort(s)
	return err == nil
}

func (s *serveSettings) logger(to io.Writer) *slog.Logger {
	if s.jsonLog {
		return slog.New(slog.NewJSONHandler(to, nil))
	}
	return slog.New(slog.NewTextHandler(to, nil))
}
