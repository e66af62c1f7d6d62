package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/cairnvoxel/cairn/bench/peer"
	"github.com/cairnvoxel/cairn/bench/provider"
	"github.com/cairnvoxel/cairn/bench/textures"
)

func columns(w io.Writer) *tabwriter.Writer {
	return tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
}

// ratio is a/b for people, "-" where there is nothing to compare with.
func ratio(a, b float64) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", a/b)
}

type nbtReport struct {
	Rows []peer.NBT `json:"rows"`
}

func measureNBT(dirs []string, progress func(done, all int)) (report, error) {
	var files []string
	for _, dir := range dirs {
		found, err := peer.Regions(dir)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	rows, err := peer.MeasureNBT(files, func(done int) { progress(done, len(files)) })
	return nbtReport{rows}, err
}

func (r nbtReport) table(w io.Writer) {
	t := columns(w)
	fmt.Fprintln(t, "library\tdocuments\trefused\tMB\tdecode MB/s\tencode MB/s\tidentical\t")
	for _, n := range r.Rows {
		fmt.Fprintf(t, "%s\t%d\t%d\t%.0f\t%.0f\t%.0f\t%d\t\n", n.Peer, n.Documents, n.Refused, float64(n.Bytes)/1e6, n.Decode, n.Encode, n.Identical)
	}
	t.Flush()
}

type anvilReport struct {
	Rows  []peer.Anvil `json:"rows"`
	Ratio float64      `json:"ratio"` // of the first row's rate to the second's
}

func measureAnvil(dirs []string, progress func(done, all int)) (report, error) {
	worlds, err := peer.Worlds(dirs...)
	if err != nil {
		return nil, err
	}
	rows, err := peer.MeasureAnvil(worlds, func(done int) { progress(done, len(worlds)) })
	if err != nil || rows[1].Decode == 0 {
		return anvilReport{Rows: rows}, err
	}
	return anvilReport{rows, rows[0].Decode / rows[1].Decode}, nil
}

func (r anvilReport) table(w io.Writer) {
	t := columns(w)
	fmt.Fprintln(t, "library\tchunks\trefused\tMB of NBT\tMB/s\t")
	for _, a := range r.Rows {
		fmt.Fprintf(t, "%s\t%d\t%d\t%.0f\t%.0f\t\n", a.Peer, a.Chunks, a.Refused, float64(a.Bytes)/1e6, a.Decode)
	}
	t.Flush()
	fmt.Fprintf(w, "ratio %.2f\n", r.Ratio)
}

type memoryReport struct {
	Kinds []peer.Memory `json:"kinds"` // the last is the total
}

func measureMemory(dirs []string, progress func(done, all int)) (report, error) {
	worlds, err := peer.Worlds(dirs...)
	if err != nil {
		return nil, err
	}
	var rows []peer.Memory
	byKind := map[string]int{}
	total := peer.Memory{Kind: "total"}
	for i, dir := range worlds {
		m, err := peer.MeasureMemory(dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		kind := kindOf(dir)
		at, ok := byKind[kind]
		if !ok {
			at = len(rows)
			byKind[kind] = at
			rows = append(rows, peer.Memory{Kind: kind})
		}
		rows[at].Add(m)
		total.Add(m)
		progress(i+1, len(worlds))
	}
	return memoryReport{append(rows, total)}, nil
}

// kindOf returns what a MANIFEST.tsv above the world's folder says that the
// world is, in brackets.
func kindOf(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "other"
	}
	for root := filepath.Dir(abs); ; root = filepath.Dir(root) {
		b, err := os.ReadFile(filepath.Join(root, "MANIFEST.tsv"))
		if err != nil && root != filepath.Dir(root) {
			continue
		}
		name, _ := filepath.Rel(root, abs)
		_, line, _ := strings.Cut("\n"+string(b), "\n"+filepath.ToSlash(name)+"\t")
		line, _, _ = strings.Cut(line, "\n")
		for _, kind := range []string{"minigame", "terrain"} {
			if strings.Contains(line, kind) {
				return kind
			}
		}
		return "other"
	}
}

func (r memoryReport) table(w io.Writer) {
	t := columns(w)
	fmt.Fprintln(t, "kind\tworlds\tcells\tcairn KB\tmips\tdragonfly KB\tstorages\tratio\tto storages\tcairn light\tdragonfly light\tratio with light\t")
	for _, m := range r.Kinds {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t%d\t%d\t%s\t\n", m.Kind, m.Worlds, m.Cells,
			m.Blocks/1024, m.Mips/1024, m.PeerBlocks/1024, m.PeerStorages/1024,
			ratio(float64(m.Blocks), float64(m.PeerBlocks)), ratio(float64(m.Blocks), float64(m.PeerStorages)),
			m.Light/1024, m.PeerLight/1024,
			ratio(float64(m.Blocks+m.Light), float64(m.PeerBlocks+m.PeerLight)))
	}
	t.Flush()
	fmt.Fprintln(w, "cairn: block chunks with headers and mips. dragonfly: chunks, compacted; storages: its block storages alone.")
}

