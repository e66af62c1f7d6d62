package seaweed_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/blob/seaweed"
	"github.com/cairnvoxel/cairn/internal/testing/blobtest"
	"github.com/cairnvoxel/cairn/internal/testing/parts"
)

// weed is one process of SeaweedFS.
type weed struct {
	t    testing.TB
	args []string
	cmd  *exec.Cmd
}

// program is the weed that CAIRN_WEED names, or the one among the parts.
func program(t testing.TB) string {
	t.Helper()
	name := os.Getenv(parts.WeedEnv)
	if name == "" {
		parts.Need(t, "weed")
		name = filepath.Join(os.Getenv(parts.Env), "weed")
	}
	if in, err := os.Stat(name); err != nil || in.IsDir() {
		t.Skip("needs SeaweedFS: CAIRN_WEED names its program weed")
	}
	return name
}

func (w *weed) start() {
	w.t.Helper()
	w.cmd = exec.Command(program(w.t), w.args...)
	w.cmd.Dir = w.t.TempDir()
	if err := w.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
}

// kill ends the process at once.
func (w *weed) kill() {
	_ = w.cmd.Process.Signal(syscall.SIGKILL) // it may have ended
	_ = w.cmd.Wait()
}

// port returns a port whose neighbour 10,000 above is free too: SeaweedFS takes both.
func port(t testing.TB) int {
	t.Helper()
	for range 100 {
		addr, err := parts.FreeAddr()
		if err != nil {
			t.Fatal(err)
		}
		_, s, _ := net.SplitHostPort(addr)
		n := 0
		if _, err := fmt.Sscan(s, &n); err != nil || n > 50000 {
			continue
		}
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", n+10000)); err == nil && l.Close() == nil {
			return n
		}
	}
	t.Skip("no two ports are free")
	return 0
}

// cluster is masters and volume servers.
type cluster struct {
	masters, servers []*weed
	addresses        []string // of the masters
}

