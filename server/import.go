package server

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"

	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/store/history"
)

// imports takes in worlds in any known format.
type imports struct {
	files  *spools
	worlds *worlds
	checks *checker
	saved  func(name string, number uint64)
	weigh  func(ctx context.Context, dir string, memory int64) (any, error) // Options.Weigh
}

func (h *imports) routes() []route {
	return []route{
		{method: "POST", path: "/v1/import/NAME", role: token.Write, long: true, about: "reads a world in any known format; creates NAME, or commits what differs",
			query:   []param{words("message", "of the commit"), words("author", "of the commit"), words("time", "of the commit, not before its parent's; for admins"), whole("salvage", 0, 1, "1 keeps chunks that cannot be read in their stored form"), whole("sparse", 0, 1, "1: columns that a region file lacks stay")},
			headers: []string{"If-Match", wire.FenceHeader}, status: 200, tells: []string{"ETag"}, handler: gives(h.importWorld).from(octets)},
		{method: "POST", path: "/v1/savings", role: token.Write, own: true, long: true, about: "compares the sizes of worlds in several forms, and stores nothing", status: 200, handler: plain(h.savings, jsonOf(object{})).from(octets)},
	}
}

type importAnswer struct {
	Commit  wire.Commit    `json:"commit"`
	Same    bool           `json:"same"`
	Lost    map[string]int `json:"lost"`
	Damaged []string       `json:"damaged"`
	Remarks []string       `json:"remarks"` // on what is odd, and lost nothing
}

func (h *imports) importWorld(c *call) (a importAnswer, err error) {
	note, err := c.importNote()
	if err != nil {
		return a, err
	}
	file, err := h.files.receive(c)
	if err != nil {
		return a, err
	}
	defer file.Close()
	var done history.Commit
	err = h.worlds.alone(c, func() (err error) {
		done, err = h.importFrom(c, file, note, &a)
		return err
	})
	if err != nil {
		return a, err
	}
	if !a.Same {
		h.saved(c.name, done.Number)
	}
	a.Commit = wire.CommitOf(done)
	c.w.Header()["Etag"] = []string{etag(done.ID())}
	return a, nil
}

// importNote returns the author, message and conditions of the commit.
func (c *call) importNote() (n port.Note, err error) {
	n = port.Note{Message: cmp.Or(c.query.Get("message"), "import"), MaxBytes: c.limits.WorldMemory}
	if n.Author, err = c.note(n.Message, c.query.Get("author")); err == nil {
		n.On, n.Fence, err = c.conditions()
	}
	if at := c.query.Get("time"); at != "" && err == nil {
		if c.role < token.Admin {
			return n, refuse("only admins may say the time of a version")
		}
		if n.Time, err = inspect.ParseTime(at); err != nil {
			err = bad("time=%.80q: want a time in UTC such as 2026-11-20T10:00", at)
		}
	}
	return n, err
}

// importFrom makes the world in a file the newest version.
func (h *imports) importFrom(c *call, file *spool, n port.Note, answer *importAnswer) (history.Commit, error) {
	memory := c.limits.WorldMemory
	src, err := port.OpenReader(file, file.bytes, port.Options{Salvage: c.number("salvage", 0) == 1, MaxBytes: memory, Memory: memory, Unpacked: 4 * c.limits.WorldBytes, File: func() (port.Temp, error) { return h.files.file(c) }})
	if err != nil {
		return history.Commit{}, file.fault(err, wire.Unsupported)
	}
	defer src.Close()
	w, err := src.Parts(c.ctx, nil)
	if errors.Is(err, port.ErrNoChunks) {
		return history.Commit{}, file.fault(err, wire.Unsupported)
	}
	if err != nil {
		return history.Commit{}, file.fault(err, wire.Corrupt)
	}
	remarks := src.Remarks()
	answer.Lost, answer.Damaged = fewer(remarks.Lost), remarks.Damaged[:min(len(remarks.Damaged), maxRemarks)]
	answer.Remarks = append([]string{}, remarks.Notes[:min(len(remarks.Notes), maxRemarks)]...)
	if remark, _ := port.LevelRemark(w); remark != "" {
		answer.Remarks = append(answer.Remarks, remark)
	}
	c.step("read")
	done, err := src.Import(c.ctx, func(context.Context) (history.Store, error) { return c.st, nil }, c.name, w,
		port.ImportOptions{Note: n, Sparse: c.number("sparse", 0) == 1, Write: port.WriteOptions{Far: true, Memory: memory / 2}, Check: func(s history.Stone, made bool) error {
			c.step("merge")
			return wire.OfCaller(h.checks.read(c, s.Open(), s.Size(), !made))
		}})
	c.step("commit")
	if source := (*port.SourceError)(nil); errors.As(err, &source) {
		err = file.fault(source.Err, wire.Corrupt)
	}
	if errors.Is(err, port.ErrSparse) {
		err = bad("sparse: the body is not region files of blocks alone")
	}
	answer.Same = done.Same
	return done.Commit, err
}

// maxRemarks bounds the remarks about an upload, in which anything may be wrong.
const maxRemarks = 1000

// fewer returns counts by name. If there are too many names it adds the rest up
// under one name.
func fewer(lost map[string]int) map[string]int {
	if len(lost) <= maxRemarks {
		return lost
	}
	out := make(map[string]int)
	for i, name := range slices.Sorted(maps.Keys(lost)) {
		if i < maxRemarks {
			out[name] = lost[name]
		} else {
			out["other things"] += lost[name]
		}
	}
	return out
}

func (h *imports) savings(c *call) error {
	if h.weigh == nil {
		return fault(wire.NoRoute, "this server does not weigh worlds")
	}
	file, err := h.files.receive(c)
	if err != nil {
		return err
	}
	defer file.Close()
	dir, remove, err := h.files.folder(c)
	if err != nil {
		return err
	}
	defer remove()
	var taken int64
	defer func() { h.files.room.Release(taken) }()
	var report any
	err = h.worlds.alone(c, func() error {
		err := port.Unpack(file.file, file.bytes, dir, 4*c.limits.WorldBytes, c.limits.WorldMemory, func(bytes int64) error {
			if err := h.files.reserve(bytes); err != nil {
				return err
			}
			taken += bytes
			return c.ctx.Err()
		})
		if err != nil {
			return file.fault(err, wire.Unsupported)
		}
		report, err = h.weigh(c.ctx, dir, c.limits.WorldMemory)
		return err
	})
	if err != nil {
		return err
	}
	c.step("weigh")
	return c.answer(http.StatusOK, report)
}
