package stone_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/stone"
)

// TestFormNames wants names that tell forms apart, and sums in the order of forms.
func TestFormNames(t *testing.T) {
	seen := map[[2]any]bool{}
	names := map[[2]string]bool{}
	for _, f := range stone.Forms() {
		if f.Name == "" || f.Name == "?" || seen[[2]any{f.Holds, f.Number}] || names[[2]string{f.Holds, f.Name}] {
			t.Errorf("form %+v has no name, or one of another", f)
		}
		seen[[2]any{f.Holds, f.Number}], names[[2]string{f.Holds, f.Name}] = true, true
	}
	pages := []stone.PageInfo{
		{Holds: "objects", Form: 1, Size: 5, Plain: 9, Things: 2},
		{Holds: "cells", Form: 4, Size: 10, Plain: 30, Things: 1},
		{Holds: "cells", Form: 1, Size: 20, Plain: 50, Things: 3},
		{Holds: "cells", Form: 4, Size: 1, Plain: 2, Things: 7},
	}
	want := []stone.FormSum{
		{Holds: "cells", Form: 1, FormName: "columns", Pages: 1, Size: 20, Plain: 50, Things: 3},
		{Holds: "cells", Form: 4, FormName: "images", Pages: 2, Size: 11, Plain: 32, Things: 8},
		{Holds: "objects", Form: 1, FormName: "plain", Pages: 1, Size: 5, Plain: 9, Things: 2},
	}
	got := stone.SumForms(pages)
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := stone.SumForms(nil); got == nil || len(got) != 0 {
		t.Errorf("no pages: got %v, want an empty list", got)
	}
}

// aloneSize returns what a stone of the form alone takes, 0 if no page can have it.
func aloneSize(t *testing.T, spec stonetest.Spec, form stone.Form) (size int) {
	t.Helper()
	b := mustWrite(t, spec, stone.Options{Effort: stone.Best, Only: form.Number})
	r := mustOpen(t, b)
	got := mustReadSpec(t, r)
	got.Dimensions[0].Matters = spec.Dimensions[0].Matters // read only where light follows from them
	mustEqual(t, got, spec)
	pages, err := r.Pages()
	if err != nil {
		t.Fatal(err)
	}
	for _, sum := range stone.SumForms(pages) {
		switch {
		case sum.Holds != "cells" || sum.FormName == "columns" && form.Name != "columns":
		case sum.Form != form.Number:
			t.Errorf("only %s: %+v", form.Name, sum)
		default:
			size = len(b)
		}
	}
	var dump bytes.Buffer
	if err := r.Dump(&dump); err != nil || strings.Contains(dump.String(), "(?)") {
		t.Errorf("only %s: a stream without a name, %v\n%s", form.Name, err, &dump)
	}
	return size
}

// TestOnly writes worlds in each form of cells alone, whatever that weighs.
func TestOnly(t *testing.T) {
	for name, spec := range map[string]stonetest.Spec{
		"land": landscape(hills(0, 0, 1)), "builds": mirrored("air", "brick", "plank"), "light": house(1, 9, at(0, 0, 0), at(1, 0, 0)),
	} {
		all := len(mustWrite(t, spec, stone.Options{Effort: stone.Best}))
		forms := 0
		for _, f := range stone.Forms() {
			if f.Holds != "cells" {
				continue
			}
			if n := aloneSize(t, spec, f); n > 0 {
				forms++
				if n*10 < all*9 { // not all forms are packed to be compared
					t.Errorf("%s: %d bytes in %s alone, %d in those that are chosen", name, n, f.Name, all)
				}
			}
		}
		if forms < 2 {
			t.Errorf("%s: %d forms, want at least 2", name, forms)
		}
	}
	if _, err := (stonetest.Spec{}).Write(new(bytes.Buffer), stone.Options{Only: 99}); err == nil {
		t.Error("only a form that is none: no error")
	}
}