func startWeed(t testing.TB, masters, servers int) *cluster {
	t.Helper()
	c := &cluster{}
	for range masters {
		c.addresses = append(c.addresses, fmt.Sprintf("127.0.0.1:%d", port(t)))
	}
	run := func(args ...string) *weed {
		w := &weed{t: t, args: args}
		w.start()
		t.Cleanup(w.kill)
		return w
	}
	for _, a := range c.addresses {
		peers := "none"
		if masters > 1 {
			peers = strings.Join(c.addresses, ",")
		}
		c.masters = append(c.masters, run("master", "-ip=127.0.0.1", "-port="+a[len("127.0.0.1:"):], "-mdir="+t.TempDir(), "-peers="+peers, "-telemetry=false", "-volumeSizeLimitMB=128"))
	}
	for range servers {
		c.servers = append(c.servers, run("volume", "-ip=127.0.0.1", fmt.Sprintf("-port=%d", port(t)), "-dir="+t.TempDir(), "-max=40", "-master="+strings.Join(c.addresses, ","), "-preStopSeconds=0"))
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for !c.assigns(ctx, servers) {
		if ctx.Err() != nil {
			t.Fatal("SeaweedFS does not start")
		}
	}
	return c
}

// assigns reports whether a master assigns ids with that many copies.
func (c *cluster) assigns(ctx context.Context, copies int) bool {
	for _, a := range c.addresses {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://%s/dir/assign?dataSize=1&collection=try&replication=%03d", a, copies-1), nil)
		if err != nil {
			return false
		}
		if got, err := http.DefaultClient.Do(r); err == nil {
			_, _ = io.Copy(io.Discard, got.Body)
			if got.Body.Close() == nil && got.StatusCode == http.StatusOK {
				return true
			}
		}
	}
	return false
}

// TestPartsWeed is the contract on a real SeaweedFS, and a server that is killed.
func TestPartsWeed(t *testing.T) {
	program(t)
	c := startWeed(t, 1, 3)
	t.Run("Bucket", func(t *testing.T) {
		blobtest.Run(t, func(t *testing.T) blob.Bucket {
			b, err := seaweed.Open(t.Context(), new(memory), seaweed.Options{Masters: c.addresses})
			if err != nil {
				t.Fatal(err)
			}
			return b
		})
	})
	t.Run("Killed", func(t *testing.T) {
		names := new(memory)
		o := seaweed.Options{Masters: c.addresses, IDs: 50}
		b, err := seaweed.Open(t.Context(), names, o)
		if err != nil {
			t.Fatal(err)
		}
		put := func(from, to int) {
			t.Helper()
			for i := from; i < to; i++ {
				began := time.Now()
				if err := b.Put(t.Context(), fmt.Sprint("k", i), section(fmt.Sprint("of ", i))); err != nil {
					t.Fatalf("put %d after %v: %v", i, time.Since(began), err)
				}
				if d := time.Since(began); d > time.Second {
					t.Logf("put %d took %v", i, d)
				}
			}
		}
		check := func(n int) {
			t.Helper()
			for i := range n {
				if got, err := b.Get(t.Context(), fmt.Sprint("k", i), 0, -1); err != nil || string(got) != fmt.Sprint("of ", i) {
					t.Fatalf("k%d: got %q, %v", i, got, err)
				}
			}
		}
		put(0, 100)
		c.servers[2].kill()
		put(100, 300)
		check(300)
		if !b.Lacking() {
			t.Error("nobody noticed")
		}
		c.servers[2].start()
		var r seaweed.Result
		for began := time.Now(); time.Since(began) < time.Minute; {
			if r, err = b.Repair(t.Context()); err == nil {
				break
			}
		}
		if err != nil || r.Repaired == 0 {
			t.Errorf("repair: got %+v, %v", r, err)
		}
		check(300)
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		if b, err = seaweed.Open(t.Context(), names, o); err != nil {
			t.Fatal(err)
		}
		if r, err := b.Sweep(t.Context()); err != nil || r.Left > 0 {
			t.Errorf("sweep: got %+v, %v", r, err)
		}
		for i := range 50 {
			if err := b.Delete(t.Context(), fmt.Sprint("k", i)); err != nil {
				t.Fatal(err)
			}
		}
		left, err := names.Scan(t.Context(), "g/", "", 99)
		if err != nil || len(left) > 0 {
			t.Errorf("%d files are left to delete, %v", len(left), err)
		}
	})
}

// BenchmarkPartsWeed puts and gets bodies of 23,000 bytes with three copies on stable
// storage: by plain HTTP to ids that were assigned before, and by the bucket. They
// take turns, and it reports the medians.
func BenchmarkPartsWeed(b *testing.B) {
	c := startWeed(b, 1, 3)
	ours, err := seaweed.Open(b.Context(), new(memory), seaweed.Options{Masters: c.addresses})
	if err != nil {
		b.Fatal(err)
	}
	defer ours.Close()
	random := make([]byte, 23_000) // which the servers cannot compress
	for i := range random {
		random[i] = byte(rand.Uint32())
	}
	body := string(random)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}}
	ask := func(method, to string, body io.Reader, out any) error {
		r, err := http.NewRequestWithContext(b.Context(), method, to, body)
		if err != nil {
			return err
		}
		got, err := client.Do(r)
		if err != nil {
			return err
		}
		defer got.Body.Close()
		data, err := io.ReadAll(got.Body)
		if err == nil && got.StatusCode >= 300 {
			err = fmt.Errorf("status %d: %s", got.StatusCode, data)
		}
		if err == nil && out != nil {
			err = json.Unmarshal(data, out)
		}
		return err
	}
	for _, clients := range []int{1, 16} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
			var put, get [2][]float64
			turn := func(out *[]float64, what func(i int) error) {
				began := time.Now()
				var wg sync.WaitGroup
				for c := range clients {
					wg.Go(func() {
						for i := range 4 {
							if err := what(c*4 + i); err != nil {
								b.Error(err)
							}
						}
					})
				}
				wg.Wait()
				*out = append(*out, float64(4*clients)/time.Since(began).Seconds())
			}
			for n := range b.N {
				var ids struct{ Fid, URL string }
				if err := ask(http.MethodGet, fmt.Sprintf("http://%s/dir/assign?count=%d&dataSize=23000&replication=002&collection=plain", c.addresses[0], 4*clients), nil, &ids); err != nil {
					b.Fatal(err)
				}
				url := func(i int) string { return fmt.Sprintf("http://%s/%s_%d", ids.URL, ids.Fid, i) }
				key := func(i int) string { return fmt.Sprint(clients, "/", b.N, "/", n, "/", i) }
				puts := [2]func(int) error{
					func(i int) error { return ask(http.MethodPut, url(i)+"?fsync=true", strings.NewReader(body), nil) },
					func(i int) error { return ours.Put(b.Context(), key(i), section(body)) },
				}
				for k := range puts {
					k = (k + n) % 2 // which is the first
					turn(&put[k], puts[k])
				}
				turn(&get[0], func(i int) error { return ask(http.MethodGet, url(i), nil, nil) })
				turn(&get[1], func(i int) error {
					_, err := ours.Get(b.Context(), key(i), 0, -1)
					return err
				})
			}
			for name, rates := range map[string][]float64{"put-plain/s": put[0], "put/s": put[1], "get-plain/s": get[0], "get/s": get[1]} {
				slices.Sort(rates)
				b.ReportMetric(rates[len(rates)/2], name)
			}
		})
	}
}
