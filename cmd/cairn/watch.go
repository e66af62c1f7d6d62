package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/living"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/rcon"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/spf13/cobra"
)

type watchOptions struct {
	every, settle            string
	rcon, passwordFile, save string
	keep, backup             string
	json                     bool
	note
}

// watching is one run of watch.
type watching struct {
	living.History
	sf         *storeFlag
	o          watchOptions
	policy     *history.Policy // of --keep
	remembered seenFile
	looks      int
	out, warns io.Writer
}

func newWatch(sf *storeFlag) *cobra.Command {
	var o watchOptions
	c := &cobra.Command{
		Use:   "watch FOLDER @name",
		Short: "Keeps the history of a folder that a game is writing",
		Long: `watch looks at a world's folder while a game writes it. When something has changed and the
game has been quiet for --settle, what changed becomes the next version of @name: at most
one version in each --every. It goes on until Ctrl-C. See docs/LIVING.md.

A chunk is read as it was at one moment. One that stays torn is named, and is taken from the
version before. watch needs no help from the game. With --rcon it tells a server not to
save while it reads, for at most 10 seconds whatever happens; a second process turns
saves on again if this one dies. RCON is plain text: use it on this machine only.

Between two looks the store is closed, so that other verbs can use it.

--keep says which versions to keep, as cairn gc --keep does: of all worlds of the store.
--backup adds a backup of the store after each version, as cairn backup --to does.`,
		Example: "  cairn watch /srv/minecraft/world @survival\n  cairn watch /srv/minecraft/world @survival --every 15m --rcon 127.0.0.1:25575 --rcon-password-file rcon.txt --keep newest=48,daily=30d",
		Args:    takes(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			w := &watching{sf: sf, o: o, out: c.OutOrStdout(), warns: c.ErrOrStderr()}
			return w.run(c.Context(), args[0], args[1])
		},
	}
	f := c.Flags()
	jsonFlag(f, &o.json)
	f.StringVar(&o.every, "every", "5m", "at most one version in this time")
	f.StringVar(&o.settle, "settle", "10s", "how long the game must not have written")
	f.StringVar(&o.rcon, "rcon", "", "HOST:PORT of the server's remote console")
	f.StringVar(&o.passwordFile, "rcon-password-file", "", "the file with its password")
	f.StringVar(&o.save, "save", "", "with --rcon, have the server save first: all, or flush, which may hold it up for a minute")
	f.StringVar(&o.keep, "keep", "", "which versions to keep, as cairn gc --keep")
	f.StringVar(&o.backup, "backup", "", bucketHelp)
	o.note.flags(f)
	return c
}

func (w *watching) run(ctx context.Context, from, to string) error {
	every, err := parseSpan("--every", w.o.every)
	if err != nil {
		return err
	}
	settle, err := parseSpan("--settle", w.o.settle)
	if err == nil {
		err = w.check(from, to)
	}
	if err == nil && w.Door != nil { // a watch that died may have left them off
		err = w.Door.Say(ctx, rcon.SaveOn)
	}
	if err != nil {
		return err
	}
	err = living.Run(ctx, from, living.Options{Every: max(every, time.Second), Settle: max(settle, 100*time.Millisecond)}, w.look)
	if ctx.Err() != nil {
		return nil // it was told to end
	}
	return sourceError(from, err)
}

