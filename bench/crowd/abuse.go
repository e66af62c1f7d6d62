package crowd

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/store/client"
)

// AbuseReport says how the server copes with hostile callers while another caller loads
// islands.
type AbuseReport struct {
	Seconds float64 `json:"seconds"`
	// Idle is how many connections did nothing after a first call, IdleOpen how many
	// of these the server had not closed in the end.
	Idle     int `json:"idle_connections"`
	IdleOpen int `json:"idle_open"`
	Slow     int `json:"slow_connections"` // that give or take a byte a second
	// Bodies is what became of bodies of 10 GB.
	Bodies []AbuseBody `json:"bodies"`
	// Mutated is how many calls were garbled, Answers what they were answered, by
	// status; "none" without an answer.
	Mutated  int            `json:"mutated_requests"`
	Answers  map[string]int `json:"answers"`
	Internal int            `json:"internal_errors"` // answers of status 500
	// Views is what became of viewers.
	Views AbuseViews `json:"views"`
	// The probe loads islands ten times a second, and tries nothing twice.
	Probes      int     `json:"probes"`
	ProbeErrors int     `json:"probe_errors"`
	ProbeError  string  `json:"probe_error,omitempty"` // the first
	ProbeP50    float64 `json:"probe_p50_ms"`
	ProbeP99    float64 `json:"probe_p99_ms"`
	Highest     int64   `json:"highest_rss_bytes"` // of the server; 0 where the system does not say
	// Goroutines of the server before all that, and how many more there were after.
	Goroutines int `json:"goroutines"`
	Left       int `json:"goroutines_left"`
}

// AbuseBody is a body that was sent.
type AbuseBody struct {
	Way    string `json:"way"`
	Sent   int64  `json:"sent_bytes"` // until the server had enough
	Answer string `json:"answer"`     // its status, or why there is none
}

// Defaults of BenchAbuse.
const (
	abuseSeconds = 60
	abuseIdle    = 10_000
	abuseSlow    = 100
	abuseViewers = 210
	abuseMutated = 10_000
	abuseWorlds  = 100 // that are abused, and as many that are probed
	probesPerSec = 10
)

// BenchAbuse runs the server in a process of its own and abuses it for Seconds. Worlds is the
// number of idle connections and of mutated calls.
func BenchAbuse(ctx context.Context, o lab.Options) (*AbuseReport, error) {
	o = o.WithLoad(abuseIdle, 0, abuseSeconds)
	r := &AbuseReport{Seconds: o.Seconds, Slow: min(abuseSlow, o.Worlds), Mutated: min(abuseMutated, o.Worlds), Bodies: []AbuseBody{}}
	err := lab.WithCairn(ctx, o, func(o lab.Options, dir string) error {
		p, err := makePool(ctx, poolSize{Templates: 1, Saves: 10}, o)
		if err != nil {
			return err
		}
		c := newCrowd(p, 2*abuseWorlds, o.Seed)
		if err := fillStore(ctx, filepath.Join(dir, "store"), c, o, 1); err != nil {
			return err
		}
		s, err := lab.Serve(ctx, o.Cairn, filepath.Join(dir, "store"), "--debug", "127.0.0.1:0", "--log-format", "json")
		if err != nil {
			return err
		}
		return errors.Join(r.measure(ctx, s, c, o), s.Stop())
	})
	return r, err
}

// measure misuses a server and looks at it.
func (r *AbuseReport) measure(ctx context.Context, s *lab.Server, c *crowd, o lab.Options) (err error) {
	if r.Goroutines, err = goroutines(ctx, s.Debug); err != nil {
		return err
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		return err
	}
	a := &abuse{host: u.Host, crowd: c, o: o, until: time.Now().Add(time.Duration(o.Seconds * float64(time.Second)))}
	if a.calls, err = a.validCalls(ctx, s.URL); err != nil {
		return err
	}
	if err := r.run(ctx, a, s); err != nil {
		return err
	}
	_, r.Highest = lab.MemoryOf(s.Program.Process.Pid)
	for wait := time.Duration(0); wait < lab.Patience; wait += time.Second / 4 {
		n, err := goroutines(ctx, s.Debug)
		if err != nil {
			return err
		}
		if r.Left = max(0, n-r.Goroutines); r.Left == 0 {
			break
		}
		time.Sleep(time.Second / 4)
	}
	return nil
}

// abuse is what all kinds of abuse share.
type abuse struct {
	host  string
	crowd *crowd
	o     lab.Options
	until time.Time
	calls []call
}

