package server

import (
	"net/http"

	"github.com/cairnvoxel/cairn/internal/server/metrics"
	"github.com/cairnvoxel/cairn/internal/store/wire"

	localstore "github.com/cairnvoxel/cairn/store/local"
)

// statsAnswer is the answer to GET /v1/stats. What changes from second to second is in the
// metrics.
type statsAnswer struct {
	Time   wire.Time          `json:"time"` // of the sample
	Worlds int                `json:"worlds"`
	Sizes  metrics.WorldSizes `json:"sizes"`
	Store  *localstore.Stats  `json:"store"` // null if the store counts nothing
	Stream streamStats        `json:"stream"`
	Packs  bool               `json:"packs"` // the server packs
}

type streamStats struct {
	Viewers int   `json:"viewers"`
	Worlds  int   `json:"worlds"`
	Bytes   int64 `json:"bytes"`
	Cubes   int64 `json:"cubes"`
	Edits   int64 `json:"edits"`
	Cut     int64 `json:"cut"`
}

// stats is GET /v1/stats.
func (c *call) stats() error {
	sizes, all, at, err := c.sizes.Of(c.ctx, c.st)
	if err != nil {
		return err
	}
	a := statsAnswer{Time: wire.Time{Time: at}, Worlds: all, Sizes: sizes, Packs: c.o.Packs}
	if st, ok := c.st.(metrics.Counted); ok {
		s, err := st.Stats(c.ctx)
		if err != nil {
			return err
		}
		a.Worlds, a.Store = s.Worlds, &s
	}
	shown, worlds := c.streams.Stats()
	a.Stream = streamStats{shown.Viewers, worlds, shown.Bytes, shown.Cubes, shown.Edits, shown.Cut}
	return c.answer(http.StatusOK, a)
}
