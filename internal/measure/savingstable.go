package measure

import (
	"fmt"
	"io"
	"path/filepath"
)

// articleFactors is how much smaller Slime was than a zip of the same worlds
// on Hypixel. Source: the article on SkyBlock's islands.
const articleFactors = "hg 3.2, sw 5.0, smash 8.3, mcgo 4.2, bedwars 10.2, mw 2.9, bb 59.6, housing 5.4"

// Table prints a line for each world, kind and group, the same for the forms of
// cells, and why worlds were skipped.
func (r *SavingsReport) Table(w io.Writer) {
	t := newTable(w, "world", "blocks", "zip", "live", "slime", "best", "slim", "no light", "full",
		"zip:slime", "zip:slim", "slim/slime", "slim/best", "no light/slime", "full/live")
	lines := r.lines()
	var forms []formsRow
	for _, l := range lines {
		forms = append(forms, formsRow{l.name, l.Forms})
		if l.name == "" {
			t.blank()
			continue
		}
		savingsRow(t, l.name, l.Cells, l.Bytes)
	}
	t.flush()
	fmt.Fprintf(w, "\nslime: version 3 up to 1.12, 9 from 1.13, 13 from 1.18, at zstd's default level; best: the same at its best.\n"+
		"slim: cairn with the same content; no light: without light; full: cairn with everything.\n"+
		"zip:slime of the article's worlds: %s.\n\n", articleFactors)
	formsTable(w, "world", forms)
	fmt.Fprint(w, formsLegend)
	for _, s := range r.Skipped {
		fmt.Fprintf(w, "skipped %s: %s\n", s.Path, s.Why)
	}
}

// savingsLine is a line of both tables; one without a name is blank.
type savingsLine struct {
	name string
	SavingsSum
}

func (r *SavingsReport) lines() (out []savingsLine) {
	for _, x := range r.Worlds {
		out = append(out, savingsLine{filepath.Base(x.Path), SavingsSum{1, x.Cells, x.Bytes, x.Forms}})
	}
	out = append(out, savingsLine{})
	kind := func(k SavingsKind) {
		out = append(out, savingsLine{fmt.Sprintf("%s (%d)", k.Kind, k.Worlds), k.SavingsSum})
	}
	for _, k := range r.Kinds {
		kind(k)
	}
	out = append(out, savingsLine{})
	for _, g := range append(r.Groups(), SavingsKind{"all", r.Total}) {
		kind(g)
	}
	return out
}

func savingsRow(t *table, name string, cells int, b Bytes) {
	t.row(name, fmt.Sprint(cells), size(b.Zip), size(b.Live), size(b.Slime), size(b.SlimeBest), size(b.Slim), size(b.NoLight), size(b.Full),
		ratio(b.Zip, b.Slime), ratio(b.Zip, b.Slim), ratio(b.Slim, b.Slime), ratio(b.Slim, b.SlimeBest), ratio(b.NoLight, b.Slime), ratio(b.Full, b.Live))
}
