package server

import (
	"errors"
	"net/http"

	"github.com/cairnvoxel/cairn/game/arena"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/diff"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/server/operations"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
)

func arenaRoutes() []route {
	which := []param{words("operation", "id of the operation")}
	needed := []string{"operation"}
	operation := jsonOf(operationAnswer{})
	return []route{
		{method: "GET", path: "/v1/snapshots/NAME", role: Read, about: "the named snapshots of a world", status: 200, gives: jsonOf(snapshotsAnswer{}), serve: (*call).listSnapshots},
		{method: "POST", path: "/v1/snapshots/NAME", role: Write, about: "saves a version of a world, or what it is now, as a named snapshot", takes: jsonOf(snapshotCall{}), status: 201, gives: jsonOf(snapshotAnswer{}), serve: (*call).saveSnapshot},
		{method: "DELETE", path: "/v1/snapshots/NAME", role: Write, about: "deletes a named snapshot", query: []param{words("snapshot", "its name")}, needs: []string{"snapshot"}, status: 204, serve: (*call).deleteSnapshot},
		{method: "POST", path: "/v1/operations/NAME", role: Write, about: "begins to restore a named snapshot", takes: jsonOf(operationCall{}), status: 201, gives: operation, serve: ifArenas((*call).operate)},
		{method: "GET", path: "/v1/operations/NAME", role: Read, about: "the operations on a world that run, and the last that ended", query: which, status: 200, gives: jsonOf(operationsAnswer{}), serve: ifArenas((*call).listOperations)},
		{method: "PATCH", path: "/v1/operations/NAME", role: Write, about: "pauses an operation, or lets it go on", takes: jsonOf(pauseCall{}), status: 200, gives: operation, serve: ifArenas((*call).pause)},
		{method: "DELETE", path: "/v1/operations/NAME", role: Write, about: "cancels an operation", query: which, needs: needed, status: 200, gives: operation, serve: ifArenas((*call).cancelOperation)},
		{method: "GET", path: "/v1/events/NAME", role: Read, long: true, about: "what operations on a world do, as it happens; with operation until that ends", query: which, headers: []string{"Last-Event-ID"}, status: 200, gives: bytesOf(eventStream), serve: ifArenas((*call).events)},
	}
}

// ifArenas serves a call if the server does operations.
func ifArenas(serve func(*call) error) func(*call) error {
	return func(c *call) error {
		if c.ops == nil {
			return fault(wire.NoRoute, "this server does no operations")
		}
		return serve(c)
	}
}

// snapshotAnswer is a named snapshot.
type snapshotAnswer struct {
	World     string      `json:"world"`
	Snapshot  string      `json:"snapshot"`
	Stored    string      `json:"stored"` // the name of the world that it is
	Commit    wire.Commit `json:"commit"` // its head
	Message   string      `json:"message"`
	Dimension string      `json:"dimension"` // "" for all, or for the first if there is a region
	Region    string      `json:"region"`    // "" for everything
	Mask      string      `json:"mask"`      // "" for every cell
	Bytes     int64       `json:"bytes"`     // of stones that the newest version of the world does not use
}

type snapshotsAnswer struct {
	Snapshots []snapshotAnswer `json:"snapshots"`
}

func (c *call) snapshotAnswer(s *arena.Snapshot) (snapshotAnswer, error) {
	kept, err := s.Kept(c.ctx, c.st)
	return snapshotAnswer{World: s.World, Snapshot: s.Name, Stored: s.Stored(), Commit: wire.CommitOf(s.Commit), Message: s.Message,
		Dimension: s.Dimension, Region: s.Region, Mask: s.Mask, Bytes: kept}, err
}

// listSnapshots is GET /v1/snapshots.
func (c *call) listSnapshots() error {
	all, err := arena.List(c.ctx, c.st, c.name)
	if err != nil {
		return arenaFault(err)
	}
	answer := snapshotsAnswer{Snapshots: make([]snapshotAnswer, len(all))}
	for i, s := range all {
		if answer.Snapshots[i], err = c.snapshotAnswer(s); err != nil {
			return err
		}
	}
	return c.answer(http.StatusOK, answer)
}

// arenaFault gives texts to errors about snapshots and areas.
func arenaFault(err error) error {
	var none arena.NoSnapshotError
	switch {
	case err == nil:
	case errors.As(err, &none):
		return fault(wire.NoWorld, "there is no snapshot %q of %s", none.Snapshot, none.World)
	case errors.Is(err, arena.ErrArea):
		return bad("%v", err)
	case errors.Is(err, history.ErrName):
		return fault(wire.BadName, "%v", err)
	}
	return worldFault(err)
}

