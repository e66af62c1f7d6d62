package pair_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/store/inmemory"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// damaged is a Store with three worlds, and its halves.
type damaged struct {
	*pair.Pair
	t *testing.T
	c *inmemory.Catalogue
	b *inmemory.Bucket
}

func newDamaged(t *testing.T, inline int) *damaged {
	c, b := inmemory.NewCatalogue(), inmemory.NewBucket()
	d := &damaged{pair.New(c, b, pair.Options{Inline: inline}), t, c, b}
	for _, name := range []string{"a", "b", "gone"} {
		if err := d.Create(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		var h history.Head
		for i := range 4 {
			h.Commit = save(t, d, name, h, fmt.Sprint(name, i))
			if i == 1 {
				st := stoneOf(t, name+" packed")
				if err := d.PutPack(t.Context(), name, history.Pack{Upto: h.Commit, Stone: st.Ref()}, st); err != nil {
					t.Fatal(err)
				}
			}
			if i == 2 && name == "a" {
				if err := d.Fork(t.Context(), "a", h.Commit, "fork"); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	_, err := d.Lease(t.Context(), "a", "ann", 1e9)
	_, err2 := d.Claim(t.Context(), "job", "ann", 0, 1e9)
	_, err3 := d.Identity(t.Context())
	if err := errors.Join(err, err2, err3, d.Delete(t.Context(), "gone", 0)); err != nil {
		t.Fatal(err)
	}
	return d
}

// set writes a record, or deletes it.
func (d *damaged) set(key string, value []byte) {
	d.t.Helper()
	if err := d.c.Swap(d.t.Context(), nil, []history.Record{{Key: key, Value: value}}); err != nil {
		d.t.Fatal(err)
	}
}

// spoil changes the bytes of the stone with a text, or deletes them.
func (d *damaged) spoil(text string, how func([]byte) []byte) {
	d.t.Helper()
	id := stoneOf(d.t, text).ID
	if b, _ := d.c.Get(d.t.Context(), "s"+string(id[:])); b[0] != nil {
		d.set("s"+string(id[:]), how(bytes.Clone(b[0])))
		return
	}
	found, err := d.b.List(d.t.Context(), id.String(), "", 9)
	if err != nil || len(found) != 1 {
		d.t.Fatalf("bytes of %q: %v, %v", text, found, err)
	}
	data, err := d.b.Get(d.t.Context(), found[0].Key, 0, -1)
	if err == nil {
		err = d.b.Delete(d.t.Context(), found[0].Key)
	}
	if data = how(bytes.Clone(data)); data != nil && err == nil {
		err = d.b.Put(d.t.Context(), found[0].Key, io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data))))
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

// world returns the number of a world.
func (d *damaged) world(name string) uint64 {
	d.t.Helper()
	values, err := d.c.Get(d.t.Context(), string(record.NameKey(name)))
	if err != nil {
		d.t.Fatal(err)
	}
	w, err := record.ParseNumber(values[0])
	if err != nil {
		d.t.Fatal(err)
	}
	return w
}

func (d *damaged) logged(name string, n int) history.ID {
	d.t.Helper()
	log, err := d.Log(d.t.Context(), name, history.ID{}, 99)
	if err != nil {
		d.t.Fatal(err)
	}
	return log[len(log)-1-n].ID()
}

func hurtOf(r record.Report) (out []string) {
	for _, h := range r.Hurt {
		out = append(out, fmt.Sprintf("%s %d/%d %v", h.World, h.Lost, h.Versions, h.Newest))
	}
	return out
}

func TestCheck(t *testing.T) {
	nothing := func([]byte) []byte { return nil }
	flip := func(b []byte) []byte { b[len(b)/2] ^= 1; return b }
	cut := func(b []byte) []byte { return b[:len(b)-1] }
	for _, tt := range []struct {
		name  string
		spoil func(*damaged)
		fault string // a part of one
		hurt  []string
		mends bool // a backup of the stones mends it
		bytes bool // only the bytes of stones show it
	}{
		{name: "nothing", spoil: func(d *damaged) { d.set("wn/of the bucket", []byte("x")) }},
		{"missing bytes", func(d *damaged) { d.spoil("a3", nothing) }, "missing", []string{"a 1/4 true"}, true, false},
		{"other bytes", func(d *damaged) { d.spoil("a2", flip) }, "hash", []string{"a 2/4 true", "fork 1/1 true"}, true, true},
		{"short bytes", func(d *damaged) { d.spoil("b3", cut) }, "", []string{"b 1/4 true"}, true, false},
		{"bytes of a pack", func(d *damaged) { d.spoil("b packed", nothing) }, "missing", []string{"b 3/4 true"}, true, false},
		{"bytes below a pack", func(d *damaged) { d.spoil("b0", nothing) }, "missing", []string{"b 1/4 false"}, true, false},
		{"several", func(d *damaged) { d.spoil("b0", flip); d.spoil("a0", nothing); d.spoil("gone1", nothing) }, "", []string{"a 1/4 false", "b 1/4 false"}, true, false},
		{"commit", func(d *damaged) { d.set(string(record.CommitKey(d.logged("b", 3))), nil) }, "no such commit", []string{"b 1/4 true"}, false, false},
		{"changed commit", func(d *damaged) {
			key := string(record.CommitKey(d.logged("b", 0)))
			b, _ := d.c.Get(d.t.Context(), key)
			d.set(key, flip(bytes.Clone(b[0])))
		}, "", []string{"b 1/4 false"}, false, false},
		{"log", func(d *damaged) { d.set(string(record.LogKey(d.world("b"), 4)), nil) }, "the log ends with", nil, false, false},
		{"log of nobody", func(d *damaged) {
			d.set(string(record.LogKey(d.world("b")+1, 4)), record.Entry{Commit: d.logged("b", 0)}.Value())
		}, "no such world", nil, false, false},
		{"head", func(d *damaged) { d.set(string(record.HeadKey(d.world("b"))), nil) }, `world "b": no such world`, nil, false, false},
		{"short head", func(d *damaged) { d.set(string(record.HeadKey(d.world("b"))), []byte("x")) }, "", nil, false, false},
		{"lease", func(d *damaged) { d.set(string(record.LeaseKey(d.world("b"))), make([]byte, 8)) }, "without a number", nil, false, false},
		{"name", func(d *damaged) { d.set("nno name!", record.NumberValue(1)) }, "not a name", nil, false, false},
		{"record of a stone", func(d *damaged) {
			id := stoneOf(d.t, "b3").ID
			d.set(string(record.StoneKey(id)), nil)
		}, "gone", []string{"b 1/4 true"}, false, false},
		{"pack", func(d *damaged) { d.set(string(record.PackKey(d.logged("b", 1))), []byte("x")) }, "p ", []string{"b 3/4 true"}, false, false},
		{"claim", func(d *damaged) { d.set("jx", []byte("x")) }, "j ", nil, false, false},
		{"epoch", func(d *damaged) { d.set("x\x00\x00\x00\x00\x00\x00\x00\x01", record.NumberValue(1)) }, "x ", nil, false, false},
		{"short deleted world", func(d *damaged) { d.set("tx", []byte("x")) }, "", nil, false, false},
		{"short log", func(d *damaged) { d.set("lx", []byte("x")) }, "", nil, false, false},
		{"unknown", func(d *damaged) { d.set("zebra", []byte("x")) }, `"zebra"`, nil, false, false},
		{"unknown too", func(d *damaged) { d.set("day", []byte("x")) }, `"day"`, nil, false, false},
		{"unknown and first", func(d *damaged) { d.set("", []byte("x")) }, `""`, nil, false, false},
		{"unknown and last", func(d *damaged) { d.set("\xff\xff", []byte("x")) }, `\xff`, nil, false, false},
	} {
		for _, inline := range []int{0, -1} {
			t.Run(fmt.Sprint(tt.name, inline), func(t *testing.T) {
				d, backup := newDamaged(t, inline), newDamaged(t, -inline)
				tt.spoil(d)
				r, err := d.Check(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				clean := tt.name == "nothing"
				if clean != (len(r.Faults) == 0) || !strings.Contains(strings.Join(r.Faults, "\n"), tt.fault) {
					t.Errorf("faults: got %q", r.Faults)
				}
				if got := hurtOf(r); tt.hurt != nil && !slices.Equal(got, tt.hurt) || clean && got != nil {
					t.Errorf("hurt: got %q, want %q", got, tt.hurt)
				}
				if clean && (r.Worlds != 4 || r.Commits != 12 || r.Packs != 3 || r.Stones != 15) {
					t.Errorf("got %+v", r)
				}
				quick, err := d.CheckRecords(t.Context())
				if err != nil || len(quick.Faults) > len(r.Faults) || !tt.bytes && !slices.Equal(hurtOf(quick), hurtOf(r)) && tt.name != "several" {
					t.Errorf("records: got %+v, %v, want %+v", quick, err, r)
				}
				if tt.mends != (len(r.Lost) > 0) {
					t.Errorf("lost: got %v", r.Lost)
				}
				if !tt.mends {
					return
				}
				mendFrom(t, d.Pair, r.Lost, backup)
				if r, err := d.Check(t.Context(), nil); err != nil || len(r.Faults) > 0 || len(r.Hurt) > 0 {
					t.Errorf("after mending: got %+v, %v", r, err)
				}
				for _, name := range []string{"a", "b", "fork"} {
					if _, err := pair.New(d.c, d.b, pair.Options{}).Fetch(t.Context(), name, history.ID{}, 1<<20); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
}

// mendFrom mends lost stones with those of another store.
func mendFrom(t *testing.T, to *pair.Pair, lost []history.StoneRef, from history.ArchiveReader) {
	t.Helper()
	for _, ref := range lost {
		st, release, err := from.ReadStone(t.Context(), ref.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(to.Mend(t.Context(), st), release()); err != nil {
			t.Fatalf("mend: %v", err)
		}
	}
}

// TestMendRefused mends with other bytes, and with what was never there.
func TestMendRefused(t *testing.T) {
	d := newDamaged(t, -1)
	one, never := stoneOf(t, "a0"), stoneOf(t, "never")
	if err := d.Mend(t.Context(), history.Stone{ID: one.ID, Data: never.Data}); err == nil {
		t.Error("other bytes were taken")
	}
	if err := d.Mend(t.Context(), never); !errors.Is(err, history.ErrGone) {
		t.Errorf("mend what never was: got %v", err)
	}
}

// TestCheckBeside checks a Store while others save and collect: what is deleted
// meanwhile is no fault.
func TestCheckBeside(t *testing.T) {
	c, b := inmemory.NewCatalogue(), inmemory.NewBucket()
	s := pair.New(c, b, pair.Options{Inline: -1})
	beside := pair.New(c, b, pair.Options{Inline: -1})
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		r := rand.New(rand.NewPCG(1, 2))
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			name := fmt.Sprint("w", r.IntN(20))
			if err := beside.Create(t.Context(), name); err == nil {
				save(t, beside, name, history.Head{}, fmt.Sprint(i))
			} else if _, err := beside.Purge(t.Context(), name, 0); err != nil {
				t.Error(err)
			}
		}
	}()
	for range 20 {
		if r, err := s.Check(t.Context(), nil); err != nil || len(r.Faults) > 0 {
			t.Errorf("got %v, %q", err, r.Faults)
		}
	}
	close(stop)
	<-done
}

// checksums is a bucket that finds out by itself that one key is damaged.
type checksums struct {
	*inmemory.Bucket
	damaged string
}

func (b checksums) Get(ctx context.Context, key string, off, n int64) ([]byte, error) {
	if key == b.damaged {
		return nil, fmt.Errorf("get %s: %w", key, blob.ErrDamaged)
	}
	return b.Bucket.Get(ctx, key, off, n)
}

// TestCheckDamaged checks and mends what the bucket itself says is damaged.
func TestCheckDamaged(t *testing.T) {
	d, backup := newDamaged(t, -1), newDamaged(t, 0)
	id := stoneOf(t, "a3").ID
	found, err := d.b.List(t.Context(), id.String(), "", 9)
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	st := pair.New(d.c, checksums{d.b, found[0].Key}, pair.Options{})
	if _, _, err := st.ReadStone(t.Context(), id); !errors.As(err, new(*stone.CorruptError)) {
		t.Errorf("read: got %v", err)
	}
	r, err := st.Check(t.Context(), nil)
	if err != nil || !slices.Equal(hurtOf(r), []string{"a 1/4 true"}) || len(r.Lost) != 1 {
		t.Fatalf("got %+v, %v", r, err)
	}
	mendFrom(t, st, r.Lost, backup)
	if r, err := st.Check(t.Context(), nil); err != nil || len(r.Faults) > 0 {
		t.Errorf("after mending: got %+v, %v", r, err)
	}
}
