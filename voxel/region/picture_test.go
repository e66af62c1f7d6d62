package region_test

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/voxel/region"
)

// Example_pictures draws the pictures of docs/lab/POLYGONS.md. With -update they are written.
func Example_pictures() {
	var nine, all album
	for _, c := range configurations {
		nine.draw(c.name, c.says, c.corners, line(0, 3, 6, 3), &c.at)
	}
	for _, s := range situations {
		all.draw(s.shape, s.what, shapes[s.shape], s.line, nil)
	}
	nine.keep("../../docs/lab/polygons-nine.svg", 3)
	all.keep("../../docs/lab/polygons-splits.svg", 6)
	// Output:
	// ../../docs/lab/polygons-nine.svg has 9 pictures
	// ../../docs/lab/polygons-splits.svg has 41 pictures
}

// album is pictures side by side.
type album []string

const (
	unit  = 18  // pixels of a cell
	wide  = 200 // of a picture
	high  = 206
	inset = 28
)

// draw adds a picture of a split: parts on the left are blue, on the right orange, bridges green.
func (a *album) draw(title, says string, corners []region.Corner, l region.Line, mark *region.Corner) {
	p, err := region.NewPolygon(corners)
	if err != nil {
		log.Fatal(err)
	}
	parts, err := region.Split(p, l)
	if err != nil {
		log.Fatal(err)
	}
	var b strings.Builder
	edges := make(map[[2]string]bool)
	for _, part := range parts {
		fill := "#bcd8f5"
		if part.Side == region.Right {
			fill = "#fbd9b0"
		}
		fmt.Fprintf(&b, `<polygon points="%s" fill="%s" stroke="#444" stroke-width="1.5"/>`+"\n", points(part.Polygon), fill)
		for _, e := range segments(ring(part.Polygon)) {
			edges[e] = true
		}
	}
	for _, part := range parts {
		vertices := slices.Collect(part.Polygon.Vertices())
		for i, v := range vertices {
			w := vertices[(i+1)%len(vertices)]
			if back := [2]string{w.String(), v.String()}; edges[back] && part.Side == region.Left {
				fmt.Fprintf(&b, `<path d="M%s L%s" stroke="#0a8a3a" stroke-width="4"/>`+"\n", place(v), place(w))
			}
		}
		for _, v := range vertices {
			x, z, _ := strings.Cut(place(v), ",")
			fmt.Fprintf(&b, `<circle cx="%s" cy="%s" r="2.5" fill="#222"/>`+"\n", x, z)
		}
	}
	fmt.Fprintf(&b, `<path d="%s" stroke="#c00" stroke-width="1" stroke-dasharray="5 3" marker-end="url(#arrow)"/>`+"\n", through(l))
	if mark != nil {
		fmt.Fprintf(&b, `<circle cx="%d" cy="%d" r="6" fill="none" stroke="#c00" stroke-width="2"/>`+"\n", mark.X*unit, mark.Z*unit)
	}
	*a = append(*a, fmt.Sprintf("<text x=\"4\" y=\"14\" font-weight=\"bold\">%s</text><text x=\"4\" y=\"%d\" font-size=\"10\">%s</text>\n<g transform=\"translate(%d,%[4]d)\">\n%s</g>\n",
		title, high-8, says, inset, &b))
}

// through returns the way of a line across the picture.
func through(l region.Line) string {
	dx, dz := float64(l.B.X-l.A.X), float64(l.B.Z-l.A.Z)
	// From one end to the other of those that reach the frame from -1 to 9.
	least, most := -1e9, 1e9
	for _, c := range [2][2]float64{{float64(l.A.X), dx}, {float64(l.A.Z), dz}} {
		if c[1] != 0 {
			s, t := (-1-c[0])/c[1], (9-c[0])/c[1]
			least, most = max(least, min(s, t)), min(most, max(s, t))
		}
	}
	at := func(t float64) string {
		return fmt.Sprintf("%.1f,%.1f", (float64(l.A.X)+t*dx)*unit, (float64(l.A.Z)+t*dz)*unit)
	}
	return "M" + at(least) + " L" + at(most)
}

func place(v region.Vertex) string {
	x, z := v.Exact()
	fx, _ := x.Float64()
	fz, _ := z.Float64()
	return fmt.Sprintf("%.1f,%.1f", fx*unit, fz*unit)
}

func points(p region.Polygon) string {
	var out []string
	for v := range p.Vertices() {
		out = append(out, place(v))
	}
	return strings.Join(out, " ")
}

// keep compares the album with a file, or writes it.
func (a album) keep(name string, columns int) {
	var b bytes.Buffer
	rows := (len(a) + columns - 1) / columns
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" font-size="12" fill="#222">`+"\n", columns*wide, rows*high)
	b.WriteString(`<defs><marker id="arrow" markerWidth="8" markerHeight="8" refX="6" refY="3" orient="auto"><path d="M0,0 L6,3 L0,6 z" fill="#c00"/></marker></defs>` + "\n")
	b.WriteString(`<rect width="100%" height="100%" fill="#fff"/>` + "\n")
	for i, picture := range a {
		fmt.Fprintf(&b, "<g transform=\"translate(%d,%d)\">\n%s</g>\n", i%columns*wide, i/columns*high, picture)
	}
	b.WriteString("</svg>\n")
	if *update {
		if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
			log.Fatal(err)
		}
	}
	kept, err := os.ReadFile(name)
	switch {
	case err != nil:
		fmt.Println(err)
	case !bytes.Equal(kept, b.Bytes()):
		fmt.Println(name, "differs; look at it after go test ./region -update")
	default:
		fmt.Println(name, "has", len(a), "pictures")
	}
}
