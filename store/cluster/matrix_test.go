package cluster_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/internal/testing/parts"
	"github.com/cairnvoxel/cairn/internal/testing/storetest"
	"github.com/cairnvoxel/cairn/internal/testing/weedtest"
	"github.com/cairnvoxel/cairn/store/cluster"
	"github.com/cairnvoxel/cairn/store/history"
)

// The servers that all tests share.
var shared struct {
	dir   string
	areas atomic.Int64

	postgres, minio, ferret struct {
		sync.Once
		err error
	}
	p *parts.Postgres
	m *parts.MinIO
	f *parts.Ferret
}

func TestMain(m *testing.M) {
	flag.Parse()
	if !long.Set() {
		for name, value := range map[string]string{"rapid.checks": "50", "test.short": "true"} {
			if err := flag.Set(name, value); err != nil {
				panic(err)
			}
		}
	}
	code := m.Run()
	var errs []error
	if shared.p != nil {
		errs = append(errs, shared.p.Close())
	}
	if shared.m != nil {
		errs = append(errs, shared.m.Close())
	}
	if shared.f != nil {
		errs = append(errs, shared.f.Close())
	}
	if err := errors.Join(errs...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	if shared.dir != "" {
		_ = os.RemoveAll(shared.dir)
	}
	os.Exit(code)
}

// folderOf returns a new folder that outlives the test.
func folderOf(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "cairn-cluster")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func onPostgres(t testing.TB) string {
	s := &shared.postgres
	s.Do(func() {
		shared.p, s.err = parts.StartPostgres(context.Background(), filepath.Join(shared.dir, "postgres"), parts.PostgresOptions{})
	})
	if s.err != nil {
		t.Fatal(s.err)
	}
	name := fmt.Sprint("s", shared.areas.Add(1))
	if _, err := shared.p.Query(t.Context(), "CREATE SCHEMA "+name); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("[catalogue]\nkind = \"postgres\"\ntimeout = \"20s\"\nconnections = 4\nurl = %q\n", shared.p.URL()+"&search_path="+name)
}

func onFerret(t testing.TB) string {
	s := &shared.ferret
	s.Do(func() { shared.f, s.err = parts.StartFerret(context.Background(), shared.dir, "", nil) })
	if s.err != nil {
		t.Fatal(s.err)
	}
	return fmt.Sprintf("[catalogue]\nkind = \"mongodb\"\ntimeout = \"20s\"\nurl = %q\ndatabase = \"d%d\"\n", shared.f.URL(), shared.areas.Add(1))
}

func onBucket(testing.TB) string { return "[catalogue]\nkind = \"bucket\"\n" }

func onMinIO(t testing.TB) string {
	s := &shared.minio
	s.Do(func() { shared.m, s.err = parts.StartMinIO(context.Background(), shared.dir, parts.MinIOOptions{}) })
	if s.err != nil {
		t.Fatal(s.err)
	}
	t.Setenv("CAIRN_TEST_ACCESS", parts.AccessKey)
	t.Setenv("CAIRN_TEST_SECRET", parts.SecretKey)
	return fmt.Sprintf("[bucket]\nkind = \"s3\"\nendpoint = %q\nbucket = \"cairn\"\nprefix = \"area%d\"\ntimeout = \"20s\"\naccess_key_env = \"CAIRN_TEST_ACCESS\"\nsecret_key_env = \"CAIRN_TEST_SECRET\"\n",
		shared.m.URL(), shared.areas.Add(1))
}

// onWeed describes a bucket of a SeaweedFS that is made up.
func onWeed(t testing.TB) string {
	w := weedtest.New(weedtest.Options{})
	t.Cleanup(w.Close)
	return fmt.Sprintf("[bucket]\nkind = \"seaweed\"\nmasters = [%q]\ntimeout = \"20s\"\n", w.Masters()[0])
}

// onOther describes a ledger in a folder of its own.
func onOther(testing.TB) string {
	return "[catalogue]\nkind = \"bucket\"\n[catalogue.bucket]\nkind = \"dir\"\npath = \"log\"\n"
}

func onFolder(testing.TB) string { return "[bucket]\nkind = \"dir\"\npath = \"bucket\"\n" }

// halves returns what opens new halves of a cluster.
func halves(text func(testing.TB) string) func(t *testing.T) (history.Catalogue, blob.Bucket) {
	return func(t *testing.T) (history.Catalogue, blob.Bucket) {
		c, b, s, err := cluster.Halves(t.Context(), write(t, text(t)))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() }) // some tests close the catalogue themselves
		return c, b
	}
}

// TestPartsMatrix runs the contract of stores on every catalogue with every bucket. If it may not be
// long, databases are not tried beside folders, and each catalogue is stopped between calls beside one bucket.
func TestPartsMatrix(t *testing.T) {
	parts.Need(t, "postgres", "minio", "ferret")
	shared.dir = folderOf(t)
	type half struct {
		name string
		text func(testing.TB) string
	}
	for _, c := range []half{{"PostgreSQL", onPostgres}, {"MongoDB", onFerret}, {"Bucket", onBucket}} {
		for _, b := range []half{{"S3", onMinIO}, {"SeaweedFS", onWeed}, {"Folder", onFolder}} {
			if c.name != "Bucket" && b.name == "Folder" && !long.Set() {
				continue // no cluster has its bucket in a folder
			}
			first := c.text
			if c.name == "Bucket" && b.name == "SeaweedFS" {
				first = onOther
			}
			text := func(t testing.TB) string { return first(t) + b.text(t) }
			t.Run(c.name+"+"+b.name, func(t *testing.T) {
				k := kind(text)
				storetest.Run(t, k)
				checked(t, k)
				if long.Set() {
					storetest.Linear(t, k, 500)
				}
				switch {
				case long.Set():
					storetest.HalvesEvery(t, 1, halves(text))
				case (c.name == "MongoDB") == (b.name == "SeaweedFS") && b.name != "Folder": // each catalogue once
					storetest.HalvesEvery(t, 100, halves(text))
				}
			})
		}
	}
}
