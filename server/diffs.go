package server

import (
	"bytes"
	"image/png"
	"net/http"

	"github.com/cairnvoxel/cairn/game/arena"
	"github.com/cairnvoxel/cairn/internal/diff"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/render/picture"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// diffs says how versions of worlds differ.
type diffs struct{ *worlds }

func (h *diffs) routes() []route {
	of := []param{words("a", "VERSION; default the head"), words("b", "VERSION; default the head"), words("with", "the world of b; default NAME")}
	return []route{
		{method: "GET", path: "/v1/diff/NAME", role: token.Read, long: true, about: "how two versions differ", query: append(of[:3:3],
			words("snapshot", "a named snapshot of NAME, compared with the head; takes no a, b and with"), words("dimension", "of a snapshot"), words("region", "of a snapshot"), words("mask", "of a snapshot"),
		), status: 200, handler: gives(h.diff)},
		{method: "GET", path: "/v1/diffmap/NAME", role: token.Read, long: true, about: "where two versions differ, from above", query: append(of[:3:3],
			words("dimension", "name of the dimension"), pictureSize(maxDiffmap),
		), status: 200, tells: []string{boxHeader}, handler: plain(h.diffmap, imagePNG)},
	}
}

func (h *diffs) diff(c *call) (answer diff.Difference, err error) {
	d, err := h.difference(c)
	if err != nil {
		return answer, err
	}
	if d.First == nil {
		d.First = []string{}
	}
	if d.Volumes == nil {
		d.Volumes = map[string]int{}
	}
	return *d, nil
}

func (h *diffs) difference(c *call) (d *diff.Difference, err error) {
	if name := c.query.Get("snapshot"); name != "" {
		if c.query.Has("a") || c.query.Has("b") || c.query.Has("with") {
			return nil, bad("snapshot goes without a, b and with")
		}
		return h.snapshot(c, name)
	}
	for _, key := range []string{"dimension", "region", "mask"} {
		if c.query.Has(key) {
			return nil, bad("%s goes with snapshot", key)
		}
	}
	pair, err := c.pair()
	if err != nil {
		return nil, err
	}
	err = h.heavily(c, pair[0], func(a *world.Snapshot) error {
		return h.opened(c, pair[1], func(b *world.Snapshot) (err error) {
			d, err = diff.Worlds(c.ctx, a, b, diff.Options{MaxBytes: c.limits.WorldMemory})
			return err
		})
	})
	return d, err
}

// pair returns the versions that a, b and with name.
func (c *call) pair() (pair [2]version, err error) {
	other := c.name
	if with := c.query.Get("with"); with != "" {
		if err := c.other(with); err != nil {
			return pair, err
		}
		other = with
	}
	for i, v := range []struct{ name, version string }{{c.name, c.query.Get("a")}, {other, c.query.Get("b")}} {
		if pair[i], err = c.versionOf(v.name, v.version); err != nil {
			return pair, err
		}
	}
	return pair, nil
}

// snapshot returns how the world differs from a named snapshot.
func (h *diffs) snapshot(c *call, name string) (*diff.Difference, error) {
	s, err := arena.Find(c.ctx, c.st, c.name, name)
	if err != nil {
		return nil, nameFault(err)
	}
	area := arena.Area{Dimension: c.query.Get("dimension"), Region: c.query.Get("region"), Mask: c.query.Get("mask")}
	if err := area.Check(); err != nil {
		return nil, err
	}
	var d *diff.Difference
	err = h.heavily(c, version{name: s.Stored(), at: s.Commit.ID()}, func(was *world.Snapshot) (err error) {
		if err = c.fits(was); err == nil {
			d, err = s.Diff(c.ctx, c.st, arena.DiffOptions{Area: area, Cache: h.open.Cache, MaxBytes: c.limits.WorldMemory})
		}
		return err
	})
	return d, err
}

// boxHeader says which blocks a picture is of.
const boxHeader = "Cairn-Box"

// maxDiffmap is the largest length of a map's longer edge in pixels.
const maxDiffmap = 2048

func (h *diffs) diffmap(c *call) error {
	size := int(c.number("size", defaultPicture))
	pair, err := c.pair()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	err = h.heavily(c, pair[0], func(s *world.Snapshot) error {
		return h.opened(c, pair[1], func(t *world.Snapshot) error {
			d, v, err := inspect.MatterOf(c.query.Get("dimension"), s, t)
			if err != nil {
				return err
			}
			both := diff.Of(s, t).Within(c.limits.WorldMemory)
			var at []geom.ChunkPos
			var box geom.Box
			err = both.Chunks(c.ctx, d.Name, v.Volume.Name, func(d diff.Chunk) error {
				at, box = append(at, d.Pos), box.Union(d.Pos.Box())
				return nil
			})
			if err != nil {
				return err
			}
			c.step("find")
			changes := picture.NewChanges(box, size)
			var air func(voxel.Cell) bool
			err = both.ChunksAt(c.ctx, d.Name, v.Volume.Name, at, func(d diff.Chunk) error {
				if air == nil {
					air = inspect.AirOf(d.Names) // of all chunks
				}
				changes.Add(d.Pos, d.A, d.B, air)
				return nil
			})
			if err != nil {
				return err
			}
			if !box.Empty() {
				c.w.Header().Set(boxHeader, token.BlockBox(box).String())
			}
			return png.Encode(&b, changes.Image(size))
		})
	})
	c.step("draw")
	if err != nil {
		return err
	}
	return c.send(http.StatusOK, imagePNG.media, b.Bytes())
}
