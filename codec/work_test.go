package codec_test

import (
	"context"
	"errors"
	"testing"

	"github.com/cairnvoxel/cairn/codec"
)

// ending is a context that ends when it was asked so many times.
type ending struct {
	context.Context
	left, asked int
}

func (e *ending) Err() error {
	if e.asked++; e.asked > e.left {
		return context.Canceled
	}
	return nil
}

// TestWork compares the work that an Encoder foresees to that of the Decoder, and ends Decoders of
// each form everywhere that they ask whether to go on.
func TestWork(t *testing.T) {
	for _, tt := range pages() {
		if len(tt.page) == 0 {
			continue
		}
		var e codec.Encoder
		streams, chunks := cloneStreams(e.Encode(tt.page)), 0
		for _, h := range tt.page.heights() {
			chunks += h
		}
		var d codec.Decoder
		ctx := &ending{context.Background(), 1 << 30, 0}
		d.Until(ctx)
		if _, err := d.Decode(nil, streams, tt.page.heights()); err != nil || d.Work() != e.Work() || ctx.asked < chunks {
			t.Errorf("%s: %d steps of work, the Encoder said %d; asked %d times for %d chunks; %v", tt.name, d.Work(), e.Work(), ctx.asked, chunks, err)
		}
	}
	g := levelGround(2, 2, 0)
	columns, relief := encode(g.page), cloneStreams(encodeRelief(t, new(codec.Encoder), g))
	var d codec.Decoder
	d.Until(context.Background())
	if _, err := d.Decode(nil, columns, g.heights()); err != nil {
		t.Fatal(err)
	}
	least := d.Work()
	whole := &ending{context.Background(), 1 << 30, 0}
	d.Until(whole)
	if _, err := d.DecodeRelief(nil, relief, g.heights(), g.tops); err != nil || d.Work() <= least || whole.asked < 32*len(g.page) {
		t.Errorf("relief: %d steps of work, columns %d; asked %d times; %v", d.Work(), least, whole.asked, err)
	}
	for left := range whole.asked {
		ctx := &ending{context.Background(), left, 0}
		d.Until(ctx)
		if _, err := d.DecodeRelief(nil, relief, g.heights(), g.tops); !errors.Is(err, context.Canceled) || ctx.asked > left+1 {
			t.Errorf("ended after %d: asked %d times, %v", left, ctx.asked, err)
		}
	}
}
