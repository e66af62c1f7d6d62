// Package patch makes a document of an older one: what to copy of it, what to leave out and what is new. It is how stones hold
// columns, lists and files that changed little. FORMAT.md of package stone is the format: section 7.2.
//
// A patch copies each byte of the older document at most once and in order. So what it makes is never larger than that
// document and its own bytes together, and two patches on each other are one whose size is at most their sum.
package patch

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/zeebo/xxh3"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/stone/pages"
)

// Limits of patches (FORMAT.md section 9).
const (
	// MaxDocument is the size up to which a document is written as a patch. So patches on each other fit MaxStreams.
	MaxDocument = 4 << 20
	// MaxStreams bounds the streams of a page of patches.
	MaxStreams = 16 << 20
)

// NumStreams is how many streams patches have in a page.
const NumStreams = 5

const (
	streamKinds  = iota // of each thing of the page: 0 whole, 1 a patch
	streamHashes        // of what patches make
	streamCopies        // of each patch its number of steps, and of each step what it copies
	streamNews          // of each step its new bytes << 1, and 1 if it leaves out another number, which follows
	streamBytes         // the new bytes
)

var streamParts = [NumStreams]string{"kinds", "hashes", "copies", "news", "bytes"}

// A Patch makes a document of an older one. It does not change.
type Patch struct {
	Hash uint32 // of what it makes
	n    int    // steps
	// copies, news and bytes are as the streams have them.
	copies, news, bytes []byte
}

// step copies bytes of the older document, adds new ones, and leaves out some of the older ones. Behind the last step all that is
// left is copied.
type step struct {
	copy int
	new  []byte
	skip int
}

// Hash returns what tells one document from another.
func Hash(b []byte) uint32 { return uint32(xxh3.Hash(b)) }

// Size returns about how many bytes the patch takes.
func (p *Patch) Size() int { return 4 + len(p.copies) + len(p.news) + len(p.bytes) }

// Memory returns about how much memory the patch takes.
func (p *Patch) Memory() int64 { return 96 + int64(p.Size()) }

// each calls f with the steps in order.
func (p *Patch) each(f func(step)) {
	r := p.read()
	for s, ok := r.next(); ok; s, ok = r.next() {
		f(s)
	}
}

// reader goes over the steps of a patch.
type reader struct{ Patch }

func (p *Patch) read() *reader { return &reader{*p} }

func (r *reader) next() (s step, ok bool) {
	if r.n == 0 {
		return s, false
	}
	r.n--
	s.copy = take(&r.copies)
	size := take(&r.news)
	if s.skip = size >> 1; size&1 != 0 {
		s.skip = take(&r.news)
	}
	s.new, r.bytes = r.bytes[:size>>1], r.bytes[size>>1:]
	return s, true
}

// take takes a number off b, which has one.
func take(b *[]byte) int {
	v, n := binary.Uvarint(*b)
	*b = (*b)[n:]
	return int(v)
}

// add adds a step behind the others.
func (p *Patch) add(s step) {
	p.n++
	p.copies = binary.AppendUvarint(p.copies, uint64(s.copy))
	size := uint64(len(s.new)) << 1
	if s.skip == len(s.new) {
		p.news = binary.AppendUvarint(p.news, size)
	} else {
		p.news = binary.AppendUvarint(binary.AppendUvarint(p.news, size|1), uint64(s.skip))
	}
	p.bytes = append(p.bytes, s.new...)
}

// Apply returns what the patch makes of base, of at most most bytes. If it was made for another base the
// error is a *CorruptError.
func (p *Patch) Apply(base []byte, most int) ([]byte, error) {
	size, used := len(base), 0
	p.each(func(s step) {
		size += len(s.new) - s.skip
		used += s.copy + s.skip
	})
	if used > len(base) || size > most {
		return nil, corrupt(fmt.Errorf("%d bytes of %d make %d, at most %d", used, len(base), size, most))
	}
	out := make([]byte, 0, size)
	p.each(func(s step) {
		out = append(append(out, base[:s.copy]...), s.new...)
		base = base[s.copy+s.skip:]
	})
	if out = append(out, base...); Hash(out) != p.Hash {
		return nil, corrupt(errors.New("the stones below are others than those it was made on"))
	}
	return out, nil
}

func corrupt(err error) error { return &cursor.CorruptError{Part: "delta", Err: err} }

// Over returns the patch that makes of what lower was made on what p makes of what lower makes.
func (p *Patch) Over(lower *Patch) (*Patch, error) {
	if n := p.Size() + lower.Size(); n > MaxStreams {
		return nil, corrupt(fmt.Errorf("patches of %d bytes lie on each other, at most %d", n, MaxStreams))
	}
	c := composer{lower: lower.read(), out: &Patch{Hash: p.Hash}}
	p.each(func(s step) {
		c.pass(s.copy, false)
		c.step.new = append(c.step.new, s.new...)
		c.pass(s.skip, true)
	})
	for c.more() {
		c.pass(c.at.copy+len(c.at.new), false)
	}
	c.copy(0)
	return c.out, nil
}

