// Package limits has the bounds of what calls of a server cost.
package limits

import (
	"math"
	"time"

	"github.com/cairnvoxel/cairn/stone"
)

// Limits bound the cost of calls. A field that is 0 has its default; a negative
// field means no bound.
type Limits struct {
	// The largest body of a call: JSON (default 64 KiB), a commit or a pack with
	// its stones (64 MiB), a whole world (1 GiB).
	JSONBytes, StoneBytes, WorldBytes int64
	// BodyMemory bounds the bytes in memory of bodies, and of stones that come with
	// stacks. Default 192 MiB.
	BodyMemory int64
	// WorldMemory bounds the memory of a world that is read as a whole: to import,
	// export, compare or draw it. Default 256 MiB. Heavy is how many such calls run
	// at a time (default 2), Waiting how many more may wait (default 32).
	WorldMemory    int64
	Heavy, Waiting int
	// CacheBytes bounds the memory of decoded pages that later calls can use again; pictures
	// and maps that were made of them may take half as much besides. Default 64 MiB.
	CacheBytes int64
	// SpoolBytes bounds the bytes in Options.Temp of worlds that are being received
	// or sent. Default 4 GiB.
	SpoolBytes int64
	// InlineBytes bounds the bytes of stones in the answer with a stack. Default 16
	// MiB.
	InlineBytes int64
	// Calls is how many calls run at a time. One token may have half of them.
	// Default 1,024.
	Calls int64
	// Rate is how many calls a second one token may make; a burst may be twice as
	// large. Default 20,000. StrangerRate is the same for one address without a
	// known token. Default 20.
	Rate, StrangerRate float64
	// Viewers is how many may look at worlds at a time. One token may have half of them.
	// Default 1,000.
	Viewers int
	// Operations is how many operations run at a time. Default 4.
	Operations int
	// Heartbeat is how long a stream of events is silent at most. Default 15 seconds.
	Heartbeat time.Duration
	// Stale is how old an answer may be that the server gives while its Store is away.
	// Default 10 minutes; negative means that it gives none.
	Stale time.Duration
	// Time is how long a call may take. Longest is how long a call may take that
	// reads or writes a whole world. Defaults 30 seconds, 15 minutes.
	Time, Longest time.Duration
	// BodyRate is how many bytes a second a caller must send of a body, and receive
	// of an answer, after Patience has passed. Defaults 16 KiB, 10 seconds.
	BodyRate int64
	Patience time.Duration
	// Connections is how many connections Listen keeps open, half of them from one
	// address. Default 16,384; an idle one takes 21 KB.
	Connections int
	// HeaderBytes bounds the header of a call. Default 16 KiB.
	HeaderBytes int
}

// Unbounded is large, but sums of it do not overflow.
const Unbounded = 1 << 60

// Filled returns l with the defaults filled in.
func (l Limits) Filled() Limits {
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
	fill(&l.Heartbeat, 15*time.Second)
	l.Viewers = count(l.Viewers, 1000)
	l.Operations = count(l.Operations, 4)
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
		*field = Unbounded
	}
}
