package server

import (
	"errors"

	"github.com/cairnvoxel/cairn/game/arena"
	"github.com/cairnvoxel/cairn/internal/server/cells"
	"github.com/cairnvoxel/cairn/internal/server/operations"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
)

// restores are operations on worlds that go on after their calls.
type restores struct {
	*worlds
	*gate
	door    *door
	running *operations.List // nil without Options.Arenas
	saved   func(name string, number uint64)
	log     *faultLog
}

func (h *restores) routes() []route {
	which := []param{words("operation", "id of the operation")}
	all := []route{
		{method: "POST", path: "/v1/operations/NAME", role: token.Write, about: "begins to restore a named snapshot", status: 201, handler: takes(h.operate)},
		{method: "GET", path: "/v1/operations/NAME", role: token.Read, about: "the operations on a world that run, and the last that ended", query: which, status: 200, handler: gives(h.list)},
		{method: "PATCH", path: "/v1/operations/NAME", role: token.Write, about: "pauses an operation, or lets it go on", status: 200, handler: takes(h.pause)},
		{method: "DELETE", path: "/v1/operations/NAME", role: token.Write, about: "cancels an operation", query: which, needs: []string{"operation"}, status: 200, handler: gives(h.cancel)},
		{method: "GET", path: "/v1/events/NAME", role: token.Read, long: true, about: "what operations on a world do, as it happens; with operation until that ends", query: which, headers: []string{"Last-Event-ID"}, status: 200, handler: plain(h.events, bytesOf(eventStream))},
	}
	if h.running == nil {
		for i := range all {
			all[i].serve = func(*call) error { return fault(wire.NoRoute, "this server does no operations") }
		}
	}
	return all
}

type operationCall struct {
	Restore string   `json:"restore"` // the snapshot
	Without []string `json:"without,omitempty"`
	cells.Note
	areaForm
}

func (h *restores) operate(c *call, to *operationCall) (a operationAnswer, err error) {
	switch {
	case to.Restore == "":
		return a, bad("restore must name a snapshot")
	case to.Message == "":
		to.Message = "restore snapshot " + to.Restore
	}
	if to.Author, err = c.note(to.Message, to.Author); err != nil {
		return a, err
	}
	o := arena.RestoreOptions{Area: arena.Area(to.areaForm), Without: to.Without}
	if err := o.Area.Check(); err != nil {
		return a, err
	}
	if err := token.Full(c.ctx, c.st); err != nil {
		return a, err
	}
	s, err := arena.Find(c.ctx, c.st, c.name, to.Restore)
	if err != nil {
		return a, nameFault(err)
	}
	var op *operations.Operation
	err = h.heavily(c, version{name: s.Stored(), at: s.Commit.ID()}, func(was *world.Snapshot) error {
		if err := c.fits(was); err != nil {
			return err
		}
		h.changes.Add(1) // Drain waits for this call, and then for the operation
		op, err = h.running.Begin(c.ctx, s, o, to.Author, to.Message, h.ended)
		if err != nil {
			h.leave()
		}
		return err
	})
	switch {
	case errors.Is(err, operations.ErrBusy):
		return a, fault(wire.Busy, "%d operations run at this moment", c.limits.Operations)
	case errors.Is(err, history.ErrLeased):
		return a, fault(wire.Leased, "someone else holds a lease of this world, or an operation works on it")
	case err != nil:
		return a, nameFault(err)
	}
	return answerOf(op), nil
}

// ended notes that an operation has ended.
func (h *restores) ended(op *operations.Operation) {
	defer h.leave()
	now := op.Status()
	if now.Err != nil {
		h.log.to.Warn("operation failed", "operation", op.ID, "world", op.World, "err", now.Err)
	}
	if now.Commit.Number != 0 {
		h.saved(op.World, now.Commit.Number)
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

func (h *restores) list(c *call) (a operationsAnswer, err error) {
	a.Operations = []operationAnswer{}
	id := c.query.Get("operation")
	for _, op := range h.running.Of(c.name) {
		if id == "" || id == op.ID {
			a.Operations = append(a.Operations, answerOf(op))
		}
	}
	if len(a.Operations) == 0 {
		_, err = c.st.Head(c.ctx, c.name)
		if err == nil && id != "" {
			err = noOperation(id)
		}
	}
	return a, err
}

func noOperation(id string) error {
	return bad("there is no operation %.100q on this world", id)
}

// on calls do with an operation on the world.
func (h *restores) on(c *call, id string, do func(*operations.Operation)) (a operationAnswer, err error) {
	op := h.running.Find(c.name, id)
	if op == nil {
		return a, noOperation(id)
	}
	do(op)
	return answerOf(op), nil
}

type pauseCall struct {
	Operation string `json:"operation"`
	Paused    bool   `json:"paused"`
}

func (h *restores) pause(c *call, to *pauseCall) (operationAnswer, error) {
	return h.on(c, to.Operation, func(op *operations.Operation) {
		if to.Paused {
			op.Pause()
		} else {
			op.Resume()
		}
	})
}

func (h *restores) cancel(c *call) (operationAnswer, error) {
	return h.on(c, c.query.Get("operation"), func(op *operations.Operation) { op.Cancel() })
}
