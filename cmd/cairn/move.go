package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/move"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/retry"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/spf13/cobra"
)

// placeHelp says in the help of three verbs what a place is.
const placeHelp = `redis://HOST/DB, rediss://, mysql://HOST/DB and mongodb://HOST/DB are those of the loaders of
AdvancedSlimePaper, with USER:PASSWORD@ before HOST. A folder has files and folders of worlds
in any format, such as .slime files, Minecraft's saves or those of dragonfly; STORE@prefix/,
as in https://HOST@islands/, is another store.`

// isPrefix reports whether an argument names the worlds of the store below a prefix.
func isPrefix(arg string) bool { return isAddress(arg) && strings.HasSuffix(arg, "/") }

// moved is the result of moving many worlds.
type moved struct {
	From    string            `json:"from"`
	To      string            `json:"to"`
	Counts  map[move.Fate]int `json:"counts"`
	Lost    map[string]int    `json:"lost"` // of all worlds
	Worlds  []move.Moved      `json:"worlds"`
	DryRun  bool              `json:"dry_run,omitempty"`
	Seconds float64           `json:"seconds"`
	Remarks []string          `json:"remarks,omitempty"`
	Passed  []string          `json:"passed,omitempty"` // what at the place is no world
}

// moving is a move of many worlds.
type moving struct {
	sf       *storeFlag
	from, to string
	move.Options
	quick, dryRun bool
	both          bool // either side may be made
	note
}

// bulk moves the worlds once, by do.
func (m *moving) bulk(ctx context.Context, do func(*move.Mover, context.Context) error) (*moved, error) {
	mover, closeAll, err := m.open(ctx)
	if err != nil {
		return nil, err
	}
	r := &moved{From: m.from, To: m.to, Counts: map[move.Fate]int{}, Lost: map[string]int{}, Worlds: []move.Moved{}, DryRun: m.dryRun}
	if mover.Each = r.add; isPrefix(m.to) { // a place as it was written may have a password
		r.From = mover.Place.String()
	} else {
		r.To = mover.Place.String()
	}
	show, done := console.Bar()
	if show != nil {
		mover.Progress = func(n, all int, next string) { show(n, all, console.Line(next)) }
	}
	began := time.Now()
	err = do(mover, ctx)
	done()
	if isPrefix(m.to) || m.both {
		r.Passed = mover.Passed
	}
	r.Seconds = time.Since(began).Seconds()
	if mover.Note != nil {
		r.Remarks = append(r.Remarks, "the next move compares all worlds again: "+mover.Note.Error())
	}
	err = cmp.Or(err, closeAll())
	if failed := r.Counts[move.Failed] + r.Counts[move.Left]; err == nil && failed > 0 {
		err = wrongError{fmt.Errorf("%s of %d not moved", console.Counted(failed, "world"), len(r.Worlds))}
	}
	return r, partlyDone(err)
}

// open opens both sides. One of them is worlds of the store.
func (m *moving) open(ctx context.Context) (*move.Mover, func() error, error) {
	home, there, reversed := m.to, m.from, false
	if !isPrefix(home) {
		home, there, reversed = there, home, true
	}
	if err := m.note.check(); err != nil {
		return nil, nil, err
	}
	if isPrefix(home) == isPrefix(there) || isAddress(there) {
		return nil, nil, usagef("%s %s: one side is @prefix/, the other a place: a folder, STORE@prefix/ or a URL of redis, mysql or mongodb", m.from, m.to)
	}
	if url, _, ok := otherStore(there); ok && url == m.sf.location() {
		return nil, nil, usagef("%s: the stores are the same; for a second world in one store there is cairn fork", there)
	}
	mover := &move.Mover{Options: m.Options}
	var err error
	if mover.Home, err = m.stored(ctx, home, m.both || !reversed); err != nil {
		return nil, nil, err
	}
	place, closePlace, err := m.place(ctx, there, reversed)
	if err != nil {
		return nil, nil, err
	}
	mover.Place, mover.DryRun = place, m.dryRun
	mover.Read = m.sf.options()
	mover.Read.Salvage = m.Read.Salvage
	effort := stone.Options{}
	if m.quick {
		effort.Effort = stone.Good
	}
	mover.Form.Note = port.ImportOptions{Write: m.sf.whole(effort), Note: port.Note{Author: m.author, Message: cmp.Or(m.message, "from "+place.String()), Cache: m.sf.memory.cache()}}
	return mover, closePlace, nil
}

