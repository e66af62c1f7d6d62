package tiles

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/bits"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cairnvoxel/cairn/bench/lab"
)

// ChildName is the first argument with which the measurement starts its own program again; that
// program then calls Child with the others.
const ChildName = "tiles-child"

// Job is what one process measures.
type Job struct {
	Cache   string  `json:"cache"`
	Trace   string  `json:"trace"`
	Seed    uint64  `json:"seed"`
	Reads   int     `json:"reads"`
	Bytes   int32   `json:"tile_bytes,omitempty"` // of each tile; 0 as the trace has them
	Budget  int64   `json:"budget"`
	Threads int     `json:"threads"`
	Seconds float64 `json:"seconds"`
	GOGC    int     `json:"gogc"`
}

// Row is what a job found. Heap and memory are those of the cache: what the process had
// beyond what it had before.
type Row struct {
	Job
	Hits      float64 `json:"hit_percent"`
	Gets      float64 `json:"gets_per_second"`
	Processor float64 `json:"processor_us_per_get"`
	P99       float64 `json:"p99_us"`
	Heap      int64   `json:"peak_heap_bytes"`
	Memory    int64   `json:"peak_memory_bytes"`
	OfBudget  float64 `json:"peak_heap_of_budget"`
	Allocated float64 `json:"bytes_allocated_per_get"`
	Collector float64 `json:"gc_percent_of_processor"`
	Again     int64   `json:"duplicate_bytes_read"`
	Over      int64   `json:"bytes_over_budget"` // at most; 0 if never above
}

// measure runs a job in a process of its own.
func (j Job) measure(ctx context.Context) (r Row, err error) {
	self, err := os.Executable()
	if err != nil {
		return r, err
	}
	text, err := json.Marshal(j)
	if err != nil {
		return r, err
	}
	out, _, err := lab.Run(ctx, "", self, ChildName, string(text))
	if err == nil {
		err = json.Unmarshal([]byte(out), &r)
	}
	return r, err
}

// Child runs the job of its argument and prints the row.
func Child(ctx context.Context, args []string, out io.Writer) error {
	var j Job
	if len(args) != 1 || json.Unmarshal([]byte(args[0]), &j) != nil {
		return fmt.Errorf("tiles: this is for measurements alone: %q", args)
	}
	r, err := j.run(ctx)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(r)
}

// warmPart is the part of the trace that is read before anything is measured.
const warmPart = 4

// run measures in this process. The cache is filled before the clock starts.
func (j Job) run(ctx context.Context) (r Row, err error) {
	trace, err := NewTrace(j.Trace, j.Seed, j.Reads, j.Bytes)
	if err != nil {
		return r, err
	}
	b := &run{source: newSource(trace), workers: make([]runWorker, j.Threads)}
	lab.HeapInUse() // collects
	debug.SetGCPercent(cmp.Or(j.GOGC, defaultGOGC))
	base, memory := heap(), memoryNow()
	if b.cache, err = newCache(j.Cache, b.source, j.Budget, j.Threads); err != nil {
		return r, err
	}
	w := watch()
	if err := b.work(ctx, int64(j.Reads/warmPart), time.Time{}); err != nil {
		return r, err
	}
	for i := range b.workers {
		b.workers[i].times = [timeBuckets]int64{}
	}
	before := b.snapshot()
	if err := b.work(ctx, 0, time.Now().Add(time.Duration(j.Seconds*float64(time.Second)))); err != nil {
		return r, err
	}
	after := b.snapshot()
	r = Row{Job: j, Over: max(0, b.cache.most()-j.Budget)}
	r.Heap, r.Memory = w.stop()
	r.Heap, r.Memory = r.Heap-base, r.Memory-memory
	r.OfBudget = float64(r.Heap) / float64(j.Budget)
	gets := float64(after.gets - before.gets)
	r.Hits = 100 - 100*float64(after.loads-before.loads)/gets
	r.Gets = gets / after.at.Sub(before.at).Seconds()
	r.Processor = 1e6 * (after.processor - before.processor).Seconds() / gets
	r.Collector = 100 * (after.collector - before.collector) / (after.busy - before.busy)
	r.Allocated = (after.allocated - before.allocated) / gets
	r.Again = after.again - before.again
	r.P99 = b.percentile(.99)
	return r, b.cache.close()
}

// batches is a cache that answers many requests together.
type batches interface {
	serve(worker int, requests []int32, do func(i uint64, tile []byte) error) error
}

// run is many workers that read a trace through one cache.
type run struct {
	source  *source
	cache   cache
	next    atomic.Int64 // read of the trace, which starts again at its end
	workers []runWorker
}

type runWorker struct {
	gets  int64
	times [timeBuckets]int64
	_     [64]byte
}

// snapshot is what counters say at one time.
type snapshot struct {
	at                 time.Time
	processor          time.Duration
	gets, loads, again int64
	collector, busy    float64 // seconds of processors
	allocated          float64 // bytes of the heap
}

