package zipped_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/zipped"
)

func TestTakes(t *testing.T) {
	for accept, want := range map[string]bool{"gzip": true, "br, gzip;q=0.5": true, "x-gzip": true, "": false, "br": false, "gzip;q=0": false, "gzip; q=0.000": false, "identity": false} {
		if zipped.Takes(accept) != want {
			t.Errorf("%q: want %v", accept, want)
		}
	}
}

func TestBytes(t *testing.T) {
	text := []byte(strings.Repeat("cells and names ", 1000))
	for i, z := range [][]byte{once(t, text), zipped.Kept(text), once(t, text)} {
		r, err := gzip.NewReader(bytes.NewReader(z))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, text) || len(z) > len(text)/10 {
			t.Errorf("%d: %d bytes become %d: %v", i, len(text), len(z), err)
		}
	}
}

func once(t *testing.T, text []byte) []byte {
	var b bytes.Buffer
	w := zipped.To(&b)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