// snapshotCall is the body of POST /v1/snapshots.
type snapshotCall struct {
	Snapshot  string `json:"snapshot"`
	At        string `json:"at,omitempty"`
	Message   string `json:"message,omitempty"`
	Author    string `json:"author,omitempty"`
	Dimension string `json:"dimension,omitempty"`
	Region    string `json:"region,omitempty"`
	Mask      string `json:"mask,omitempty"`
	Replace   bool   `json:"replace,omitempty"`
}

// saveSnapshot is POST /v1/snapshots.
func (c *call) saveSnapshot() error {
	var to snapshotCall
	if err := c.json(&to); err != nil {
		return err
	}
	if to.Snapshot == "" {
		return bad("snapshot must name it")
	}
	to.Author = c.author(to.Author)
	if err := noteFault(to.Message, to.Author); err != nil {
		return err
	}
	o := arena.SaveOptions{Area: arena.Area{Dimension: to.Dimension, Region: to.Region, Mask: to.Mask}, Message: to.Message, Author: to.Author, Replace: to.Replace}
	s, err := c.save(to, o)
	if err != nil {
		return arenaFault(err)
	}
	c.saved(s.Stored(), s.Commit.Number)
	answer, err := c.snapshotAnswer(s)
	if err != nil {
		return err
	}
	return c.answer(http.StatusCreated, answer)
}

func (c *call) save(to snapshotCall, o arena.SaveOptions) (*arena.Snapshot, error) {
	if to.At == "" && c.o.Arenas != nil {
		now, err := c.o.Arenas.Capture(c.ctx, c.name)
		if err != nil {
			return nil, err
		}
		if now != nil {
			defer now.Close()
			return arena.SaveCapture(c.ctx, c.st, now, c.name, to.Snapshot, o)
		}
	}
	var err error
	if o.At, err = c.version(c.name, to.At); err != nil {
		return nil, err
	}
	if o.At == (history.ID{}) {
		return nil, history.ErrNoCommit
	}
	return arena.Save(c.ctx, c.st, c.name, to.Snapshot, o)
}

// deleteSnapshot is DELETE /v1/snapshots.
func (c *call) deleteSnapshot() error {
	name := c.query.Get("snapshot")
	if name == "" {
		return bad("snapshot must name it")
	}
	return c.noContent(arenaFault(arena.Delete(c.ctx, c.st, c.name, name)))
}

// diffSnapshot is GET /v1/diff with the parameter snapshot.
func (c *call) diffSnapshot(name string) (*diff.Difference, error) {
	s, err := arena.Find(c.ctx, c.st, c.name, name)
	if err != nil {
		return nil, arenaFault(err)
	}
	area := arena.Area{Dimension: c.query.Get("dimension"), Region: c.query.Get("region"), Mask: c.query.Get("mask")}
	if err := area.Check(); err != nil {
		return nil, arenaFault(err)
	}
	var d *diff.Difference
	err = c.heavily(version{name: s.Stored(), at: s.Commit.ID()}, func(was *world.Snapshot) (err error) {
		if err = c.fits(was); err == nil {
			d, err = s.Diff(c.ctx, c.st, arena.DiffOptions{Area: area, Cache: c.snapshots.Cache, MaxBytes: c.limits.WorldMemory})
		}
		return arenaFault(err)
	})
	return d, err
}

// fits checks that the index of a world fits the memory for one.
func (c *call) fits(s *world.Snapshot) error {
	if most := c.limits.WorldMemory; inspect.IndexBytes(s, most) > most {
		return convert.ErrTooLarge
	}
	return nil
}

// operationCall is the body of POST /v1/operations.
type operationCall struct {
	Restore   string   `json:"restore"` // the snapshot
	Without   []string `json:"without,omitempty"`
	Message   string   `json:"message,omitempty"`
	Author    string   `json:"author,omitempty"`
	Dimension string   `json:"dimension,omitempty"`
	Region    string   `json:"region,omitempty"`
	Mask      string   `json:"mask,omitempty"`
}

