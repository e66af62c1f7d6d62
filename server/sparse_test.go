package server_test

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/server"
)

// Some columns of a world come out as region files, and go into another version of it. All else stays.
func TestSparse(t *testing.T) {
	s := newSite(t, server.Options{})
	folder := mustZip(t, mustFolder(t, madeUp(t, 3)), all)
	for _, name := range []string{"a", "b"} {
		s.mustImport(name, folder)
	}
	s.want(200, request{"PUT", "/v1/cells/b", []byte(`{"box":"5,70,5..5,70,5","names":["gold_block"],"cells":[0],"author":"x"}`), nil}, nil)
	box := s.get("/v1/export/b?format=anvil&box=0,0,0..15,0,15")
	z, err := zip.NewReader(bytes.NewReader(box.body), int64(len(box.body)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		if strings.HasPrefix(f.Name, "playerdata") || strings.HasSuffix(f.Name, ".mca") && !strings.HasSuffix(f.Name, "/r.0.0.mca") {
			t.Errorf("the box has the file %s", f.Name)
		}
	}
	part := mustZip(t, z, func(name string) bool { return strings.Contains(name, "region/r.0.0.mca") })

	s.want(201, request{"POST", "/v1/leases/a", []byte(`{"holder":"game","seconds":60}`), nil}, nil)
	s.do(request{"POST", "/v1/import/a?sparse=1", part, nil}).wantCode(t, wire.Leased)
	var done imported
	for _, same := range []bool{false, true} {
		s.want(200, request{"POST", "/v1/import/a?sparse=1", part, []string{wire.FenceHeader, "1"}}, &done)
		if done.Same != same {
			t.Errorf("same is %v", done.Same)
		}
	}
	var d struct {
		Cells, Columns, Objects, Files int
	}
	s.want(200, request{"GET", "/v1/diff/a?with=b", nil, nil}, &d)
	if d.Cells+d.Objects+d.Files != 0 {
		t.Errorf("a differs from b: %+v", d)
	}
	s.want(200, request{"GET", "/v1/diff/a?a=1", nil, nil}, &d)
	if d.Cells == 0 || d.Columns > 1 {
		t.Errorf("a differs from what it was: %+v", d)
	}
	region, err := fs.ReadFile(z, "region/r.0.0.mca")
	if err != nil {
		t.Fatal(err)
	}
	entities := zipOf(t, map[string]string{"region/r.0.0.mca": string(region), "entities/r.0.0.mca": strings.Repeat("\x00", 8192)})
	for name, body := range map[string][]byte{"a whole world": folder, "entities too": entities} {
		if got := s.do(request{"POST", "/v1/import/b?sparse=1", body, nil}); got.status != 400 {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
}
