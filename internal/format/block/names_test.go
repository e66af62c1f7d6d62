package block_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format/block"
)

func TestCheck(t *testing.T) {
	blocks, biomes := block.Blocks(), block.Biomes()
	own := []string{"air", "minecraft:stone", "mod:lamp[lit=true]", "odd"}
	for _, c := range []struct {
		table              *block.Table
		name               string
		version            int32
		near, since, until string
		ok                 bool
	}{
		{table: blocks, name: "minecraft:stone", version: 1519, ok: true},
		{table: blocks, name: "stone", ok: true},
		{table: blocks, name: "minecraft:oak_log[axis=y]", version: 3955, ok: true},
		{table: blocks, name: "minecraft:ston", version: 3955, near: "minecraft:stone"},
		{table: blocks, name: "minecraft:oak_lgo", near: "minecraft:oak_log"},
		{table: blocks, name: "stnoe", near: "minecraft:stone"},
		{table: blocks, name: "Stone", near: "minecraft:stone"},
		{table: blocks, name: "OAK_LOG", version: 3955, near: "minecraft:oak_log"},
		{table: blocks, name: "drit", near: "minecraft:dirt"},
		{table: blocks, name: "minecraft:completely_unknown_thing"},
		{table: blocks, name: "minecraft:cherry_log", version: 2586, since: "1.19.4"},
		{table: blocks, name: "minecraft:cherry_log", version: 3337, ok: true},
		{table: blocks, name: "minecraft:cherry_log", version: 3300, ok: true}, // a snapshot
		{table: blocks, name: "minecraft:grass", version: 3955, until: "1.20.3"},
		{table: blocks, name: "minecraft:grass", version: 3465, ok: true},
		{table: blocks, name: "minecraft:short_grass", version: 3465, since: "1.20.3"},
		{table: blocks, name: "minecraft:chain", version: 4671, until: "1.21.9"},
		{table: blocks, name: "mod:lamp", version: 3955, ok: true},
		{table: blocks, name: "mod:lantern", version: 3955, ok: true},
		{table: blocks, name: "nod:lamp", version: 3955},
		{table: blocks, name: "odd[a=b]", version: 3955, ok: true},
		{table: blocks, name: "", near: ""},
		{table: blocks, name: strings.Repeat("a", 10000)},
		{table: biomes, name: "minecraft:plains", version: 2860, ok: true},
		{table: biomes, name: "minecraft:plain", version: 2860, near: "minecraft:plains"},
		{table: biomes, name: "minecraft:pale_garden", version: 3955, since: "1.21.2"},
	} {
		t.Run(c.name[:min(20, len(c.name))], func(t *testing.T) {
			err := c.table.Check(c.name, c.version, own)
			var e *block.NameError
			if errors.As(err, &e) == c.ok {
				t.Fatalf("%d: %v", c.version, err)
			}
			if c.ok {
				return
			}
			if c.near != "" && e.Near != c.near || e.Since != c.since || e.Until != c.until || e.Name != c.name {
				t.Errorf("%+v", e)
			}
			if text := e.Error(); !strings.Contains(text, c.since) || !strings.Contains(text, c.until) || !strings.Contains(text, c.near) {
				t.Error(text)
			}
		})
	}
}

func TestDataVersion(t *testing.T) {
	for name, want := range map[string]int32{"1.13": 1519, "1.14.2": 1963, "1.16.5": 2586, "1.21.1": 3955, "1.21.11": 4671, "26.1": 4786} {
		if got, ok := block.DataVersion(name); got != want || !ok {
			t.Errorf("%s is %d, %v", name, got, ok)
		}
	}
	if got, ok := block.DataVersion("1.12"); ok {
		t.Errorf("1.12 is %d", got)
	}
}

// TestNear compares how far names are apart with what the definition says, on short words.
func TestNear(t *testing.T) {
	words := []string{""}
	for range 5 {
		for _, w := range words {
			if len(w) < 5 {
				words = append(words, w+"a", w+"b")
			}
		}
		slices.Sort(words)
		words = slices.Compact(words)
	}
	one := func(a, b string) bool { // one change makes a of b
		for i := range len(b) + 1 {
			if len(a) > len(b) && i < len(a) && a[:i]+a[i+1:] == b {
				return true
			}
			if i < len(b) && b[:i]+b[i+1:] == a {
				return true
			}
			if len(a) == len(b) && i < len(b) && a[:i] == b[:i] && a[i+1:] == b[i+1:] {
				return true
			}
			if len(a) == len(b) && i+1 < len(b) && a[:i]+a[i+1:i+2]+a[i:i+1]+a[i+2:] == b {
				return true
			}
		}
		return false
	}
	for _, word := range words {
		for _, a := range words {
			if got := block.Near(word, slices.Values([]string{a})); one(word, a) && got != a {
				t.Errorf("%q is one change from %q: %q", a, word, got)
			}
		}
		first := slices.IndexFunc(words, func(a string) bool { return one(word, a) && a != word })
		others := slices.DeleteFunc(slices.Clone(words), func(a string) bool { return a == word })
		if got := block.Near(word, slices.Values(others)); got != words[first] {
			t.Errorf("near %q: got %q, want %q", word, got, words[first])
		}
		if got := block.Near(strings.ToUpper(word), slices.Values(words)); got != word {
			t.Errorf("%q in capitals: %q", word, got)
		}
	}
}
