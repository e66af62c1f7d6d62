package server

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/diff"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

func worldRoutes() []route {
	at, dimension := atVersion, words("dimension", "name of the dimension")
	size := func(most int64) param {
		return whole("size", minPicture, most, "the largest length of the longer edge in pixels; default 1024")
	}
	fenced := []string{"If-Match", wire.FenceHeader}
	said := []param{words("message", "of the commit"), words("author", "of the commit")}
	known := append([]string{"If-None-Match"}, stale...)
	octets := bytesOf("application/octet-stream")
	return []route{
		{method: "GET", path: "/v1/worlds/NAME", role: Read, about: "describes a world", query: []param{at}, headers: []string{"If-None-Match"}, status: 200, gives: jsonOf(factsAnswer{}), tells: headHeaders, serve: (*call).facts},
		{method: "POST", path: "/v1/import/NAME", role: Write, long: true, about: "reads a world in any known format; creates NAME, or commits what differs",
			query: append(said, whole("salvage", 0, 1, "1 keeps chunks that cannot be read in their stored form")), headers: fenced, takes: octets, status: 200, gives: jsonOf(importAnswer{}), tells: []string{"ETag"}, serve: (*call).importWorld},
		{method: "GET", path: "/v1/export/NAME", role: Read, long: true, about: "a world as a file, or as a zip of a folder",
			query: []param{oneOf("format", "default cairn", append([]string{formatCairn}, port.Formats()...)...), at, dimension}, headers: append([]string{"Range", "If-Range"}, known...), status: 200, gives: octets, also: bytesOf("application/zip"), tells: append([]string{wire.LostHeader}, staleHeaders...), serve: (*call).export},
		{method: "GET", path: "/v1/diff/NAME", role: Read, long: true, about: "how two versions differ", query: []param{
			words("a", "VERSION; default the head"), words("b", "VERSION; default the head"), words("with", "the world of b; default NAME"),
			words("snapshot", "a named snapshot of NAME, compared with the head; takes no a, b and with"), words("dimension", "of a snapshot"), words("region", "of a snapshot"), words("mask", "of a snapshot"),
		}, status: 200, gives: jsonOf(diff.Difference{}), serve: (*call).diff},
		{method: "GET", path: "/v1/diffmap/NAME", role: Read, long: true, about: "where two versions differ, from above", query: []param{
			words("a", "VERSION; default the head"), words("b", "VERSION; default the head"), words("with", "the world of b; default NAME"), dimension, size(maxDiffmap),
		}, status: 200, gives: bytesOf("image/png"), tells: []string{boxHeader}, serve: (*call).diffmap},
		{method: "POST", path: "/v1/savings", role: Write, own: true, long: true, about: "compares the sizes of worlds in several forms, and stores nothing", takes: octets, status: 200, gives: jsonOf(object{}), serve: (*call).savings},
		{method: "GET", path: "/v1/blame/NAME", role: Read, about: "which version changed a cell last", query: []param{
			at, commitOf("from", "id of the version where the search begins or goes on; in place of at"), words("dimension", "default the first with solid content"),
			words("volume", "default the solid content"), blocks("x"), blocks("y"), blocks("z"),
		}, status: 200, gives: jsonOf(blameAnswer{}), serve: (*call).blame},
		{method: "GET", path: "/v1/properties/NAME", role: Read, about: "the properties of the world", query: []param{at}, headers: known, status: 200, gives: jsonOf(propertiesAnswer{}), tells: staleHeaders, serve: (*call).properties},
		{method: "PATCH", path: "/v1/properties/NAME", role: Write, about: "changes properties of the world with a commit", headers: fenced, takes: jsonOf(propertiesCall{}), status: 200, gives: jsonOf(wire.Commit{}), tells: []string{"ETag"}, serve: (*call).setProperties},
		{method: "GET", path: "/v1/chunks/NAME", role: Read, about: "one chunk of any level", query: []param{
			at, dimension, words("volume", "name of the volume"), whole("level", 0, geom.MaxLevel, "default 0"), chunks("x"), chunks("y"), chunks("z"),
		}, headers: known, needs: []string{"dimension", "volume"}, status: 200, gives: bytesOf(wire.RecordsType), tells: staleHeaders, serve: (*call).chunk},
		{method: "GET", path: "/v1/picture/NAME", role: Read, long: true, about: "the world from above", query: []param{
			at, dimension, size(maxPicture), whole("plain", 0, 1, "1 leaves out the scale below the picture"),
		}, headers: known, status: 200, gives: bytesOf("image/png"), tells: append([]string{scaleHeader}, staleHeaders...), serve: (*call).picture},
	}
}

