package cell

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/cairnvoxel/cairn/internal/table"
)

// FormsLegend explains a table of forms.
const FormsLegend = `
Cells of the same content in pages of stones, blocks (all cells but light) and light apart. runs: plain runs along y
under zstd, no form of stones; columns, ...: that form alone, columns where it cannot be (- if nowhere); stone: each
page in the form that is chosen for it; best alone: the form that takes least, and how much less than the next one.
`

// FormsRow is a line of a table of forms; one without a name is blank.
type FormsRow struct {
	Name string
	FormWeights
}

// FormsTable prints the sizes of cells by form, for blocks and light separately. It leaves out
// forms that held nothing.
func FormsTable(w io.Writer, first string, rows []FormsRow) {
	var all FormWeights
	for _, r := range rows {
		all.Add(r.FormWeights)
	}
	blocks, light := all.Blocks.held(), all.Light.held()
	head := slices.Concat([]string{first, "blocks: runs"}, blocks, []string{"stone", "stone/runs", "best alone", "light: runs"})
	t := table.New(w, slices.Concat(head, light, []string{"stone", "stone/runs", "best alone"})...)
	for _, r := range rows {
		if r.Name == "" {
			t.Blank()
			continue
		}
		t.Row(slices.Concat([]string{r.Name}, r.Blocks.cells(blocks), r.Light.cells(light))...)
	}
	t.Flush()
}

// held returns the forms that took other than columns did.
func (b *FormBytes) held() (names []string) {
	for _, f := range cellForms() {
		if f.Name == columnsName || b.holds(f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}

func (b *FormBytes) holds(form string) bool {
	n, ok := b.Alone[form]
	return ok && n != b.Alone[columnsName]
}

func (b *FormBytes) cells(forms []string) (out []string) {
	if b.Runs == 0 {
		return slices.Repeat([]string{"-"}, len(forms)+4)
	}
	out = append(out, table.Size(b.Runs))
	for _, name := range forms {
		text := table.Size(b.Alone[name])
		if name != columnsName && !b.holds(name) {
			text = "-"
		}
		out = append(out, text)
	}
	return append(out, table.Size(b.Stone), fmt.Sprintf("%.3f", float64(b.Stone)/float64(b.Runs)), b.winner())
}

// evenly is how little of bytes makes no form the winner.
const evenly = .005

// winner names the form that takes least alone, and how much less that is than the
// next one takes.
func (b *FormBytes) winner() string {
	names := append(b.held(), "runs")
	bytes := func(name string) int64 {
		if name == "runs" {
			return b.Runs
		}
		return b.Alone[name]
	}
	slices.SortStableFunc(names, func(p, q string) int { return cmp.Compare(bytes(p), bytes(q)) })
	less := 1 - float64(bytes(names[0]))/float64(bytes(names[1]))
	if less < evenly {
		return "even"
	}
	return fmt.Sprintf("%s -%.0f %%", names[0], 100*less)
}
