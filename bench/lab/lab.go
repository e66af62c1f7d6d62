// Package lab is what measurements share: their options, worlds to measure, clocks, processes,
// and the flat arrays that chunks are compared with. Each measurement returns its figures as a
// value that prints as a table or as JSON.
//
// Measurements judge nothing and write to no folder that they measure. Their times depend on
// the machine, so no test checks them.
package lab

import (
	"sync"

	"github.com/cairnvoxel/cairn/stone"
)

// Options of a measurement. The zero value is the default.
type Options struct {
	// Progress, if not nil, is told how many of all steps are done, and what is
	// next.
	Progress func(done, all int, next string)
	// FlatBytes is what the flat chunks of a read benchmark take at least, so
	// that no cache holds them. Default 1 GiB.
	FlatBytes int64
	// Stone is how the stones of Savings and BenchImport are written.
	Stone stone.Options
	// LandEdge is the edge in chunks of the terrain that benchmarks make.
	// Default 24.
	LandEdge int
	// Voxels is how many cells that are not empty a level has at least. Default
	// 100 million.
	Voxels int64
	// Reads is how many random reads of a grid are timed; of other work there is
	// in proportion. Default 262,144; at least 4,096. Of a trace it is the length, default
	// 2,000,000.
	Reads int
	// Commits is how many are made to see what packing costs. Default 5,000.
	Commits int
	// Seed is that of terrains and levels that are made, and of what is drawn.
	Seed uint64
	// Worlds is also how many worlds of a kind BenchForms makes, default 3. Worlds,
	// Clients and Seconds are the load of benchmarks of stores, which each
	// have defaults of their own.
	Worlds, Clients int
	Seconds         float64
	// Rate is how many calls a second all Clients of BenchStore make at most; 0 means as many
	// as the store takes.
	Rate float64
	// Rows are those of a benchmark of stores that are measured; nil means all.
	Rows []string
	// Days is how long a month is. Default 30.
	Days int
	// Catalogue is that of a cluster: postgres, bucket or mongodb. Default postgres.
	Catalogue string
	// Traces, Caches and Threads say what is measured of caches of tiles; Budget is their
	// bytes, and TileBytes the size of each tile. 0 is the default: tiles have the sizes of
	// the trace, and the collector runs as Go has it.
	Traces, Caches []string
	Threads        []int
	Budget         int64
	TileBytes      int
	GOGC           int // see runtime/debug.SetGCPercent
	// Columns are the sizes of the lands of a growth, Verbs what is measured of it; nil
	// is the default.
	Columns []int
	Verbs   []string
	// Edge is the edge of the land of a large, in columns. Default 3,750: 60,000 cells.
	Edge int
	// Splits is how many random splits of polygons are checked.
	Splits int
	// Cairn is the file of the command, for measurements that run it. Default: it is
	// built anew from this project.
	Cairn string
	// Greedy and Nets are folders of binary-greedy-meshing and of the crate fast-surface-nets, to
	// measure beside. Default: they are left out.
	Greedy, Nets string
	// Plots is the folder that plots are written to. Default: none are drawn.
	Plots string
	// Scenes are what indexes are measured on; nil is the default. OrthoTree is a checkout of that
	// library, to measure it, too. Full measures more.
	Scenes    []string
	OrthoTree string
	Full      bool
}

// Shared returns o for many goroutines that tell progress.
func (o Options) Shared() Options {
	if tell := o.Progress; tell != nil {
		var mu sync.Mutex
		o.Progress = func(done, all int, next string) {
			mu.Lock()
			defer mu.Unlock()
			tell(done, all, next)
		}
	}
	return o
}

// WithLoad fills in the load, for many goroutines.
func (o Options) WithLoad(worlds, clients int, seconds float64) Options {
	if o.Worlds <= 0 {
		o.Worlds = worlds
	}
	if o.Clients <= 0 {
		o.Clients = clients
	}
	if o.Seconds <= 0 {
		o.Seconds = seconds
	}
	return o.Shared()
}

// Step says how many of all steps are done, and what is next.
func (o Options) Step(done, all int, next string) {
	if o.Progress != nil {
		o.Progress(done, all, next)
	}
}
