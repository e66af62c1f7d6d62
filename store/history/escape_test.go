package history_test

import (
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/store/history"
)

func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		"hub":           "hub",
		"my_world-1.18": "my_world-1.18",
		"Hub":           "-.hub",
		"SkyWars Map 1": "-.sky.wars.20.map.201",
		"Größe":         "-.gr.8f6-.8df-e",
		"a/b":           "-a.2fb",
		"-x":            "--x",
		"":              "-",
		".":             "-.2e",
		"..":            "-.2e.2e",
		"a\xFFb":        "-a.9ffb",
		"\uFFFD":        "-.8fffd-",
		"\xEFa":         "-.9efa", // the first byte of the one above
		"v1.18 B":       "-v1.2e18.20.b",
	} {
		got := history.Escape(text)
		if back, ok := history.Unescape(got); got != want || back != text || !ok {
			t.Errorf("%q became %q and that %q, %t; want %q", text, got, back, ok, want)
		}
		if err := history.CheckName(got); err != nil {
			t.Error(err)
		}
	}
	a, b := history.Escape(strings.Repeat("World ", 20)), history.Escape(strings.Repeat("World ", 20)+"!")
	if err := history.CheckName(a); err != nil || a == b {
		t.Errorf("long texts: %v; %s and %s", err, a, b)
	}
	for _, part := range []string{a, "-hub", "-.", "-.-", "-.8-", "-.8f6", "-.9f", "-.61", "-a.2"} {
		if back, ok := history.Unescape(part); ok || back != part {
			t.Errorf("%q became %q, %t", part, back, ok)
		}
	}
}

func FuzzEscape(f *testing.F) {
	f.Add("SkyWars Map 1")
	f.Add("-.8f6-\xFF\xEF")
	f.Fuzz(func(t *testing.T, text string) {
		part := history.Escape(text)
		back, ok := history.Unescape(part)
		if err := history.CheckName(part); err != nil || ok && back != text || !ok && len(part) < history.MaxPart {
			t.Errorf("%q became %q and that %q, %t, %v", text, part, back, ok, err)
		}
		if as, ok := history.Unescape(text); ok && history.Escape(as) != text && history.CheckName(text) == nil && !strings.Contains(text, "/") {
			t.Errorf("%q became %q", text, as)
		}
	})
}
