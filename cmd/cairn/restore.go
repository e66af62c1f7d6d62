package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cairnvoxel/cairn/world"
	"github.com/spf13/cobra"
)

type restoreOptions struct {
	to string
	force
	note
}

// restored is the result of restore.
type restored struct {
	World string   `json:"world"`
	To    *version `json:"to"` // the version that the world is equal to now
	commitResult
}

func newRestore(sf *storeFlag) *cobra.Command {
	var o restoreOptions
	c := printing(&cobra.Command{
		Use:   "restore @name@version",
		Short: "Goes back to an older version of a world",
		Long: `restore makes a new version of a world that is equal to an older one. It copies nothing,
however large the world is. The versions in between stay in the log and can be restored
as well.`,
		Example: "  cairn restore @hub@3\n  cairn restore @hub --to 2026-11-20T10:00",
		Args:    takes(1, 1),
	}, func(ctx context.Context, args []string) (result, error) { return o.run(ctx, sf, args[0]) })
	f := c.Flags()
	f.StringVar(&o.to, "to", "", "the version, if the argument has none")
	o.force.flags(f)
	o.note.flags(f)
	return c
}

func (o *restoreOptions) run(ctx context.Context, sf *storeFlag, arg string) (*restored, error) {
	a, err := o.address(arg)
	if err != nil {
		return nil, err
	}
	st, err := sf.openWritable(ctx)
	if err != nil {
		return nil, err
	}
	w, err := world.Open(ctx, st, a.name, world.Options{Author: o.author, Fence: o.fence()})
	if err != nil {
		return nil, err
	}
	r, err := o.restore(ctx, sf, w, a)
	return r, errors.Join(err, w.Close())
}

// address returns the version to restore.
func (o *restoreOptions) address(arg string) (address, error) {
	a, err := parseAddress(arg)
	if err = errors.Join(err, o.note.check()); err != nil {
		return a, err
	}
	if (a.version == "") == (o.to == "") {
		return a, usagef("%s: give one version, as @%s@VERSION or by --to VERSION", arg, a.name)
	}
	a.version += o.to
	return a, nil
}

func (o *restoreOptions) restore(ctx context.Context, sf *storeFlag, w *world.World, a address) (*restored, error) {
	to, err := a.commit(ctx, sf.st)
	if err != nil {
		return nil, err
	}
	head, err := address{name: a.name}.commit(ctx, sf.st)
	if err != nil {
		return nil, err
	}
	r := &restored{World: "@" + a.name, To: versionOf(to), commitResult: commitResult{Commit: versionOf(head)}}
	if r.Same = head.ID() == to.ID() || len(head.Stones) == 0 && head.Base == to.ID(); r.Same {
		return r, nil
	}
	if o.message == "" {
		o.message = fmt.Sprintf("restore %d (%s)", to.Number, r.To.short())
	}
	c, err := w.Restore(ctx, to.ID(), o.message)
	r.Commit = versionOf(c)
	return r, err
}

func (r *restored) print(out io.Writer) {
	if r.Same {
		fmt.Fprintf(out, "%s is equal to version %s already\n", r.World, r.To)
		return
	}
	fmt.Fprintf(out, "%s: version %s, equal to version %s\n", r.World, r.Commit, r.To)
}
