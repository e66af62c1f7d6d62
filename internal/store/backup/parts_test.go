package backup_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/blob/s3"
	"github.com/cairnvoxel/cairn/internal/store/backup"
	"github.com/cairnvoxel/cairn/internal/testing/parts"
	"github.com/cairnvoxel/cairn/store/local"
)

var partsWorlds = flag.Int("worlds", 300, "how many worlds TestPartsS3 has")

// TestPartsS3 backs up worlds of 23 KB to MinIO, and restores them into another store.
// It counts the calls, and finds a byte that was changed in the bucket.
func TestPartsS3(t *testing.T) {
	parts.Need(t, "minio")
	m, err := parts.StartMinIO(t.Context(), t.TempDir(), parts.MinIOOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	var trips atomic.Int64
	b, err := s3.Open(t.Context(), s3.Options{Endpoint: m.URL(), Bucket: "cairn", Prefix: "worlds/", AccessKey: parts.AccessKey, SecretKey: parts.SecretKey, Region: "us-east-1",
		OnRequest: func(blob.Request) { trips.Add(1) }})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	c := newClock()
	st := newStore(c)
	rnd := rand.NewChaCha8([32]byte{1})
	name := func(i int) string { return fmt.Sprintf("players/%05d/island", i) }
	fill := func(i int) {
		data := make([]byte, 23<<10)
		if _, err := rnd.Read(data); err != nil {
			t.Fatal(err)
		}
		saveOn(t, st, name(i), false, data)
	}
	n := *partsWorlds
	for i := range n {
		create(t, st, name(i))
		fill(i)
	}
	run := func(what string, changed int) {
		t.Helper()
		calls, began := trips.Load(), time.Now()
		r := mustRun(t, st, b, backup.Options{})
		calls = trips.Load() - calls
		t.Logf("%s: %d worlds, %d changed: %d calls, %d objects, %d bytes, %.1f s", what, r.Worlds, r.Changed, calls, r.Objects, r.New, time.Since(began).Seconds())
		if r.Changed != changed || calls > 40+int64(changed)/20 {
			t.Errorf("%s: %d calls, %+v", what, calls, r)
		}
	}
	run("all", n)
	run("none", 0)
	for i := 0; i < n; i += 100 {
		fill(i)
	}
	run("1 %", (n+99)/100)
	for i := range n {
		fill(i)
	}
	run("all again", n)
	to, err := local.Open("store", local.Options{FS: vfs.NewMem()})
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	began := time.Now()
	r, err := mustOpen(t, b, backup.Access{}).Restore(t.Context(), to, backup.RestoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("restored %d worlds, %d stones of %d bytes in %.1f s", r.Worlds, r.Stones, r.Bytes, time.Since(began).Seconds())
	same(t, to, st)
	flip(t, b)
	if v, err := mustOpen(t, b, backup.Access{}).Verify(t.Context(), nil); err == nil {
		t.Errorf("a byte was changed: got %+v", v)
	}
}

// flip changes a byte of one object of stones.
func flip(t *testing.T, b blob.Bucket) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	all, err := b.List(ctx, "data/", "", 1)
	if err != nil || len(all) == 0 {
		t.Fatalf("list: %v, %v", all, err)
	}
	data, err := b.Get(ctx, all[0].Key, 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/3] ^= 4
	if err := b.Delete(ctx, all[0].Key); err != nil {
		t.Fatal(err)
	}
	if err := b.Put(ctx, all[0].Key, io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data)))); err != nil {
		t.Fatal(err)
	}
}
