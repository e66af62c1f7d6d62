// Package service runs a server in a process of its own: it opens what the settings name,
// serves until a signal ends it, reloads tokens and the certificate, steps the keeper that
// packs, collects and backs up, and shuts down in order.
package service

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/cairnvoxel/cairn/game/arena"
	"github.com/cairnvoxel/cairn/game/edit"
	"github.com/cairnvoxel/cairn/internal/backups"
	"github.com/cairnvoxel/cairn/internal/living"
	"github.com/cairnvoxel/cairn/internal/server/keeper"
	"github.com/cairnvoxel/cairn/internal/server/metrics"
	"github.com/cairnvoxel/cairn/internal/server/redis"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/server/web"
	"github.com/cairnvoxel/cairn/internal/store/backup"
	"github.com/cairnvoxel/cairn/internal/store/metered"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
)

// Settings say what a service does.
type Settings struct {
	Listen string // the address of the server
	// StreamListen is the address where streams are served without HTTP; "" for none.
	StreamListen string
	// RedisListen is the address for programs that keep worlds in Redis; "" for none. RedisPrefix begins the names of
	// their worlds.
	RedisListen, RedisPrefix string
	DebugListen              string // the address of /debug/pprof and /metrics; "" for none
	DebugOpen                bool   // other machines may reach DebugListen
	TokensFile               string // "" for no tokens: every caller is an administrator
	CertFile                 string // "" for no TLS
	KeyFile                  string
	Origins                  []string // whose pages may call the API; see server.Options

	// BackupTo is a folder or the URL of a bucket; "" for no backups.
	BackupTo         string
	BackupRecipients []string      // public keys of age
	BackupLock       time.Duration // object lock; 0 for none
	BackupEvery      time.Duration
	BackupKeep       history.Keep
	CollectEvery     time.Duration // negative for never
	Policy           history.Policy

	// Folders are those that games write and whose history is kept, and Living when they are looked at.
	Folders []living.History
	Living  living.Options

	Operations edit.Options  // what operations on worlds may take
	Drain      time.Duration // how long running calls may take at the end
	Slow       time.Duration // calls that take longer are logged; none if it is not positive
	JSONLog    bool

	// Packs are resource packs with the textures of blocks, folders or zips.
	Packs []string
	// CacheBytes bounds the memory of decoded pages. 0 is the server's default.
	CacheBytes int64

	StoreURL string // for the log
	InMemory bool   // the store is lost when the process ends
	// OpenStore opens the store. The caller closes it after Run.
	OpenStore func(context.Context) (history.Store, error)
	// MakeDemo makes a made-up world of a kind under a name in the store; nil for none.
	MakeDemo func(ctx context.Context, kind, name string) error
}

// exitInterrupted is the exit status after a second signal.
const exitInterrupted = 130

// service is a server that runs.
type service struct {
	Settings
	log      *slog.Logger
	tokens   *token.Set       // nil for none
	cert     *certificate     // nil for no TLS
	textures *server.Textures // nil for none
	server   *server.Server
	http     *http.Server
	debug    *http.Server // nil for none
	stream   net.Listener // nil for none
	redis    *redis.Door
	resp     net.Listener // nil for none
	keeper   *keeper.Keeper
	arenas   *arena.Leased
	stepped  chan struct{} // closed to stop stepping the arenas
	store    history.Store
	looks    []*folder          // at Folders
	unwatch  context.CancelFunc // ends them, for which watched waits
	watched  sync.WaitGroup
	metrics  *metrics.Metrics
	// backupCalls counts the calls of the bucket of backups; nil without one.
	backupCalls *metered.Calls
	failed      chan error // from the goroutines that serve
}

// Run serves until a signal or an error ends the service. It prints the URLs to out when
// it serves, and logs to log.
func Run(ctx context.Context, settings Settings, out, log io.Writer) error {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx) // from here on, wait handles the signals
	s := &service{Settings: settings, log: settings.logger(log), failed: make(chan error, 4)}
	l, err := s.prepare(ctx)
	if err != nil {
		return err
	}
	s.log.Info("start", "store", s.StoreURL, "listen", l.main.Addr().String(), "tokens", s.tokens != nil, "tls", s.cert != nil)
	if s.cert == nil && server.Loopback(s.Listen) != nil {
		s.log.Warn("there is no --tls-cert: others can read tokens and worlds on the network")
	}
	if s.tokens != nil && len(s.tokens.All()) == 0 {
		s.log.Warn("the file holds no tokens: nobody may call", "tokens", s.TokensFile)
	}
	if s.InMemory {
		s.log.Warn("the store is in memory: it is lost when this process ends")
	}
	for _, path := range s.secrets() {
		if why := Exposed(path); why != "" {
			s.log.Warn(why)
		}
	}
	s.serve(l, out)
	return s.end(signals, s.wait(signals))
}

