// Command cairn imports worlds of block games into one small file each, or into a store
// with all their versions. It exports, compares, edits and draws them.
//
// Every verb has a file. A verb parses its flags, calls the packages of the library, and
// prints the result.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/cairnvoxel/cairn/game/arena"
	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/client"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/local"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Exit statuses.
const (
	exitDone        = 0
	exitWrong       = 1 // worlds differ, or something is damaged
	exitUsage       = 2
	exitFailed      = 3 // any other error
	exitInterrupted = 130
)

// usageError says that the command line is wrong, whatever the files contain.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// wrongError says that something is damaged or differs. Its text is empty if standard
// output says it already.
type wrongError struct{ error }

var errWrong = wrongError{errors.New("")}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	code := run(ctx, os.Args[1:], console.Plain{Writer: os.Stdout}, console.Plain{Writer: os.Stderr})
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	d := &storeFlag{memory: memoryFlag{bytes: defaultMemory}}
	root := newRoot(d)
	root.SetArgs(args)
	out := &sticky{w: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	d.memory.report(stderr)
	if end := errors.Join(d.memory.close(), d.close()); err == nil {
		err = end
	}
	if out.err != nil && (err == nil || err.Error() == "") {
		err = fmt.Errorf("standard output: %w", out.err)
	}
	if err != nil && err.Error() != "" {
		fmt.Fprintln(stderr, "cairn:", message(err, args[min(1, len(args)):]))
	}
	return exitStatus(err)
}

// sticky keeps the first error of a writer, so that callers may ignore errors of printing.
type sticky struct {
	w   io.Writer
	err error
}

// Write writes b and keeps an error.
func (s *sticky) Write(b []byte) (int, error) {
	n, err := s.w.Write(b)
	if s.err == nil {
		s.err = err
	}
	return n, err
}

func newRoot(sf *storeFlag) *cobra.Command {
	root := &cobra.Command{
		Use:   "cairn",
		Short: "Keeps voxel worlds: small, whole and checked",
		Long: `cairn keeps voxel worlds: small, whole and checked.

A SRC is a world in a format that cairn knows: an Anvil or McRegion folder, a
folder of Hytale, Luanti or Bedrock, a .slime file, a schematic (.schem, .schematic, a structure .nbt), a .cairn file, or a .zip, .mcworld or .tar
of one. cairn detects the format by content and never writes to a SRC. A WORLD is a path that ends in .cairn, or @name: a world with
its history in the store that --store or CAIRN_STORE names. @name@version is an older
version: its number, at least four digits of its id, or a time in UTC such as
2026-11-20T10:00, which means the newest version at that time.

Exit status: 0 success or same, 1 different or damaged, 2 wrong usage, 3 any other
error, 130 interrupted.`,
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
	root.SetHelpCommand(newHelp())
	root.Version = buildOf().String()
	root.SetVersionTemplate("cairn {{.Version}}\n")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usagef("%w; see %s --help", err, c.CommandPath())
	})
	root.PersistentPreRun = func(c *cobra.Command, _ []string) {
		if c.Name() != serveVerb { // a server takes what its calls need, unless told otherwise, and has a log
			sf.warnings = c.ErrOrStderr()
			sf.memory.bound()
			sf.cache = sf.memory.share() / 2
		}
	}
	root.PersistentFlags().Var(&sf.memory, "memory", "the memory that the verb may take; a world may be larger")
	root.PersistentFlags().BoolVar(&sf.memory.stats, "stats", false, "print to standard error what the caches of decoded pages and of textures did")
	root.PersistentFlags().StringVar(&sf.url, "store", sf.url, fmt.Sprintf("the store of @names, %sDIR, %sFILE or a server's URL, which gets $%s (default $%s or %s)", localScheme, clusterScheme, client.TokenEnv, storeEnv, defaultStore))
	for _, g := range []struct {
		title string
		verbs []*cobra.Command
	}{
		{"To start with:", []*cobra.Command{newDemo(), newView(sf), newTry(sf)}},
		{"Worlds:", []*cobra.Command{newImport(sf), newExport(sf), newFormats(), newInfo(sf), newCheck(sf), newDiff(sf), newSavings(sf), newRender(sf), newMesh(sf), newGen(sf), newStone(), newTexture()}},
		{"Versions of a world:", []*cobra.Command{newLog(sf), newCommit(sf), newEdit(sf), newFork(sf), newRestore(sf), newPut(sf), newSnapshot(sf), newPack(sf), newRename(sf), newDelete(sf), newUndelete(sf), newPurge(sf)}},
		{"The store:", []*cobra.Command{newList(sf), newWatch(sf), newMirror(sf), newGC(sf), newBackup(sf), newRestoreStore(sf), newMigrate(sf), newSalvage(), newServe(sf), newToken()}},
		{"The command itself:", []*cobra.Command{newVersion(), newLicences(), newMan()}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, v := range g.verbs {
			v.GroupID = g.title
		}
		root.AddCommand(g.verbs...)
	}
	root.AddCommand(newGuard())
	const itself = "The command itself:"
	root.SetHelpCommandGroupID(itself)
	root.SetCompletionCommandGroupID(itself)
	sf.complete(root)
	return root
}

// takes returns a check that there are min to max arguments.
func takes(min, max int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < min || len(args) > max {
			if c.HasSubCommands() && max == 0 {
				return usagef("no verb %q; see %s --help", args[0], c.CommandPath())
			}
			return usagef("wrong number of arguments; usage: %s", c.UseLine())
		}
		return nil
	}
}

