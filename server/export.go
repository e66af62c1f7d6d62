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

	"github.com/cairnvoxel/cairn/client"
	"github.com/cairnvoxel/cairn/convert"
	"github.com/cairnvoxel/cairn/port"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/world"
)

// formatCairn is the format of an export as one stone.
const formatCairn = "cairn"

// export is GET /v1/export.
func (c *call) export() error {
	format := cmp.Or(c.query.Get("format"), formatCairn)
	kind, ok := port.Format(format)
	if !ok && format != formatCairn {
		return bad("format=%.40q: want %s or %s", format, formatCairn, strings.Join(port.Formats(), " or "))
	}
	if format == formatCairn && c.query.Get("dimension") != "" {
		return bad("a stone holds the whole world: leave dimension out")
	}
	v, known, err := c.at(true)
	if err != nil || known {
		return err
	}
	if ok && kind.Ext == "" {
		return c.exportFolder(v, format)
	}
	return c.exportFile(v, format)
}

// exportFile sends a world as one file.
func (c *call) exportFile(v version, format string) error {
	file, err := c.newSpool()
	if err != nil {
		return err
	}
	defer file.close()
	lost := map[string]int{}
	err = c.heavily(v, func(s *world.Snapshot) error {
		if format == formatCairn {
			if most := c.limits.WorldMemory; port.IndexBytes(s, most) > most {
				return convert.ErrTooLarge
			}
			_, _, err := s.Write(c.ctx, file, stone.Options{Effort: stone.Quick})
			return err
		}
		w, err := c.picked(s, format, lost)
		if err != nil {
			return err
		}
		return unsupported(port.WriteFile(c.ctx, w, file, port.Target{Format: format}, nil, lost))
	})
	if err != nil {
		return err
	}
	c.step("write")
	ext := port.Ext
	if kind, ok := port.Format(format); ok {
		ext = kind.Ext
	}
	c.attach("application/octet-stream", ext, lost)
	c.w.Header()["Content-Length"] = []string{strconv.FormatInt(file.bytes, 10)}
	_, err = io.Copy(c, io.NewSectionReader(file.file, 0, file.bytes))
	c.step("send")
	return err
}

// exportFolder sends a zip of a world's folder.
func (c *call) exportFolder(v version, format string) error {
	dir, remove, err := c.tempDir()
	if err != nil {
		return err
	}
	defer remove()
	lost := map[string]int{}
	var taken int64
	defer func() { c.disk.give(taken) }()
	err = c.heavily(v, func(s *world.Snapshot) error {
		w, err := c.picked(s, format, lost)
		if err == nil {
			err = unsupported(port.WriteFolder(c.ctx, w, dir, port.Target{Format: format, Name: path.Base(c.name)}, nil, lost))
		}
		if err != nil {
			return err
		}
		bytes, err := port.FolderSize(dir)
		if err != nil {
			return err
		}
		if !c.disk.take(bytes) {
			return fault(client.Busy, "too many worlds are being received or sent at this moment")
		}
		taken = bytes
		return nil
	})
	if err != nil {
		return err
	}
	c.step("write")
	c.attach("application/zip", ".zip", lost)
	err = port.WriteZip(c.ctx, os.DirFS(dir), c)
	c.step("send")
	return err
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
	if _, known := client.CodeOf(err); err == nil || known || errors.As(err, &ours) {
		return err
	}
	return fault(client.Unsupported, "%.400s", err.Error())
}

// attach sets the headers that say the media type, the file name, and what was
// lost.
func (c *call) attach(media, ext string, lost map[string]int) {
	h := c.w.Header()
	h["Content-Type"] = []string{media}
	h["Content-Disposition"] = []string{`attachment; filename="` + path.Base(c.name) + ext + `"`}
	h[client.LostHeader] = []string{lostText(lost)}
	c.secure(h)
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
