package codec_test

import (
	"context"
	"errors"
	"testing"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/voxel/geom"
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

// TestWork checks that no form takes a Decoder more work than an Encoder foresees, and ends Decoders of
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
		if _, err := d.Decode(nil, codec.Columns, streams, tt.page.heights(), nil); err != nil || d.Work() > e.Work() || d.Work() < e.Work()/32 || ctx.asked < chunks {
			t.Errorf("%s: %d steps of work, the Encoder said %d; asked %d times for %d chunks; %v", tt.name, d.Work(), e.Work(), ctx.asked, chunks, err)
		}
		var tops []geom.ChunkPos
		for i, h := range tt.page.heights() {
			tops = append(tops, geom.ChunkPos{X: int32(i % 4), Y: int32(h), Z: int32(i / 4)})
		}
		if images := e.EncodeImages(tops); images != nil {
			d.Until(ctx)
			if _, err := d.Decode(nil, codec.Images, images, tt.page.heights(), tops); err != nil || d.Work() > e.Work() {
				t.Errorf("%s: %d steps of work for images, the Encoder said %d; %v", tt.name, d.Work(), e.Work(), err)
			}
		}
		if odds, ok := e.EncodeOdds(tops); ok {
			d.Until(ctx)
			if _, err := d.Decode(nil, codec.Odds, odds, tt.page.heights(), tops); err != nil || d.Work() > e.Work() {
				t.Errorf("%s: %d steps of work for odds, the Encoder said %d; %v", tt.name, d.Work(), e.Work(), err)
			}
		}
	}
	g := levelGround(2, 2, 0)
	columns, relief := encode(g.page), cloneStreams(encodeRelief(t, new(codec.Encoder), g))
	var d codec.Decoder
	d.Until(context.Background())
	if _, err := d.Decode(nil, codec.Columns, columns, g.heights(), nil); err != nil {
		t.Fatal(err)
	}
	least := d.Work()
	whole := &ending{context.Background(), 1 << 30, 0}
	d.Until(whole)
	if _, err := d.Decode(nil, codec.Relief, relief, g.heights(), g.tops); err != nil || d.Work() < least/2 || whole.asked < 32*len(g.page) {
		t.Errorf("relief: %d steps of work, columns %d; asked %d times; %v", d.Work(), least, whole.asked, err)
	}
	for left := range whole.asked {
		ctx := &ending{context.Background(), left, 0}
		d.Until(ctx)
		if _, err := d.Decode(nil, codec.Relief, relief, g.heights(), g.tops); !errors.Is(err, context.Canceled) || ctx.asked > left+1 {
			t.Errorf("ended after %d: asked %d times, %v", left, ctx.asked, err)
		}
	}
}
