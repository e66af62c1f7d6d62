// Command cairn reads worlds of block games, keeps them in one small file each or
// with all their versions in a store, gives them back, compares, edits and shows
// them.
//
// Every verb has a file. It does no work of its own: the packages of the library
// do, and the verbs wire them, print and exit.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/cairnvoxel/cairn/format"
	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store"
	"github.com/cairnvoxel/cairn/store/local"
	"github.com/spf13/cobra"
)

// Exit statuses.
const (
	exitDone        = 0
	exitWrong       = 1 // differs, or found wrong
	exitUsage       = 2
	exitCould       = 3 // could not
	exitInterrupted = 130
)

// usageError is a call that is wrong whatever the files hold.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// wrongError is an answer: what was asked about is wrong or differs. Without a
// text, all has been said on stdout.
type wrongError struct{ error }

var errWrong = wrongError{errors.New("")}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends what does not listen
	code := run(ctx, os.Args[1:], plain{os.Stdout}, plain{os.Stderr})
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	d := &depot{}
	root := newRoot(d)
	root.SetArgs(args)
	out := &sticky{w: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if end := d.close(); err == nil {
		err = end
	}
	if out.err != nil && (err == nil || err.Error() == "") {
		err = fmt.Errorf("standard output: %w", out.err)
	}
	if err != nil && err.Error() != "" {
		fmt.Fprintln(stderr, "cairn:", message(err))
	}
	return exitStatus(err)
}

// sticky keeps the first error of a writer, which prints may ignore.
type sticky struct {
	w   io.Writer
	err error
}

// Write is for io.Writer.
func (s *sticky) Write(b []byte) (int, error) {
	n, err := s.w.Write(b)
	if s.err == nil {
		s.err = err
	}
	return n, err
}

func newRoot(d *depot) *cobra.Command {
	root := &cobra.Command{
		Use:   "cairn",
		Short: "Keeps voxel worlds: small, whole and checked",
		Long: `cairn keeps voxel worlds: small, whole and checked.

A SRC is a world in any format that cairn knows, found out by content: an Anvil
or McRegion folder, a .slime file, a .cairn file, or a .zip or .tar of one. It is
never written to. A WORLD is a path that ends in .cairn, or @name: a world with its
history in the store that --store or CAIRN_STORE names. @name@version is an older
version: its number, four digits or more of its id, or a time in UTC such as
2026-11-20T10:00, which means the newest version of then.

Exit status: 0 done or same, 1 differs or found wrong, 2 called wrongly,
3 could not, 130 interrupted.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("no verb %q; see cairn --help", args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usagef("%w; see %s --help", err, c.CommandPath())
	})
	root.PersistentFlags().StringVar(&d.url, "store", d.url, fmt.Sprintf("the store of @names, %sDIR or a server's URL, which is shown $%s (default $%s or %s)", localScheme, store.TokenEnv, storeEnv, defaultStore))
	for _, g := range []struct {
		title string
		verbs []*cobra.Command
	}{
		{"To begin with:", []*cobra.Command{newDemo()}},
		{"Worlds:", []*cobra.Command{newImport(d), newExport(d), newInfo(d), newCheck(d), newDiff(d), newSavings(), newRender(d), newGen(d), newStone()}},
		{"Versions of a world:", []*cobra.Command{newLog(d), newCommit(d), newEdit(d), newFork(d), newRestore(d), newPack(d), newRename(d), newDelete(d), newUndelete(d), newPurge(d)}},
		{"The store:", []*cobra.Command{newList(d), newGC(d), newBackup(d), newRestoreStore(), newSalvage(), newServe(d), newToken()}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, v := range g.verbs {
			v.GroupID = g.title
		}
		root.AddCommand(g.verbs...)
	}
	return root
}

// takes returns the check for at least min and at most max arguments.
func takes(min, max int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < min || len(args) > max {
			return usagef("wrong number of arguments; usage: %s", c.UseLine())
		}
		return nil
	}
}

func exitStatus(err error) int {
	var usage usageError
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &usage):
		return exitUsage
	case isWrong(err):
		return exitWrong
	}
	return exitCould
}

// isWrong reports whether an error says that bytes were read and are wrong.
func isWrong(err error) bool {
	var wrong wrongError
	var damage *format.DamageError
	var corrupt *stone.CorruptError
	var store *local.DamageError
	return errors.As(err, &wrong) || errors.As(err, &damage) || errors.As(err, &corrupt) || errors.As(err, &store)
}

// message is what people are told of an error.
func message(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	if errors.Is(err, history.ErrLeased) {
		err = fmt.Errorf("%w; cairn info says who, and until when", err)
	}
	var damage *format.DamageError
	if !errors.As(err, &damage) {
		return strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	lines := []string{counted(len(damage.Columns), "damaged chunk") + "; nothing was written"}
	for _, d := range damage.Columns {
		lines = append(lines, fmt.Sprintf("  %s chunk %v: %v", d.File, d.Pos, d.Err))
	}
	return strings.Join(lines, "\n")
}
