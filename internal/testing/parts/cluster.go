package parts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// The catalogues that a Cluster can have.
const (
	OnPostgres = "postgres"
	OnBucket   = "bucket"
	OnMongo    = "mongodb"
)

// ClusterOptions is how a Cluster runs. The zero value is three servers on PostgreSQL
// with a synchronous standby, and MinIO.
type ClusterOptions struct {
	Cairn      string          // the program; needed
	Servers    int             // default 3
	Catalogue  string          // default OnPostgres
	Weed       bool            // the bucket is a SeaweedFS, and no MinIO runs
	WeedDisk   int64           // of WeedOptions
	Postgres   PostgresOptions // Standby and Link are set by StartCluster
	MinIO      MinIOOptions
	Proxies    bool     // a toxiproxy between any two processes
	Serve      []string // more flags for cairn serve
	Prometheus bool
	Rules      []string // files with rules for it
}

// Cluster is all processes that keep and serve worlds, on this machine. Its fields
// do not change; those that its options do not need are nil.
type Cluster struct {
	Postgres   *Postgres
	MinIO      *MinIO
	Weed       *Weed
	Ferret     *Ferret
	Proxies    *Proxies
	Prometheus *Prometheus
	Servers    []*Site
	Token      string // for the servers; empty without proxies, where they need none
	Standby    *Proxy // from the standby to PostgreSQL's first primary

	dir   string
	o     ClusterOptions
	below *Postgres // of Ferret
	files []*os.File
	links map[string]*Proxy // to the address of each server of PostgreSQL, for the other
}

// Site is a server with the proxies around it. The proxies are nil without
// ClusterOptions.Proxies.
type Site struct {
	*Server
	Clients   *Proxy   // from clients to it
	Catalogue []*Proxy // from it to the servers of the catalogue; none if that is the bucket
	Bucket    *Proxy   // from it to the bucket
}

