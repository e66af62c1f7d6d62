package crowd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/table"
)

// DoorRow is what saves or loads of whole worlds through the protocol of Redis take: of Redis, which syncs each save, and
// of cairn serve --resp.
type DoorRow struct {
	What  string  `json:"what"`
	Redis float64 `json:"redis_mean_ms"`
	Cairn float64 `json:"cairn_mean_ms"`
	// P99 are of all calls.
	RedisP99 float64 `json:"redis_p99_ms"`
	CairnP99 float64 `json:"cairn_p99_ms"`
	Ratio    float64 `json:"ratio"` // of the means
}

// DoorReport is the result of BenchDoors.
type DoorReport struct {
	Worlds  int       `json:"worlds"`
	Clients int       `json:"clients"`
	Bytes   int       `json:"mean_file_bytes"`
	Rows    []DoorRow `json:"rows"`
	// Versions is how many versions cairn made of the saves after its turns, and what each took of the processors.
	Versions   int     `json:"versions"`
	VersionCPU float64 `json:"version_cpu_ms"`
}

// Table writes the report as a table.
func (r *DoorReport) Table(to io.Writer) {
	fmt.Fprintf(to, "%d worlds of %d bytes, %d clients\n", r.Worlds, r.Bytes, r.Clients)
	t := table.New(to, "", "Redis ms", "p99", "cairn ms", "p99", "ratio")
	for _, row := range r.Rows {
		t.Row(row.What, fmt.Sprintf("%.2f", row.Redis), fmt.Sprintf("%.2f", row.RedisP99), fmt.Sprintf("%.2f", row.Cairn), fmt.Sprintf("%.2f", row.CairnP99), fmt.Sprintf("%.2f", row.Ratio))
	}
	t.Flush()
	fmt.Fprintf(to, "after its turns cairn made %d versions, each of %.1f ms of processor\n", r.Versions, r.VersionCPU)
}

// doorRounds is how often the two take turns, so that what else the machine does is the same for both.
const doorRounds = 5

// BenchDoors measures saves and loads of Options.Worlds worlds, by default 64, by Options.Clients, by default 16, through
// the door and in Redis with appendfsync always, for Options.Seconds of each, by default 10.
func BenchDoors(ctx context.Context, o lab.Options) (*DoorReport, error) {
	o = o.WithLoad(64, 16, 10)
	r := &DoorReport{Worlds: o.Worlds, Clients: o.Clients}
	err := lab.WithCairn(ctx, o, func(o lab.Options, dir string) (err error) {
		files, err := doorFiles(ctx, o.Cairn, dir, o.Seed)
		if err != nil {
			return err
		}
		for _, f := range files {
			r.Bytes += len(f) / len(files)
		}
		theirs := &redisServer{dir: dir}
		if err := theirs.start(ctx); err != nil {
			return err
		}
		defer func() { _, closing := theirs.close(ctx, nil); err = errors.Join(err, closing) }()
		if err := theirs.open(ctx); err != nil {
			return err
		}
		port, err := freePort()
		if err != nil {
			return err
		}
		addr := fmt.Sprintf("127.0.0.1:%d", port)
		server, err := lab.Serve(ctx, o.Cairn, filepath.Join(dir, "store"), "--log-format", "json", "--resp", addr)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, server.Stop()) }()
		ours := redis.NewClient(&redis.Options{Addr: addr, PoolSize: redisConnections})
		defer ours.Close()
		return r.measure(ctx, o, files, theirs.Client, ours, server.Program.Process.Pid)
	})
	return r, err
}

// doorFiles returns Slime files of which no two are equal.
func doorFiles(ctx context.Context, cairn, dir string, seed uint64) (files [][]byte, err error) {
	for i := range uint64(8) {
		made, file := filepath.Join(dir, fmt.Sprint(i, ".cairn")), filepath.Join(dir, fmt.Sprint(i, ".slime"))
		_, _, err := lab.Run(ctx, "", cairn, "gen", "island", made, "--seed", fmt.Sprint(seed+i))
		if err == nil {
			_, _, err = lab.Run(ctx, "", cairn, "export", made, file)
		}
		if err != nil {
			return nil, err
		}
		b, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		files = append(files, b)
	}
	return files, nil
}

