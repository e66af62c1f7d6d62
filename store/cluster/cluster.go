// Package cluster opens a history.Store that many processes share: a catalogue and a
// bucket, which a small TOML file names. docs/CLUSTER.md has the file's keys.
//
// Begin with Open. The Store is a history.Fetcher too, and counts the calls to both halves.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/blob/dir"
	"github.com/cairnvoxel/cairn/internal/blob/s3"
	"github.com/cairnvoxel/cairn/internal/blob/seaweed"
	"github.com/cairnvoxel/cairn/internal/store/ledger"
	"github.com/cairnvoxel/cairn/internal/store/metered"
	"github.com/cairnvoxel/cairn/internal/store/mongo"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/internal/store/postgres"
	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/store/history"
)

// Options of a Store. The zero value is the default.
type Options struct {
	// Now replaces the catalogue's clock, for tests.
	Now func() time.Time
	// Env looks up environment variables. Default os.LookupEnv.
	Env func(string) (string, bool)
	// Trouble is called with errors that no call returns and that are tried again,
	// such as those of checkpoints. Default: nobody.
	Trouble func(error)
	// Damaged opens a Store whose catalogue in a bucket has lost objects, to read what is
	// left. Check says what is lost.
	Damaged bool
	// Existing refuses a bucket of kind dir whose directory is no bucket yet. By default
	// Open makes it.
	Existing bool
}

// joined is the Store of a cluster.
type joined struct {
	*pair.Pair
	calls     *metered.Calls
	catalogue history.Catalogue
	bucket    blob.Bucket
	seaweed   *seaweed.Volumes // nil if the bucket is another one
	close     []func() error   // of what the catalogue needs
}

// Calls returns the counts of the calls to catalogue and bucket.
func (s *joined) Calls() *metered.Calls { return s.calls }

// Catalogue returns the catalogue, for what it knows of itself.
func (s *joined) Catalogue() history.Catalogue { return s.catalogue }

// Check is that of pair.Pair. It names the objects that a damaged catalogue has lost, too.
func (s *joined) Check(ctx context.Context, progress func(done, total int64)) (record.Report, error) {
	r, err := s.Pair.Check(ctx, progress)
	r.Faults = append(s.faults(), r.Faults...)
	return r, err
}

// Salvage is that of pair.Pair; the command asks for it by this signature. It names the objects that a damaged catalogue has lost, too.
func (s *joined) Salvage(ctx context.Context, to history.ArchiveWriter) (lost []record.Hurt, unread []string, err error) {
	lost, unread, err = s.Pair.Salvage(ctx, to)
	return lost, append(s.faults(), unread...), err
}

// faults says which objects a damaged catalogue has lost.
func (s *joined) faults() []string {
	if l, ok := s.catalogue.(*ledger.Ledger); ok {
		return slices.Clone(l.Faults())
	}
	return nil
}

// Checkpoint writes all records of a catalogue in a bucket, or in MongoDB, as one
// checkpoint. Another catalogue needs none.
func (s *joined) Checkpoint(ctx context.Context) error {
	if l, ok := s.catalogue.(*ledger.Ledger); ok {
		return l.Checkpoint(ctx)
	}
	return nil
}

func (s *joined) Close() error {
	var err error
	if s.seaweed != nil {
		err = s.seaweed.Close() // it still writes to the catalogue
	}
	err = errors.Join(err, s.Pair.Close())
	for _, f := range s.close {
		err = errors.Join(err, f())
	}
	return err
}

// Keys of the bucket begin with one of these.
const (
	stones  = "stones/"
	entries = "catalogue/" // of a ledger
)

// Open opens the Store that a file describes. A mistake in the file is a *Mistake, or
// several that are joined. The caller closes the Store.
func Open(ctx context.Context, file string, o Options) (history.Store, error) {
	if o.Env == nil {
		o.Env = os.LookupEnv
	}
	plan, err := parse(file, o.Env)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	s := &joined{calls: metered.New(nil)}
	if err := s.open(ctx, plan, o); err != nil {
		for _, f := range s.close {
			err = errors.Join(err, f())
		}
		return nil, fmt.Errorf("cluster: %s: %w", file, err)
	}
	return s, nil
}