// lightCalls is the number of calls that read parts of worlds at a time.
const lightCalls = 8

// heavyWork calls do, which takes much memory, when its turn comes.
func (c *call) heavyWork(do func() error) error {
	leave, err := c.heavy.enter(c.ctx, c.who(), 0)
	if err != nil {
		return err
	}
	defer leave()
	c.step("wait")
	return worldFault(do())
}

// version is a commit of a world; at is zero for a world without commits.
type version struct {
	name   string
	at     history.ID
	stored string // how; "" if that does not matter
}

// at returns the version that the call names, and sets the headers of a head. If commits is
// set, a world without commits is an error.
func (c *call) at(commits bool) (v version, err error) {
	head, err := c.headNow()
	if err != nil {
		return v, err
	}
	v = version{name: c.name, at: head.Commit}
	if named := c.query.Get("at"); named != "" && (named != head.Commit.String() || head.Commit == (history.ID{})) {
		if v, err = c.versionOf(c.name, named); err != nil {
			return v, err
		}
	}
	if commits && v.at == (history.ID{}) {
		return v, history.ErrNoCommit
	}
	c.setHead(history.Head{Commit: v.at, Fence: head.Fence})
	return v, nil
}

// versionOf returns the version of a world that a text names.
func (c *call) versionOf(name, text string) (v version, err error) {
	v.name = name
	if v.at, err = c.version(name, text); err != nil || v.at == (history.ID{}) {
		return v, err
	}
	// The id may be that of a commit of another world, whose Snapshot is open.
	log, err := c.st.Log(c.ctx, name, v.at, 1)
	if err == nil && len(log) == 0 {
		err = history.ErrNoCommit
	}
	return v, err
}

// worldFault gives codes to errors of reading and writing whole worlds.
func worldFault(err error) error {
	var which *inspect.DimensionError
	var volume *inspect.VolumeError
	switch {
	case err == nil:
	case errors.As(err, &which) && which.Want == "":
		return bad("a Slime file holds one dimension: name one of %s", names(which.Have))
	case errors.As(err, &which):
		return bad("there is no dimension %.100q; there are %s", which.Want, names(which.Have))
	case errors.As(err, &volume):
		return bad("%s has no volume %.100q; there are %s", volume.Dimension, volume.Want, names(volume.Have))
	case errors.Is(err, convert.ErrTooLarge), errors.Is(err, port.ErrTooLarge):
		return fault(wire.TooLarge, "the world does not fit into the memory limit of the server")
	case errors.Is(err, port.ErrHolds), errors.Is(err, inspect.ErrNoMatter):
		return fault(wire.Unsupported, "%v", err)
	}
	return err
}

// names returns the first few elements of a list, for people.
func names(list []string) string {
	const most = 16
	if len(list) == 0 {
		return "none"
	}
	if len(list) > most {
		list = append(slices.Clone(list[:most]), "and others")
	}
	return strings.Join(list, ", ")
}

// diff is GET /v1/diff.
func (c *call) diff() error {
	d, err := c.difference()
	if err != nil {
		return err
	}
	if d.First == nil {
		d.First = []string{}
	}
	if d.Volumes == nil {
		d.Volumes = map[string]int{}
	}
	return c.answer(http.StatusOK, d)
}

func (c *call) difference() (d *diff.Difference, err error) {
	if name := c.query.Get("snapshot"); name != "" {
		if c.query.Has("a") || c.query.Has("b") || c.query.Has("with") {
			return nil, bad("snapshot goes without a, b and with")
		}
		return c.diffSnapshot(name)
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
	err = c.heavily(pair[0], func(a *world.Snapshot) error {
		return c.opened(pair[1], func(b *world.Snapshot) (err error) {
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