// run does all of it at the same time, and returns when all connections are
// closed.
func (r *AbuseReport) run(ctx context.Context, a *abuse, s *lab.Server) error {
	ctx, stop := context.WithDeadline(ctx, a.until)
	defer stop()
	var all sync.WaitGroup
	all.Go(func() { r.Idle, r.IdleOpen = a.idle(ctx, a.o.Worlds) })
	all.Go(func() { a.slow(ctx, r.Slow) })
	all.Go(func() { r.Bodies = a.bodies(ctx) })
	all.Go(func() { r.Answers = a.mutate(ctx, r.Mutated) })
	all.Go(func() { a.say(ctx) })
	var seen AbuseViews
	var times []float64
	all.Go(func() { r.Views = a.views(ctx, min(abuseViewers, a.o.Worlds)) })
	all.Go(func() { times = a.look(ctx, &seen) })
	err := r.probe(ctx, a, s.URL)
	all.Wait()
	r.Internal = r.Answers["500"]
	r.Views.Probes, r.Views.ProbeErrors, r.Views.ProbeError = seen.Probes, seen.ProbeErrors, seen.ProbeError
	r.Views.ProbeP50, r.Views.ProbeP99 = lab.Percentile(times, 50), lab.Percentile(times, 99)
	return err
}

// say tells how far it is.
func (a *abuse) say(ctx context.Context) {
	for s := 0; ctx.Err() == nil; s++ {
		a.o.Step(s, int(a.o.Seconds), "misusing the server")
		sleep(ctx, time.Second)
	}
}

// sleep returns after d, or when ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// probe loads islands as a good player does, until ctx ends.
func (r *AbuseReport) probe(ctx context.Context, a *abuse, url string) error {
	st, err := client.Open(ctx, url, client.Options{Tries: 1})
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(a.o.Seed, 2))
	var probes sync.WaitGroup
	var mu sync.Mutex // guards r and times
	var times []float64
	tick := time.NewTicker(time.Second / probesPerSec)
	defer tick.Stop()
	for ctx.Err() == nil {
		i := abuseWorlds + random.IntN(abuseWorlds)
		probes.Go(func() {
			start := time.Now()
			_, err := stored{st}.load(context.WithoutCancel(ctx), a.crowd, i)
			mu.Lock()
			defer mu.Unlock()
			times = append(times, time.Since(start).Seconds()*1000)
			if err != nil {
				r.ProbeErrors++
				r.ProbeError = cmp.Or(r.ProbeError, err.Error())
			}
		})
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	probes.Wait()
	r.Probes, r.ProbeP50, r.ProbeP99 = len(times), lab.Percentile(times, 50), lab.Percentile(times, 99)
	return st.Close()
}

// fetch gets what is at a URL over a connection that goes with the answer.
func fetch(ctx context.Context, url string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	req.Close = true
	return http.DefaultClient.Do(req)
}

// goroutines asks a server's debug address how many goroutines it has.
func goroutines(ctx context.Context, debug string) (n int, err error) {
	resp, err := fetch(ctx, debug+"/debug/pprof/goroutine?debug=1")
	if err != nil {
		return 0, err
	}
	line, err := bufio.NewReader(resp.Body).ReadString('\n')
	err = errors.Join(err, resp.Body.Close())
	if _, wrong := fmt.Sscanf(line, "goroutine profile: total %d", &n); wrong != nil {
		return 0, errors.Join(fmt.Errorf("crowd: %s said %q: %w", debug, strings.TrimSpace(line), wrong), err)
	}
	return n, nil
}

// Table prints what was done, and what it did.
func (r *AbuseReport) Table(w io.Writer) {
	fmt.Fprintf(w, "%g s of misuse\n\n", r.Seconds)
	t := table.New(w, "", "")
	t.Row("idle connections", fmt.Sprint(r.Idle))
	t.Row("still open in the end", fmt.Sprint(r.IdleOpen))
	t.Row("slow connections", fmt.Sprint(r.Slow))
	for _, b := range r.Bodies {
		t.Row("10 GB, "+b.Way+": "+b.Answer+" after", table.Size(b.Sent))
	}
	t.Row("mutated calls", fmt.Sprint(r.Mutated))
	for _, status := range slices.Sorted(maps.Keys(r.Answers)) {
		t.Row("  answered "+status, fmt.Sprint(r.Answers[status]))
	}
	t.Blank()
	t.Row("loads beside it", fmt.Sprint(r.Probes))
	t.Row("  errors", fmt.Sprint(r.ProbeErrors))
	t.Row("  p50, ms", ms(r.ProbeP50))
	t.Row("  p99, ms", ms(r.ProbeP99))
	t.Row("hostile viewers at a time", fmt.Sprint(r.Views.Viewers))
	t.Row("  sessions begun, refused", fmt.Sprintf("%d, %d", r.Views.Begun, r.Views.Refused))
	t.Row("  ended by the server", fmt.Sprint(r.Views.Ended))
	t.Row("good viewers beside them", fmt.Sprint(r.Views.Probes))
	t.Row("  errors", fmt.Sprint(r.Views.ProbeErrors))
	t.Row("  all seen, p50, ms", ms(r.Views.ProbeP50))
	t.Row("  all seen, p99, ms", ms(r.Views.ProbeP99))
	t.Row("memory at most", table.Size(r.Highest))
	t.Row("goroutines left", fmt.Sprint(r.Left))
	t.Flush()
	if r.Views.ProbeError != "" {
		fmt.Fprintf(w, "\nthe first error of a good viewer: %s\n", r.Views.ProbeError)
	}
	if r.ProbeError != "" {
		fmt.Fprintf(w, "\nthe first error: %s\n", r.ProbeError)
	}
}