func (s *joined) open(ctx context.Context, p *plan, o Options) (err error) {
	var b blob.Bucket
	if p.bucket.kind != "seaweed" {
		if b, err = p.bucket.open(ctx, o); err != nil {
			return fmt.Errorf("[bucket]: %w", err)
		}
	}
	if s.catalogue, err = s.openCatalogue(ctx, p, b, o); err != nil {
		return fmt.Errorf("[catalogue]: %w", err)
	}
	counted := s.calls.Catalogue(s.catalogue)
	if p.bucket.kind == "seaweed" {
		if s.seaweed, err = seaweed.Open(ctx, namesIn(counted), p.bucket.seaweed); err != nil {
			return errors.Join(fmt.Errorf("[bucket]: %w", err), s.catalogue.Close())
		}
		b = s.seaweed
	}
	s.bucket = within(b, stones)
	s.Pair = pair.New(counted, s.calls.Bucket(s.bucket), pair.Options{Now: o.Now, CacheBytes: p.cacheBytes})
	return nil
}

func (s *joined) openCatalogue(ctx context.Context, p *plan, b blob.Bucket, o Options) (history.Catalogue, error) {
	log := s.calls.Bucket(within(b, entries)) // calls that cost as much as those for stones
	switch c := p.catalogue; {
	case c.kind == "postgres":
		cat, err := postgres.Open(ctx, c.url, c.postgres)
		if err != nil {
			return nil, err // not a nil *postgres.Catalogue
		}
		return cat, nil
	case c.kind == "mongodb":
		m, err := mongo.Open(c.url, c.mongo)
		if err != nil {
			return nil, err
		}
		s.close = append(s.close, m.Close)
		log = within(m, entries)
	case c.bucket != nil:
		own, err := c.bucket.open(ctx, o)
		if err != nil {
			return nil, err
		}
		log = within(own, entries)
	}
	l, err := openLedger(ctx, log, ledger.Options{Cache: p.cache, Trouble: o.Trouble, Damaged: o.Damaged})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// maxCaches is how many processes of one machine can use a cache directory.
const maxCaches = 16

// openLedger opens a ledger with a directory of its own below the cache directory, if
// there is one. A process of the same machine may be using the first.
func openLedger(ctx context.Context, b blob.Bucket, o ledger.Options) (l *ledger.Ledger, err error) {
	root := o.Cache
	if root == "" {
		return ledger.Open(ctx, b, o)
	}
	for i := range maxCaches {
		o.Cache = filepath.Join(root, fmt.Sprintf("ledger%d", i))
		if l, err = ledger.Open(ctx, b, o); err == nil || !strings.Contains(err.Error(), "is in use") {
			return l, err
		}
	}
	return nil, err
}

// plan is what a file describes.
type plan struct {
	catalogue  catalogue
	bucket     *bucket
	cache      string // a directory, or ""
	cacheBytes int64
}

type catalogue struct {
	kind     string
	url      string
	postgres postgres.Options
	mongo    mongo.Options
	bucket   *bucket // of a ledger, if it is not the bucket for stones
}

type bucket struct {
	kind    string
	dir     string
	s3      s3.Options
	seaweed seaweed.Options
}

func parse(name string, env func(string) (string, bool)) (*plan, error) {
	top, err := readFile(name, env)
	if err != nil {
		return nil, err
	}
	p := new(plan)
	if t := top.under("catalogue"); t != nil {
		p.catalogue = t.catalogue()
	} else if top.values["catalogue"] == nil {
		top.wrong("catalogue", `no [catalogue]; want a table with kind = "postgres", "mongodb" or "bucket"`)
	}
	if t := top.under("bucket"); t != nil {
		p.bucket = t.bucket("s3", "seaweed", "dir")
	} else if top.values["bucket"] == nil {
		top.wrong("bucket", `no [bucket]; want a table with kind = "s3", "seaweed" or "dir"`)
	}
	if c := p.catalogue; c.kind == "bucket" && c.bucket == nil && p.bucket != nil && p.bucket.kind == "seaweed" {
		top.wrong("catalogue", `[bucket] of kind "seaweed" keeps its names in the catalogue; want a table [catalogue.bucket] of kind "s3" or "dir", or another catalogue`)
	}
	if t := top.under("cache"); t != nil {
		p.cache, p.cacheBytes = t.path("path"), t.number("bytes", "a number of bytes")
		t.done()
	}
	top.done()
	return p, top.err()
}

func (t *table) catalogue() (c catalogue) {
	defer t.done()
	switch c.kind = t.kind("postgres", "mongodb", "bucket"); c.kind {
	case "postgres":
		c.url = t.url("postgres://USER@HOST/DATABASE", "postgres", "postgresql")
		c.postgres = postgres.Options{
			Password:    t.secret("password"),
			Timeout:     t.time("timeout"),
			Connections: int(t.number("connections", "a number of connections")),
			Synchronous: t.flag("synchronous"),
		}
	case "mongodb":
		c.url = t.url("mongodb://HOST", "mongodb", "mongodb+srv")
		c.mongo = mongo.Options{Database: t.text("database"), Collection: t.text("collection"), Timeout: t.time("timeout")}
	case "bucket":
		if b := t.under("bucket"); b != nil {
			c.bucket = b.bucket("s3", "dir")
		}
	default:
		t.ignore()
	}
	return c
}

// url returns the URL of a database, which must not contain a password.
func (t *table) url(form string, schemes ...string) string {
	if _, there := t.values["url"]; !there {
		if v := t.secret("url"); t.has("url") {
			return v
		}
	}
	v := t.needed("url", `"`+form+`"`)
	scheme, rest, _ := strings.Cut(v, "://")
	user, _, named := strings.Cut(rest, "@")
	switch {
	case v == "":
	case !slices.Contains(schemes, scheme):
		t.wrong("url", "url: want %s", form)
	case named && strings.Contains(user, ":"), strings.Contains(rest, "password="):
		t.wrong("url", "url: it has a password; want password_file, password_env, url_file or url_env")
	}
	return v
}

// ignore accepts all keys, where the kind of the table is a mistake already.
func (t *table) ignore() {
	for key := range t.values {
		t.read = append(t.read, key)
	}
}

func (t *table) bucket(kinds ...string) *bucket {
	defer t.done()
	b := &bucket{kind: t.kind(kinds...)}
	switch b.kind {
	case "seaweed":
		b.seaweed = seaweed.Options{
			Masters:    t.texts("masters", `["HOST:9333"]`),
			Collection: t.text("collection"),
			Copies:     t.text("copies"),
			Fewer:      t.text("fewer"),
			Timeout:    t.time("timeout"),
		}
	case "dir":
		b.dir = t.below(t.needed("path", "a folder"))
	case "s3":
		b.s3 = s3.Options{
			Bucket:      t.needed("bucket", "the name of a bucket"),
			Prefix:      t.text("prefix"),
			Endpoint:    t.text("endpoint"),
			Region:      t.text("region"),
			AccessKey:   t.secret("access_key"),
			SecretKey:   t.secret("secret_key"),
			VirtualHost: t.flag("virtual_host"),
			Timeout:     t.time("timeout"),
		}
		if ca := t.path("ca_file"); ca != "" {
			data, err := readSmall(ca)
			if err != nil {
				t.wrong("ca_file", "ca_file: %v", err)
			}
			b.s3.CA = data
		}
		if t.has("access_key") != t.has("secret_key") {
			t.wrong("kind", "access_key without secret_key, or the other way round; want both or neither")
		}
	default:
		t.ignore()
	}
	return b
}

func (b *bucket) open(ctx context.Context, o Options) (blob.Bucket, error) {
	if b.kind == "dir" {
		d, err := dir.Open(b.dir, dir.Options{Existing: o.Existing})
		if err != nil {
			return nil, err
		}
		return d, nil
	}
	s, err := s3.Open(ctx, b.s3)
	if err != nil {
		return nil, err
	}
	return s, nil
}
