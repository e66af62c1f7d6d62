package server

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"

	"github.com/cairnvoxel/cairn/client"
	"github.com/cairnvoxel/cairn/convert"
	"github.com/cairnvoxel/cairn/port"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/world"
)

// spool is a file without a name that a body or an answer lies in on its way.
type spool struct {
	file  *os.File
	c     *call
	bytes int64
}

// newSpool makes a spool; close lets it go.
func (c *call) newSpool() (*spool, error) {
	f, err := os.CreateTemp(c.o.Temp, "cairn-*.tmp")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name()) // where that cannot be while it is open, close does it
	return &spool{file: f, c: c}, nil
}

// Write takes room for b and writes it.
func (s *spool) Write(b []byte) (int, error) {
	if !s.c.disk.take(int64(len(b))) {
		return 0, fault(client.Busy, "too many worlds are on their way at this moment")
	}
	s.bytes += int64(len(b))
	return s.file.Write(b)
}

func (s *spool) close() {
	s.c.disk.give(s.bytes)
	_ = s.file.Close()
	_ = os.Remove(s.file.Name())
}

// importAnswer is the answer to POST /v1/import.
type importAnswer struct {
	Commit  client.Commit  `json:"commit"`
	Same    bool           `json:"same"`
	Lost    map[string]int `json:"lost"`
	Damaged []string       `json:"damaged"`
}

// importWorld is POST /v1/import.
func (c *call) importWorld() error {
	note, err := c.importNote()
	if err != nil {
		return err
	}
	from, err := c.body(c.limits.WorldBytes, false)
	if err != nil {
		return err
	}
	file, err := c.newSpool()
	if err != nil {
		return err
	}
	defer file.close()
	if _, err := io.Copy(file, from); err != nil {
		return err
	}
	c.step("receive")
	var answer importAnswer
	var done world.Commit
	err = c.heavily(func() (err error) {
		done, err = c.importFrom(file, note, &answer)
		return err
	})
	if err != nil {
		return err
	}
	if c.o.Saved != nil && !answer.Same {
		c.o.Saved(c.name)
	}
	answer.Commit = client.CommitOf(done)
	c.w.Header()["Etag"] = []string{etag(done.ID())}
	return c.answer(http.StatusOK, answer)
}

// importNote returns what the call says of the commit.
func (c *call) importNote() (n port.Note, err error) {
	n = port.Note{Author: c.query.Get("author"), Message: c.query.Get("message"), MaxBytes: c.limits.WorldMemory}
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
func (c *call) importFrom(file *spool, n port.Note, answer *importAnswer) (done world.Commit, err error) {
	src, err := port.OpenReader(file.file, file.bytes, port.Options{Salvage: c.query.Get("salvage") == "1", MaxBytes: c.limits.WorldMemory})
	if err != nil {
		return done, uploadFault(err, client.Unsupported)
	}
	defer src.Close()
	w, err := src.Load(c.ctx, nil)
	if err != nil {
		return done, uploadFault(err, client.Corrupt)
	}
	remarks := src.Remarks()
	answer.Lost, answer.Damaged = remarks.Lost, remarks.Damaged
	c.step("read")
	regions := src.Regions()
	for {
		whole := w
		base, err := c.st.Head(c.ctx, c.name)
		if err != nil && !errors.Is(err, world.ErrNoWorld) {
			return done, err
		}
		on := n
		if len(regions) > 0 && base.Commit != (world.ID{}) {
			if on.On == nil {
				on.On = &base.Commit // what it is laid over
			}
			v := port.Version{Store: c.st, Name: c.name, At: base.Commit}
			if whole, err = v.Load(c.ctx, c.limits.WorldMemory); err != nil {
				return done, err
			}
			if err := port.Overlay(whole, w, regions); err != nil {
				return done, uploadFault(err, client.Unsupported)
			}
		}
		var b bytes.Buffer
		id, _, err := convert.WriteStone(c.ctx, whole, &b, stone.Options{})
		if err != nil {
			return done, uploadFault(err, client.Corrupt)
		}
		c.step("merge")
		done, answer.Same, err = port.Become(c.ctx, c.st, c.name, world.Stone{ID: id, Data: b.Bytes()}, on)
		c.step("commit")
		if errors.Is(err, world.ErrConflict) && n.On == nil && c.ctx.Err() == nil {
			continue
		}
		return done, err
	}
}

// uploadFault gives an error of reading an upload a code: standard, if the error
// tells none. What it says is about the caller's own bytes.
func uploadFault(err error, standard client.Code) error {
	var ours *fs.PathError
	_, known := client.CodeOf(err)
	switch {
	case port.IsDamage(err):
		standard = client.Corrupt
	case errors.Is(err, convert.ErrTooLarge), errors.Is(err, port.ErrTooLarge):
		standard = client.TooLarge
	case known, errors.As(err, &ours):
		return err
	}
	return fault(standard, "%.400s", err.Error())
}
