package picture

import (
	_ "embed"
	"slices"
	"strings"
)

// hytale has a line for each family of blocks of Hytale: its name, its colour and its look as in families.txt, and words that the
// name of a block must have, with _ between them. The first line that fits counts.
//
//go:embed hytale.txt
var hytale string

// ofHytale returns the family of a block of Hytale, without properties. Unlike those of Minecraft its names begin with a capital,
// "Rock_Stone_Brick", behind "*" that stand for states of a block.
func ofHytale(name string) (f family, ok bool) {
	name = strings.TrimLeft(name, "*")
	if name == "" || name[0] < 'A' || name[0] > 'Z' {
		return f, false
	}
	name, _, _ = strings.Cut(name, "_State_")
	words := strings.Split(name, "_")
	for line := range lines(hytale) {
		fits := !slices.ContainsFunc(strings.Split(line[3], "_"), func(w string) bool { return !slices.Contains(words, w) })
		if fits {
			return family{line[0], hex(line[1]), look(line[2][0])}, true
		}
	}
	return f, false
}