// secrets returns the files and folders that nobody else should be able to read.
func (s *Settings) secrets() []string {
	paths := []string{s.TokensFile}
	for _, url := range []string{s.StoreURL, s.BackupTo} {
		scheme, path, ok := strings.Cut(url, ":")
		switch {
		case !ok:
			paths = append(paths, url)
		case scheme == "local" || scheme == "cluster" || scheme == "dir":
			paths = append(paths, path)
		}
	}
	return paths
}

// Exposed returns a warning if others than its owner may use a file or a folder, else "". It says
// nothing of what is not there, and of systems that have no such rights.
func Exposed(path string) string {
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS == "windows" || info.Mode()&0o077 == 0 {
		return ""
	}
	return fmt.Sprintf("others on this machine may use %s: chmod -R go= %[1]s", path)
}

func (s *Settings) logger(to io.Writer) *slog.Logger {
	if s.JSONLog {
		return slog.New(slog.NewJSONHandler(to, nil))
	}
	return slog.New(slog.NewTextHandler(to, nil))
}

type listeners struct{ main, stream, debug, redis net.Listener }

func (l *listeners) close() error {
	var err error
	for _, one := range []net.Listener{l.main, l.stream, l.debug, l.redis} {
		if one != nil {
			err = errors.Join(err, one.Close())
		}
	}
	return err
}

// prepare opens everything that the service needs. If it fails it closes what it opened,
// except for the store, which the caller of Run closes.
func (s *service) prepare(ctx context.Context) (l *listeners, err error) {
	l = &listeners{}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.close())
		}
	}()
	if s.TokensFile != "" {
		s.tokens, err = token.ReadFile(s.TokensFile)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w; cairn token new makes it", err)
		}
		if err != nil {
			return l, fmt.Errorf("--tokens: %w", err)
		}
	}
	if s.CertFile != "" {
		if s.cert, err = newCertificate(s.CertFile, s.KeyFile); err != nil {
			return l, err
		}
	}
	if s.textures, err = Textures(s.Packs); err != nil {
		return l, err
	}
	if s.DebugListen != "" {
		if l.debug, err = net.Listen("tcp", s.DebugListen); err != nil {
			return l, err
		}
	}
	// A port that is taken is found before a store is made.
	for _, addr := range []string{s.Listen, s.StreamListen, s.RedisListen} {
		if addr == "" {
			continue
		}
		free, err := net.Listen("tcp", addr)
		if err == nil {
			err = free.Close()
		}
		if err != nil {
			return l, err
		}
	}
	st, err := s.OpenStore(ctx)
	if err != nil {
		return l, err
	}
	if s.MakeDemo != nil {
		if err := s.makeDemo(ctx, st); err != nil {
			return l, err
		}
	}
	if err := s.newServer(ctx, st); err != nil {
		return l, err
	}
	if s.StreamListen != "" {
		if l.stream, err = s.server.Listen(s.StreamListen); err != nil {
			return l, err
		}
	}
	if s.RedisListen != "" {
		if l.redis, err = s.server.Listen(s.RedisListen); err != nil {
			return l, err
		}
	}
	l.main, err = s.server.Listen(s.Listen)
	return l, err
}

