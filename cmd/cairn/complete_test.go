package main_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	command "github.com/cairnvoxel/cairn/cmd/cairn"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// listed matches the help of a flag that begins with the words it takes: "keep or drop", "x, z or xz".
var listed = regexp.MustCompile(`^(?:leave )?(\w+(?:(?:, | or )\w+)* or \w+)\b`)

// TestChoices checks that the shell offers the words that the help of a flag begins with.
func TestChoices(t *testing.T) {
	found := 0
	var check func(c *cobra.Command)
	check = func(c *cobra.Command) {
		for _, below := range c.Commands() {
			check(below)
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			m := listed.FindStringSubmatch(f.Usage)
			if m == nil {
				return
			}
			found++
			complete, ok := c.GetFlagCompletionFunc(f.Name)
			if !ok {
				t.Errorf("%s --%s takes %s: complete.go has no words for it", c.CommandPath(), f.Name, m[1])
				return
			}
			got, directive := complete(c, nil, "")
			if want := regexp.MustCompile(", | or ").Split(m[1], -1); !slices.Equal(got, want) || directive != cobra.ShellCompDirectiveNoFileComp {
				t.Errorf("%s --%s takes %s: offered are %q", c.CommandPath(), f.Name, m[1], got)
			}
		})
	}
	check(command.Root())
	if found < 7 {
		t.Errorf("%d flags take words", found)
	}
}

// TestChoicesTaken gives each word that is offered to a verb.
func TestChoicesTaken(t *testing.T) {
	dir := island(t)
	for _, tt := range []struct {
		flag string
		args []string
	}{
		{"light", []string{"import", "island", "a.cairn", "--force"}},
		{"role", []string{"token", "new", "--file", "tokens.json"}},
		{"format", []string{"export", "a.cairn"}},
	} {
		words := strings.Fields(cairn(t, dir, append(append([]string{"__complete"}, tt.args...), "--"+tt.flag, "")...).out)
		if len(words) < 3 {
			t.Fatalf("--%s: offered are %q", tt.flag, words)
		}
		for _, word := range words[:len(words)-1] { // the last is the directive
			args := append(slices.Clone(tt.args), "--"+tt.flag, word)
			if tt.flag == "format" {
				args = append(args, "out-"+word)
			}
			if r := cairn(t, dir, args...); r.code == 2 && !strings.Contains(r.errors, "give --names") { // the format of another game
				t.Errorf("%q: %s", args, r.errors)
			}
		}
		if r := cairn(t, dir, append(slices.Clone(tt.args), "--"+tt.flag, "other", "out")...); r.code != 2 {
			t.Errorf("--%s other: exit status %d", tt.flag, r.code)
		}
	}
}
