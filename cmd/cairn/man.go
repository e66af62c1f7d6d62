package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newMan returns the verb by which packages get their pages of the manual. It is hidden: who reads
// has the pages, or --help.
func newMan() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Writes a page of the manual for each verb",
		Long: `man writes the help of each verb as a page of the manual, into a folder that it makes:
cairn.1, cairn-import.1 and so on.`,
		Example: "  cairn man ./man\n  man -l ./man/cairn-import.1",
		Args:    takes(1, 1),
		Hidden:  true,
		RunE: func(c *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return err
			}
			return writePages(c.Root(), args[0])
		},
	}
}

// writePages writes the pages of a verb and of those below it.
func writePages(c *cobra.Command, dir string) error {
	for _, below := range pagesBelow(c) {
		if err := writePages(below, dir); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, pageName(c)+".1"), page(c), 0o666)
}

// pagesBelow returns the verbs of a verb that have pages.
func pagesBelow(c *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(slices.Clone(c.Commands()), func(v *cobra.Command) bool { return v.Hidden })
}

func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// page returns the help of a verb in the language of man. It has no date, so that a version has
// the same pages whenever they are made.
func page(c *cobra.Command) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, ".TH %q 1 \"\" %q \"Manual of cairn\"\n", strings.ToUpper(pageName(c)), "cairn "+buildOf().Version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B %s\n", roff(pageName(c)), roff(c.Short), roff(c.UseLine()))
	b.WriteString(".SH DESCRIPTION\n")
	for paragraph := range strings.SplitSeq(strings.TrimSpace(longOf(c)), "\n\n") {
		if indented.MatchString(paragraph) { // its lines stay as they are
			fmt.Fprintf(&b, ".PP\n.nf\n%s\n.fi\n", roff(paragraph))
		} else {
			fmt.Fprintf(&b, ".PP\n%s\n", roff(paragraph))
		}
	}
	if below := pagesBelow(c); len(below) > 0 {
		b.WriteString(".SH VERBS\n")
		for _, v := range below {
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(v.Name()), roff(v.Short))
		}
	}
	writeFlags(&b, "OPTIONS", c.NonInheritedFlags())
	writeFlags(&b, "OPTIONS OF ALL VERBS", c.InheritedFlags())
	if c.HasExample() {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(c.Example))
	}
	var others []string
	if c.HasParent() {
		others = append(others, pageName(c.Parent()))
	}
	for _, v := range pagesBelow(c) {
		others = append(others, pageName(v))
	}
	for i, name := range others {
		others[i] = fmt.Sprintf("\\fB%s\\fP(1)", roff(name))
	}
	fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", strings.Join(others, ", "))
	return b.Bytes()
}

func longOf(c *cobra.Command) string {
	if c.Long != "" {
		return c.Long
	}
	return c.Short + "."
}

// indented matches a paragraph with a line that its spaces lay out.
var indented = regexp.MustCompile(`(?m)^[ \t]`)

// writeFlags writes what the flags mean, with the value of each that is not the zero of its type.
func writeFlags(b *bytes.Buffer, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		value, usage := pflag.UnquoteUsage(f)
		// the default author is who runs the command
		if !slices.Contains([]string{"", "0", "false", "[]"}, f.DefValue) && f.Name != "author" {
			usage += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(strings.TrimSpace(name+" "+value)), roff(usage))
	})
}

// escapes are the characters that man would print as others, or break a command that is copied.
var escapes = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`, "\n.", "\n\\&.")

// roff returns text as man prints it.
func roff(text string) string {
	text = escapes.Replace(text)
	if strings.HasPrefix(text, ".") {
		return `\&` + text
	}
	return text
}