// newServer makes the server and the keeper of a store.
func (s *service) newServer(ctx context.Context, st history.Store) (err error) {
	s.metrics, s.store = metrics.New(), st
	holder, err := s.holder(st)
	if err != nil {
		return err
	}
	k := keeper.Options{Holder: holder, CollectEvery: s.CollectEvery, Policy: s.Policy, Metrics: s.metrics, Log: s.log}
	if s.BackupTo != "" {
		if err := s.addBackups(ctx, st, &k); err != nil {
			return err
		}
	}
	s.arenas = arena.NewLeased(st, holder, world.Options{Manual: true, Memory: s.CacheBytes}, s.Operations)
	s.redis = redis.New(st, redis.Options{Prefix: s.RedisPrefix, Tokens: s.tokens, Limits: server.Limits{CacheBytes: s.CacheBytes}, Log: s.log, Observe: s.observe})
	o := server.Options{Inbox: s.redis.Inbox(), Arenas: s.arenas, Folders: s.watchedFolders(), Pages: web.Handler(), Weigh: weigh, Textures: s.textures, Packs: true, Policy: s.Policy, Tokens: s.tokens, Origins: s.Origins, Log: s.log, Observe: s.observe, Metrics: s.metrics.Handler(),
		Saved: func(name string, number uint64) { s.keeper.Saved(name, number) }, Limits: server.Limits{CacheBytes: s.CacheBytes}}
	if s.server, err = server.New(st, o); err != nil {
		return err
	}
	watched := s.server.Watched()
	watched.Backups, watched.Inbox = s.backupCalls, s.redis.Inbox().Stats
	s.metrics.Watch(watched)
	s.keeper = keeper.New(st, time.Now(), k)
	s.http = s.server.HTTP()
	asp := s.redis.HTTP()
	s.http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // a ServeMux would change paths
		if strings.HasPrefix(r.URL.Path, redis.HTTPPath) {
			asp.ServeHTTP(w, r)
		} else {
			s.server.ServeHTTP(w, r)
		}
	})
	return nil
}

// holder returns the name of this server among those of its store, as a holder of leases
// and jobs. A server that starts again at the same address of the same machine has the
// same name, and gets back at once what it held. A store that only one server can have
// knows no other.
func (s *service) holder(st history.Store) (string, error) {
	if _, shared := st.(history.Shared); !shared {
		return "cairn serve", nil
	}
	host, err := os.Hostname()
	if err != nil {
		return "", fmt.Errorf("service: the name of this machine: %w", err)
	}
	at := s.Listen
	if strings.HasSuffix(at, ":0") {
		at += " " + rand.Text()
	}
	name := "cairn serve " + host + " " + at
	return name[:min(len(name), history.MaxHolder)], nil
}

// Textures reads the packs of --resource-pack, if there are any.
func Textures(packs []string) (*server.Textures, error) {
	if len(packs) == 0 {
		return nil, nil
	}
	a, err := server.ReadTextures(packs...)
	if err != nil {
		err = fmt.Errorf("--resource-pack: %w", err)
	}
	return a, err
}

// addBackups makes the keeper back up the store. The first backup is due BackupEvery
// after the newest one that is there.
func (s *service) addBackups(ctx context.Context, st history.Store, k *keeper.Options) error {
	s.backupCalls = metered.New(nil)
	job, err := backups.NewJob(ctx, st, s.StoreURL, s.BackupTo, s.backupCalls.Request)
	if err != nil {
		return err
	}
	all, err := backup.Open(ctx, job.To, backup.Access{})
	if err != nil {
		return err
	}
	k.BackupEvery, k.LastBackup = s.BackupEvery, all.Last()
	k.Backup = func(ctx context.Context) (keeper.Backed, error) {
		r, err := backup.Run(ctx, job.From, job.To, backup.Options{Keep: s.BackupKeep, ReadBack: job.ReadBack, Recipients: s.BackupRecipients, Lock: s.BackupLock, Holder: backups.Holder()})
		for _, what := range [][]string{r.Damaged, r.Hurt} {
			for _, why := range what {
				s.log.Error("backup", "damaged", why)
			}
		}
		unfinished := backups.Unfinished(r, err)
		if unfinished != nil {
			s.log.Error("backup was made, but what follows it failed", "name", r.Name, "err", unfinished)
		}
		return keeper.Backed{Name: r.Name, Removed: len(r.Removed), Backed: metrics.Backed{New: r.New, Shared: r.Shared, Worlds: r.Worlds,
			Changed: r.Changed, Hurt: len(r.Hurt), Sampled: r.Sampled, Wrong: r.Wrong, Unfinished: unfinished != nil}}, backups.Unmade(r, err)
	}
	return nil
}

