package server

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/world"
)

// formatCairn is the format of an export as one stone.
const formatCairn = "cairn"

// export is GET /v1/export.
func (c *call) export() error {
	format := cmp.Or(c.query.Get("format"), formatCairn)
	if _, ok := port.Format(format); !ok && format != formatCairn {
		return bad("format=%.40q: want %s or %s", format, formatCairn, strings.Join(port.Formats(), " or "))
	}
	if format == formatCairn && c.query.Get("dimension") != "" {
		return bad("a stone holds the whole world: leave dimension out")
	}
	v, err := c.at(true)
	if err != nil {
		return err
	}
	if known, err := c.taggedStored(&v); err != nil || known {
		return err
	}
	if format == formatCairn {
		sent, err := c.exportStored(v)
		if sent || err != nil {
			return err
		}
	}
	return c.exportMade(v, format)
}

// exportStored sends a version that is one stone as it is stored. It reports false for others.
func (c *call) exportStored(v version) (sent bool, err error) {
	err = c.opened(v, func(s *world.Snapshot) error {
		if stored := s.Stone(); stored != nil {
			sent = true
			c.attach("application/octet-stream", port.Ext, stored, map[string]int{})
		}
		return nil
	})
	return sent, err
}

// exportMade writes a version and sends that.
func (c *call) exportMade(v version, format string) error {
	file, err := c.newSpool()
	if err != nil {
		return err
	}
	defer file.Close()
	ext, media := port.Ext, "application/octet-stream"
	lost := map[string]int{}
	err = c.heavily(v, func(s *world.Snapshot) error {
		if format == formatCairn {
			if most := c.limits.WorldMemory; inspect.IndexBytes(s, most) > most {
				return convert.ErrTooLarge
			}
			_, _, err := s.Write(c.ctx, file, stone.Options{Effort: stone.Quick})
			return err
		}
		w, err := c.picked(s, format, lost)
		if err != nil {
			return err
		}
		if kind, _ := port.Format(format); kind.Ext != "" {
			ext = kind.Ext
		} else {
			ext, media = ".zip", "application/zip"
			return c.zipFolder(w, file, format, lost)
		}
		return unsupported(port.WriteFile(c.ctx, w, file, port.Target{Format: format}, nil, lost))
	})
	if err != nil {
		return err
	}
	c.step("write")
	c.attach(media, ext, io.NewSectionReader(file.file, 0, file.bytes), lost)
	return nil
}

// zipFolder writes a zip of a world's folder.
func (c *call) zipFolder(w stone.Content, to io.Writer, format string, lost map[string]int) error {
	dir, remove, err := c.tempDir()
	if err != nil {
		return err
	}
	defer remove()
	if err := unsupported(port.WriteFolder(c.ctx, w, dir, port.Target{Format: format, Name: path.Base(c.name)}, nil, lost)); err != nil {
		return err
	}
	bytes, err := port.FolderSize(dir)
	if err != nil {
		return err
	}
	if !c.disk.reserve(bytes) {
		return fault(wire.Busy, "too many worlds are being received or sent at this moment")
	}
	defer c.disk.release(bytes)
	return port.WriteZip(c.ctx, os.DirFS(dir), to)
}

// picked returns the part of a version that is to be written.
func (c *call) picked(s *world.Snapshot, format string, lost map[string]int) (stone.Content, error) {
	w, err := port.Pick(c.ctx, s, c.query.Get("dimension"), format, lost)
	if err != nil {
		return nil, err
	}
	return convert.Within(w, c.limits.WorldMemory), nil
}

// unsupported gives a code to an error that the world causes, not the server.
func unsupported(err error) error {
	var ours *fs.PathError
	if _, known := wire.CodeOf(err); err == nil || known || errors.As(err, &ours) {
		return err
	}
	return fault(wire.Unsupported, "%.400s", err.Error())
}

// attach sends a file, or the ranges of it that the caller asks for. It says the media type, the
// file name, and what was lost.
func (c *call) attach(media, ext string, file io.ReadSeeker, lost map[string]int) {
	h := c.w.Header()
	h["Content-Disposition"] = []string{`attachment; filename="` + path.Base(c.name) + ext + `"`}
	h[wire.LostHeader] = []string{lostText(lost)}
	c.sendRanges(media, file)
}

// maxLost bounds the bytes of the header that counts what was lost.
const maxLost = 4 << 10

// lostText returns the counts as JSON in ASCII, or only their sum if they are too
// many.
func lostText(lost map[string]int) string {
	b, err := json.Marshal(lost)
	if err != nil {
		panic("server: a map of counts is no JSON")
	}
	out := make([]byte, 0, len(b))
	for _, r := range string(b) {
		switch {
		case r >= ' ' && r < 0x7F:
			out = append(out, byte(r))
		case r <= 0xFFFF:
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			out = append(out, '?')
		}
	}
	if len(out) <= maxLost {
		return string(out)
	}
	sum := 0
	for _, n := range lost {
		sum += n
	}
	return `{"many things":` + strconv.Itoa(sum) + `}`
}