// group returns a verb that takes one of verbs, and adds these.
func group(c *cobra.Command, verbs ...*cobra.Command) *cobra.Command {
	c.AddCommand(verbs...)
	var names []string
	for _, v := range verbs {
		names = append(names, v.Name())
	}
	last := len(names) - 1
	want := strings.Join(names[:last], ", ") + " or " + names[last]
	c.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usagef("no verb %q: %s takes %s; see %s --help", args[0], c.Name(), want, c.CommandPath())
		}
		return usagef("%s takes %s; see %s --help", c.Name(), want, c.CommandPath())
	}
	c.RunE = func(*cobra.Command, []string) error { return nil }
	return c
}

// newHelp returns help VERB.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [VERB]",
		Short: "Describes a verb and its flags",
		RunE: func(c *cobra.Command, args []string) error {
			of, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usagef("no verb %q; see cairn --help", strings.Join(args, " "))
			}
			of.InitDefaultHelpFlag()
			return of.Help()
		},
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			if of, _, err := c.Root().Find(args); err == nil {
				for _, v := range of.Commands() {
					names = append(names, v.Name())
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
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
	return exitFailed
}

// isWrong reports whether an error says that something was read and is damaged or differs.
func isWrong(err error) bool {
	var wrong wrongError
	var damage *format.DamageError
	var corrupt *stone.CorruptError
	var store *local.DamageError
	return errors.As(err, &wrong) || errors.As(err, &damage) || errors.As(err, &corrupt) || errors.As(err, &store)
}

// packages is how errors begin that name a package of the library, also behind a flag.
var packages = regexp.MustCompile(`^(--[a-z-]+: )?(anvil|arena|backup|bedrock|bitmap|client|clip|convert|edit|exr|grid|history|imagefile|inspect|ledger|local|luanti|mesh|move|pair|port|radiance|region|resourcepack|server|service|stone|store|stream|texture|tiff|tile|token|trace|world): `)

// plain returns an error's text without names of packages before it and of the system call. A
// package's name that is also the last part of an argument may be a file of the user.
func plain(err error, args []string) string {
	text := err.Error()
	if of := (*fs.PathError)(nil); errors.As(err, &of) {
		text = strings.Replace(text, of.Error(), of.Path+": "+of.Err.Error(), 1)
	}
	for {
		m := packages.FindStringSubmatch(text)
		if m == nil || slices.ContainsFunc(args, func(arg string) bool { return filepath.Base(arg) == m[2] }) {
			return strings.ReplaceAll(text, "\n", "; ")
		}
		text = m[1] + text[len(m[0]):]
	}
}

// message returns the text of an error for people. args are what follows the verb.
func message(err error, args []string) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	if errors.Is(err, history.ErrLeased) {
		err = fmt.Errorf("%w; cairn info shows who holds it, and until when", err)
	}
	if errors.Is(err, local.ErrInUse) {
		err = fmt.Errorf("%w; if that is cairn serve, name the server: --store http://127.0.0.1:7070", err)
	}
	var no arena.NoSnapshotError
	switch {
	case errors.As(err, &no):
		err = fmt.Errorf("%w; cairn snapshot list @%s shows them", err, no.World)
	case errors.Is(err, history.ErrNoWorld):
		err = fmt.Errorf("%w; cairn list shows the worlds, and list --deleted those that undelete brings back", err)
	}
	if errors.Is(err, history.ErrConflict) {
		err = fmt.Errorf("%w; nothing was saved: repeat the command", err)
	}
	var damage *format.DamageError
	if !errors.As(err, &damage) {
		return plain(err, args)
	}
	lines := []string{console.Counted(len(damage.Columns), "damaged chunk") + "; nothing was written; cairn import --salvage keeps such chunks as they are stored"}
	for _, d := range damage.Columns {
		lines = append(lines, fmt.Sprintf("  %s chunk %v: %v", d.File, d.Pos, d.Err))
	}
	return strings.Join(lines, "\n")
}

// result is the result of a verb, printed for people or as one JSON document.
type result interface{ print(io.Writer) }

// report prints a result.
func report(w io.Writer, r result, json bool) error {
	if json {
		return console.PrintJSON(w, r)
	}
	r.print(w)
	return nil
}

// jsonFlag adds --json.
func jsonFlag(f *pflag.FlagSet, to *bool) { f.BoolVar(to, "json", false, "print one JSON document") }

// printing gives a verb --json, and makes it print the result of do.
func printing(c *cobra.Command, do func(ctx context.Context, args []string) (result, error)) *cobra.Command {
	var json bool
	jsonFlag(c.Flags(), &json)
	c.RunE = func(c *cobra.Command, args []string) error {
		r, err := do(c.Context(), args)
		if too := (partly{}); err != nil && !errors.As(err, &too) {
			return err
		}
		return cmp.Or(report(c.OutOrStdout(), r, json), err)
	}
	return c
}

// partly is an error of a verb that has a result all the same. The result is printed first.
type partly struct{ error }

// Unwrap returns the error.
func (p partly) Unwrap() error { return p.error }

// partlyDone returns an error as a partly, and nil as nil.
func partlyDone(err error) error {
	if err == nil {
		return nil
	}
	return partly{err}
}
