package stream

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// read reads frames until the client leaves.
func (v *viewer) read(r *bufio.Reader) error {
	buf := make([]byte, 0, 4096)
	for {
		kind, payload, err := readFrame(r, &buf, maxClientFrame)
		if err != nil {
			if errors.As(err, new(*CorruptError)) {
				return err
			}
			return nil // it left, or was cut off
		}
		f, err := decodeClient(kind, payload)
		if err != nil {
			return err
		}
		if err := v.handle(f); err != nil {
			return err
		}
		v.wakeWriter()
	}
}

// readFrame reads a frame into buf.
func readFrame(r *bufio.Reader, buf *[]byte, limit int) (kind byte, payload []byte, err error) {
	n, shift := 0, 0
	for {
		c, err := r.ReadByte()
		if err != nil {
			return 0, nil, err
		}
		n |= int(c&0x7F) << shift
		if shift += 7; c < 0x80 {
			if c == 0 && shift > 7 {
				n = 0
			}
			break
		}
		if shift > 21 {
			n = 0
			break
		}
	}
	if n == 0 || n > limit {
		return 0, nil, &CorruptError{Part: "length of a frame", Err: fmt.Errorf("not 1 to %d", limit)}
	}
	*buf = slices.Grow((*buf)[:0], min(n, 64<<10))
	for len(*buf) < n {
		m := min(n-len(*buf), 64<<10)
		*buf = slices.Grow(*buf, m)
		got, err := io.ReadFull(r, (*buf)[len(*buf):len(*buf)+m])
		*buf = (*buf)[:len(*buf)+got]
		if err != nil {
			return 0, nil, err
		}
	}
	return (*buf)[0], (*buf)[1:], nil
}

// handle takes a frame from the client.
func (v *viewer) handle(f Frame) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if a, ok := f.(*Ack); ok {
		return v.ack(a.Sequence)
	}
	if now := v.s.now().Unix(); now != v.second {
		v.second, v.frames = now, 0
	}
	if v.frames++; v.frames > maxFrames {
		return &Failure{"too_fast", fmt.Sprintf("more than %d frames in a second", maxFrames)}
	}
	switch f := f.(type) {
	case *Viewpoint:
		v.setView(f)
	case *Have:
		for _, c := range f.Claims {
			held := false
			if v.plan != nil {
				_, held = v.plan.Get(c.Key)
			}
			if !held && len(v.claims) < maxClaims {
				v.claims[c.Key] = c.Version
			}
		}
	case *Dropped:
		v.dropped(f)
	case *At:
		v.wantVersion, v.wantMove = f.Version, true
	default:
		return &CorruptError{Part: "session", Err: errors.New("a second Hello")}
	}
	return nil
}

func (v *viewer) setView(f *Viewpoint) {
	first := v.view == nil
	v.view = f
	if v.rate = float64(f.Rate); v.rate > 0 {
		v.tokens = min(v.tokens, v.burst())
	}
	if first {
		v.tokens = v.burst()
		if v.scene != nil {
			v.replan()
			v.planUpdated = true
		}
	}
}

// burst is how many bytes may be sent at once under a bound of bytes per second.
func (v *viewer) burst() float64 { return max(v.rate/4, 16<<10) }

func (v *viewer) ack(sequence uint64) error {
	n := 0
	now := v.s.now()
	for n < len(v.flight) && v.flight[n].sequence <= sequence {
		f := &v.flight[n]
		v.inFlight -= f.bytes
		switch late := now.Sub(f.at); {
		case late < 200*time.Millisecond:
			v.window = min(v.window+f.bytes, v.s.o.Window)
		case late > 500*time.Millisecond:
			v.window = max(v.window-f.bytes/2, minWindow)
		}
		n++
	}
	if n == 0 || v.flight[n-1].sequence != sequence {
		return &CorruptError{Part: "Ack", Err: fmt.Errorf("sequence %d is not one that waits for it", sequence)}
	}
	v.flight = slices.Delete(v.flight, 0, n)
	v.waited = 0
	return nil
}

func (v *viewer) dropped(f *Dropped) {
	newer := make(map[Key]bool)
	for _, g := range v.flight {
		for _, k := range g.keys {
			if g.sequence > f.Sequence {
				newer[k] = true
			}
		}
	}
	for _, k := range f.Keys {
		delete(v.claims, k)
		if newer[k] || v.plan == nil {
			continue
		}
		delete(v.stale, k)
		v.plan.Drop(k)
	}
	if v.plan != nil {
		for _, k := range v.plan.AppendForget(nil) {
			v.forget(k)
		}
	}
}