// check checks the arguments and flags, and prepares the History.
func (w *watching) check(from, to string) (err error) {
	o := &w.o
	if w.World, err = parseName(to); err != nil {
		return err
	}
	switch {
	case w.sf.location() == memoryStore:
		return usagef("--store %s: what is kept there ends with the command", memoryStore)
	case o.save != "" && o.save != "all" && o.save != "flush":
		return usagef("--save %s: all or flush", o.save)
	case o.rcon == "" && (o.passwordFile != "" || o.save != ""):
		return usagef("--rcon-password-file and --save need --rcon")
	case o.rcon != "" && o.passwordFile == "":
		return usagef("--rcon needs --rcon-password-file")
	}
	if o.keep != "" {
		w.policy = new(history.Policy)
		if w.policy.Keep, err = parseRetention("--keep", o.keep); err != nil {
			return err
		}
	}
	if err := errors.Join(o.note.check(), w.sf.outside(from)); err != nil {
		return err
	}
	w.Dir, w.Read = from, w.sf.options()
	w.Import = port.ImportOptions{Write: w.sf.whole(stone.Options{}), Note: port.Note{Author: o.author, Message: o.message, Cache: w.sf.memory.cache()}}
	w.remembered = w.sf.seenOf(w.World)
	w.Seen = w.remembered.read()
	w.sf.writes = true
	if o.rcon == "" {
		return nil
	}
	return w.console()
}

// console prepares the Door.
func (w *watching) console() error {
	if _, _, err := net.SplitHostPort(w.o.rcon); err != nil {
		return usagef("--rcon %s: want HOST:PORT", w.o.rcon)
	}
	password, err := os.ReadFile(w.o.passwordFile)
	if err != nil {
		return pathError(w.o.passwordFile, err)
	}
	warn(w.warns, w.o.passwordFile)
	w.Door = &rcon.Door{Addr: w.o.rcon, Password: strings.TrimSpace(string(password))}
	w.Save = map[string]string{"all": rcon.SaveAll, "flush": rcon.SaveFlush}[w.o.save]
	w.Self, err = os.Executable()
	return err
}

// look makes what changed a version. Only the first look ends the verb by its error: later ones may go better.
func (w *watching) look(ctx context.Context) error {
	w.looks++
	err := w.version(ctx)
	if w.sf.st != nil {
		err = errors.Join(err, w.sf.close())
		w.sf.st = nil
	}
	if err == nil || w.looks == 1 || ctx.Err() != nil {
		return err
	}
	w.warnf("%v; watch goes on", err)
	return nil
}

func (w *watching) warnf(format string, args ...any) {
	fmt.Fprintf(w.warns, "cairn: %s: %s\n", stamp(time.Now()), fmt.Sprintf(format, args...))
}

func (w *watching) version(ctx context.Context) error {
	l, err := w.Look(ctx, w.sf.openOrCreate)
	if l.Alone != nil {
		w.warnf("%v; read without the server's help", l.Alone)
	}
	if err != nil || l.Untouched {
		return err
	}
	if err := w.remembered.write(w.Seen); err != nil {
		w.warnf("after a restart everything is read: %v", err)
	}
	if err := w.report(l); err != nil || l.Same {
		return err
	}
	st, err := w.sf.openWritable(ctx)
	if err == nil && w.policy != nil {
		_, err = st.Collect(ctx, *w.policy)
	}
	if err == nil && w.o.backup != "" {
		_, err = makeBackup(ctx, w.sf, backupOptions{to: w.o.backup, keep: "all", lock: "0"})
	}
	return err
}

func (w *watching) report(l living.Looked) error {
	if w.o.json {
		return console.PrintJSON(w.out, l)
	}
	what := "nothing that is kept has changed"
	if !l.Same {
		what = fmt.Sprintf("version %d, %s read, %s", l.Number, console.Counted(l.Columns, "column"), table.Size(l.Bytes))
	}
	fmt.Fprintf(w.out, "%s  @%s  %s\n", stamp(l.Time), w.World, what)
	console.PrintList(w.out, "  "+tornTitle, l.Torn)
	return nil
}

// newGuard returns the verb with which rcon.Off starts this program again.
func newGuard() *cobra.Command {
	return &cobra.Command{
		Use:    rcon.GuardVerb,
		Short:  "Turns the saves of a server on again; cairn watch starts it",
		Hidden: true,
		Args:   takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			// It ends when its work is done. It outlives whoever reads what it prints.
			signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
			return rcon.Guard(context.WithoutCancel(c.Context()), os.Stdin, c.OutOrStdout())
		},
	}
}
