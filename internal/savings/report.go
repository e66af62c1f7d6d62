package savings

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/cairnvoxel/cairn/internal/table"
)

// articleFactors is how much smaller Slime was than a zip of the same worlds
// on Hypixel. Source: the article on SkyBlock's islands.
const articleFactors = "hg 3.2, sw 5.0, smash 8.3, mcgo 4.2, bedwars 10.2, mw 2.9, bb 59.6, housing 5.4"

// Short prints a line for each world, for each kind and for all, if there are several, and why
// worlds were skipped.
func (r *Report) Short(w io.Writer) {
	t := table.New(w, "world", "folder", "zip", "slime", "slim", "cairn")
	line := func(name string, b Bytes) {
		t.Row(name, table.Size(b.Folder), table.Size(b.Zip), table.Size(b.Slime), table.Size(b.Slim), table.Size(b.Full))
	}
	for _, x := range r.Worlds {
		line(filepath.Base(x.Path), x.Bytes)
	}
	if len(r.Kinds) > 1 {
		t.Blank()
		for _, k := range r.Kinds {
			line(fmt.Sprintf("%s (%d)", k.Kind, k.Worlds), k.Bytes)
		}
	}
	if len(r.Worlds) > 1 {
		t.Blank()
		line(fmt.Sprintf("all (%d)", r.Total.Worlds), r.Total.Bytes)
	}
	t.Flush()
	fmt.Fprint(w, "\nslime: a Slime file. slim: cairn with the same content. cairn: with everything.\n")
	r.skipped(w)
}

func (r *Report) skipped(w io.Writer) {
	for _, s := range r.Skipped {
		fmt.Fprintf(w, "skipped %s: %s\n", s.Path, s.Why)
	}
}

// Table prints a line for each world, kind and group, and why worlds were skipped.
func (r *Report) Table(w io.Writer) {
	t := table.New(w, "world", "blocks", "zip", "live", "slime", "best", "slim", "no light", "full",
		"zip:slime", "zip:slim", "slim/slime", "slim/best", "no light/slime", "full/live")
	for _, l := range r.lines() {
		if l.name == "" {
			t.Blank()
			continue
		}
		row(t, l.name, l.Cells, l.Bytes)
	}
	t.Flush()
	fmt.Fprintf(w, "\nslime: version 3 up to 1.12, 9 from 1.13, 13 from 1.18, at zstd's default level; best: the same at its best.\n"+
		"slim: cairn with the same content; no light: without light; full: cairn with everything.\n"+
		"zip:slime of the article's worlds: %s.\n\n", articleFactors)
	r.skipped(w)
}

// line is a line of the table; one without a name is blank.
type line struct {
	name string
	Sum
}

func (r *Report) lines() (out []line) {
	for _, x := range r.Worlds {
		out = append(out, line{filepath.Base(x.Path), Sum{1, x.Cells, x.Bytes}})
	}
	out = append(out, line{})
	kind := func(k Kind) {
		out = append(out, line{fmt.Sprintf("%s (%d)", k.Kind, k.Worlds), k.Sum})
	}
	for _, k := range r.Kinds {
		kind(k)
	}
	out = append(out, line{})
	for _, g := range append(r.Groups(), Kind{"all", r.Total}) {
		kind(g)
	}
	return out
}

func row(t *table.Table, name string, cells int, b Bytes) {
	t.Row(name, fmt.Sprint(cells), table.Size(b.Zip), table.Size(b.Live), table.Size(b.Slime), table.Size(b.SlimeBest), table.Size(b.Slim), table.Size(b.NoLight), table.Size(b.Full),
		table.Ratio(b.Zip, b.Slime), table.Ratio(b.Zip, b.Slim), table.Ratio(b.Slim, b.Slime), table.Ratio(b.Slim, b.SlimeBest), table.Ratio(b.NoLight, b.Slime), table.Ratio(b.Full, b.Live))
}