func (b *run) snapshot() (s snapshot) {
	runtime.GC() // brings the counter of the collector up to date
	s = snapshot{at: time.Now(), processor: lab.ProcessorTime(), loads: b.source.loads.Load(), again: b.source.again.Load()}
	s.collector = metric("/cpu/classes/gc/total:cpu-seconds") - metric("/cpu/classes/gc/mark/idle:cpu-seconds")
	s.allocated = metric("/gc/heap/allocs:bytes")
	s.busy = metric("/cpu/classes/total:cpu-seconds") - metric("/cpu/classes/idle:cpu-seconds") - metric("/cpu/classes/gc/mark/idle:cpu-seconds")
	for i := range b.workers {
		s.gets += b.workers[i].gets
	}
	return s
}

// block is how many reads a worker takes at once, about what four pixels of the scene need.
// A cache that answers many together gets batch of them, what a bucket of pixels needs.
const (
	block = 256
	batch = 64 * block
)

// work reads until so many reads of the trace are done, or until a time.
func (b *run) work(ctx context.Context, reads int64, until time.Time) error {
	var wait sync.WaitGroup
	errs := make([]error, len(b.workers))
	end := b.next.Load() + reads
	n, serve := int64(block), b.serve
	if together, ok := b.cache.(batches); ok {
		n, serve = batch, func(w int, from int64) error { return b.serveBatch(together, w, from) }
	}
	for w := range b.workers {
		wait.Go(func() {
			for errs[w] == nil {
				from := b.next.Add(n) - n
				if reads > 0 && from >= end || reads == 0 && !time.Now().Before(until) {
					return
				}
				errs[w] = cmp.Or(serve(w, from), ctx.Err())
			}
		})
	}
	wait.Wait()
	return cmp.Or(errs...)
}

// timed is one get in so many that is timed.
const timed = 8

// serve reads a block of the trace.
func (b *run) serve(w int, from int64) error {
	worker := &b.workers[w]
	all := b.source.Reads
	for at := from; at < from+block; at++ {
		i := uint64(all[at%int64(len(all))])
		var start time.Time
		if at%timed == 0 {
			start = time.Now()
		}
		tile, err := b.cache.get(w, i)
		if err != nil {
			return err
		}
		if at%timed == 0 {
			worker.times[bucketOf(time.Since(start))]++
		}
		err = b.source.check(i, tile, uint64(at))
		b.cache.done(w)
		if err != nil {
			return err
		}
	}
	worker.gets += block
	return nil
}

// serveBatch reads a batch of the trace. Single gets have no time of their own.
func (b *run) serveBatch(c batches, w int, from int64) error {
	all := int64(len(b.source.Reads))
	for at := from; at < from+batch; {
		n := min(from+batch-at, all-at%all) // up to the end of the trace
		err := c.serve(w, b.source.Reads[at%all:at%all+n], func(i uint64, tile []byte) error {
			return b.source.check(i, tile, i^uint64(from))
		})
		if err != nil {
			return err
		}
		at += n
	}
	b.workers[w].gets += batch
	return nil
}

// Times are counted by their three highest bits.
const (
	timeBits    = 3
	timeBuckets = 64 << timeBits
)

func bucketOf(d time.Duration) int {
	n := uint64(max(d, 1<<timeBits))
	shift := bits.Len64(n) - 1 - timeBits
	return shift<<timeBits + int(n>>shift)
}

// percentile returns the microseconds that a part of the timed gets did not exceed, to an
// eighth.
func (b *run) percentile(part float64) float64 {
	var all int64
	var sums [timeBuckets]int64
	for i := range b.workers {
		for t, n := range b.workers[i].times {
			sums[t] += n
			all += n
		}
	}
	left := int64(part * float64(all))
	for t, n := range sums {
		if left -= n; left < 0 {
			shift := max(t>>timeBits-1, 0)
			return float64(uint64(t-shift<<timeBits+1)<<shift) / 1000
		}
	}
	return 0
}

// watcher notes the most memory that is in use.
type watcher struct {
	stopped chan struct{}
	done    chan struct{}
	heap    int64
}

func watch() *watcher {
	w := &watcher{stopped: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(w.done)
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			w.heap = max(w.heap, heap())
			select {
			case <-w.stopped:
				return
			case <-tick.C:
			}
		}
	}()
	return w
}

// stop returns the most bytes of the heap and of memory that were in use.
func (w *watcher) stop() (heap, memory int64) {
	close(w.stopped)
	<-w.done
	_, memory = lab.MemoryOf(os.Getpid())
	return w.heap, memory
}

func memoryNow() int64 {
	n, _ := lab.MemoryOf(os.Getpid())
	return n
}

// heap returns the bytes of objects of the heap, dead ones that are not swept included.
func heap() int64 { return int64(metric("/memory/classes/heap/objects:bytes")) }

// metric returns a figure of the runtime.
func metric(name string) float64 {
	s := []metrics.Sample{{Name: name}}
	metrics.Read(s)
	if s[0].Value.Kind() == metrics.KindUint64 {
		return float64(s[0].Value.Uint64())
	}
	return s[0].Value.Float64()
}