type gridReport struct {
	Rows []peer.Grid `json:"rows"`
}

func measureGrid(dirs []string, progress func(done, all int)) (report, error) {
	if len(dirs) == 0 {
		made, err := peer.Made()
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(made)
		dirs = []string{made}
	}
	worlds, err := peer.Worlds(dirs...)
	if err != nil {
		return nil, err
	}
	g, err := peer.LoadGrids(worlds, func(done int) { progress(done, 3*len(worlds)) })
	if err != nil {
		return nil, err
	}
	rows, err := g.Measure(progress)
	return gridReport{rows}, err
}

func (r gridReport) table(w io.Writer) {
	t := columns(w)
	fmt.Fprintln(t, "ns each, memory in B\tcairn\tdragonfly\tstorage\tgo-mc\tdragonfly/cairn\tstorage/cairn\tgo-mc/cairn\t")
	for _, g := range r.Rows {
		fmt.Fprintf(t, "%s\t%.1f\t%.1f\t%.1f\t%.1f\t%.2f\t%.2f\t%.2f\t\n", g.What, g.Cairn, g.Dragonfly, g.Storage, g.GoMC,
			g.ByDragonfly, g.ByStorage, g.ByGoMC)
	}
	t.Flush()
	fmt.Fprintln(w, "storage: dragonfly's block storages at hand; 0: no such way. A ratio of 3 says that cairn takes a third.")
}

type texturesReport struct{ *textures.Report }

func measureTextures(quick bool) verb {
	return func(dirs []string, progress func(done, all int)) (report, error) {
		r, err := textures.Bench(context.Background(), strings.Join(dirs, ""), quick, progress)
		return texturesReport{r}, err
	}
}

func (r texturesReport) table(w io.Writer) { r.Table(w) }

type dragonflyReport struct{ *provider.Report }

func measureDragonfly(quick bool) verb {
	return func([]string, func(done, all int)) (report, error) {
		size, arenas := 24, 1000
		if quick {
			size, arenas = 3, 20
		}
		r, err := provider.Bench(context.Background(), size, arenas, 1)
		return dragonflyReport{r}, err
	}
}

func (r dragonflyReport) table(w io.Writer) {
	t := columns(w)
	fmt.Fprintf(t, "%d columns\tcairn\tLevelDB\tratio\t\n", r.Columns)
	for _, row := range []struct {
		name string
		a, b float64
	}{
		{"store a new column, us", r.Cairn.New, r.LevelDB.New},
		{"store a changed column, us", r.Cairn.Changed, r.LevelDB.Changed},
		{"store one that did not change, us", r.Cairn.Unchanged, r.LevelDB.Unchanged},
		{"load, just opened, us", r.Cairn.Cold, r.LevelDB.Cold},
		{"load again, us", r.Cairn.Warm, r.LevelDB.Warm},
		{"bytes of the folder", float64(r.Cairn.Bytes), float64(r.LevelDB.Bytes)},
	} {
		fmt.Fprintf(t, "%s\t%.0f\t%.0f\t%s\t\n", row.name, row.a, row.b, ratio(row.a, row.b))
	}
	t.Flush()
	a := r.Arenas
	fmt.Fprintf(w, "the commit of all changed columns, durable: %.1f ms\n", r.CommitMS)
	fmt.Fprintf(w, "%d arenas of %d cells, %d changed: %.0f forked and restored a second; one fork %.2f ms\n", a.Count, a.Cells, a.Changed, a.Second, a.ForkMS)
}
