package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/game/tool"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/spf13/cobra"
)

// maxCompletions bounds how many worlds a shell is told.
const maxCompletions = 200

// choices are the flags that take one of some words, whatever verb has them.
var choices = map[string][]string{
	"format":     port.Formats(),
	"light":      {"keep", "drop"},
	"log-format": {"text", "json"},
	"mirror":     {"x", "z", "xz"},
	"role":       {"read", "write", "admin"},
	"rotate":     {"90", "180", "270"},
	"type":       textureTypes,
	"without":    {"biomes", "columns", "objects"},
	"wrap":       textureWraps,
}

// complete makes the shell complete the arguments of a verb and of those below it: worlds of the
// store, kinds of made-up worlds, brushes, and the words of flags. All others are files.
func (sf *storeFlag) complete(c *cobra.Command) {
	for _, below := range c.Commands() {
		sf.complete(below)
	}
	for flag, words := range choices {
		if c.Flags().Lookup(flag) == nil {
			continue
		}
		if err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)); err != nil {
			panic(err) // the flag is there, and has none yet
		}
	}
	if c.HasSubCommands() && c.RunE != nil && c.Name() != "backup" || c.ValidArgsFunction != nil {
		return
	}
	c.ValidArgsFunction = func(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		var words []string
		switch {
		case strings.HasPrefix(word, "@"):
			words = sf.namesFor(c, word)
		case c.Name() == "gen" && len(args) == 0:
			words = slices.Sorted(maps.Keys(kinds()))
		case c.Name() == "edit" && len(args) == 1:
			words = append(tool.Names(), replaceVerb, pasteVerb, undoVerb, redoVerb)
		default:
			return nil, cobra.ShellCompDirectiveDefault
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}

// namesFor returns the names of worlds that begin with a word, none if the store cannot be read.
func (sf *storeFlag) namesFor(c *cobra.Command, word string) []string {
	st, err := sf.open(c.Context())
	if err != nil {
		return nil
	}
	names, err := st.List(c.Context(), word[1:], "", maxCompletions)
	if err != nil {
		return nil
	}
	for i := range names {
		names[i] = "@" + names[i]
	}
	return names
}
