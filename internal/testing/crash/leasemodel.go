package main

import (
	"fmt"
	"math"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/cairnvoxel/cairn/store/history"
)

// The kinds of deeds.
const (
	take   = "take"   // a lease
	renew  = "renew"  // it
	give   = "give"   // it back
	write  = "write"  // a commit
	goBack = "goback" // a commit that stands on nothing
	look   = "look"   // at the head
)

// deed is a call of a writer about one world.
type deed struct {
	Kind    string
	World   string
	Base    history.Head  // of commits; of leases only the fence
	Holder  string        // of take
	For     time.Duration // of take and renew
	Message string        // of commits; no two have the same
}

// How calls are refused. Any other error is a text; the call may or may not have had
// its effect.
const (
	leased   = "leased"
	fenced   = "fenced"
	conflict = "conflict"
)

// answer is the result of a deed.
type answer struct {
	Fault string
	Head  history.Head // the new commit, the fence of the lease, or both for look
	Until time.Time    // of the lease
}

func (a answer) refused() bool { return a.Fault == leased || a.Fault == fenced || a.Fault == conflict }

// span is the time of a call by this machine's clock, from which the store's differs by
// at most the slack of the call.
type span struct{ From, Upto time.Time }

// done is a deed with its answer.
type done struct {
	deed
	answer
	span
	writer int
	slack  time.Duration
}

// clock returns the time of the call by the store's clock.
func (d done) clock() span {
	at := span{d.From.Add(-d.slack), d.Upto.Add(d.slack)}
	if d.Fault != "" && !d.refused() {
		at.Upto = at.Upto.Add(time.Hour) // it may still be in progress
	}
	return at
}

// since describes the deed and its answer, in times since start.
func (d done) since(start time.Time) string {
	fault := d.Fault
	if fault == "" {
		fault = "ok"
	}
	out := fmt.Sprintf("%v to %v: writer %d: %s on %.4s under %d for %v by %q: %s, head %.4s, fence %d",
		d.From.Sub(start), d.Upto.Sub(start), d.writer, d.Kind, d.Base.Commit, d.Base.Fence, d.For, d.Holder,
		fault, d.Head.Commit, d.Head.Fence)
	if !d.Until.IsZero() {
		out += fmt.Sprintf(", until %v", d.Until.Sub(start))
	}
	return out
}

// owned is the state of a world that calls depend on.
type owned struct {
	Head   history.ID
	Fence  uint64
	Holder string
	Until  int64 // in milliseconds of Unix; 0 without a lease
}

// vague is the Until of a lease whose answer was lost.
const vague = -1

// live reports whether the lease may have been live at some time of a call.
func (o owned) live(at span) bool {
	return o.Until == vague || o.Until != 0 && o.Until+1 > at.From.UnixMilli()
}

// over reports whether the lease may have been over at some time of a call.
func (o owned) over(at span) bool { return o.Until == vague || o.Until <= at.Upto.UnixMilli()+1 }

func (o owned) of(holder string) bool { return holder != "" && holder == o.Holder }

// after returns the possible states of a world in state o after d. It returns none
// if the answer is impossible.
func (o owned) after(d done) []owned {
	switch {
	case d.refused():
		if o.refuses(d) {
			return []owned{o}
		}
	case d.Fault != "":
		if o.allows(d) {
			return []owned{o, o.with(d)}
		}
		return []owned{o}
	case o.allows(d) && o.fits(d):
		return []owned{o.with(d)}
	}
	return nil
}

// allows reports whether d may succeed.
func (o owned) allows(d done) bool {
	fence := d.Base.Fence
	switch d.Kind {
	case take:
		return o.over(d.clock()) || o.of(d.Holder)
	case renew:
		return fence == o.Fence && o.Until != 0
	case give:
		return fence == o.Fence || fence == history.Force
	case write, goBack:
		free := fence == o.Fence || fence == history.Force
		if fence == 0 {
			free = o.over(d.clock())
		}
		return free && d.Base.Commit == o.Head
	}
	return true
}

// refuses reports whether the refusal of d is correct.
func (o owned) refuses(d done) bool {
	fence := d.Base.Fence
	switch d.Fault {
	case leased:
		return o.live(d.clock()) && (d.Kind == take && !o.of(d.Holder) || d.Kind != take && fence == 0)
	case fenced:
		return fence != o.Fence && fence != history.Force && (fence != 0 || d.Kind == renew || d.Kind == give)
	}
	return d.Base.Commit != o.Head
}

// fits reports whether the answer agrees with o.
func (o owned) fits(d done) bool {
	switch d.Kind {
	case take:
		return d.Head.Fence == o.Fence+1 && d.ends()
	case renew:
		return d.ends()
	case look:
		return d.Head == history.Head{Commit: o.Head, Fence: o.Fence}
	}
	return true
}

// ends reports whether the lease ends at the time that was asked for.
func (d done) ends() bool {
	at := d.clock()
	return !d.Until.Before(at.From.Add(d.For-time.Millisecond)) && !d.Until.After(at.Upto.Add(d.For+time.Millisecond))
}

// with returns o after d.
func (o owned) with(d done) owned {
	until := d.Until.UnixMilli()
	if d.Fault != "" {
		until = vague
	}
	switch d.Kind {
	case take:
		o.Fence++
		o.Holder, o.Until = d.Holder, until
	case renew:
		o.Until = until
	case give:
		o.Fence++
		o.Holder, o.Until = "", 0
	case write:
		o.Head = d.Head.Commit
	case goBack:
		o.Head = d.Head.Commit
		if (d.Base.Commit == history.ID{}) {
			break // there is no commit to go back from
		}
		o.Fence++
		if d.Base.Fence == 0 {
			o.Holder, o.Until = "", 0
		}
	}
	return o
}

var leases = porcupine.NondeterministicModel{
	Init: func() []any { return []any{owned{}} },
	Step: func(state, in, _ any) (out []any) {
		for _, o := range state.(owned).after(in.(done)) {
			out = append(out, o)
		}
		return out
	},
}

const (
	// repeats is how long a call lasts at least if its client made it twice.
	repeats = 500 * time.Millisecond
	// goesOn is how long a client waits for a server before it asks the next one.
	goesOn = 5 * time.Second
)

// tries is how often a client may have made a call whose answer was lost, before the last
// time.
func (d done) tries() int {
	took := d.Upto.Sub(d.From)
	if took <= repeats {
		return 0
	}
	return 1 + int(took/goesOn)
}

// earlier returns a try of a call whose answer was lost. A client asks for a lease
// again then: the holder is the same.
func (d done) earlier() done {
	d.Fault, d.Head, d.Until = "an earlier try", history.Head{}, time.Time{}
	return d
}

// linear returns an error unless a store that makes one call after another could
// have given the answers. The calls are those of one world that started without
// commits and leases.
func linear(calls []done) error {
	var history []porcupine.Operation
	for _, d := range calls {
		if d.Kind == take {
			for range d.tries() {
				calls = append(calls, d.earlier())
			}
		}
	}
	for _, d := range calls {
		upto := d.Upto.UnixNano()
		if d.Fault != "" && !d.refused() {
			upto = math.MaxInt64 // it may still be in progress
		}
		history = append(history, porcupine.Operation{ClientId: d.writer, Input: d, Call: d.From.UnixNano(), Return: upto})
	}
	model := leases.ToModel()
	if got := porcupine.CheckOperationsTimeout(model, history, hangs); got != porcupine.Ok {
		return fmt.Errorf("no order of the calls explains their answers (%v)", got)
	}
	return nil
}
