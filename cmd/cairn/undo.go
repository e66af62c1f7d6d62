package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cairnvoxel/cairn/game/undo"
	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
)

// The arguments that are not brushes.
const (
	undoVerb = "undo"
	redoVerb = "redo"
)

// undoStacks are the commits of one author that can be undone, and the undos that can be
// redone. The next one is the last.
type undoStacks struct{ undo, redo []history.Commit }

func undoStacksOf(ctx context.Context, st history.Store, name, author string) (*undoStacks, error) {
	var own []history.Commit
	for c, err := range world.Commits(ctx, st, name) {
		if err != nil {
			return nil, err
		}
		if c.Author == author && c.Parent != (history.ID{}) {
			own = append(own, c)
		}
	}
	t := new(undoStacks)
	for _, c := range slices.Backward(own) {
		t.add(c)
	}
	return t, nil
}

func (t *undoStacks) add(c history.Commit) {
	switch {
	case isRevert(c, undoVerb, t.undo):
		t.undo = t.undo[:len(t.undo)-1]
		t.redo = append(t.redo, c)
	case isRevert(c, redoVerb, t.redo):
		t.redo = t.redo[:len(t.redo)-1]
		t.undo = append(t.undo, c)
	default:
		t.undo, t.redo = append(t.undo, c), nil
	}
}

// isRevert reports whether the message of c says that it reverts the last of some commits.
func isRevert(c history.Commit, way string, some []history.Commit) bool {
	return len(some) > 0 && c.Message == revertMessage(way, some[len(some)-1])
}

// revertMessage returns the message of a commit that reverts c.
func revertMessage(way string, c history.Commit) string { return way + " " + versionOf(c).short() }

// next returns the commit to revert.
func (t *undoStacks) next(way, author string) (history.Commit, error) {
	some := t.undo
	if way == redoVerb {
		some = t.redo
	}
	if len(some) == 0 {
		return history.Commit{}, fmt.Errorf("%q has nothing to %s", author, way)
	}
	return some[len(some)-1], nil
}

// reverted is the result of edit undo and edit redo.
type reverted struct {
	World          string   `json:"world"`
	Taken          *version `json:"taken_back"`
	Cells          int      `json:"cells"`
	Columns        int      `json:"columns"`
	Skipped        int      `json:"skipped"`
	SkippedColumns int      `json:"skipped_columns"`
	Unknown        int      `json:"unknown"`
	Files          []string `json:"files"` // changed by the version, and not reverted
	Properties     bool     `json:"properties"`
	commitResult

	way    string
	places []undo.Conflict
}

func (o *editOptions) runRevert(ctx context.Context, sf *storeFlag, name, way string) (r *reverted, err error) {
	if o.message != "" {
		return nil, usagef("--message: %s writes its own message", way)
	}
	err = sf.withWorld(ctx, name, o.author, func(w *world.World) (err error) {
		r, err = revert(ctx, sf.st, w, way, o.author)
		return err
	})
	return r, err
}

func revert(ctx context.Context, st history.Store, w *world.World, way, author string) (*reverted, error) {
	t, err := undoStacksOf(ctx, st, w.Name(), author)
	if err != nil {
		return nil, err
	}
	c, err := t.next(way, author)
	if err != nil {
		return nil, fmt.Errorf("@%s: %w", w.Name(), err)
	}
	apart, err := apartOf(ctx, w, c)
	if errors.Is(err, world.ErrNoParent) {
		err = fmt.Errorf("@%s: nothing to %s: %w", w.Name(), way, err)
	}
	if err != nil {
		return nil, err
	}
	did, err := undo.Revert(ctx, w, c.ID())
	if err != nil {
		return nil, err
	}
	r := &reverted{World: "@" + w.Name(), Taken: versionOf(c), Cells: did.Cells, Columns: did.Columns, Skipped: did.Skipped,
		SkippedColumns: did.SkippedColumns, Unknown: did.Unknown, Files: append([]string{}, apart.Files...), Properties: apart.Properties, way: way, places: did.Conflicts}
	head := w.Head()
	made, err := w.Commit(ctx, revertMessage(way, c))
	r.commitResult = commitResult{versionOf(made), made.ID() == head}
	return r, err
}

// apartOf returns what a version may have changed.
func apartOf(ctx context.Context, w *world.World, c history.Commit) (*world.Apart, error) {
	was, err := w.SnapshotBefore(ctx, c)
	if err != nil {
		return nil, err
	}
	defer was.Close()
	is, err := w.SnapshotAt(ctx, c.ID())
	if err != nil {
		return nil, err
	}
	defer is.Close()
	return was.Apart(is), nil
}

func (r *reverted) print(out io.Writer) {
	if r.Same {
		fmt.Fprintf(out, "%s: nothing is left to revert of version %s\n", r.World, r.Taken)
	} else {
		fmt.Fprintf(out, "%s: version %s, %s of %s, %q: %s put back\n", r.World, r.Commit, r.way, r.Taken.short(), r.Taken.Message, console.Counted(r.Cells, "cell"))
	}
	if n := r.Skipped + r.SkippedColumns + r.Unknown; n > 0 {
		fmt.Fprintf(out, "  not reverted, because they were changed later: %s, %s\n", console.Counted(r.Skipped, "cell"), console.Counted(r.SkippedColumns+r.Unknown, "column"))
	}
	for _, p := range r.places {
		fmt.Fprintf(out, "    %s %s %v: %s\n", console.Line(p.Dimension), console.Line(p.Volume), p.Box, console.Counted(p.Cells, "cell"))
	}
	if r.Properties {
		fmt.Fprintln(out, "  properties are not reverted; cairn restore goes back to a whole version")
	}
	console.PrintList(out, "  files that are not reverted:", r.Files)
}
