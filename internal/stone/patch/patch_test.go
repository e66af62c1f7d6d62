package patch_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/stone/pages"
	"github.com/cairnvoxel/cairn/internal/stone/patch"
)

const most = 1 << 20

// edited returns b after some random edits, as a document is edited: in place, by pieces that come and by pieces that go.
func edited(r *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	for range r.IntN(6) {
		at := r.IntN(len(b) + 1)
		to := min(len(b), at+r.IntN(20))
		fresh := make([]byte, r.IntN(30))
		for i := range fresh {
			fresh[i] = byte(r.IntN(3))
		}
		switch r.IntN(3) {
		case 0:
			copy(b[at:], fresh)
		case 1:
			b = append(b[:at:at], append(fresh, b[at:]...)...)
		case 2:
			b = append(b[:at:at], b[to:]...)
		}
	}
	return b
}

func document(r *rand.Rand, kinds int) []byte {
	b := make([]byte, 60+r.IntN(1000))
	for i := range b {
		b[i] = byte(r.IntN(kinds))
	}
	return b
}

// TestDiff compares what patches make with the document, and patches on each other, as pages hold them, with one after the other.
func TestDiff(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	made, composed := 0, 0
	for range 3000 {
		base := document(r, 2+r.IntN(200))
		was, all := base, (*patch.Patch)(nil)
		for range 1 + r.IntN(5) {
			is := edited(r, was)
			p := patch.Diff(was, is)
			if p == nil {
				break
			}
			made++
			if got, err := p.Apply(was, most); err != nil || !bytes.Equal(got, is) {
				t.Fatalf("%v: %d bytes of %d are not %d", err, len(got), len(was), len(is))
			}
			if all != nil {
				over, err := p.Over(all)
				if err != nil {
					t.Fatal(err)
				}
				p, composed = over, composed+1
				if got, err := p.Apply(base, most); err != nil || !bytes.Equal(got, is) {
					t.Fatalf("%v: composed, %d bytes are not %d", err, len(got), len(is))
				}
			}
			decoded, rest, err := patch.Decode(t.Context(), append(patch.Streams([]*patch.Patch{nil, p, p}), nil), 3)
			if err != nil || len(rest) != 1 || decoded[0] != nil {
				t.Fatal(err, len(rest))
			}
			if got, err := decoded[2].Apply(base, most); err != nil || !bytes.Equal(got, is) {
				t.Fatalf("%v: from its streams, %d bytes are not %d", err, len(got), len(is))
			}
			was, all = is, p
		}
	}
	if made < 2000 || composed < 1000 {
		t.Errorf("%d patches, %d composed", made, composed)
	}
}

// TestSizes holds the sizes of patches of some edits.
func TestSizes(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	base := document(r, 256)
	for len(base) < 4000 {
		base = append(base, document(r, 256)...)
	}
	with := func(at, gone int, fresh ...byte) []byte {
		return append(append(bytes.Clone(base[:at]), fresh...), base[at+gone:]...)
	}
	two := with(100, 2, 1, 2)
	copy(two[3000:], []byte{9, 9})
	for _, tt := range []struct {
		what   string
		target []byte
		size   int
	}{
		{"the same", base, 4},
		{"two bytes in place", with(100, 2, 1, 2), 8},
		{"two times two", two, 13},
		{"a piece is gone", with(100, 700), 8},
		{"a piece has come", with(2000, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10), 18},
		{"half is gone", base[2000:], 8},
		{"more behind", append(bytes.Clone(base), 1, 2, 3), 11},
	} {
		p := patch.Diff(base, tt.target)
		if p == nil || p.Size() > tt.size {
			t.Errorf("%s: %v, want at most %d bytes", tt.what, p.Size(), tt.size)
		}
	}
	if p := patch.Diff(base, document(r, 256)); p != nil {
		t.Errorf("a patch of %d bytes for what is new", p.Size())
	}
	if p := patch.Diff(nil, base); p != nil {
		t.Error("a patch on nothing")
	}
}

