package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/port"
	"github.com/cairnvoxel/cairn/undo"
	"github.com/cairnvoxel/cairn/world"
)

// The two ways along an author's commits.
const (
	back  = "undo"
	again = "redo"
)

// trail is an author's commits that can be taken back, and those that took some
// back, which can be taken back in their turn: the next one last.
type trail struct{ undo, redo []history.Commit }

func trailOf(ctx context.Context, st history.Store, name, author string) (*trail, error) {
	var own []history.Commit
	for c, err := range port.Commits(ctx, st, name) {
		if err != nil {
			return nil, err
		}
		if c.Author == author && c.Parent != (history.ID{}) {
			own = append(own, c)
		}
	}
	t := new(trail)
	for _, c := range slices.Backward(own) {
		t.add(c)
	}
	return t, nil
}

func (t *trail) add(c history.Commit) {
	switch {
	case takesBack(c, back, t.undo):
		t.undo = t.undo[:len(t.undo)-1]
		t.redo = append(t.redo, c)
	case takesBack(c, again, t.redo):
		t.redo = t.redo[:len(t.redo)-1]
		t.undo = append(t.undo, c)
	default:
		t.undo, t.redo = append(t.undo, c), nil
	}
}

// takesBack reports whether c says that it took back the last of some commits.
func takesBack(c history.Commit, way string, some []history.Commit) bool {
	return len(some) > 0 && c.Message == takingBack(way, some[len(some)-1])
}

// takingBack is the message of a commit that takes back c.
func takingBack(way string, c history.Commit) string { return way + " " + versionOf(c).short() }

// next returns the commit to take back.
func (t *trail) next(way, author string) (history.Commit, error) {
	some := t.undo
	if way == again {
		some = t.redo
	}
	if len(some) == 0 {
		return history.Commit{}, fmt.Errorf("nothing of %q to %s", author, way)
	}
	return some[len(some)-1], nil
}

// takenBack is what edit undo and edit redo print.
type takenBack struct {
	World          string   `json:"world"`
	Taken          *version `json:"taken_back"`
	Cells          int      `json:"cells"`
	Columns        int      `json:"columns"`
	Skipped        int      `json:"skipped"`
	SkippedColumns int      `json:"skipped_columns"`
	Unknown        int      `json:"unknown"`
	Files          []string `json:"files"` // that the version changed and that stay so
	Properties     bool     `json:"properties"`
	keeping

	way    string
	places []undo.Place
}

func runTakeBack(ctx context.Context, d *depot, out io.Writer, name, way string, o editOptions) error {
	if o.message != "" {
		return usagef("--message: %s says itself what it does", way)
	}
	w, err := d.world(ctx, name, o.author)
	if err != nil {
		return err
	}
	r, err := takeBack(ctx, d.st, w, way, o.author)
	if err = errors.Join(err, w.Close()); err != nil {
		return err
	}
	return report(out, r, o.json)
}

func takeBack(ctx context.Context, st history.Store, w *world.World, way, author string) (*takenBack, error) {
	t, err := trailOf(ctx, st, w.Name(), author)
	if err != nil {
		return nil, err
	}
	c, err := t.next(way, author)
	if err != nil {
		return nil, fmt.Errorf("@%s: %w", w.Name(), err)
	}
	apart, err := apartOf(ctx, w, c)
	if err != nil {
		return nil, err
	}
	did, err := undo.Revert(ctx, w, c.ID())
	if err != nil {
		return nil, err
	}
	r := &takenBack{World: "@" + w.Name(), Taken: versionOf(c), Cells: did.Cells, Columns: did.Columns, Skipped: did.Skipped,
		SkippedColumns: did.SkippedColumns, Unknown: did.Unknown, Files: append([]string{}, apart.Files...), Properties: apart.Properties, way: way, places: did.Places}
	head := w.Head()
	made, err := w.Commit(ctx, takingBack(way, c))
	r.keeping = keeping{versionOf(made), made.ID() == head}
	return r, err
}

// apartOf says where a commit may differ from its parent.
func apartOf(ctx context.Context, w *world.World, c history.Commit) (*world.Apart, error) {
	old, err := w.SnapshotAt(ctx, c.Parent)
	if err != nil {
		return nil, err
	}
	defer old.Close()
	new, err := w.SnapshotAt(ctx, c.ID())
	if err != nil {
		return nil, err
	}
	defer new.Close()
	return old.Apart(new), nil
}

func (r *takenBack) print(out io.Writer) {
	if r.Same {
		fmt.Fprintf(out, "%s: nothing is left to take back of version %s\n", r.World, r.Taken)
	} else {
		fmt.Fprintf(out, "%s: version %s, %s of %s, %q: %s put back\n", r.World, r.Commit, r.way, r.Taken.short(), r.Taken.Message, counted(r.Cells, "cell"))
	}
	if n := r.Skipped + r.SkippedColumns + r.Unknown; n > 0 {
		fmt.Fprintf(out, "  left as they are, since they were changed later: %s, %s\n", counted(r.Skipped, "cell"), counted(r.SkippedColumns+r.Unknown, "column"))
	}
	for _, p := range r.places {
		fmt.Fprintf(out, "    %s %s %v: %s\n", line(p.Dimension), line(p.Volume), p.Box, counted(p.Cells, "cell"))
	}
	if r.Properties {
		fmt.Fprintln(out, "  properties stay as they are; cairn restore goes back to all of a version")
	}
	printList(out, "  files that stay as they are:", r.Files)
}
