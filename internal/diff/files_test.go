package diff_test

import (
	"bytes"
	"compress/gzip"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/diff"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
)

// TestDiffOfFiles: of files that hold tags the tags are compared, in any order and however they are
// compressed.
func TestDiffOfFiles(t *testing.T) {
	a, b := nbt.Entry{Name: "a", Value: int32(1)}, nbt.Entry{Name: "b", Value: nbt.Entries{{Name: "c", Value: "x"}, {Name: "d", Value: int8(2)}}}
	turned := nbt.Entry{Name: "b", Value: nbt.Entries{{Name: "d", Value: int8(2)}, {Name: "c", Value: "x"}}}
	list := func(v ...nbt.Value) []byte {
		return nbt.Append(nil, "", nbt.Entries{{Name: "l", Value: nbt.Items{Elem: nbt.Int, Values: v}}})
	}
	tags := nbt.Append(nil, "", nbt.Entries{a, b})
	for _, tt := range []struct {
		name          string
		first, second []byte
		same          bool
	}{
		{"the order of tags", tags, nbt.Append(nil, "", nbt.Entries{turned, a}), true},
		{"compressed", gzipOf(t, tags), gzipOf(t, nbt.Append(nil, "", nbt.Entries{turned, a})), true},
		{"one is compressed", tags, gzipOf(t, tags), true},
		{"another value", tags, nbt.Append(nil, "", nbt.Entries{b, {Name: "a", Value: int32(2)}}), false},
		{"a tag more", tags, nbt.Append(nil, "", nbt.Entries{a, b, {Name: "e", Value: int8(0)}}), false},
		{"the order of a list", list(int32(1), int32(2)), list(int32(2), int32(1)), false},
		{"bytes behind the tags", tags, append(tags[:len(tags):len(tags)], 0), false},
		{"text", []byte("ab"), []byte("ba"), false},
		{"a gzip that is cut", gzipOf(t, tags), gzipOf(t, tags)[:20], false},
	} {
		worlds := [2]*convert.Loaded{{Files: []format.File{format.FileOf("f.dat", tt.first)}}, {Files: []format.File{format.FileOf("f.dat", tt.second)}}}
		for i := range worlds {
			d, err := diff.Worlds(t.Context(), worlds[i].Content(), worlds[1-i].Content(), diff.Options{})
			if err != nil || d.Same() != tt.same {
				t.Errorf("%s: %+v, %v, want same %v", tt.name, d, err, tt.same)
			}
		}
	}
}

func gzipOf(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