// TestRefuses wants errors of patches on another document, that make too much, or that are cut.
func TestRefuses(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	base := document(r, 256)
	is := append(bytes.Clone(base[:40]), base[44:]...)
	p := patch.Diff(base, is)
	refused := func(what string, err error) {
		t.Helper()
		if c := (*cursor.CorruptError)(nil); !errors.As(err, &c) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, other := range map[string][]byte{"nothing": nil, "less": base[:30], "another": document(r, 256)} {
		_, err := p.Apply(other, most)
		refused(what, err)
	}
	_, err := p.Apply(base, len(is)-1)
	refused("too much", err)
	whole := patch.Streams([]*patch.Patch{p, nil})
	for k, s := range whole {
		for n := range s {
			cut := append([][]byte(nil), whole...)
			cut[k] = s[:n]
			_, _, err := patch.Decode(t.Context(), cut, 2)
			refused("cut", err)
		}
		longer := append([][]byte(nil), whole...)
		longer[k] = append(bytes.Clone(s), 1)
		_, _, err := patch.Decode(t.Context(), longer, 2)
		refused("longer", err)
	}
	_, _, err = patch.Decode(t.Context(), whole[:4], 2)
	refused("a stream is missing", err)
	_, _, err = patch.Decode(t.Context(), [][]byte{{1}, {1, 2, 3, 4}, {1, 5}, {0}, nil}, 1)
	refused("a step of nothing", err)
	_, _, err = patch.Decode(t.Context(), [][]byte{{2}, nil, nil, nil, nil}, 1)
	refused("a kind", err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := patch.Decode(ctx, whole, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
}

// FuzzDecode applies what it decodes, and lays it on itself.
func FuzzDecode(f *testing.F) {
	r := rand.New(rand.NewPCG(4, 4))
	e := pages.NewEncoder(false)
	for range 4 {
		base := document(r, 9)
		f.Add(e.Append(nil, 1, patch.Streams([]*patch.Patch{nil, patch.Diff(base, edited(r, base))})), base)
	}
	f.Fuzz(func(t *testing.T, page, base []byte) {
		_, streams, err := pages.SplitAtMost(t.Context(), page, 1<<20)
		if err != nil || len(streams) == 0 {
			return
		}
		all, _, err := patch.Decode(t.Context(), streams, len(streams[0]))
		if err != nil {
			return
		}
		for _, p := range all {
			if p == nil {
				continue
			}
			if got, err := p.Apply(base, most); err == nil && (len(got) > most || patch.Hash(got) != p.Hash) {
				t.Errorf("%d bytes of hash %x", len(got), p.Hash)
			}
			if over, err := p.Over(p); err == nil {
				over.Apply(base, most)
			}
		}
	})
}

// FuzzDiff makes patches of any two documents.
func FuzzDiff(f *testing.F) {
	f.Add([]byte("some words that stay and some that go"), []byte("words that stay, and more words that came"))
	f.Fuzz(func(t *testing.T, base, target []byte) {
		p := patch.Diff(base, target)
		if p == nil {
			return
		}
		if got, err := p.Apply(base, len(target)); err != nil || !bytes.Equal(got, target) {
			t.Errorf("%v: %q, want %q", err, got, target)
		}
	})
}

// TestLittleAlike makes patches of what is better stored whole: more than half of it is new, or much of it at once in two places.
func TestLittleAlike(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	for _, n := range []int{100, 10_000, 100_000} {
		base := random(n)
		for new, want := range map[int]bool{n * 40 / 100: true, n * 52 / 100: false} {
			target := slices.Concat(base[:n/4], random(new), base[n/4+new:])
			if p := patch.Diff(base, target); (p != nil) != want {
				t.Errorf("%d new bytes of %d: a patch: %t", new, n, p != nil)
			}
		}
	}
	base := random(3 << 20)
	for new, want := range map[int]bool{200 << 10: true, 600 << 10: false} {
		target := slices.Concat(base[:1<<20], random(new), base[1<<20+new:2<<20], random(new), base[2<<20+new:])
		if p := patch.Diff(base, target); (p != nil) != want {
			t.Errorf("twice %d new bytes at once: a patch: %t", new, p != nil)
		}
	}
}