// composer makes one patch of two.
type composer struct {
	lower *reader
	at    step // what is left of the lower patch's step under way
	ended bool // the rest of what the lower patch makes is copied
	step  step // of out, under way
	out   *Patch
}

// more goes on to the next step of the lower patch if the last one is through. It returns false behind the last.
func (c *composer) more() bool {
	for !c.ended && c.at.copy == 0 && len(c.at.new) == 0 {
		c.step.skip += c.at.skip
		s, ok := c.lower.next()
		c.at, c.ended = s, !ok
	}
	return !c.ended
}

// pass goes over n bytes of what the lower patch makes: it leaves them out or takes them over.
func (c *composer) pass(n int, drop bool) {
	old := func(n int) {
		if drop {
			c.step.skip += n
		} else {
			c.copy(n)
		}
	}
	for n > 0 {
		if !c.more() {
			old(n)
			return
		}
		k := min(n, c.at.copy)
		if k > 0 {
			old(k)
			c.at.copy -= k
		} else {
			k = min(n, len(c.at.new))
			if !drop {
				c.step.new = append(c.step.new, c.at.new[:k]...)
			}
			c.at.new = c.at.new[k:]
		}
		n -= k
	}
}

// copy copies n bytes in out, which ends the step under way.
func (c *composer) copy(n int) {
	if len(c.step.new) > 0 || c.step.skip > 0 {
		c.out.add(c.step)
		c.step = step{new: c.step.new[:0]}
	}
	c.step.copy += n
}

// Streams returns the streams of the patches of a page; nil stands for what is whole.
func Streams(all []*Patch) [][]byte {
	s := make([][]byte, NumStreams)
	for _, p := range all {
		if p == nil {
			s[streamKinds] = append(s[streamKinds], 0)
			continue
		}
		s[streamKinds] = append(s[streamKinds], 1)
		s[streamHashes] = binary.LittleEndian.AppendUint32(s[streamHashes], p.Hash)
		s[streamCopies] = append(binary.AppendUvarint(s[streamCopies], uint64(p.n)), p.copies...)
		s[streamNews] = append(s[streamNews], p.news...)
		s[streamBytes] = append(s[streamBytes], p.bytes...)
	}
	return s
}

// Decode returns the patches of a page of n things, with nil for what is whole, and the streams behind theirs. It
// ends with ctx.
func Decode(ctx context.Context, streams [][]byte, n int) (all []*Patch, rest [][]byte, err error) {
	if len(streams) < NumStreams || len(streams[streamKinds]) != n {
		return nil, nil, corrupt(fmt.Errorf("%d streams for %d things", len(streams), n))
	}
	streams, rest = streams[:NumStreams], streams[NumStreams:]
	if n := pages.Size(streams); n > MaxStreams {
		return nil, nil, corrupt(fmt.Errorf("patches of %d bytes, at most %d", n, MaxStreams))
	}
	var c [NumStreams]cursor.Cursor
	for i := range c {
		c[i] = cursor.New(streams[i], streamParts[i])
	}
	all = make([]*Patch, n)
	for i := range all {
		switch kind := c[streamKinds].Byte(); kind {
		case 0:
			continue
		case 1:
		default:
			c[streamKinds].Fail(fmt.Errorf("kind %d", kind))
		}
		p := &Patch{Hash: c[streamHashes].Uint32()}
		p.n = c[streamCopies].Count(1, MaxStreams)
		from := [NumStreams]int{streamCopies: c[streamCopies].Left(), streamNews: c[streamNews].Left(), streamBytes: c[streamBytes].Left()}
		used := 0
		for range p.n {
			copied, size := c[streamCopies].AtMost(pages.MaxPage), c[streamNews].AtMost(pages.MaxPage<<1)
			skip := size >> 1
			if size&1 != 0 {
				skip = c[streamNews].AtMost(pages.MaxPage)
			}
			c[streamBytes].Bytes(size >> 1)
			if used += copied + skip; used > pages.MaxPage || size>>1 == 0 && skip == 0 {
				c[streamNews].Fail(fmt.Errorf("a step that ends at %d of the older document, with %d new bytes", used, size>>1))
			}
			if c[streamNews].Err() != nil {
				break
			}
		}
		for k := range c {
			err = errors.Join(err, c[k].Err())
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, nil, err
		}
		part := func(k int) []byte { return streams[k][len(streams[k])-from[k]:][:from[k]-c[k].Left()] }
		p.copies, p.news, p.bytes = part(streamCopies), part(streamNews), part(streamBytes)
		all[i] = p
	}
	for k := range c {
		err = errors.Join(err, c[k].End())
	}
	return all, rest, err
}
