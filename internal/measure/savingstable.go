package measure

import (
	"fmt"
	"io"
	"path/filepath"
)

// articleFactors is how much smaller Slime was than a zip of the same worlds
// on Hypixel. Source: the article on SkyBlock's islands.
const articleFactors = "hg 3.2, sw 5.0, smash 8.3, mcgo 4.2, bedwars 10.2, mw 2.9, bb 59.6, housing 5.4"

// Table prints a line for each world, kind and group, and why worlds were
// skipped.
func (r *SavingsReport) Table(w io.Writer) {
	t := newTable(w, "world", "blocks", "zip", "live", "slime", "best", "slim", "no light", "full",
		"zip:slime", "zip:slim", "slim/slime", "slim/best", "no light/slime", "full/live")
	for _, x := range r.Worlds {
		savingsRow(t, filepath.Base(x.Path), x.Cells, x.Bytes)
	}
	t.blank()
	for _, k := range r.Kinds {
		savingsRow(t, fmt.Sprintf("%s (%d)", k.Kind, k.Worlds), k.Cells, k.Bytes)
	}
	t.blank()
	for _, g := range append(r.Groups(), SavingsKind{"all", r.Total}) {
		savingsRow(t, fmt.Sprintf("%s (%d)", g.Kind, g.Worlds), g.Cells, g.Bytes)
	}
	t.flush()
	fmt.Fprintf(w, "\nslime: version 3 up to 1.12, 9 from 1.13, 13 from 1.18, at zstd's default level; best: the same at its best.\n"+
		"slim: cairn with the same content; no light: without light; full: cairn with everything.\n"+
		"zip:slime of the article's worlds: %s.\n", articleFactors)
	for _, s := range r.Skipped {
		fmt.Fprintf(w, "skipped %s: %s\n", s.Path, s.Why)
	}
}

func savingsRow(t *table, name string, cells int, b Bytes) {
	t.row(name, fmt.Sprint(cells), size(b.Zip), size(b.Live), size(b.Slime), size(b.SlimeBest), size(b.Slim), size(b.NoLight), size(b.Full),
		ratio(b.Zip, b.Slime), ratio(b.Zip, b.Slim), ratio(b.Slim, b.Slime), ratio(b.Slim, b.SlimeBest), ratio(b.NoLight, b.Slime), ratio(b.Full, b.Live))
}
