package textures

import (
	"math"
	"slices"
)

// trace is the calls of one thread. oiio.cc has the same.
type trace struct {
	coherent               bool
	thread, threads, files uint64
	state, made            uint64
	records                []byte // of a recording, or nil
}

// traceNames are the traces that are made up: coh goes over a picture in buckets of 16x16 pixels, inc
// goes anywhere, with footprints of levels 0 to 3 that are one to four times as long as wide. The
// name of another is that of a recording, which begins again where it ends.
var traceNames = []string{"coh", "inc"}

func newTrace(name string, thread, threads, files int) (r *trace, err error) {
	r = &trace{coherent: name == traceNames[0], thread: uint64(thread), threads: uint64(threads), files: uint64(files), state: 0x1234 + 7919*uint64(thread)}
	if !slices.Contains(traceNames, name) {
		r.records, err = readRecording(name, thread)
	}
	return r, err
}

// call is a texture call.
type call struct {
	file                         int
	s, t, dsdx, dtdx, dsdy, dtdy float64
}

// next is splitmix64.
func (r *trace) next() uint64 {
	r.state += 0x9E3779B97F4A7C15
	z := r.state
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

func (r *trace) u() float64 { return float64(r.next()>>40) / (1 << 24) }

func (r *trace) call() (c call) {
	const edge, buckets = 2048, 2048 / 16
	if r.records != nil {
		at := r.made
		r.made += recordBytes
		if r.made == uint64(len(r.records)) {
			r.made = 0
		}
		return recorded(r.records[at:])
	}
	if r.coherent {
		bucket, in := (r.thread+r.made/256*r.threads)%(buckets*buckets), r.made%256
		r.made++
		x, y := bucket%buckets*16+in%16, bucket/buckets*16+in/16
		return call{0, (float64(x) + 0.5) / edge, (float64(y) + 0.5) / edge, 1. / edge, 0, 0, 1. / edge}
	}
	if r.files > 1 {
		c.file = int(r.next() % r.files)
	}
	c.s, c.t = r.u(), r.u()
	e := math.Exp2(4*r.u() - 1)
	a := 1 + 3*r.u()
	sin, cos := math.Sincos(2 * math.Pi * r.u())
	long, short := e*a/edge, e/edge
	c.dsdx, c.dtdx, c.dsdy, c.dtdy = long*cos, long*sin, -short*sin, short*cos
	return c
}
