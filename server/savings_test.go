package server_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/server"
)

// weighFiles lists the files of a folder with their sizes.
func weighFiles(_ context.Context, dir string, _ int64) (any, error) {
	files := map[string]int64{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		files[name] = info.Size()
		return err
	})
	return files, err
}

func zipOf(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range files {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func mustTar(t testing.TB, name, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	err := w.WriteHeader(&tar.Header{Name: name, Size: int64(len(text)), Mode: 0o644, Typeflag: tar.TypeReg})
	if err == nil {
		_, err = w.Write([]byte(text))
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestSavings(t *testing.T) {
	long.Alone(t)
	temp := t.TempDir()
	s := newSite(t, server.Options{Weigh: weighFiles, Temp: temp, Limits: server.Limits{WorldBytes: 1 << 20}})
	post := func(body []byte) reply { return s.do(request{"POST", "/v1/savings", body, nil}) }
	for name, tt := range map[string]struct {
		body []byte
		want string
	}{
		"zip":     {zipOf(t, map[string]string{"saves/a/level.dat": "abc", "saves/a/region/r.0.0.mca": "de"}), `{"saves/a/level.dat":3,"saves/a/region/r.0.0.mca":2}`},
		"tar":     {mustTar(t, "saves/a/level.dat", "abc"), `{"saves/a/level.dat":3}`},
		"outside": {zipOf(t, map[string]string{"../evil": "abc", "/etc/evil": "x", `a\..\..\evil`: "x", "ok/level.dat": "1"}), `{"ok/level.dat":1}`},
	} {
		got := post(tt.body)
		if got.status != 200 || strings.TrimSpace(string(got.body)) != tt.want {
			t.Errorf("%s: got %d %s, want %s", name, got.status, got.body, tt.want)
		}
	}
	for name, tt := range map[string]struct {
		body []byte
		want wire.Code
	}{
		"nothing":      {nil, wire.Unsupported},
		"no archive":   {[]byte("hello"), wire.Unsupported},
		"damaged":      {append([]byte("PK\x03\x04"), make([]byte, 100)...), wire.Corrupt},
		"a file twice": {append([]byte(nil), doubleZip(t)...), wire.Unsupported},
		"a long name":  {zipOf(t, map[string]string{strings.Repeat("a", 300) + "/level.dat": ""}), wire.Unsupported},
		"a long file":  {zipOf(t, map[string]string{strings.Repeat("a", 300): ""}), wire.Unsupported},
		"a bomb":       {zipOf(t, map[string]string{"level.dat": strings.Repeat("\x00", 70<<20)}), wire.TooLarge},
		"too large":    {bytes.Repeat([]byte("PK\x03\x04"), 300_000), wire.TooLarge},
	} {
		if got := post(tt.body); got.status < 400 || got.status >= 500 {
			t.Errorf("%s: got %d %s", name, got.status, got.body)
		} else if name != "a file twice" {
			got.wantCode(t, tt.want)
		}
		if got := post(tt.body); strings.Contains(string(got.body), temp) {
			t.Errorf("%s: it names a folder of the server: %s", name, got.body)
		}
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left in the folder: %v, %v", left, err)
	}
	without := newSite(t, server.Options{})
	without.do(request{"POST", "/v1/savings", []byte("x"), nil}).wantCode(t, wire.NoRoute)
}

// doubleZip has two files of one name, and a file where there is a folder.
func doubleZip(t *testing.T) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i, name := range []string{"a/level.dat", "a/level.dat", "a/level.dat/x"} {
		w, err := z.Create(name)
		if err == nil {
			_, err = fmt.Fprint(w, i)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
