package crowd

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/server/keeper"
	"github.com/cairnvoxel/cairn/internal/testing/parts"
	"github.com/cairnvoxel/cairn/store"
	_ "github.com/cairnvoxel/cairn/store/cluster" // opens cluster:FILE
	"github.com/cairnvoxel/cairn/store/history"
)

// largeSave is the size of an island in the source, and of a save in the rows that end
// with 23k. The bytes cannot be compressed.
const largeSave = 23_000

// engines are the servers that a row needs, in the process's own directory.
type engines struct {
	dir      string
	postgres *parts.Postgres
	minio    *parts.MinIO
}

// start starts MinIO with four drives and, if asked, PostgreSQL with a synchronous
// standby. All of them sync.
func (e *engines) start(ctx context.Context, bucket, database bool) (err error) {
	if err := os.MkdirAll(e.dir, 0o711); err != nil {
		return err
	}
	if bucket {
		if e.minio, err = parts.StartMinIO(ctx, e.dir, parts.MinIOOptions{Log: io.Discard}); err != nil {
			return err
		}
	}
	if database {
		e.postgres, err = parts.StartPostgres(ctx, e.dir, parts.PostgresOptions{Standby: true, Fsync: true, Log: io.Discard})
	}
	return err
}

func (e *engines) used() lab.Usage {
	u := lab.UsageOf(os.Getpid())
	if e.minio != nil {
		u = u.Add(lab.UsageOf(e.minio.Pid()))
	}
	if e.postgres != nil {
		for _, pid := range e.postgres.Pids() {
			u = u.Add(usageBelow(pid))
		}
	}
	return u
}

// usageBelow is what a process and its children used.
func usageBelow(pid int) lab.Usage {
	u := lab.UsageOf(pid)
	files, _ := filepath.Glob("/proc/[0-9]*/stat") // none where there is no /proc
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has just ended
		}
		_, rest, _ := bytes.Cut(text, []byte(") "))
		if f := bytes.Fields(rest); len(f) > 1 && string(f[1]) == strconv.Itoa(pid) {
			child, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			u = u.Add(lab.UsageOf(child))
		}
	}
	return u
}

func (e *engines) end() error {
	var errs []error
	if e.postgres != nil {
		errs = append(errs, e.postgres.Close())
	}
	if e.minio != nil {
		errs = append(errs, e.minio.Close())
	}
	return errors.Join(errs...)
}

// clustered is islands in a cluster's store, in this process.
type clustered struct {
	stored
	engines
	crowd    *crowd
	database bool // the catalogue is PostgreSQL, and not the bucket
	large    bool // a save is all of an island, of largeSave bytes
	keeper   *keeper.Keeper
}

func (s *clustered) fill(ctx context.Context, o lab.Options) error {
	if err := s.start(ctx, true, s.database); err != nil {
		return err
	}
	catalogue := `kind = "bucket"`
	if s.database {
		catalogue = fmt.Sprintf("kind = \"postgres\"\nurl = %q", s.postgres.URL())
	}
	text := fmt.Sprintf("[catalogue]\n%s\n[bucket]\nkind = \"s3\"\nendpoint = %q\nbucket = \"cairn\"\nprefix = \"stones/\"\nregion = \"us-east-1\"\naccess_key_env = \"CROWD_KEY\"\nsecret_key_env = \"CROWD_SECRET\"\n", catalogue, s.minio.URL())
	file := filepath.Join(s.dir, "cluster.toml")
	err := os.WriteFile(file, []byte(text), 0o600)
	for name, value := range map[string]string{"CROWD_KEY": parts.AccessKey, "CROWD_SECRET": parts.SecretKey} {
		err = errors.Join(err, os.Setenv(name, value))
	}
	if err != nil {
		return err
	}
	if s.Store, err = store.Open(ctx, "cluster:"+file); err != nil {
		return err
	}
	return s.found(ctx, s.crowd, o)
}

// found makes all islands.
func (s *clustered) found(ctx context.Context, c *crowd, o lab.Options) error {
	heads, err := s.stored.found(ctx, c.pool)
	if err != nil {
		return err
	}
	return inParallel(ctx, len(c.accounts), storeWorkers, func(i int) error {
		if i%fillStep == 0 {
			o.Step(i, len(c.accounts), "making islands")
		}
		return s.fork(ctx, c, heads, i)
	})
}

func (s *clustered) open(context.Context) error {
	if !s.large {
		s.keeper = keeper.New(s.Store, time.Now(), keeper.Options{CollectEvery: -1})
	}
	return nil
}

func (s *clustered) save(ctx context.Context, c *crowd, i int) error {
	if s.large {
		return s.saveLarge(ctx, c, i)
	}
	err := s.stored.save(ctx, c, i)
	if err == nil {
		s.keeper.Saved(nameOf(i), uint64(c.accounts[i].saves)+1) // the template has the first commit
	}
	return err
}