// stored returns the worlds of the store below a prefix.
func (m *moving) stored(ctx context.Context, arg string, make bool) (*move.Worlds, error) {
	prefix := strings.TrimPrefix(arg, "@")
	if name := strings.TrimSuffix(prefix, "/"); name != "" {
		if _, err := parseName("@" + name); err != nil {
			return nil, err
		}
	} else {
		prefix = ""
	}
	s := &move.Worlds{Prefix: prefix, URL: m.sf.location(), Cache: m.sf.memory.cache()}
	if dir, isLocal := strings.CutPrefix(m.sf.location(), localScheme); m.dryRun && isLocal && make && checkStoreDir(dir) != nil {
		s.Store = memory.New(memory.Options{})
		return s, nil
	}
	m.sf.writes = !m.dryRun
	st, err := m.sf.get(ctx, make)
	s.Store = st
	return s, err
}

// otherStore splits STORE@prefix/.
func otherStore(arg string) (url, prefix string, ok bool) {
	i := strings.LastIndex(arg, "@")
	if i <= 0 || !isStore(arg[:i]) || !isPrefix(arg[i:]) {
		return "", "", false
	}
	return arg[:i], arg[i:], true
}

// place opens the other side.
func (m *moving) place(ctx context.Context, arg string, make bool) (move.Depot, func() error, error) {
	if url, prefix, ok := otherStore(arg); ok {
		one := &moving{sf: &storeFlag{url: url, memory: m.sf.memory, cache: m.sf.cache, temp: m.sf.temp}, dryRun: m.dryRun}
		s, err := one.stored(ctx, prefix, m.both || make)
		return s, one.sf.close, err
	}
	if !make && !move.IsURL(arg) {
		if err := m.sf.outside(arg); err != nil {
			return nil, nil, err
		}
	}
	p, err := move.Open(ctx, arg, m.both || make)
	if err != nil {
		return nil, nil, err
	}
	return p, p.Close, nil
}

func (r *moved) add(w move.Moved) {
	r.Counts[w.State]++
	for what, n := range w.Lost {
		r.Lost[what] += n
	}
	r.Worlds = append(r.Worlds, w)
}

// told are the states in the order in which they are printed.
var told = []move.Fate{move.Copied, move.Changed, move.Same, move.Unchanged, move.Unknown, move.Left, move.Failed}

func (r *moved) print(out io.Writer) {
	fmt.Fprintf(out, "%s -> %s\n", r.From, r.To)
	t := console.NewColumns(out)
	words := map[move.Fate]string{move.Unknown: "to compare", move.Left: "left alone"}
	if r.DryRun {
		words[move.Copied], words[move.Changed] = "would copy", "would change"
	}
	for _, s := range told {
		if n := r.Counts[s]; n > 0 {
			t.Row("  "+cmp.Or(words[s], string(s)), console.Count(n))
		}
	}
	t.Row("  worlds", console.Count(len(r.Worlds)))
	t.Flush()
	var remarks []string
	for _, w := range r.Worlds {
		for _, remark := range w.Remarks {
			remarks = append(remarks, w.Name+": "+remark)
		}
		for _, chunk := range w.Damaged {
			remarks = append(remarks, w.Name+": damaged, kept as stored: "+chunk)
		}
	}
	console.PrintList(out, "no worlds:", r.Passed)
	console.PrintList(out, "not moved:", r.named(move.Left, move.Failed))
	if r.DryRun {
		console.PrintList(out, "would be moved:", r.named(move.Copied, move.Changed, move.Unknown))
	}
	console.PrintList(out, "remarks:", append(remarks, r.Remarks...))
	console.PrintCounts(out, "not kept:", r.Lost)
}

// named lists the worlds of some states.
func (r *moved) named(states ...move.Fate) (lines []string) {
	for _, w := range r.Worlds {
		if slices.Contains(states, w.State) {
			lines = append(lines, strings.TrimSuffix(fmt.Sprintf("%s (@%s): %s", w.Name, w.World, w.Why), ": "))
		}
	}
	return lines
}

// importPlace imports the worlds of a place.
func importPlace(ctx context.Context, sf *storeFlag, from, to string, o importOptions) (result, error) {
	if o.slim || o.live || o.force || o.reread || o.light != "keep" || o.time != "" || o.dated != "" || sf.shown != 0 {
		return nil, usagef("%s: many worlds are imported whole: of the flags it takes --author, --dry-run, --json, --message, --quick and --salvage", to)
	}
	m := &moving{sf: sf, from: from, to: to, quick: o.quick, dryRun: o.dryRun, note: o.note}
	m.Read.Salvage = o.salvage
	return m.bulk(ctx, (*move.Mover).Import)
}

