package savings

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/cairnvoxel/cairn/internal/table"
)

// articleFactors is how much smaller Slime was than a zip of the same worlds
// on Hypixel. Source: the article on SkyBlock's islands.
const articleFactors = "hg 3.2, sw 5.0, smash 8.3, mcgo 4.2, bedwars 10.2, mw 2.9, bb 59.6, housing 5.4"

// Print prints a line for each world, for each kind and for all, and why worlds were skipped. With
// all it prints every size and ratio, otherwise those that Options.Short measures.
func (r *Savings) Print(w io.Writer, all bool) {
	head, legend := []string{"world", "folder", "zip", "slime", "slim", "cairn"}, "slime: a Slime file. slim: cairn with the same content. cairn: with everything. All: of the worlds that Slime can hold.\n"
	totals := []KindSum{{"all", r.Total}}
	if all {
		head = []string{"world", "blocks", "zip", "live", "slime", "best", "slim", "no light", "full",
			"zip:slime", "zip:slim", "slim/slime", "slim/best", "no light/slime", "full/live"}
		legend = "slime: version 3 up to 1.12, 9 from 1.13, 13 from 1.18, at zstd's default level; best: the same at its best.\n" +
			"slim: cairn with the same content; no light: without light; full: cairn with everything.\n" +
			"zip:slime of the article's worlds: " + articleFactors + ".\n\n"
		totals = append(r.Groups(), totals...)
	}
	t := table.New(w, head...)
	for _, x := range r.Worlds {
		t.Row(cells(filepath.Base(x.Path), x.Cells, x.Bytes, all)...)
	}
	for i, kinds := range [][]KindSum{r.Kinds, totals} {
		if several := i == 0 && len(kinds) > 1 || i == 1 && len(r.Worlds) > 1; !all && !several {
			continue
		}
		t.Blank()
		for _, k := range kinds {
			t.Row(cells(fmt.Sprintf("%s (%d)", k.Kind, k.Worlds), k.Cells, k.Bytes, all)...)
		}
	}
	t.Flush()
	fmt.Fprint(w, "\n", legend)
	for _, s := range r.Skipped {
		fmt.Fprintf(w, "skipped %s: %s\n", s.Path, s.Why)
	}
}

// cells returns the cells of a line.
func cells(name string, blocks int, b Bytes, all bool) []string {
	sizes := func(all ...int64) (out []string) {
		for _, n := range all {
			if text := table.Size(n); n > 0 {
				out = append(out, text)
			} else {
				out = append(out, "-")
			}
		}
		return out
	}
	if !all {
		return append([]string{name}, sizes(b.Folder, b.Zip, b.Slime, b.Slim, b.Full)...)
	}
	return slices.Concat([]string{name, fmt.Sprint(blocks)}, sizes(b.Zip, b.Live, b.Slime, b.SlimeBest, b.Slim, b.NoLight, b.Full), []string{
		table.Ratio(b.Zip, b.Slime), table.Ratio(b.Zip, b.Slim), table.Ratio(b.Slim, b.Slime), table.Ratio(b.Slim, b.SlimeBest), table.Ratio(b.NoLight, b.Slime), table.Ratio(b.Full, b.Live)})
}