func (r *DoorReport) measure(ctx context.Context, o lab.Options, files [][]byte, theirs, ours *redis.Client, pid int) error {
	key := func(i int) string { return fmt.Sprintf("aswm:world:data:World %d", i) }
	save := func(to *redis.Client, i, n int) error { return to.Set(ctx, key(i), files[n%len(files)], 0).Err() }
	load := func(to *redis.Client, i, _ int) error {
		b, err := to.Get(ctx, key(i)).Bytes()
		if err == nil && len(b) < 3 {
			err = fmt.Errorf("crowd: world %d has %d bytes", i, len(b))
		}
		return err
	}
	for i := range r.Worlds {
		if err := errors.Join(save(theirs, i, i), save(ours, i, i)); err != nil {
			return err
		}
	}
	if _, _, err := settle(ctx, ours, pid); err != nil {
		return err
	}
	var took time.Duration
	for _, row := range []struct {
		what string
		do   func(*redis.Client, int, int) error
	}{{"save", save}, {"load", load}} {
		var times [2][]float64
		for round := range 2 * doorRounds {
			o.Step(round, 2*doorRounds, row.what)
			to := []*redis.Client{theirs, ours}[round%2]
			some, err := r.round(time.Duration(o.Seconds/doorRounds*float64(time.Second)), uint64(round), func(i, n int) error { return row.do(to, i, n) })
			if err != nil {
				return err
			}
			times[round%2] = append(times[round%2], some...)
			if to == ours { // nothing of it is to be done in the other's turn
				made, used, err := settle(ctx, ours, pid)
				if err != nil {
					return err
				}
				r.Versions, took = r.Versions+made, took+used
			}
		}
		d := DoorRow{What: row.what, Redis: mean(times[0]), Cairn: mean(times[1]), RedisP99: lab.Percentile(times[0], 99), CairnP99: lab.Percentile(times[1], 99)}
		d.Ratio = d.Cairn / d.Redis
		r.Rows = append(r.Rows, d)
	}
	r.VersionCPU = float64(took) / float64(time.Millisecond) / float64(max(1, r.Versions))
	return nil
}

// settle waits until cairn has made versions of all saves. It returns for how many worlds, and what that took of the
// processors.
func settle(ctx context.Context, ours *redis.Client, pid int) (made int, took time.Duration, err error) {
	before := lab.UsageOf(pid)
	for {
		info, err := ours.Info(ctx).Result()
		if err != nil {
			return 0, 0, err
		}
		_, rest, _ := strings.Cut(info, "inbox_waiting:")
		var waiting int
		if _, err := fmt.Sscan(rest, &waiting); err != nil {
			return 0, 0, fmt.Errorf("crowd: INFO of cairn: %w", err)
		}
		if made = max(made, waiting); waiting == 0 {
			return made, lab.UsageOf(pid).Sub(before).CPU, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func mean(times []float64) (m float64) {
	for _, t := range times {
		m += t / float64(len(times))
	}
	return m
}

// round has all clients call do for a time, and returns how many milliseconds each call took.
func (r *DoorReport) round(d time.Duration, seed uint64, do func(i, n int) error) (times []float64, err error) {
	var mu sync.Mutex
	var all sync.WaitGroup
	end := time.Now().Add(d)
	for c := range r.Clients {
		all.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(c)))
			var mine []float64
			var failed error
			for n := 0; failed == nil && time.Now().Before(end); n++ {
				began := time.Now()
				failed = do(random.IntN(r.Worlds), random.IntN(1<<20))
				mine = append(mine, float64(time.Since(began))/float64(time.Millisecond))
			}
			mu.Lock()
			defer mu.Unlock()
			times, err = append(times, mine...), errors.Join(err, failed)
		})
	}
	all.Wait()
	return times, err
}
