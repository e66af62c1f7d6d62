package main

import (
	"cmp"
	"context"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/game/edit"
	"github.com/cairnvoxel/cairn/internal/backups"
	"github.com/cairnvoxel/cairn/internal/living"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/server/redis"
	"github.com/cairnvoxel/cairn/internal/service"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/spf13/cobra"
)

const serveVerb = "serve"

// packHelp is the help of --resource-pack.
const packHelp = "a zip or a folder with textures of blocks for the 3D page or a picture; a later one replaces textures of those before"

type serveOptions struct {
	listen, tokens, cert, key string
	debug, stream             string
	resp, respPrefix          string
	debugOpen, demo           bool
	backup, every, keep       string
	recipients                []string
	lock                      string
	collectEvery              string
	gc                        gcOptions // --versions, --grace, --deleted
	drain, slow               string
	logFormat                 string
	packs                     []string // --resource-pack
	tickShare                 int      // percent
	operations                edit.Options
	origins                   []string // --allow-origin
	watch                     []string // FOLDER=@name
	watchEvery                string
}

func newServe(sf *storeFlag) *cobra.Command {
	var o serveOptions
	c := &cobra.Command{
		Use:   serveVerb,
		Short: "Serves the store over HTTP",
		Long: `serve serves the worlds of the store over HTTP (server/API.md). It packs worlds as they
are saved, deletes what nothing needs, and makes backups. It creates the store if it
does not exist.

serve prints "ready URL" when it accepts calls; a browser finds the pages there. It logs
to standard error. After SIGTERM or Ctrl-C it finishes running calls and exits; a second
signal ends it at once, which loses nothing that was acknowledged. After SIGHUP it reads
the tokens and the certificate again.

With --memory the garbage collector keeps the process below that as far as it can, and
decoded pages get a quarter of it. Without it a server takes what its calls need.

Without --tokens it serves only programs on this machine, and each of them may do
everything. cairn token makes tokens. docs/SERVE.md describes how to run a server.`,
		Example: "  cairn serve --demo\n  cairn serve --store local:/srv/cairn --listen :7070 --tokens tokens.json --tls-cert cert.pem --tls-key key.pem --backup /mnt/backups --every 12h --keep 3w",
		Args:    takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			if f := c.Flags(); o.backup == "" && (f.Changed("every") || f.Changed("keep")) {
				return usagef("--every and --keep need --backup, the folder of backups")
			}
			s, err := o.settings()
			if err == nil && isServed(sf.location()) {
				err = usagef("--store %s: that is a server already", sf.location())
			}
			if err != nil {
				return err
			}
			if c.Flags().Changed("memory") {
				sf.memory.bound()
				s.CacheBytes = sf.memory.share()
			}
			o.setStore(&s, sf)
			return service.Run(c.Context(), s, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	f := c.Flags()
	for _, s := range []struct {
		to                    *string
		name, standard, about string
	}{
		{&o.listen, "listen", "127.0.0.1:7070", "the address; port 0 takes any free port"},
		{&o.tokens, "tokens", "", "the file of tokens, made by cairn token new"},
		{&o.cert, "tls-cert", "", "the file of the certificate and its chain, PEM"},
		{&o.key, "tls-key", "", "the file of its key, PEM"},
		{&o.stream, "stream-listen", "", "another address for streams without HTTP, with the same certificate"},
		{&o.resp, "resp", "", "another address, for servers that keep worlds in Redis, such as AdvancedSlimePaper (docs/DOORS.md), with the same certificate and tokens"},
		{&o.respPrefix, "resp-prefix", redis.DefaultPrefix, "the beginning of the names of worlds that come through --resp"},
		{&o.debug, "debug", "", "another address, on this machine, for /debug/pprof and /metrics"},
		{&o.backup, "backup", "", "the folder of backups, or a bucket s3://NAME/PREFIX; empty makes none"},
		{&o.every, "every", "12h", "how often a backup is made"},
		{&o.keep, "keep", "3w", keepHelp},
		{&o.collectEvery, "collect-every", "1h", "how often to do what cairn gc does; 0 is never"},
		{&o.gc.keep, "versions", standardVersions, "which versions to keep, as cairn gc --keep"},
		{&o.gc.grace, "grace", "1h", "how long a condemned stone stays"},
		{&o.gc.deleted, "deleted", "7d", "how long a deleted world can be brought back"},
		{&o.drain, "drain", "30s", "how long running calls may take at the end"},
		{&o.watchEvery, "watch-every", "5m", "at most one version in this time, of each folder of --watch"},
		{&o.slow, "slow", "1s", "log calls that take longer; 0 logs none"},
		{&o.logFormat, "log-format", "text", "text or json"},
	} {
		f.StringVar(s.to, s.name, s.standard, s.about)
	}
	bucketFlags(c, &o.recipients, &o.lock)
	f.IntVar(&o.tickShare, "tick-share", 60, "how much of each 50 ms operations (pastes, fills, restores) may take, in percent")
	f.IntVar(&o.operations.Sections, "sections-per-tick", 0, "how many sections of 16x16x16 blocks operations may change in each 50 ms; 0 is no bound")
	f.IntVar(&o.operations.Chunks, "concurrent-chunks", 64, "how many chunks of 32x32x32 blocks an operation may have in memory ahead of its work")
	f.StringArrayVar(&o.packs, "resource-pack", nil, packHelp)
	f.StringArrayVar(&o.origins, "allow-origin", nil, "pages of this place, such as https://tool.example, may call the API with a token; repeat it for more")
	f.StringArrayVar(&o.watch, "watch", nil, "FOLDER=@name: keep the history of a folder that a game is writing, as cairn watch does; repeat it for more")
	f.BoolVar(&o.debugOpen, "debug-open", false, "allow a --debug address that others reach; they can read the memory of this process")
	f.BoolVar(&o.demo, "demo", false, "put a few made-up worlds below demo/ first")
	return c
}

// settings checks the flags and returns what they say, without the store.
func (o *serveOptions) settings() (s service.Settings, err error) {
	s = service.Settings{
		Listen: o.listen, StreamListen: o.stream, RedisListen: o.resp, RedisPrefix: o.respPrefix, DebugListen: o.debug, DebugOpen: o.debugOpen, TokensFile: o.tokens, CertFile: o.cert, KeyFile: o.key, Origins: o.origins,
		Packs: o.packs, Operations: o.operations, BackupTo: o.backup, BackupRecipients: o.recipients, JSONLog: o.logFormat == "json",
	}
	s.Operations.Budget = edit.Tick * time.Duration(o.tickShare) / 100
	if err := o.check(); err != nil {
		return s, err
	}
	if s.Policy, err = o.gc.policy("--versions"); err != nil {
		return s, err
	}
	if s.BackupKeep, err = parseKeep(o.keep); err != nil {
		return s, err
	}
	for _, span := range []struct {
		to         *time.Duration
		flag, text string
	}{
		{&s.BackupEvery, "--every", o.every},
		{&s.BackupLock, "--lock", o.lock},
		{&s.CollectEvery, "--collect-every", o.collectEvery},
		{&s.Drain, "--drain", o.drain},
		{&s.Slow, "--slow", o.slow},
		{&s.Living.Every, "--watch-every", o.watchEvery},
	} {
		if *span.to, err = parseSpan(span.flag, span.text); err != nil {
			return s, err
		}
	}
	if s.Folders, err = o.folders(); err != nil {
		return s, err
	}
	if s.BackupEvery < time.Second {
		return s, usagef("--every %s: at least a second", o.every)
	}
	return s, nil
}

// folders parses --watch.
func (o *serveOptions) folders() (all []living.History, err error) {
	for _, arg := range o.watch {
		at := strings.LastIndex(arg, "=@")
		if at < 1 {
			return nil, usagef("--watch %s: want FOLDER=@name", arg)
		}
		f := living.History{Dir: arg[:at], Import: port.ImportOptions{Note: port.Note{Message: "watch " + filepath.Base(arg[:at])}}}
		if f.World, err = parseName(arg[at+1:]); err != nil {
			return nil, err
		}
		if info, err := os.Stat(f.Dir); err != nil || !info.IsDir() {
			return nil, cmp.Or(err, usagef("--watch %s: not a folder", f.Dir))
		}
		if slices.ContainsFunc(all, func(o living.History) bool { return o.World == f.World }) {
			return nil, usagef("--watch: @%s is the history of one folder", f.World)
		}
		all = append(all, f)
	}
	return all, nil
}

// check checks the flags that need no parsing.
func (o *serveOptions) check() error {
	for _, origin := range o.origins {
		if err := server.CheckOrigin(origin); err != nil {
			return usagef("--allow-origin %s: want such as https://tool.example, without a path, or *", origin)
		}
		if o.tokens == "" {
			return usagef("--allow-origin needs --tokens: such pages show a token, see cairn token")
		}
	}
	if o.backup != "" {
		if err := backups.Check(o.backup); err != nil {
			return usagef("--backup %v", err)
		}
	}
	switch {
	case o.backup == "" && (len(o.recipients) > 0 || o.lock != "0"):
		return usagef("--recipient and --lock need --backup")
	case o.logFormat != "text" && o.logFormat != "json":
		return usagef("--log-format %q: want text or json", o.logFormat)
	case o.tickShare < 1 || o.tickShare > 100:
		return usagef("--tick-share %d: want 1 to 100 percent", o.tickShare)
	case o.operations.Sections < 0:
		return usagef("--sections-per-tick %d: want 0 for no bound, or more", o.operations.Sections)
	case o.operations.Chunks < 1:
		return usagef("--concurrent-chunks %d: want 1 or more", o.operations.Chunks)
	case (o.cert == "") != (o.key == ""):
		return usagef("--tls-cert and --tls-key go together")
	case !hasPort(o.listen):
		return usagef("--listen %s: want HOST:PORT, or :PORT for all of this machine's addresses", o.listen)
	case o.stream != "" && !hasPort(o.stream):
		return usagef("--stream-listen %s: want HOST:PORT", o.stream)
	case o.resp != "" && !hasPort(o.resp):
		return usagef("--resp %s: want HOST:PORT", o.resp)
	case history.CheckName(o.respPrefix+"x") != nil || strings.Count(o.respPrefix, "/") > history.MaxParts-2:
		return usagef("--resp-prefix %s: want the beginning of names, such as slime/", o.respPrefix)
	case o.debug != "" && !hasPort(o.debug):
		return usagef("--debug %s: want HOST:PORT", o.debug)
	case o.debug == "" && o.debugOpen:
		return usagef("--debug-open needs --debug, the address")
	case o.tokens == "" && server.Loopback(o.listen) != nil:
		return usagef("--listen %s: other machines reach that address: it needs --tokens, see cairn token", o.listen)
	case o.tokens == "" && o.stream != "" && server.Loopback(o.stream) != nil:
		return usagef("--stream-listen %s: other machines reach that address: it needs --tokens, see cairn token", o.stream)
	case o.tokens == "" && o.resp != "" && server.Loopback(o.resp) != nil:
		return usagef("--resp %s: other machines reach that address: it needs --tokens, see cairn token", o.resp)
	case o.debug != "" && !o.debugOpen && server.Loopback(o.debug) != nil:
		return usagef("--debug %s: other machines reach that address: it needs --debug-open", o.debug)
	}
	return nil
}

func hasPort(s string) bool {
	_, _, err := net.SplitHostPort(s)
	return err == nil
}

// setStore makes the service use the store of sf.
func (o *serveOptions) setStore(s *service.Settings, sf *storeFlag) {
	s.StoreURL, s.InMemory = sf.location(), sf.location() == memoryStore
	s.OpenStore = func(ctx context.Context) (history.Store, error) {
		sf.writes = true
		return sf.openOrCreate(ctx)
	}
	if o.demo {
		s.MakeDemo = func(ctx context.Context, kind, name string) error {
			_, err := generate(ctx, sf, kind, "@"+name, genOptions{seed: 1})
			return err
		}
	}
}