// saveLarge saves all of an island, as the source did.
func (s *clustered) saveLarge(ctx context.Context, c *crowd, i int) error {
	a := &c.accounts[i]
	data := c.large(i)
	ref := history.StoneRef{ID: sha256.Sum256(data), Size: int64(len(data))}
	h := history.Head{Commit: a.head, Fence: history.Force}
	done, err := s.Commit(ctx, nameOf(i), h, history.Commit{Parent: a.head, Stones: []history.StoneRef{ref}}, history.Stone{ID: ref.ID, Data: data})
	if err != nil {
		return err
	}
	a.head = done.ID()
	c.saved(i)
	return nil
}

// large returns the bytes of the next save of an island. No other save has them.
func (c *crowd) large(i int) []byte {
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], uint64(i)<<32|uint64(c.accounts[i].saves))
	binary.LittleEndian.PutUint64(seed[8:], c.seed)
	data := make([]byte, largeSave)
	_, _ = rand.NewChaCha8(seed).Read(data) // it never fails
	return data
}

func (s *clustered) used() lab.Usage { return s.engines.used() }

func (s *clustered) close(ctx context.Context, c *crowd) (highest int, err error) {
	if s.keeper != nil {
		err = s.keeper.Close(ctx)
	}
	if s.Store != nil {
		if s.keeper != nil && err == nil {
			highest, err = s.highest(ctx, c)
		}
		err = errors.Join(err, s.Close())
	}
	return highest, errors.Join(err, s.end())
}

// rawBucket is islands as objects in MinIO, without a store.
type rawBucket struct {
	engines
	crowd *crowd
	*minio.Client
}

func (r *rawBucket) fill(ctx context.Context, o lab.Options) (err error) {
	if err := r.start(ctx, true, false); err != nil {
		return err
	}
	r.Client, err = minio.New(r.minio.Addr(), &minio.Options{Creds: credentials.NewStaticV4(parts.AccessKey, parts.SecretKey, ""), Region: "us-east-1"})
	if err != nil {
		return err
	}
	return inParallel(ctx, min(len(r.crowd.accounts), rawFill), storeWorkers, func(i int) error { return r.save(ctx, r.crowd, i) })
}

// rawFill is how many objects are there before the measurement.
const rawFill = 2000

func (r *rawBucket) open(context.Context) error { return nil }

func (r *rawBucket) save(ctx context.Context, c *crowd, i int) error {
	_, err := r.PutObject(ctx, "cairn", nameOf(i), bytes.NewReader(c.large(i)), largeSave, minio.PutObjectOptions{})
	if err == nil {
		c.saved(i)
	}
	return err
}

func (r *rawBucket) load(ctx context.Context, c *crowd, i int) (int64, error) {
	if c.accounts[i].saves == 0 {
		return 0, r.save(ctx, c, i)
	}
	from, err := r.GetObject(ctx, "cairn", nameOf(i), minio.GetObjectOptions{})
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(io.Discard, from)
	if err == nil && n != largeSave {
		err = fmt.Errorf("crowd: %s: %d bytes", nameOf(i), n)
	}
	return n, errors.Join(err, from.Close())
}

func (r *rawBucket) collect(context.Context) error              { return nil }
func (r *rawBucket) used() lab.Usage                            { return r.engines.used() }
func (r *rawBucket) close(context.Context, *crowd) (int, error) { return 0, r.end() }

// rawDatabase is islands as rows in PostgreSQL, without a store.
type rawDatabase struct {
	engines
	crowd *crowd
	*pgxpool.Pool
}

func (r *rawDatabase) fill(ctx context.Context, o lab.Options) (err error) {
	if err := r.start(ctx, false, true); err != nil {
		return err
	}
	if r.Pool, err = pgxpool.New(ctx, r.postgres.URL()+"&pool_max_conns=16"); err != nil {
		return err
	}
	if _, err := r.Exec(ctx, "create table islands (name text primary key, data bytea not null)"); err != nil {
		return err
	}
	return inParallel(ctx, min(len(r.crowd.accounts), rawFill), storeWorkers, func(i int) error { return r.save(ctx, r.crowd, i) })
}

func (r *rawDatabase) open(context.Context) error { return nil }

func (r *rawDatabase) save(ctx context.Context, c *crowd, i int) error {
	_, err := r.Exec(ctx, "insert into islands (name, data) values ($1, $2) on conflict (name) do update set data = excluded.data", nameOf(i), c.large(i))
	if err == nil {
		c.saved(i)
	}
	return err
}

func (r *rawDatabase) load(ctx context.Context, c *crowd, i int) (int64, error) {
	if c.accounts[i].saves == 0 {
		return 0, r.save(ctx, c, i)
	}
	var data []byte
	err := r.QueryRow(ctx, "select data from islands where name = $1", nameOf(i)).Scan(&data)
	return int64(len(data)), err
}

func (r *rawDatabase) collect(context.Context) error { return nil }
func (r *rawDatabase) used() lab.Usage               { return r.engines.used() }

func (r *rawDatabase) close(context.Context, *crowd) (int, error) {
	if r.Pool != nil {
		r.Pool.Close()
	}
	return 0, r.end()
}
