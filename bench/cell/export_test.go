package cell

import (
	"bytes"
	"context"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/stone"
)

// RunsPages returns the pages of plain runs of a volume, and the pages that a
// stone of form columns has of it.
func RunsPages(w *convert.Loaded, v *convert.LoadedVolume) (runs, columns [][]byte, err error) {
	most := chunksAPage(w)
	f := newRunsForm()
	for _, at := range pagesOf(v, most) {
		runs = append(runs, bytes.Clone(f.page(v, at)))
	}
	alone := &convert.Loaded{Dimensions: []*convert.LoadedDimension{{Name: "all", Volumes: []*convert.LoadedVolume{v}}}}
	var out bytes.Buffer
	if _, _, err = convert.WriteStone(context.Background(), alone, &out, stone.Options{PageChunks: most, Only: 1}); err != nil {
		return nil, nil, err
	}
	r, err := stone.Open(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		return nil, nil, err
	}
	pages, err := r.Pages()
	for _, p := range pages {
		columns = append(columns, out.Bytes()[p.Offset:p.Offset+int64(p.Size)])
	}
	return runs, columns, err
}
