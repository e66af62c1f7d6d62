package server

import (
	"math"
	"time"

	"github.com/cairnvoxel/cairn/stone"
)

// Limits bound what callers cost. A field that is 0 has its default; one that is
// negative has no bound.
type Limits struct {
	// Bytes of the body of a call: JSON (default 64 KiB), a commit or a pack with
	// its stones (64 MiB), a whole world (1 GiB).
	JSONBytes, StoneBytes, WorldBytes int64
	// BodyMemory is how many bytes of bodies, and of stones that come with stacks,
	// are in memory at a time. Default 192 MiB.
	BodyMemory int64
	// WorldMemory is how much memory a world may take that is read as a whole: to be
	// imported, exported, compared or drawn. Default 256 MiB. Heavy is how many calls
	// do that at a time (default 2), Waiting how many more wait for it (default 32).
	WorldMemory    int64
	Heavy, Waiting int
	// CacheBytes is how much memory decoded pages of worlds may take that are kept for
	// the next call that reads them. Default 64 MiB.
	CacheBytes int64
	// SpoolBytes is how many bytes of worlds on their way, in or out, lie in
	// Options.Temp at a time. Default 4 GiB.
	SpoolBytes int64
	// InlineBytes is how many bytes of stones a stack brings with it. Default
	// 16 MiB.
	InlineBytes int64
	// Calls is how many are served at a time, of one token at most half of them.
	// Default 1,024.
	Calls int64
	// Rate is how many calls a second one token may make, for a second twice as
	// many. Default 20,000. StrangerRate is that of one address without a token
	// that is known. Default 20.
	Rate, StrangerRate float64
	// Time is how long a call may take, Longest how long one that reads or writes a
	// whole world may. Defaults 30 seconds, 15 minutes.
	Time, Longest time.Duration
	// BodyRate is how many bytes a second a body must bring, and an answer be
	// taken, once Patience is over. Defaults 16 KiB, 10 seconds.
	BodyRate int64
	Patience time.Duration
	// Connections is how many Listen keeps open. Default 16,384; one that is idle
	// takes 21 KB.
	Connections int
	// HeaderBytes bounds the header of a call. Default 16 KiB.
	HeaderBytes int
}

// unbounded leaves room for sums.
const unbounded = 1 << 60

// filled returns l with its defaults in place.
func (l Limits) filled() Limits {
	fill(&l.JSONBytes, 64<<10)
	fill(&l.StoneBytes, 64<<20)
	fill(&l.WorldBytes, 1<<30)
	fill(&l.BodyMemory, 192<<20)
	fill(&l.WorldMemory, 256<<20)
	fill(&l.CacheBytes, stone.CacheBytes)
	fill(&l.SpoolBytes, 4<<30)
	fill(&l.InlineBytes, 16<<20)
	fill(&l.Calls, 1024)
	fill(&l.Rate, 20_000)
	fill(&l.StrangerRate, 20)
	fill(&l.Time, 30*time.Second)
	fill(&l.Longest, 15*time.Minute)
	fill(&l.BodyRate, 16<<10)
	fill(&l.Patience, 10*time.Second)
	l.Heavy = count(l.Heavy, 2)
	l.Waiting = count(l.Waiting, 32)
	l.Connections = count(l.Connections, 16_384)
	l.HeaderBytes = count(l.HeaderBytes, 16<<10)
	return l
}

func count(n, standard int) int {
	switch {
	case n == 0:
		return standard
	case n < 0:
		return math.MaxInt32
	}
	return n
}

func fill[T int64 | float64 | time.Duration](field *T, standard T) {
	switch {
	case *field == 0:
		*field = standard
	case *field < 0:
		*field = unbounded
	}
}
