package cairn_test

import (
	"testing"

	"github.com/cairnvoxel/cairn"
)

// A program that ended before its first Commit must be able to go on.
func TestLoadBeforeCommit(t *testing.T) {
	ctx := t.Context()
	st, err := cairn.Open(ctx, "memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	w, err := cairn.Create(ctx, st, "plot")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if w, err = cairn.Load(ctx, st, "plot"); err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	p := cairn.Point{Y: 1}
	err = w.Edit(func(b cairn.Blocks) error { b.Set(p, "stone"); return nil })
	if got := w.Block(p); err != nil || got != "stone" {
		t.Errorf("%q, %v", got, err)
	}
	if c, err := w.Commit(ctx, "first"); err != nil || c.Number != 1 {
		t.Errorf("commit %d, %v", c.Number, err)
	}
}
