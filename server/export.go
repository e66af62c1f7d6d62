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
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/server/cells"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// formatCairn is the format of an export as one stone.
const formatCairn = "cairn"

// exports gives out versions of worlds as files.
type exports struct {
	*worlds
	files *spools
}

func (h *exports) routes() []route {
	return []route{{method: "GET", path: "/v1/export/NAME", role: token.Read, long: true, about: "a world as a file, or as a zip of a folder",
		query:   []param{oneOf("format", "default cairn", append([]string{formatCairn}, port.Formats()...)...), atVersion, words("dimension", "name of the dimension"), words("box", "x0,y0,z0..x1,y1,z1: only these blocks, as a schematic; of anvil the columns that it touches, as region files")},
		headers: append([]string{"Range", "If-Range"}, known...), status: 200, also: bytesOf("application/zip"), tells: append([]string{wire.LostHeader}, staleHeaders...), handler: plain(h.export, octets)}}
}

func (h *exports) export(c *call) error {
	format := cmp.Or(c.query.Get("format"), formatCairn)
	if _, ok := port.Format(format); !ok && format != formatCairn {
		return bad("format=%.40q: want %s or %s", format, formatCairn, strings.Join(port.Formats(), " or "))
	}
	if format == formatCairn && c.query.Get("dimension") != "" {
		return bad("a stone holds the whole world: leave dimension out")
	}
	box, err := boxOf(c, format)
	if err != nil {
		return err
	}
	v, known, err := h.unknownStored(c)
	if err != nil || known {
		return err
	}
	if format == formatCairn {
		sent, err := h.exportStored(c, v)
		if sent || err != nil {
			return err
		}
	}
	return h.exportMade(c, v, format, box)
}

// boxOf returns the box of a schematic or of columns that a call asks for, nil for all of the world.
func boxOf(c *call, format string) (region.Region, error) {
	text := c.query.Get("box")
	if text == "" {
		return nil, nil
	}
	if kind, ok := port.Format(format); format != port.Anvil && (!ok || !kind.Piece) {
		return nil, bad("box: only schematics and anvil hold a part of a world, %s holds all of it", format)
	}
	var box cells.JSONBox
	if err := box.UnmarshalText([]byte(text)); err != nil {
		return nil, err
	}
	return geom.Box(box), nil
}

// exportStored sends a version that is one stone as it is stored. It reports false for others.
func (h *exports) exportStored(c *call, v version) (sent bool, err error) {
	err = h.opened(c, v, func(s *world.Snapshot) error {
		if stored := s.Stone(); stored != nil {
			sent = true
			return c.attach(octets.media, port.Ext, stored, map[string]int{})
		}
		return nil
	})
	return sent, err
}

// exportMade writes a version and sends that.
func (h *exports) exportMade(c *call, v version, format string, box region.Region) error {
	file, err := h.files.file(c)
	if err != nil {
		return err
	}
	defer file.Close()
	ext, media := port.Ext, octets.media
	lost := map[string]int{}
	err = h.heavily(c, v, func(s *world.Snapshot) error {
		if format == formatCairn {
			if err := c.fits(s); err != nil {
				return err
			}
			_, _, err := s.Write(c.ctx, file, stone.Options{Effort: stone.Quick})
			return err
		}
		if err := port.CheckGame(s, format); err != nil {
			return unsupported(err)
		}
		kind, _ := port.Format(format)
		if box != nil && kind.Piece {
			ext = kind.Ext
			clip, err := port.Clip(c.ctx, convert.Within(s, c.limits.WorldMemory), c.query.Get("dimension"), box)
			if err == nil {
				err = port.WriteClip(file, clip, port.Target{Format: format}, lost)
			}
			return unsupported(err)
		}
		var w stone.Content
		var through port.Through
		if box == nil {
			w, err = port.Pick(c.ctx, s, c.query.Get("dimension"), kind.Single, lost)
		} else {
			w, through, err = port.Columns(s, c.query.Get("dimension"), box)
		}
		if err != nil {
			return err
		}
		w = convert.Within(w, c.limits.WorldMemory)
		if kind.Ext != "" {
			ext = kind.Ext
		} else {
			ext, media = ".zip", "application/zip"
			return h.zipFolder(c, w, file, format, through, lost)
		}
		return unsupported(port.WriteFile(c.ctx, w, file, port.Target{Format: format}, nil, lost))
	})
	if err != nil {
		return err
	}
	c.step("write")
	return c.attach(media, ext, io.NewSectionReader(file.file, 0, file.bytes), lost)
}

// zipFolder writes a zip of a world's folder.
func (h *exports) zipFolder(c *call, w stone.Content, to io.Writer, format string, through port.Through, lost map[string]int) error {
	dir, remove, err := h.files.folder(c)
	if err != nil {
		return err
	}
	defer remove()
	if err := unsupported(port.WriteFolder(c.ctx, w, dir, port.Target{Format: format, Name: path.Base(c.name)}, through, lost)); err != nil {
		return err
	}
	bytes, err := port.FolderSize(dir)
	if err != nil {
		return err
	}
	if err := h.files.reserve(bytes); err != nil {
		return err
	}
	defer h.files.room.Release(bytes)
	return port.WriteZip(c.ctx, os.DirFS(dir), to)
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
func (c *call) attach(media, ext string, file io.ReadSeeker, lost map[string]int) error {
	h := c.w.Header()
	h["Content-Disposition"] = []string{`attachment; filename="` + path.Base(c.name) + ext + `"`}
	h[wire.LostHeader] = []string{lostText(lost)}
	return c.sendRanges(media, file)
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
