package fleet

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/testing/parts"
)

// watch adds up the counters of servers, and the processor time of processes, that end
// and begin again.
type watch struct {
	addresses []string
	last      []map[string]float64 // of each server, by metric with labels
	sum       map[string]float64
	times     map[int]time.Duration // of processes
	spent     map[string]time.Duration
}

func watchOf(c *parts.Cluster) *watch {
	w := &watch{sum: make(map[string]float64), spent: make(map[string]time.Duration)}
	for _, s := range c.Servers {
		w.addresses = append(w.addresses, s.Debug())
	}
	w.last = make([]map[string]float64, len(w.addresses))
	return w
}

// look reads the counters. A server that does not answer was killed.
func (w *watch) look(ctx context.Context) {
	for i, address := range w.addresses {
		now, err := countersOf(ctx, address)
		if err != nil {
			continue
		}
		if w.last[i] != nil {
			for name, n := range now {
				if had := w.last[i][name]; n >= had {
					w.sum[name] += n - had
				} else {
					w.sum[name] += n // it began again
				}
			}
		}
		w.last[i] = now
	}
}

// work reads the processor time of all processes.
func (w *watch) work(c *parts.Cluster, games []*game) {
	times := make(map[int]time.Duration)
	add := func(kind string, pid int) {
		now := lab.ProcessorOf(pid)
		times[pid] = now
		if w.times != nil { // what a process did before it was seen first belongs to it
			w.spent[kind] += max(0, now-w.times[pid])
		}
	}
	for _, s := range c.Servers {
		if s.Running() {
			add("servers", s.Pid())
		}
	}
	if c.MinIO.Running() {
		add("bucket", c.MinIO.Pid())
	}
	for _, g := range games {
		add("games", g.process.Process.Pid)
	}
	w.times = times
}

// countersOf reads the metrics of a server.
func countersOf(ctx context.Context, address string) (map[string]float64, error) {
	ctx, stop := context.WithTimeout(ctx, time.Second)
	defer stop()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(q)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	return parse(answer.Body)
}

func parse(text io.Reader) (map[string]float64, error) {
	out := make(map[string]float64)
	lines := bufio.NewScanner(text)
	for lines.Scan() {
		name, value, ok := strings.Cut(lines.Text(), "} ")
		if n, err := strconv.ParseFloat(value, 64); ok && err == nil {
			out[name] = n
		}
	}
	return out, lines.Err()
}

var label = regexp.MustCompile(`(\w+)="([^"]*)"`)

// rates returns the rates of a counter, by the values of its labels.
func (w *watch) rates(counter string, seconds float64) map[string]float64 {
	out := make(map[string]float64)
	for name, n := range w.sum {
		labels, ok := strings.CutPrefix(name, counter+"{")
		if !ok || n == 0 {
			continue
		}
		var words []string
		for _, l := range label.FindAllStringSubmatch(labels, -1) {
			words = append(words, l[2])
		}
		out[strings.Join(words, " ")] += n / seconds
	}
	return out
}
