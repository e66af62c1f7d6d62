package metered_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/store/inmemory"
	"github.com/cairnvoxel/cairn/internal/store/metered"
	"github.com/cairnvoxel/cairn/internal/testing/storetest"
	"github.com/cairnvoxel/cairn/store/history"
)

// Counted halves are as good as others.
func TestHalves(t *testing.T) {
	storetest.Halves(t, func(*testing.T) (history.Catalogue, blob.Bucket) {
		c := metered.New(nil)
		return c.Catalogue(inmemory.NewCatalogue()), c.Bucket(inmemory.NewBucket())
	})
}

// half answers each call with err, after a second of its clock.
type half struct {
	now time.Time
	err error
}

func (h *half) tick() error { h.now = h.now.Add(time.Second); return h.err }

func (h *half) Get(context.Context, ...string) ([][]byte, error) { return nil, h.tick() }
func (h *half) Scan(context.Context, string, string, int, bool) ([]history.Record, error) {
	return nil, h.tick()
}
func (h *half) Snapshot(context.Context) (history.Records, func(), error) {
	return h, func() {}, h.tick()
}
func (h *half) Swap(context.Context, []history.Record, []history.Record) error { return h.tick() }
func (h *half) Close() error                                                   { return h.err }

// whole has what a Catalogue may have too.
type whole struct{ *half }

func (h whole) Time(context.Context) (time.Time, error) { return h.now, h.tick() }
func (h whole) Ping(context.Context) error              { return h.tick() }

// bucket is half as a Bucket.
type bucket struct{ *half }

func (b bucket) Get(_ context.Context, _ string, _, n int64) ([]byte, error) {
	return make([]byte, n), b.tick()
}
func (b bucket) Head(context.Context, string) (blob.Object, error) { return blob.Object{}, b.tick() }
func (b bucket) List(context.Context, string, string, int) ([]blob.Object, error) {
	return nil, b.tick()
}
func (b bucket) Put(context.Context, string, *io.SectionReader) error { return b.tick() }
func (b bucket) Delete(context.Context, string) error                 { return b.tick() }

type pingedBucket struct{ bucket }

func (b pingedBucket) Ping(context.Context) error              { return b.tick() }
func (b pingedBucket) Time(context.Context) (time.Time, error) { return b.now, b.tick() }

func TestCalls(t *testing.T) {
	h := &half{now: time.Unix(0, 0)}
	calls := metered.New(func() time.Time { return h.now })
	c, b := calls.Catalogue(whole{h}), calls.Bucket(pingedBucket{bucket{h}})
	ctx, body := t.Context(), io.NewSectionReader(bytes.NewReader(make([]byte, 7)), 0, 7)
	for _, tt := range []struct {
		half, operation string
		call            func() error
		bytes           uint64
	}{
		{"catalogue", "get", func() error { _, err := c.Get(ctx, "k"); return err }, 0},
		{"catalogue", "scan", func() error { _, err := c.Scan(ctx, "a", "b", 1, false); return err }, 0},
		{"catalogue", "snapshot", func() error { _, _, err := c.Snapshot(ctx); return err }, 0},
		{"catalogue", "swap", func() error { return c.Swap(ctx, nil, nil) }, 0},
		{"catalogue", "ping", func() error { return c.(history.Pinger).Ping(ctx) }, 0},
		{"bucket", "put", func() error { return b.Put(ctx, "k", body) }, 7},
		{"bucket", "get", func() error { _, err := b.Get(ctx, "k", 0, 3); return err }, 3},
		{"bucket", "head", func() error { _, err := b.Head(ctx, "k"); return err }, 0},
		{"bucket", "list", func() error { _, err := b.List(ctx, "", "", 1); return err }, 0},
		{"bucket", "delete", func() error { return b.Delete(ctx, "k") }, 0},
		{"bucket", "ping", func() error { return b.(history.Pinger).Ping(ctx) }, 0},
	} {
		t.Run(tt.half+" "+tt.operation, func(t *testing.T) {
			var got metered.Counts
			find := func() {
				for _, got = range calls.All() {
					if got.Half == tt.half && got.Operation == tt.operation {
						return
					}
				}
				t.Fatal("not counted")
			}
			for result, err := range []error{
				metered.OK: nil, metered.Refused: history.ErrChanged, metered.Absent: fs.ErrNotExist,
				metered.Away: blob.ErrAway, metered.Canceled: context.Canceled, metered.Failed: errors.New("no luck"),
			} {
				if h.err = err; err != nil {
					h.err = fmt.Errorf("half: %w", err)
				}
				if err := tt.call(); !errors.Is(err, h.err) {
					t.Errorf("got %v, want %v", err, h.err)
				}
				if find(); got.Results[result] != 1 {
					t.Errorf("after %v: %+v", err, got)
				}
			}
			h.err = fmt.Errorf("half: %w", blob.ErrExists)
			_ = tt.call()
			find()
			if got.Results[metered.Refused] != 2 || got.Took != 7*time.Second || got.Times[12] != 7 || got.Bytes != tt.bytes {
				t.Errorf("got %+v", got)
			}
			h.err = nil
		})
	}
	r, release, err := c.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	before := calls.All()[0].Results[metered.OK]
	if _, err := r.Get(ctx, "k"); err != nil || calls.All()[0].Results[metered.OK] != before+1 {
		t.Errorf("a read of a snapshot is not counted: %v", err)
	}
	if h.err = errors.New("no luck"); c.Close() != h.err {
		t.Error("closing says nothing of its error")
	}
}

