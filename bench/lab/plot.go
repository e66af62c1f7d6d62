package lab

import (
	"fmt"
	"html"
	"math"
	"os"
	"strings"
)

// Plot shows a row of dots for each of Rows in each panel, one dot for each of Series, at most five. A value of 0 has
// no dot.
type Plot struct {
	Title        string
	Rows, Series []string
	// Units names powers of a thousand. An axis with units is logarithmic, another goes from 0 to 1.
	Units []string
	// Apart gives each panel an axis of its own. Else all have the same.
	Apart  bool
	panels []panel
}

// Times and Sizes are units.
func Times() []string { return []string{"ns", "us", "ms", "s", "ks"} }
func Sizes() []string { return []string{"B", "kB", "MB", "GB"} }

type panel struct {
	title string
	at    [][]float64 // by row, then series
}

// Add adds a panel: of returns the values of a row, by series.
func (p *Plot) Add(title string, of func(row string) []float64) {
	x := panel{title: title}
	for _, name := range p.Rows {
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

// Write draws the plot into a file.
func (p *Plot) Write(file string) error { return os.WriteFile(file, []byte(p.svg()), 0o666) }

func (p *Plot) svg() string {
	var b strings.Builder
	high := headHigh + rowHigh*len(p.Rows) + footHigh
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" font-size="12" fill="#222">`+"\n", plotWide, high)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", plotWide, high)
	text(&b, 12, 22, `font-size="15" font-weight="bold"`, p.Title)
	colours := ramp()[len(ramp())-len(p.Series):]
	for i, name := range p.Series {
		x := float64(labelWide + 110*i)
		fmt.Fprintf(&b, `<circle cx="%.0f" cy="42" r="%.1f" fill="%s"/>`+"\n", x, dot, colours[i])
		text(&b, x+9, 46, "", name)
	}
	for i, name := range p.Rows {
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

func (p *Plot) panel(b *strings.Builder, x panel, left, wide float64, colours []string) {
	low, high := p.bounds(p.panels)
	if p.Apart {
		low, high = p.bounds([]panel{x})
	}
	place := func(v float64) float64 { return left + wide*(p.scale(v)-low)/(high-low) }
	text(b, left, headHigh-12, `font-weight="bold"`, x.title)
	bottom := rowAt(len(p.Rows) - 1)
	for _, tick := range p.ticks(low, high, wide) {
		at := place(tick.at)
		line(b, at, headHigh, at, bottom+rowHigh/2, "#ddd")
		text(b, at, bottom+rowHigh/2+16, `text-anchor="middle" font-size="11" fill="#555"`, tick.name)
	}
	for i, values := range x.at {
		y, first, last := rowAt(i), math.Inf(1), math.Inf(-1)
		for _, v := range values {
			if v == 0 && len(p.Units) > 0 {
				continue
			}
			first, last = min(first, place(v)), max(last, place(v))
		}
		if first < last {
			line(b, first, y, last, y, "#aaa")
		}
		for j, v := range values {
			if v == 0 && len(p.Units) > 0 {
				continue
			}
			fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="%.1f" fill="%s" stroke="#fff" stroke-width="0.7"/>`+"\n", place(v), y, dot, colours[j])
		}
	}
}

func (p *Plot) scale(v float64) float64 {
	if len(p.Units) > 0 {
		return math.Log10(max(1, v))
	}
	return v
}

// bounds returns what the axis shows on its scale: whole powers of ten, or 0 to 1.
func (p *Plot) bounds(of []panel) (low, high float64) {
	if len(p.Units) == 0 {
		return 0, 1
	}
	low, high = math.Inf(1), 1
	for _, x := range of {
		for _, values := range x.at {
			for _, v := range values {
				if v == 0 {
					continue
				}
				low, high = min(low, math.Floor(p.scale(v))), max(high, math.Ceil(p.scale(v)))
			}
		}
	}
	low = min(low, high)
	return low, max(high, low+1)
}

type tick struct {
	at   float64
	name string
}

// ticks returns lines and their names. An axis with little room names only the units.
func (p *Plot) ticks(low, high, wide float64) (out []tick) {
	if len(p.Units) == 0 {
		return []tick{{0, "0"}, {0.25, ""}, {0.5, "0.5"}, {0.75, ""}, {1, "1"}}
	}
	for e := int(low); e <= int(high); e++ {
		name := fmt.Sprintf("%.0f %s", math.Pow10(e%3), p.Units[e/3])
		if e%3 > 0 && wide < tickWide*(high-low) {
			name = ""
		}
		out = append(out, tick{math.Pow10(e), name})
	}
	return out
}

// tickWide is the room that a name of a tick takes.
const tickWide = 44