// exportPlace exports the worlds of the store below a prefix to a place.
func exportPlace(ctx context.Context, sf *storeFlag, from, to string, o exportOptions) (result, error) {
	rest := o
	if rest.format, rest.version = "", 0; !rest.bare() || o.file != "" {
		return nil, usagef("%s: many worlds are exported whole: of the flags it takes --dry-run, --force, --format, --format-version and --json", from)
	}
	if o.format != "" {
		if err := o.resolve(""); err != nil {
			return nil, err
		}
	}
	m := &moving{sf: sf, from: from, to: to, dryRun: o.dryRun}
	m.Force, m.Form = o.force, move.Wanted{Format: o.format, Version: o.version}
	return m.bulk(ctx, (*move.Mover).Export)
}

// mirroring is one run of mirror.
type mirroring struct {
	moving
	every string
	once  bool
	json  bool
}

func newMirror(sf *storeFlag) *cobra.Command {
	o := mirroring{moving: moving{sf: sf, both: true}}
	c := &cobra.Command{
		Use:   "mirror FROM TO",
		Short: "Copies every world that changed on one side to the other, until it is stopped",
		Long: `mirror keeps the worlds of the store below @prefix/ and those of a place equal. One of FROM and
TO is @prefix/. Every --every it copies each world that changed on one side since both were
equal to the other side, until Ctrl-C. A world that changed on both sides is left alone and
named. One that is gone from a side is named and stays on the other. Which side is FROM does
not matter.

` + placeHelp + `

What comes to the store is a new version there. Each world is read back and compared.
What both sides were is kept in the store, in the world @prefix/.moved/ID: after a restart,
also on another machine, mirror goes on. See docs/DOORS.md.`,
		Example: "  cairn mirror redis://127.0.0.1/0 @islands/\n  cairn mirror @islands/ mysql://asp:PASSWORD@db/slime --every 1m\n  cairn mirror @islands/ https://other:7070@islands/ --once",
		Args:    takes(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			o.from, o.to = args[0], args[1]
			return o.run(c.Context(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	f := c.Flags()
	jsonFlag(f, &o.json)
	f.StringVar(&o.every, "every", "10s", "how long to wait between two looks")
	f.BoolVar(&o.once, "once", false, "look once")
	f.BoolVar(&o.dryRun, "dry-run", false, "look once, copy nothing, and say what would be copied")
	o.note.flags(f)
	return c
}

func (o *mirroring) run(ctx context.Context, out, warns io.Writer) error {
	every, err := parseSpan("--every", o.every)
	if err != nil {
		return err
	}
	if o.sf.location() == memoryStore {
		return usagef("--store %s: what is kept there ends with the command", memoryStore)
	}
	said := map[string]string{}
	for looks := 1; ; looks++ {
		r, err := o.bulk(ctx, (*move.Mover).Mirror)
		if o.sf.st != nil { // so that other programs can use it until the next look
			err = errors.Join(err, o.sf.close())
			o.sf.st = nil
		}
		if o.once || o.dryRun || looks == 1 && r == nil {
			if r == nil {
				return err
			}
			return cmp.Or(report(out, r, o.json), err)
		}
		if r != nil {
			if wrong := (wrongError{}); errors.As(err, &wrong) {
				err = nil // look names these worlds once
			}
			err = errors.Join(err, r.look(out, said, o.json))
		}
		if err != nil && ctx.Err() == nil {
			fmt.Fprintf(warns, "cairn: %s: %s; mirror goes on\n", stamp(time.Now()), message(err, nil))
		}
		if !retry.Wait(ctx, max(every, time.Second)) {
			return nil // it was told to end
		}
	}
}

// look prints what became of worlds in one look, and of those that stay as they are only what was not said before.
func (r *moved) look(out io.Writer, said map[string]string, json bool) error {
	var news []move.Moved
	for _, w := range r.Worlds {
		what := string(w.State) + ": " + w.Why
		if w.State == move.Unchanged || w.State == move.Same {
			what = ""
		}
		if what != "" && (w.To != "" && w.State != move.Failed || said[w.World] != what) {
			news = append(news, w)
		}
		said[w.World] = what
	}
	if len(news) == 0 {
		return nil
	}
	if json {
		return console.PrintJSON(out, map[string]any{"time": stamp(time.Now()), "worlds": news})
	}
	for _, w := range news {
		line := fmt.Sprintf("%s  %s (@%s)  %s", stamp(time.Now()), console.Line(w.Name), w.World, w.State)
		if w.To != "" {
			line += " in the " + w.To
		}
		fmt.Fprintln(out, strings.TrimSuffix(line+": "+console.Line(w.Why), ": "))
		console.PrintCounts(out, "  not kept:", w.Lost)
	}
	return nil
}