// operate is POST /v1/operations.
func (c *call) operate() error {
	var to operationCall
	if err := c.json(&to); err != nil {
		return err
	}
	switch {
	case to.Restore == "":
		return bad("restore must name a snapshot")
	case to.Message == "":
		to.Message = "restore snapshot " + to.Restore
	}
	to.Author = c.author(to.Author)
	if err := noteFault(to.Message, to.Author); err != nil {
		return err
	}
	o := arena.RestoreOptions{Area: arena.Area{Dimension: to.Dimension, Region: to.Region, Mask: to.Mask}, Without: to.Without}
	if err := o.Area.Check(); err != nil {
		return arenaFault(err)
	}
	if err := c.roomLeft(); err != nil {
		return err
	}
	s, err := arena.Find(c.ctx, c.st, c.name, to.Restore)
	if err != nil {
		return arenaFault(err)
	}
	var op *operations.Operation
	err = c.heavily(version{name: s.Stored(), at: s.Commit.ID()}, func(was *world.Snapshot) error {
		if err := c.fits(was); err != nil {
			return err
		}
		c.changes.Add(1) // Drain waits for this call, and then for the operation
		op, err = c.ops.Begin(c.ctx, s, o, to.Author, to.Message, c.Server.ended)
		if err != nil {
			c.leave()
		}
		return err
	})
	switch {
	case errors.Is(err, operations.ErrBusy):
		return fault(wire.Busy, "%d operations run at this moment", c.limits.Operations)
	case errors.Is(err, history.ErrLeased):
		return fault(wire.Leased, "someone else holds a lease of this world, or an operation works on it")
	case err != nil:
		return arenaFault(err)
	}
	return c.answer(http.StatusCreated, answerOf(op))
}

// ended notes that an operation has ended.
func (s *Server) ended(op *operations.Operation) {
	defer s.leave()
	now := op.Status()
	if now.Err != nil {
		s.logger.Warn("operation failed", "operation", op.ID, "world", op.World, "err", now.Err)
	}
	if now.Commit.Number != 0 {
		s.saved(op.World, now.Commit.Number)
	}
}

// operationAnswer is an operation in JSON.
type operationAnswer struct {
	ID       string          `json:"id"`
	World    string          `json:"world"`
	Restore  string          `json:"restore"` // the snapshot
	Author   string          `json:"author"`
	Message  string          `json:"message"`
	State    string          `json:"state"`
	Total    int             `json:"total"` // chunks, 0 until it is known
	Done     int             `json:"done"`
	Failed   int             `json:"failed"`
	Cells    int             `json:"cells"` // that were changed
	Failures []failureAnswer `json:"failures"`
	Commit   *wire.Commit    `json:"commit"` // the version that it made, or the newest if nothing changed; null if it made none
	Error    string          `json:"error"`
}

type failureAnswer struct {
	Where string `json:"where"`
	Error string `json:"error"`
}

type operationsAnswer struct {
	Operations []operationAnswer `json:"operations"`
}

// answerOf describes an operation as it is now.
func answerOf(op *operations.Operation) operationAnswer {
	now := op.Status()
	a := operationAnswer{ID: op.ID, World: op.World, Restore: op.Snapshot, Author: op.Author, Message: op.Message, State: string(now.State),
		Total: now.Chunks, Done: now.Done, Failed: now.Failed, Cells: now.Cells, Failures: []failureAnswer{}}
	for _, f := range now.Failures {
		a.Failures = append(a.Failures, failureAnswer{f.Where(), refusalOf(f.Err).Message})
	}
	if now.Commit.Number != 0 {
		commit := wire.CommitOf(now.Commit)
		a.Commit = &commit
	}
	if now.Err != nil {
		a.Error = refusalOf(now.Err).Message
	}
	return a
}

// listOperations is GET /v1/operations.
func (c *call) listOperations() error {
	answer := operationsAnswer{Operations: []operationAnswer{}}
	for _, op := range c.ops.Of(c.name) {
		if id := c.query.Get("operation"); id == "" || id == op.ID {
			answer.Operations = append(answer.Operations, answerOf(op))
		}
	}
	if len(answer.Operations) == 0 {
		if _, err := c.st.Head(c.ctx, c.name); err != nil {
			return err
		}
		if id := c.query.Get("operation"); id != "" {
			return noOperation(id)
		}
	}
	return c.answer(http.StatusOK, answer)
}

func noOperation(id string) error {
	return bad("there is no operation %.100q on this world", id)
}

// pauseCall is the body of PATCH /v1/operations.
type pauseCall struct {
	Operation string `json:"operation"`
	Paused    bool   `json:"paused"`
}

// pause is PATCH /v1/operations.
func (c *call) pause() error {
	var to pauseCall
	if err := c.json(&to); err != nil {
		return err
	}
	op := c.ops.Find(c.name, to.Operation)
	if op == nil {
		return noOperation(to.Operation)
	}
	if to.Paused {
		op.Pause()
	} else {
		op.Resume()
	}
	return c.answer(http.StatusOK, answerOf(op))
}

// cancelOperation is DELETE /v1/operations.
func (c *call) cancelOperation() error {
	id := c.query.Get("operation")
	op := c.ops.Find(c.name, id)
	if op == nil {
		return noOperation(id)
	}
	op.Cancel()
	return c.answer(http.StatusOK, answerOf(op))
}