// observe adds a call to the metrics, and logs it if it was slow.
func (s *service) observe(e *metrics.CallEvent) {
	s.metrics.Observe(e)
	if s.Slow > 0 && e.Took > s.Slow && e.Route != server.EventsRoute && e.Route != server.StreamRoute {
		args := []any{"route", e.Route, "code", e.Code, "seconds", e.Took.Seconds()}
		for _, step := range e.Steps {
			args = append(args, step.Name, step.Took.Seconds())
		}
		s.log.Warn("slow", args...)
	}
}

// serve starts to serve and prints the URLs.
func (s *service) serve(l *listeners, out io.Writer) {
	s.stepped = make(chan struct{})
	go s.step()
	s.watch()
	scheme := "http"
	if s.cert != nil {
		scheme = "https"
		s.http.TLSConfig = s.cert.config()
		go func() { s.failed <- s.http.ServeTLS(l.main, "", "") }()
	} else {
		go func() { s.failed <- s.http.Serve(l.main) }()
	}
	if l.stream != nil {
		s.stream = l.stream
		to := l.stream
		if s.cert != nil {
			to = tls.NewListener(to, s.cert.config())
		}
		go func() { s.failed <- s.server.ServeStreams(to) }()
		fmt.Fprintf(out, "streams %s\n", l.stream.Addr())
	}
	if l.redis != nil {
		s.resp = l.redis
		to := l.redis
		if s.cert != nil {
			to = tls.NewListener(to, s.cert.config())
		}
		go func() {
			if err := s.redis.Serve(to); err != nil {
				s.failed <- err
			}
		}()
		fmt.Fprintf(out, "redis %s\n", l.redis.Addr())
	}
	if l.debug != nil {
		s.debug = &http.Server{Handler: debugHandler(s.metrics, !s.DebugOpen), ReadHeaderTimeout: 10 * time.Second}
		go func() { s.failed <- s.debug.Serve(l.debug) }()
		fmt.Fprintf(out, "debug http://%s\n", l.debug.Addr())
	}
	url := fmt.Sprintf("%s://%s", scheme, l.main.Addr())
	s.log.Info("pages for people", "open", url+"/")
	fmt.Fprintf(out, "ready %s\n", url)
}

// watch starts to keep the history of folders, and to make versions of what is in inboxes.
func (s *service) watch() {
	ctx, stop := context.WithCancel(context.Background())
	s.unwatch = stop
	for _, f := range s.looks {
		s.watched.Go(func() { f.watch(ctx) })
	}
	s.watched.Go(func() { s.redis.Inbox().Run(ctx) })
}

// step steps the operations on arenas until stepped is closed.
func (s *service) step() {
	tick := time.NewTicker(edit.Tick)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			s.arenas.Step(now)
		case <-s.stepped:
			return
		}
	}
}

// wait steps the keeper until a signal or an error ends the service.
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
				s.log.Info("drain", "signal", signal.String(), "seconds", s.Drain.Seconds())
				return nil
			}
			s.reload()
		}
	}
}

// reload reads tokens and certificate again. A file that cannot be read changes nothing.
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

// end shuts down within the drain time. It returns err joined with what went wrong. A
// second signal ends the process at once.
func (s *service) end(signals <-chan os.Signal, err error) error {
	go func() {
		for signal := range signals {
			if signal != syscall.SIGHUP {
				os.Exit(exitInterrupted) // every acknowledged change is on the disk
			}
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), s.Drain)
	defer cancel()
	if s.stream != nil {
		err = errors.Join(err, s.stream.Close())
	}
	if s.resp != nil {
		err = errors.Join(err, s.resp.Close(), s.redis.Close(ctx))
	}
	err = errors.Join(err, s.server.Drain(ctx)) // also waits for operations, and ends streams
	s.unwatch()
	s.watched.Wait()
	close(s.stepped)
	s.arenas.Close() // what did not end leaves its world as it was
	if cut := s.http.Shutdown(ctx); cut != nil {
		err = errors.Join(err, fmt.Errorf("calls were cut: %w", cut))
	}
	err = errors.Join(err, s.http.Close()) // cuts the calls that took too long
	err = errors.Join(err, s.keeper.Close(ctx))
	if s.debug != nil {
		err = errors.Join(err, s.debug.Close())
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return fmt.Errorf("serve: not finished within --drain %v: %w", s.Drain, err)
	case err != nil:
		return fmt.Errorf("serve: %w", err)
	}
	s.log.Info("stop")
	return nil
}
