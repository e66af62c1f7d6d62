package lock

import (
	"fmt"
	"html"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// plot writes the plots of the rows into dir.
func (r *Report) plot(dir string) error {
	processors := r.processors()
	most := processors[len(processors)-1]
	byGoroutines := func(from int) (names []string) {
		for _, g := range r.goroutines()[from:] {
			names = append(names, fmt.Sprintf("%d goroutines", g))
		}
		names[0] = strings.Replace(names[0], "1 goroutines", "1 goroutine", 1)
		return names
	}
	cost := plot{title: "Time from one acquisition to the next", rows: r.locks(), series: byGoroutines(0), log: true}
	for _, p := range processors {
		if p == 1 || p == most {
			cost.add(fmt.Sprintf("GOMAXPROCS %d", p), func(name string) (at []float64) {
				for _, g := range r.goroutines() {
					at = append(at, r.row(name, p, g).Each)
				}
				return at
			})
		}
	}
	wait := plot{title: fmt.Sprintf("How long Lock takes, GOMAXPROCS %d", most), rows: r.locks(), series: []string{"p50", "p99", "p99.9", "max"}, log: true}
	for _, g := range r.goroutines() {
		if g != 2 && g != 8 && g != 64 {
			continue
		}
		wait.add(fmt.Sprintf("%d goroutines", g), func(name string) []float64 {
			t := r.row(name, most, g).Wait
			return []float64{t.P50, t.P99, t.P999, t.Max}
		})
	}
	fair := plot{title: fmt.Sprintf("Fairness, GOMAXPROCS %d: 1 is the same number of acquisitions for all goroutines", most), rows: r.locks(), series: byGoroutines(1)}
	for _, f := range []struct {
		name string
		of   func(Row) float64
	}{{"Jain's index", func(x Row) float64 { return x.Jain }}, {"least to most", func(x Row) float64 { return x.Least }}} {
		fair.add(f.name, func(name string) (at []float64) {
			for _, g := range r.goroutines()[1:] {
				at = append(at, f.of(r.row(name, most, g)))
			}
			return at
		})
	}
	for name, p := range map[string]*plot{"cost": &cost, "wait": &wait, "fairness": &fair} {
		if err := os.WriteFile(filepath.Join(dir, "locks-"+name+".svg"), []byte(p.svg()), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// plot shows a row of dots for each lock in each panel, one dot for each series. The axis has
// nanoseconds if it is logarithmic, and goes from 0 to 1 otherwise.
type plot struct {
	title        string
	rows, series []string
	panels       []panel
	log          bool
}

type panel struct {
	title string
	at    [][]float64 // by row, then series
}

func (p *plot) add(title string, of func(row string) []float64) {
	x := panel{title: title}
	for _, name := range p.rows {
		x.at = append(x.at, of(name))
	}
	p.panels = append(p.panels, x)
}

// Places in a plot, in pixels.
const (
	plotWide, labelWide, panelGap = 960, 190, 44
	headHigh, rowHigh, footHigh   = 84, 19, 30
	dot                           = 4.5
)

// ramp are the colours of the series, from light to dark.
func ramp() []string { return []string{"#9ecae1", "#fdae61", "#f46d43", "#9e2a5b", "#2b1d5c"} }

// svg draws the plot.
func (p *plot) svg() string {
	var b strings.Builder
	high := headHigh + rowHigh*len(p.rows) + footHigh
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" font-size="12" fill="#222">`+"\n", plotWide, high)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", plotWide, high)
	text(&b, 12, 22, `font-size="15" font-weight="bold"`, p.title)
	colours := ramp()[len(ramp())-len(p.series):]
	for i, name := range p.series {
		x := float64(labelWide + 110*i)
		fmt.Fprintf(&b, `<circle cx="%.0f" cy="42" r="%.1f" fill="%s"/>`+"\n", x, dot, colours[i])
		text(&b, x+9, 46, "", name)
	}
	for i, name := range p.rows {
		weight := ""
		if i == 0 {
			weight = ` font-weight="bold"`
		}
		text(&b, labelWide-14, rowAt(i)+4, `text-anchor="end"`+weight, name)
	}
	wide := (float64(plotWide-labelWide) - float64(panelGap*len(p.panels))) / float64(len(p.panels))
	for i, x := range p.panels {
		p.panel(&b, x, float64(labelWide)+float64(i)*(wide+panelGap), wide, colours)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func rowAt(i int) float64 { return headHigh + rowHigh*(float64(i)+0.5) }

func text(b *strings.Builder, x, y float64, attributes, s string) {
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" %s>%s</text>`+"\n", x, y, attributes, html.EscapeString(s))
}

func line(b *strings.Builder, x1, y1, x2, y2 float64, colour string) {
	fmt.Fprintf(b, `<path d="M%.1f %.1fL%.1f %.1f" stroke="%s"/>`+"\n", x1, y1, x2, y2, colour)
}

func (p *plot) panel(b *strings.Builder, x panel, left, wide float64, colours []string) {
	low, high := p.bounds()
	place := func(v float64) float64 { return left + wide*(p.scale(v)-low)/(high-low) }
	text(b, left, headHigh-12, `font-weight="bold"`, x.title)
	bottom := rowAt(len(p.rows) - 1)
	for _, tick := range p.ticks(low, high, wide) {
		at := place(tick.at)
		line(b, at, headHigh, at, bottom+rowHigh/2, "#ddd")
		text(b, at, bottom+rowHigh/2+16, `text-anchor="middle" font-size="11" fill="#555"`, tick.name)
	}
	for i, values := range x.at {
		y, first, last := rowAt(i), math.Inf(1), math.Inf(-1)
		for _, v := range values {
			first, last = min(first, place(v)), max(last, place(v))
		}
		line(b, first, y, last, y, "#aaa")
		for j, v := range values {
			fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="%.1f" fill="%s" stroke="#fff" stroke-width="0.7"/>`+"\n", place(v), y, dot, colours[j])
		}
	}
}

func (p *plot) scale(v float64) float64 {
	if p.log {
		return math.Log10(max(1, v))
	}
	return v
}

// bounds returns what the axis shows on its scale: whole powers of ten, or 0 to 1.
func (p *plot) bounds() (low, high float64) {
	if !p.log {
		return 0, 1
	}
	low, high = math.Inf(1), 1
	for _, x := range p.panels {
		for _, values := range x.at {
			for _, v := range values {
				low, high = min(low, math.Floor(p.scale(v))), max(high, math.Ceil(p.scale(v)))
			}
		}
	}
	return low, max(high, low+1)
}

type tick struct {
	at   float64
	name string
}

// ticks returns lines and their names. An axis with little room names only ns, us, ms and s.
func (p *plot) ticks(low, high, wide float64) (out []tick) {
	if !p.log {
		return []tick{{0, "0"}, {0.25, ""}, {0.5, "0.5"}, {0.75, ""}, {1, "1"}}
	}
	units := []string{"ns", "us", "ms", "s", "ks"}
	for e := int(low); e <= int(high); e++ {
		name := fmt.Sprintf("%.0f %s", math.Pow10(e%3), units[e/3])
		if e%3 > 0 && wide < tickWide*(high-low) {
			name = ""
		}
		out = append(out, tick{math.Pow10(e), name})
	}
	return out
}

// tickWide is the room that a name of a tick takes.
const tickWide = 44
