package terrain

import (
	"context"
	"strconv"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Source returns the chunks of the level that touch box, as a world with the volumes
// "solid" and "liquid". It leaves out empty chunks.
func (l Level) Source(box geom.Box) format.Source { return &levelSource{l.resolve(), box} }

type levelSource struct {
	level Level
	box   geom.Box
}

func (s *levelSource) Head() format.Head {
	return format.Head{Format: "terrain", Properties: map[string]string{
		"name": "Level", "seed": strconv.FormatUint(s.level.Seed, 10),
	}}
}

func (s *levelSource) Close() error { return nil }

// Read makes one stack of chunks after another.
func (s *levelSource) Read(ctx context.Context, sink format.Sink) error {
	names := format.NewNames()
	for _, m := range Materials() {
		if _, err := names.Cell(m); err != nil {
			return err
		}
	}
	err := sink.Dimension(&format.Dimension{Name: "overworld", Volumes: []*format.NamedVolume{
		{Volume: voxel.Volume{Name: "solid", Schema: voxel.Terrain, Scale: 1}, Names: names},
		{Volume: voxel.Volume{Name: "liquid", Schema: voxel.Level, Scale: 1}},
	}})
	if err != nil || s.box.Empty() {
		return err
	}
	lo, hi := s.box.Min.Chunk(), s.box.Max.Sub(geom.Point{X: 1, Y: 1, Z: 1}).Chunk()
	for z := lo.Z; z <= hi.Z; z++ {
		for x := lo.X; x <= hi.X; x++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := s.stack(sink, geom.ChunkPos{X: x, Y: lo.Y, Z: z}, hi.Y); err != nil {
				return err
			}
		}
	}
	return nil
}

// stack passes on the chunks from pos up to height hi that are not empty.
func (s *levelSource) stack(sink format.Sink, pos geom.ChunkPos, hi int32) error {
	f := s.level.field(pos)
	for ; pos.Y <= hi; pos.Y++ {
		for _, v := range []struct {
			name  string
			chunk *voxel.Chunk
		}{{"solid", f.solid(pos.Y)}, {"liquid", f.liquid(pos.Y)}} {
			if c, same := v.chunk.Uniform(); same && c == 0 {
				continue
			}
			if err := sink.Chunk(v.name, pos, v.chunk); err != nil {
				return err
			}
		}
	}
	return nil
}
