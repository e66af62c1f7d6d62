package server

import (
	"math"
	"slices"
	"strconv"

	"github.com/cairnvoxel/cairn/internal/server/cells"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// param is a parameter of the query. What its type says is what calls are held to.
type param = cells.Param

func words(name, about string) param { return param{Name: name, About: about} }

func whole(name string, least, most int64, about string) param {
	return param{Name: name, About: about, Least: least, Most: most}
}

func oneOf(name, about string, values ...string) param {
	return param{Name: name, About: about, Values: values}
}

func commitOf(name, about string) param {
	return param{Name: name, About: about, Pattern: "^[0-9a-f]{64}$"}
}

// blocks is a coordinate in blocks.
func blocks(axis string) param {
	const reach = geom.MaxChunk * geom.ChunkEdge
	return whole(axis, -reach, reach-1, "in blocks")
}

// chunks is a coordinate in chunks.
func chunks(axis string) param {
	return whole(axis, -geom.MaxChunk, geom.MaxChunk-1, "in chunks of the level")
}

// atVersion is the version that a call is about.
var atVersion = words("at", "VERSION: a number, the first digits of a commit's id, or a time, in UTC unless it names a zone; default the head")

// paramSchema describes the values of a parameter.
func paramSchema(p *param) object {
	switch {
	case p.Least != p.Most:
		return object{"type": "integer", "minimum": p.Least, "maximum": p.Most}
	case p.Values != nil:
		return object{"type": "string", "enum": p.Values}
	case p.Pattern != "":
		return object{"type": "string", "pattern": p.Pattern}
	}
	return object{"type": "string"}
}

// namePattern is that of names of worlds. A part is not "." or "..".
var namePattern = `^(?!\.{1,2}(/|$))[a-z0-9._-]{1,` + strconv.Itoa(history.MaxPart) + `}(/(?!\.{1,2}(/|$))[a-z0-9._-]{1,` + strconv.Itoa(history.MaxPart) + `}){0,` + strconv.Itoa(history.MaxParts-1) + `}$`

// headerSchema describes the values of a header of a call.
func headerSchema(name string) object {
	switch name {
	case "If-Match":
		return object{"type": "string", "pattern": `^"(0|[0-9a-f]{64})(-[0-9a-z-]*)?"$`}
	case wire.FenceHeader:
		return object{"type": "string", "pattern": "^(" + wire.ForceFence + "|0|[1-9][0-9]{0,18})$"}
	case wire.StaleHeader:
		return object{"type": "integer", "minimum": 0, "maximum": math.MaxInt32}
	}
	return object{"type": "string"}
}

// refusals returns the statuses of the refusals that a route may answer with.
func (r *route) refusals() []int {
	codes := []wire.Code{wire.BadRequest, wire.Internal, wire.Draining}
	if r.role > token.Nobody || r.own || r.socket {
		codes = append(codes, wire.Unauthorized, wire.Forbidden, wire.NoRoute, wire.Busy, wire.Timeout)
	}
	if r.takes != nothing {
		codes = append(codes, wire.TooLarge, wire.Corrupt)
	}
	if r.named() || r.long {
		codes = append(codes, wire.Gone, wire.TooLarge, wire.Corrupt)
	}
	if r.changes() {
		codes = append(codes, wire.Exists, wire.Conflict, wire.Leased, wire.Full)
	}
	if slices.Contains(r.needs, "If-Match") {
		codes = append(codes, wire.NeedsMatch)
	}
	var out []int
	for _, c := range codes {
		out = append(out, c.Status())
	}
	slices.Sort(out)
	return slices.Compact(out)
}
