package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	command "github.com/cairnvoxel/cairn/cmd/cairn"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestMan writes the manual, which has a page for each verb with each of its flags.
func TestMan(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, 0, dir, "man", "pages")
	mustRun(t, 0, dir, "man", "again/deep")
	pages := make(map[string]bool)
	var check func(c *cobra.Command)
	check = func(c *cobra.Command) {
		for _, below := range c.Commands() {
			check(below)
		}
		name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
		if c.Hidden {
			if _, err := os.Stat(filepath.Join(dir, "pages", name)); err == nil {
				t.Errorf("%s: a page of a hidden verb", name)
			}
			return
		}
		pages[name] = true
		page := string(read(t, filepath.Join(dir, "pages", name)))
		if page != string(read(t, filepath.Join(dir, "again/deep", name))) {
			t.Errorf("%s differs from itself", name)
		}
		for _, want := range []string{".TH \"" + strings.ToUpper(strings.TrimSuffix(name, ".1")) + "\" 1 ", "\n.SH NAME\n", "\n.SH SYNOPSIS\n.B cairn", "\n.SH DESCRIPTION\n", "\n.SH SEE ALSO\n"} {
			if !strings.Contains(page, want) {
				t.Errorf("%s has no %q", name, want)
			}
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if flag := `\-\-` + strings.ReplaceAll(f.Name, "-", `\-`); !strings.Contains(page, flag) {
				t.Errorf("%s has no %s", name, flag)
			}
		})
	}
	check(command.Root())
	if !pages["cairn.1"] || !pages["cairn-snapshot-save.1"] || len(pages) < 40 {
		t.Errorf("%d pages", len(pages))
	}
	if page := string(read(t, filepath.Join(dir, "pages", "cairn-edit.1"))); strings.Contains(page, `default root)`) || !strings.Contains(page, `\-\-mask \(aq!air\(aq`) || !strings.Contains(page, "\n.nf\n  ball, box") {
		t.Errorf("cairn-edit.1:\n%s", page)
	}
	if help := mustRun(t, 0, dir, "--help").out; strings.Contains(help, "\n  man ") {
		t.Errorf("the help shows man:\n%s", help)
	}
	write(t, filepath.Join(dir, "file"), nil)
	mustRun(t, 3, dir, "man", "file")
	mustRun(t, 2, dir, "man")
}

// TestManRenders lets man look for mistakes in the pages, as text is not all that it reads.
func TestManRenders(t *testing.T) {
	if _, err := exec.LookPath("man"); err != nil {
		t.Skip("no man is here")
	}
	dir := t.TempDir()
	mustRun(t, 0, dir, "man", ".")
	for _, name := range []string{"cairn", "cairn-edit", "cairn-serve", "cairn-completion-zsh"} {
		r := start(t, dir, "man", "--warnings", "-P", "cat", "-l", name+".1")
		if r.code != 0 || strings.Contains(r.errors, "warning") {
			t.Errorf("%s: exit status %d: %s", name, r.code, r.errors)
		}
		if !strings.Contains(r.out, "NAME") || !strings.Contains(r.out, "SEE ALSO") {
			t.Errorf("%s renders as %q", name, r.out)
		}
	}
	if r := start(t, dir, "man", "-P", "cat", "-l", "cairn-edit.1"); !strings.Contains(r.out, "--mask '!air'") || !strings.Contains(r.out, "  sea                          SHAPE --y N [MATTER]") {
		t.Errorf("a command of cairn-edit cannot be copied:\n%s", r.out)
	}
}