// StartCluster starts all processes, with their files and logs in dir.
func StartCluster(ctx context.Context, dir string, o ClusterOptions) (*Cluster, error) {
	o.Servers = cmp.Or(o.Servers, 3)
	o.Catalogue = cmp.Or(o.Catalogue, OnPostgres)
	c := &Cluster{dir: dir, o: o}
	if err := c.start(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func (c *Cluster) start(ctx context.Context) (err error) {
	if err := os.MkdirAll(c.dir, 0o711); err != nil {
		return err
	}
	if c.o.Proxies {
		if c.Proxies, err = StartProxies(ctx); err != nil {
			return err
		}
	}
	if err := c.startCatalogue(ctx); err != nil {
		return err
	}
	if c.o.Weed {
		out, err := c.log("weed")
		if err == nil {
			c.Weed, err = StartWeed(ctx, c.dir, WeedOptions{Disk: c.o.WeedDisk, Log: out})
		}
		if err == nil {
			err = c.startServers(ctx)
		}
		if err != nil {
			return err
		}
		return c.startPrometheus(ctx)
	}
	m := c.o.MinIO
	if m.Log, err = c.log("minio"); err != nil {
		return err
	}
	if c.MinIO, err = StartMinIO(ctx, c.dir, m); err != nil {
		return err
	}
	if err := c.startServers(ctx); err != nil {
		return err
	}
	return c.startPrometheus(ctx)
}

func (c *Cluster) startCatalogue(ctx context.Context) (err error) {
	switch c.o.Catalogue {
	case OnBucket:
	case OnMongo:
		out, err := c.log("ferret")
		if err != nil {
			return err
		}
		url := ""
		if _, err := program("initdb"); err == nil { // seven times as fast as on SQLite
			if c.below, err = StartPostgres(ctx, filepath.Join(c.dir, "below"), PostgresOptions{Log: out}); err != nil {
				return err
			}
			if _, err := c.below.Query(ctx, indexKeys); err != nil {
				return err
			}
			url = c.below.URL()
		}
		c.Ferret, err = StartFerret(ctx, c.dir, url, out)
		return err
	case OnPostgres:
		p := c.o.Postgres
		p.Standby = true
		if p.Log, err = c.log("postgres"); err != nil {
			return err
		}
		if c.o.Proxies {
			p.Link = c.link
		}
		c.Postgres, err = StartPostgres(ctx, c.dir, p)
		return err
	default:
		return fmt.Errorf("parts: catalogue %q: want %s, %s or %s", c.o.Catalogue, OnPostgres, OnBucket, OnMongo)
	}
	return nil
}

// indexKeys gives each table of FerretDB an index that it uses when it looks for a key.
// Without one it reads all documents each time: PostgreSQL does not use FerretDB's own
// index for the question that it asks. MongoDB has such an index.
const indexKeys = `DROP EVENT TRIGGER IF EXISTS index_keys;
	CREATE OR REPLACE FUNCTION index_keys() RETURNS event_trigger LANGUAGE plpgsql AS $$ DECLARE c record; BEGIN
	FOR c IN SELECT * FROM pg_event_trigger_ddl_commands() WHERE object_type = 'table' AND schema_name = 'cairn' LOOP
		EXECUTE 'CREATE INDEX ON ' || c.object_identity || ' USING gin ((_jsonb->''_id'') jsonb_path_ops) WITH (fastupdate = off)';
	END LOOP; END $$;
	CREATE EVENT TRIGGER index_keys ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION index_keys()`

// link returns the address of a proxy between a standby and the server at addr.
func (c *Cluster) link(ctx context.Context, addr string) (string, error) {
	if f := c.links[addr]; f != nil {
		return f.Addr, nil
	}
	f, err := c.Proxies.Front(ctx, addr)
	if err != nil {
		return "", err
	}
	if c.links == nil {
		c.Standby, c.links = f, make(map[string]*Proxy)
	}
	c.links[addr] = f
	return f.Addr, nil
}

// startServers starts the first server, which makes what is missing, and then the
// others.
func (c *Cluster) startServers(ctx context.Context) error {
	if c.o.Proxies {
		file := filepath.Join(c.dir, "tokens.json")
		token, err := exec.CommandContext(ctx, c.o.Cairn, "token", "new", "--file", file, "--role", "admin").Output()
		if err != nil {
			return fmt.Errorf("parts: make a token: %w", err)
		}
		c.Token = strings.TrimSpace(string(token))
		c.o.Serve = append(slices.Clone(c.o.Serve), "--tokens", file)
	}
	for i := range c.o.Servers {
		s, err := c.site(ctx, i)
		if err != nil {
			return err
		}
		c.Servers = append(c.Servers, s)
		if err := s.Start(ctx); err != nil {
			return err
		}
	}
	return nil
}

// site returns a server that does not run.
func (c *Cluster) site(ctx context.Context, i int) (*Site, error) {
	s := new(Site)
	out, err := c.log(fmt.Sprintf("cairn%d", i))
	if err != nil {
		return nil, err
	}
	bucket, err := c.bucket(ctx, s)
	if err != nil {
		return nil, err
	}
	catalogue, err := c.catalogue(ctx, s)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(c.dir, fmt.Sprintf("cluster%d.toml", i))
	text := fmt.Sprintf("[catalogue]\n%s\n[bucket]\n%s", catalogue, bucket)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return nil, err
	}
	if s.Server, err = newServer(c.o.Cairn, "cluster:"+file, out, c.o.Serve...); err != nil {
		return nil, err
	}
	s.env = c.Env()
	_, err = c.front(ctx, s.Addr(), &s.Clients)
	return s, err
}

// front returns the address of a proxy in front of addr, if there are proxies.
func (c *Cluster) front(ctx context.Context, addr string, to **Proxy) (string, error) {
	if c.Proxies == nil {
		return addr, nil
	}
	f, err := c.Proxies.Front(ctx, addr)
	if err != nil {
		return "", err
	}
	*to = f
	return f.Addr, nil
}

// catalogue returns the lines of a cluster file that name the catalogue.
func (c *Cluster) catalogue(ctx context.Context, s *Site) (string, error) {
	var addrs []string
	switch c.o.Catalogue {
	case OnPostgres:
		addrs = c.Postgres.Addrs()
	case OnMongo:
		addrs = []string{c.Ferret.Addr()}
	}
	for i, addr := range addrs {
		var f *Proxy
		var err error
		if addrs[i], err = c.front(ctx, addr, &f); err != nil {
			return "", err
		}
		if f != nil {
			s.Catalogue = append(s.Catalogue, f)
		}
	}
	switch c.o.Catalogue {
	case OnPostgres:
		return fmt.Sprintf("kind = \"postgres\"\nurl = %q\n", c.Postgres.URL(addrs...)), nil
	case OnMongo:
		return fmt.Sprintf("kind = \"mongodb\"\nurl = \"mongodb://%s/\"\n", addrs[0]), nil
	}
	return "kind = \"bucket\"\n", nil
}

// bucket returns the lines of a cluster file that name the bucket. A master of SeaweedFS
// names the volume servers, so no proxies are between.
func (c *Cluster) bucket(ctx context.Context, s *Site) (string, error) {
	if c.Weed != nil {
		return fmt.Sprintf("kind = \"seaweed\"\nmasters = [%q]\n", c.Weed.Addr()), nil
	}
	addr, err := c.front(ctx, c.MinIO.Addr(), &s.Bucket)
	return fmt.Sprintf("kind = \"s3\"\nendpoint = \"http://%s\"\nbucket = \"cairn\"\nregion = \"us-east-1\"\n", addr), err
}

func (c *Cluster) startPrometheus(ctx context.Context) error {
	if !c.o.Prometheus {
		return nil
	}
	var config strings.Builder
	config.WriteString("global:\n  scrape_interval: 5s\n  evaluation_interval: 5s\nrule_files:\n")
	for _, file := range c.o.Rules {
		fmt.Fprintf(&config, "  - %q\n", file)
	}
	config.WriteString("scrape_configs:\n  - job_name: cairn\n    static_configs:\n      - targets:\n")
	for _, s := range c.Servers {
		fmt.Fprintf(&config, "          - %q\n", s.Debug())
	}
	file := filepath.Join(c.dir, "prometheus.yml")
	if err := os.WriteFile(file, []byte(config.String()), 0o600); err != nil {
		return err
	}
	out, err := c.log("prometheus")
	if err != nil {
		return err
	}
	c.Prometheus, err = StartPrometheus(ctx, c.dir, file, out)
	return err
}

// log returns a file for what a process prints.
func (c *Cluster) log(name string) (io.Writer, error) {
	f, err := os.OpenFile(filepath.Join(c.dir, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		c.files = append(c.files, f)
	}
	return f, err
}

// URL returns the addresses of the servers, or of the proxies in front of them, with
// commas between them, as package client takes them.
func (c *Cluster) URL() string {
	var all []string
	for _, s := range c.Servers {
		if s.Clients != nil {
			all = append(all, "http://"+s.Clients.Addr)
		} else {
			all = append(all, s.URL())
		}
	}
	return strings.Join(all, ",")
}

// Store returns the URL of the Store without a server, for this machine.
func (c *Cluster) Store() string {
	return "cluster:" + filepath.Join(c.dir, "cluster0.toml")
}

// Env returns the environment variables with the secrets for Store.
func (c *Cluster) Env() []string {
	return []string{"AWS_ACCESS_KEY_ID=" + AccessKey, "AWS_SECRET_ACCESS_KEY=" + SecretKey}
}

// Cairn returns the program of the servers.
func (c *Cluster) Cairn() string { return c.o.Cairn }

// Dir returns the folder of files and logs.
func (c *Cluster) Dir() string { return c.dir }

// Supervise starts again what has ended, until ctx is over. PostgreSQL's standby
// becomes the primary. It calls told, if that is not nil, with what it did; calls do
// not overlap.
func (c *Cluster) Supervise(ctx context.Context, told func(what string, err error)) {
	var mu sync.Mutex
	say := func(what string, err error) {
		mu.Lock()
		defer mu.Unlock()
		if told != nil {
			told(what, err)
		}
	}
	var all sync.WaitGroup
	keep := func(name string, p *Process) {
		all.Go(func() {
			for ctx.Err() == nil {
				select {
				case <-ctx.Done():
				case <-p.Gone():
					if err := p.Start(ctx); ctx.Err() == nil {
						say("started "+name+" again", err)
					}
				}
			}
		})
	}
	if c.Postgres != nil {
		all.Go(func() { c.Postgres.Supervise(ctx, say) })
	}
	if c.Ferret != nil {
		keep("FerretDB", c.Ferret.Process)
	}
	if c.Prometheus != nil {
		keep("Prometheus", c.Prometheus.Process)
	}
	if c.MinIO != nil {
		keep("MinIO", c.MinIO.Process)
	}
	for i, s := range c.Servers {
		keep(fmt.Sprintf("server %d", i), s.Process)
	}
	all.Wait()
}

// Stop lets the servers finish their calls, and then ends everything.
func (c *Cluster) Stop() error {
	errs := make([]error, len(c.Servers))
	var all sync.WaitGroup
	for i, s := range c.Servers {
		all.Go(func() { errs[i] = s.Stop() })
	}
	all.Wait()
	return errors.Join(errors.Join(errs...), c.Close())
}

// Close ends everything at once. It keeps the files.
func (c *Cluster) Close() error {
	var errs []error
	for _, s := range c.Servers {
		errs = append(errs, s.Kill())
	}
	for _, p := range c.others() {
		errs = append(errs, p.Close())
	}
	for _, f := range c.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

func (c *Cluster) others() (out []io.Closer) {
	if c.Prometheus != nil {
		out = append(out, c.Prometheus)
	}
	if c.Ferret != nil {
		out = append(out, c.Ferret)
	}
	if c.below != nil {
		out = append(out, c.below)
	}
	if c.Postgres != nil {
		out = append(out, c.Postgres)
	}
	if c.Weed != nil {
		out = append(out, c.Weed)
	}
	if c.MinIO != nil {
		out = append(out, c.MinIO)
	}
	if c.Proxies != nil {
		out = append(out, c.Proxies)
	}
	return out
}
