package server

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"

	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/store/history"
)

// importAnswer is the answer to POST /v1/import.
type importAnswer struct {
	Commit  wire.Commit    `json:"commit"`
	Same    bool           `json:"same"`
	Lost    map[string]int `json:"lost"`
	Damaged []string       `json:"damaged"`
	Remarks []string       `json:"remarks"` // on what is odd, and lost nothing
}

// importWorld is POST /v1/import.
func (c *call) importWorld() error {
	note, err := c.importNote()
	if err != nil {
		return err
	}
	salvage, err := c.number("salvage", 0)
	if err != nil {
		return err
	}
	file, err := c.receive(c.limits.WorldBytes)
	if err != nil {
		return err
	}
	defer file.Close()
	var answer importAnswer
	var done history.Commit
	err = c.heavyWork(func() (err error) {
		done, err = c.importFrom(file, note, salvage == 1, &answer)
		return err
	})
	if err != nil {
		return err
	}
	if !answer.Same {
		c.saved(c.name, done.Number)
	}
	answer.Commit = wire.CommitOf(done)
	c.w.Header()["Etag"] = []string{etag(done.ID())}
	return c.answer(http.StatusOK, answer)
}

// importNote returns the author, message and conditions of the commit.
func (c *call) importNote() (n port.Note, err error) {
	n = port.Note{Author: c.author(c.query.Get("author")), Message: c.query.Get("message"), MaxBytes: c.limits.WorldMemory}
	if n.Message == "" {
		n.Message = "import"
	}
	if err := noteFault(n.Message, n.Author); err != nil {
		return n, err
	}
	if n.Fence, err = c.fence(); err != nil {
		return n, err
	}
	want, given, err := c.match()
	if given {
		n.On = &want
	}
	return n, err
}

// importFrom makes the world in a file the newest version.
func (c *call) importFrom(file *spool, n port.Note, salvage bool, answer *importAnswer) (history.Commit, error) {
	memory := c.limits.WorldMemory
	src, err := port.OpenReader(file, file.bytes, port.Options{Salvage: salvage, MaxBytes: memory, Memory: memory, Unpacked: 4 * c.limits.WorldBytes, File: func() (port.Temp, error) { return c.newSpool() }})
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
		port.ImportOptions{Note: n, Write: port.WriteOptions{Far: true, Memory: memory / 2}, Check: func(s history.Stone, made bool) error {
			c.step("merge")
			return ofCaller(c.readStone(s.Open(), s.Size(), !made))
		}})
	c.step("commit")
	if source := (*port.SourceError)(nil); errors.As(err, &source) {
		err = file.fault(source.Err, wire.Corrupt)
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
