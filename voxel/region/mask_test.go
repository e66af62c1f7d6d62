package region_test

import (
	"fmt"
	"path"
	"reflect"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/voxel/region"
	"pgregory.net/rapid"
)

func ExampleMask() {
	m, err := region.ParseMask("stone*,*_log[axis=y] & !by:ann")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Cells([]string{"air", "minecraft:stone", "minecraft:stone_bricks", "minecraft:oak_log[axis=x]", "minecraft:oak_log[axis=y]", "other:stone"}))
	fmt.Printf("%+v\n", m.Changes())
	// Output:
	// [false true true false true false]
	// [{Since: By:ann Not:true}]
}

// TestMaskAlso: a cell has several names, and none of them may match a pattern with "!". Blocks of
// before 1.13 have numbers.
func TestMaskAlso(t *testing.T) {
	names := []string{"air", "legacy:1/0", "legacy:1/1", "legacy:11/0", "minecraft:stone"}
	also := func(name string) string {
		return map[string]string{"legacy:1/0": "minecraft:stone", "legacy:1/1": "minecraft:granite", "legacy:11/0": "minecraft:lava[level=0]"}[name]
	}
	for text, want := range map[string]string{
		"stone": ".x..x", "!stone": "x.xx.", "1:0": ".x...", "1/1": "..x..", "legacy:1": ".xx..", "legacy:1/*": ".xx..", "1:*": ".xx..", "!1:0": "x.xxx",
		"lava[level=0]": "...x.", "lava[level=1]": ".....", "granite,stone": ".xx.x", "!air & !granite": ".x.xx", "minecraft:1:0": ".x...",
	} {
		m, err := region.ParseMask(text)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, admits := range m.Cells(names, also) {
			got += map[bool]string{true: "x", false: "."}[admits]
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestMaskCells(t *testing.T) {
	names := []string{"air", "minecraft:cave_air", "minecraft:stone", "stone", "minecraft:stonecutter[facing=north]", "minecraft:oak_log[axis=y]",
		"minecraft:oak_stairs[facing=east,half=top,shape=straight]", "mod:stone", "mod:airship", "", "broken[", "minecraft:void_air"}
	for _, tt := range []struct{ text, want string }{ // want has an x for each name that is admitted
		{"air", "xx.........x"},
		{"1:0", "............"},
		{"!air", "..xxxxxxxxx."},
		{"minecraft:air", "x..........."},
		{"*air", "xx.........x"},
		{"stone", "..xx........"},
		{"stone*", "..xxx......."},
		{"minecraft:stone", "..xx........"},
		{"*:stone", "..xx...x...."},
		{"mod:*", ".......xx..."},
		{"*", "xxxxxxx....x"},
		{"*:*", "xxxxxxxxx..x"},
		{"*log", ".....x......"},
		{"*_log[axis=y]", ".....x......"},
		{"*_log[axis=x]", "............"},
		{"*[half=top]", "......x....."},
		{"*[facing=*]", "....x.x....."},
		{"*[shape=straight,facing=e*]", "......x....."},
		{"*[shape=straight,facing=w*]", "............"},
		{"oak_stairs[]", "......x....."},
		{"stone,air", "xxxx.......x"},
		{"!stone,air", "....xxxxxxx."},
		{"*:* & !stone* & !air", ".....xxxx..."},
		{"stone* & stone", "..xx........"},
		{"s*t*o*n*e", "..xx........"},
		{"*t*n*", "..xxx......."},
	} {
		t.Run(tt.text, func(t *testing.T) {
			m, err := region.ParseMask(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, ok := range m.Cells(names) {
				got += map[bool]string{false: ".", true: "x"}[ok]
			}
			if got != tt.want || m.String() != tt.text || m.Changes() != nil {
				t.Errorf("got %s, want %s; the text is %q, changes %v", got, tt.want, m, m.Changes())
			}
		})
	}
}

func TestMaskChanges(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []region.Changed
		back string // "" is text
	}{
		{"", nil, ""},
		{"  ", nil, ""},
		{"since:12", []region.Changed{{Since: "12"}}, ""},
		{"since:2026-11-22T17:28:23Z", []region.Changed{{Since: "2026-11-22T17:28:23Z"}}, ""},
		{"!since:12&by:ann", []region.Changed{{Since: "12", Not: true}, {By: "ann"}}, "!since:12 & by:ann"},
		{"by:Ann Lee", []region.Changed{{By: "Ann Lee"}}, ""},
		{`by:"Ann & \"Bob\", [x]"`, []region.Changed{{By: `Ann & "Bob", [x]`}}, ""},
		{`by:"ann" & by:" ann"`, []region.Changed{{By: "ann"}, {By: " ann"}}, `by:ann & by:" ann"`},
	} {
		t.Run(tt.text, func(t *testing.T) {
			m, err := region.ParseMask(tt.text)
			if err != nil || !reflect.DeepEqual(m.Changes(), tt.want) || m.Cells([]string{"air"}) != nil {
				t.Fatalf("got %+v, %v", m.Changes(), err)
			}
			if tt.back == "" {
				tt.back = strings.TrimSpace(tt.text)
			}
			if m.String() != tt.back {
				t.Errorf("the text is %q", m)
			}
		})
	}
}

func TestParseMaskRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		offset     int
		want       string
	}{
		{"no term", "stone & ", 8, "want a name"},
		{"no pattern", "stone,,air", 6, "want a name"},
		{"a space in a name", "oak log", 0, "want a name"},
		{"two bangs", "!!stone", 1, "want a name"},
		{"no name", "[axis=y]", 0, "want a name"},
		{"open bracket", "log[axis=y & stone", 0, `want "]"`},
		{"no value", "stone,log[axis=]", 6, "key=value"},
		{"no key", "log[y]", 0, "key=value"},
		{"two authors", "stone & by:ann,bob", 11, "double quotes"},
		{"no author", "by:", 3, "the text ends"},
		{"no version", "!since: ", 7, "the text ends"},
		{"open quotes", `by:"ann`, 3, "double quotes"},
		{"long", strings.Repeat("a", 4097), -1, "4097 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := region.ParseMask(tt.text)
			if err == nil || !strings.Contains(err.Error(), tt.want) || tt.offset >= 0 && !strings.Contains(err.Error(), fmt.Sprintf("offset %d: ", tt.offset)) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestMaskWildcards compares with a matcher of the standard library, for which a slash is
// nothing special if there is none.
func TestMaskWildcards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := "a:" + rapid.StringOfN(rapid.RuneFrom([]rune("*ab")), 1, 9, -1).Draw(t, "pattern")
		name := "a:" + rapid.StringOfN(rapid.RuneFrom([]rune("ab")), 0, 12, -1).Draw(t, "name")
		m, err := region.ParseMask(pattern)
		if err != nil {
			t.Fatal(err)
		}
		want, err := path.Match(pattern, name)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Cells([]string{name})[0]; got != want {
			t.Fatalf("%q matches %q: %v", pattern, name, got)
		}
	})
}

func FuzzParseMask(f *testing.F) {
	for _, text := range []string{"stone*,*_log[axis=y,half=*] & !air", `since:12 & !by:"a & b"`, "!minecraft:oak_*&*:*"} {
		f.Add(text, "minecraft:oak_log[axis=y]")
	}
	f.Fuzz(func(t *testing.T, text, name string) {
		m, err := region.ParseMask(text)
		if err != nil {
			return
		}
		again, err := region.ParseMask(m.String())
		if len(m.String()) <= 4096 && (err != nil || !reflect.DeepEqual(again, m)) {
			t.Fatalf("%q is %+v, its text %q is %+v, %v", text, m, m, again, err)
		}
		m.Cells([]string{name, "air", text})
	})
}

func TestMaskNames(t *testing.T) {
	m, err := region.ParseMask("stone* & !by:ann & since:3 & !stone_bricks")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := m.Names().String(), "stone* & !stone_bricks"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMaskUnmatched(t *testing.T) {
	names := []string{"air", "stone", "minecraft:oak_log[axis=y]", "minecraft:oak_stairs[facing=east,half=top]", "mod:lamp[lit=true]", "minecraft:dirt", "broken["}
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"stone,dirt & !*_log", ""},
		{"stnoe,dirt & !*_sign", "stnoe *_sign"},
		{"oak_log[axis=x]", ""},
		{"oak_log[axs=y]", "oak_log[axs=y]"},
		{"oak_*[half=bottom]", ""},
		{"dirt[snowy=true]", ""}, // a name without properties says nothing of them
		{"lamp,*:lamp,mod:*[lit=*],Mod:lamp", "lamp Mod:lamp"},
		{"by:ann & since:3", ""},
	} {
		m, err := region.ParseMask(tt.text)
		if got := strings.Join(m.Unmatched(names), " "); err != nil || got != tt.want {
			t.Errorf("%s: %q, %v, want %q", tt.text, got, err, tt.want)
		}
	}
}
