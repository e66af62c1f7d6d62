package tags_test

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/tags"
)

// TestFrozen holds version 1 of the words to its bytes: stones are read by it.
func TestFrozen(t *testing.T) {
	const want = "d039b5970e5318fac27b8f3c781c87d5215580ae77e33074b752c3bf8d9a5a56"
	if got := fmt.Sprintf("%x", sha256.Sum256([]byte(tags.WordsFile()))); got != want || tags.WordsVersion != 1 {
		t.Errorf("words of version %d are %s, want %s: what is new is a version of its own", tags.WordsVersion, got, want)
	}
}

// TestStates gives every number back from its name.
func TestStates(t *testing.T) {
	seen := map[string]bool{}
	for i := range tags.States() {
		name, ok := tags.Name(i)
		n, known := tags.NameNumber(name)
		if !ok || !known || n != i || seen[name] {
			t.Fatalf("state %d is %q, whose number is %d", i, name, n)
		}
		seen[name] = true
		if open := strings.IndexByte(name, '['); open >= 0 {
			keys := strings.Split(strings.TrimSuffix(name[open+1:], "]"), ",")
			for j, k := range keys {
				keys[j], _, _ = strings.Cut(k, "=")
			}
			if !slices.IsSorted(keys) {
				t.Fatalf("%q: keys are not sorted", name)
			}
		}
	}
}

func TestWords(t *testing.T) {
	words := tags.Words()
	for i, w := range words {
		for j, s := range []string{w, "minecraft:" + w} {
			n, ok := tags.WordNumber(s)
			back, known := tags.Word(n)
			if !ok || !known || n != 2*i+j || back != s {
				t.Fatalf("word %q has number %d, which is %q; want %d", s, n, back, 2*i+j)
			}
		}
	}
	for _, s := range []string{"", "minecraft:", "no such word", "minecraft:minecraft:id"} {
		if n, ok := tags.WordNumber(s); ok {
			t.Errorf("%q is word %d", s, n)
		}
	}
	for _, n := range []int{-1, 2 * len(words)} {
		if s, ok := tags.Word(n); ok {
			t.Errorf("word %d is %q", n, s)
		}
	}
}

func TestNames(t *testing.T) {
	last := -1
	for _, name := range []string{ // in the order of their numbers
		"minecraft:oak_slab[type=top,waterlogged=true]", "minecraft:oak_stairs[facing=west,half=top,shape=straight,waterlogged=false]", "minecraft:stone",
		"legacy:0/0", "legacy:35/14", "legacy:4095/15", "legacy:0", "legacy:1", "legacy:255", "minecraft:plains",
	} {
		n, ok := tags.NameNumber(name)
		back, known := tags.Name(n)
		if !ok || !known || n <= last || back != name {
			t.Errorf("%s has number %d, which is %q; want one above %d", name, n, back, last)
		}
		if made := testing.AllocsPerRun(10, func() { tags.Name(n) }); made > 0 && !strings.HasPrefix(name, "legacy:") {
			t.Errorf("%s is made anew %.0f times", name, made)
		}
		last = n
	}
	for _, name := range []string{
		"", "stone", "minecraft:", "minecraft:no_such_block", "minecraft:stone[]", "minecraft:stone[a=b]", "minecraft:oak_slab[type=top]",
		"minecraft:oak_slab[type=up,waterlogged=true]", "minecraft:oak_slab[waterlogged=true,type=top]", "minecraft:oak_slab[type=top,waterlogged=true",
		"minecraft:oak_slab[type=top,waterlogged=true]]", "minecraft:oak_slab[type=top,waterlogged=true,x=y]", "minecraft:oak_slab[type=top;waterlogged=true]",
		"minecraft:oak_slab[type", "minecraft:oak_slab[typetop]", "other:stone", "legacy:", "legacy:/", "legacy:1/", "legacy:1/16", "legacy:01/1", "legacy:+1/1", "legacy:4096/0", "legacy:256", "legacy:-1", "nbt:00",
	} {
		if n, ok := tags.NameNumber(name); ok {
			t.Errorf("%q has number %d", name, n)
		}
	}
	for _, n := range []int{-1, tags.States() + 1<<16 + 1<<8 + len(tags.Words())} {
		if name, ok := tags.Name(n); ok {
			t.Errorf("name %d is %q", n, name)
		}
	}
}
