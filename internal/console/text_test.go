package console_test

import (
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/format"
)

func TestText(t *testing.T) {
	var plain, counts, list, none strings.Builder
	console.Plain{Writer: &plain}.Write([]byte("a\x1b[2J\tb\n\u009b"))
	console.PrintCounts(&counts, "lost:", map[string]int{"a": 2, "b": 1234, "c\n": 2})
	console.PrintList(&list, "first:", []string{"a", "b\x1b"})
	console.PrintCounts(&none, "lost:", nil)
	console.PrintList(&none, "first:", nil)
	for _, tt := range []struct{ what, got, want string }{
		{"Count", console.Count(7), "7"},
		{"Count", console.Count(999), "999"},
		{"Count", console.Count(int64(1234567)), "1,234,567"},
		{"Count", console.Count(-123456), "-123,456"},
		{"Counted", console.Counted(1, "file"), "1 file"},
		{"Counted", console.Counted(1000, "file"), "1,000 files"},
		{"Line", console.Line("a b"), "a b"},
		{"Line", console.Line("a\nb"), `"a\nb"`},
		{"ShellLine", console.ShellLine("edit", "1,2 3,4"), `edit "1,2 3,4"`},
		{"Plain", plain.String(), "a?[2J\tb\n?"},
		{"PrintCounts", counts.String(), "lost:\n  1,234  b\n  2      a\n  2      \"c\\n\"\n"},
		{"PrintList", list.String(), "first:\n  a\n  \"b\\x1b\"\n"},
		{"nothing to print", none.String(), ""},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %q, want %q", tt.what, tt.got, tt.want)
		}
	}
}

// Progress passes everything on.
func TestProgress(t *testing.T) {
	p := console.NewProgress()
	defer p.Done()
	var b strings.Builder
	if n, err := p.Writer(&b).Write([]byte("abc")); n != 3 || err != nil || b.String() != "abc" {
		t.Errorf("Writer: %d %v %q", n, err, b.String())
	}
	to, order := &sink{}, ""
	s := p.Through("reading", func(s format.Sink) format.Sink { order += "next"; return s })(to)
	for range 100 {
		if err := s.Column(&format.Column{}); err != nil {
			t.Fatal(err)
		}
	}
	if to.columns != 100 || order != "next" {
		t.Errorf("%d columns, order %q", to.columns, order)
	}
}

type sink struct {
	format.Sink
	columns int
}

func (s *sink) Column(*format.Column) error {
	s.columns++
	return nil
}