// A bucket can count its own calls.
func TestTrip(t *testing.T) {
	calls := metered.New(nil)
	for op, want := range map[string]string{"put": "put", "get": "get", "head": "head", "list": "list", "delete": "delete", "ping": "ping", "part": "other", "swap": "other"} {
		calls.Request(blob.Request{Op: op, Bytes: 5, Took: time.Minute, Err: nil})
		found := false
		for _, c := range calls.All() {
			if c.Half == metered.Bucket && c.Operation == want {
				found = c.Results[metered.OK] > 0 && c.Times[len(c.Times)-1] == c.Results[metered.OK] && c.Bytes == 5*c.Results[metered.OK]
			} else if c.Half == metered.Catalogue && c.Took > 0 {
				t.Errorf("%s is a %s of the catalogue", op, c.Operation)
			}
		}
		if !found {
			t.Errorf("%s is not counted as %s", op, want)
		}
	}
}

// What a half can do besides stays, and nothing is added.
func TestOptional(t *testing.T) {
	h, calls := &half{}, metered.New(nil)
	type clock struct {
		*half
		history.Clock
	}
	type pinger struct {
		*half
		history.Pinger
	}
	for _, tt := range []struct {
		name         string
		c            history.Catalogue
		clock, pings bool
	}{
		{"nothing", h, false, false}, {"both", whole{h}, true, true}, {"a clock", clock{h, whole{h}}, true, false}, {"a pinger", pinger{h, whole{h}}, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := calls.Catalogue(tt.c)
			_, clock := c.(history.Clock)
			_, pings := c.(history.Pinger)
			if clock != tt.clock || pings != tt.pings {
				t.Errorf("a clock %v, want %v; a pinger %v, want %v", clock, tt.clock, pings, tt.pings)
			}
		})
	}
	type clockBucket struct {
		bucket
		history.Clock
	}
	type pingBucket struct {
		bucket
		history.Pinger
	}
	for i, b := range []blob.Bucket{bucket{h}, pingedBucket{bucket{h}}, clockBucket{bucket{h}, whole{h}}, pingBucket{bucket{h}, whole{h}}} {
		_, clock := calls.Bucket(b).(history.Clock)
		_, pings := calls.Bucket(b).(history.Pinger)
		if clock != (i == 1 || i == 2) || pings != (i == 1 || i == 3) {
			t.Errorf("bucket %d: a clock %v, a pinger %v", i, clock, pings)
		}
	}
}
