package region

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/voxel/geom"
)

// What Parse takes at most.
const (
	maxText   = 4 << 20 // bytes
	maxShapes = 1000
	maxDepth  = 100 // parentheses in one another
)

// Parse reads the text form of a region.
//
//	box:X,Y,Z..X,Y,Z           all cells from one corner to the other, both included
//	ball:X,Y,Z,R               radius R about the centre of a cell
//	cylinder:X,Y,Z,R,H         H cells high, from Y up
//	prism:Y..Y:X,Z;X,Z;X,Z     from floor to ceiling, both included, over the polygon of these Corners
//	A + B                      union
//	A - B                      difference
//	A & B                      intersection
//	(A)                        first what is in parentheses
//
// An & binds before + and -, which go from left to right. There may be spaces between shapes,
// operators and parentheses, and none within a shape. R may have a fraction, such as 2.5; all other
// numbers are integers. Corners of a box, and floor and ceiling of a prism, may stand in any order. A text has at most 1,000
// shapes, 100 parentheses in one another and 4 MiB.
//
// An error says at which byte of the text it is. It wraps geom.ErrOutOfRange if a
// number is out of range.
func Parse(text string) (Region, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("region: parse: %d bytes, want at most %d", len(text), maxText)
	}
	p := parser{text: text}
	r := p.sum()
	if p.at < len(text) {
		p.want(`"+", "-", "&" or the end`)
	}
	if p.err != nil {
		return nil, fmt.Errorf("region: parse: offset %d: %w", p.at, p.err)
	}
	return r, nil
}

// parser reads a text from the offset at. After an error it stays where it is, and
// what it reads does not count.
type parser struct {
	text          string
	at            int
	err           error // the first
	shapes, depth int
}

func (p *parser) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// want fails: the text does not go on with what is expected here.
func (p *parser) want(what string) {
	rest := p.text[p.at:]
	if rest == "" {
		p.fail(fmt.Errorf("the text ends, want %s", what))
	}
	p.fail(fmt.Errorf("%q: want %s", rest[:min(len(rest), 16)], what))
}

// takes reports whether the text goes on with token, and steps behind it.
func (p *parser) takes(token string) bool {
	ok := p.err == nil && strings.HasPrefix(p.text[p.at:], token)
	if ok {
		p.at += len(token)
	}
	return ok
}

// token steps behind a token that has to be here.
func (p *parser) token(token string) {
	if !p.takes(token) {
		p.want(strconv.Quote(token))
	}
}

func (p *parser) spaces() {
	for p.takes(" ") || p.takes("\t") || p.takes("\n") {
	}
}

// sum reads what + and - join.
func (p *parser) sum() Region {
	left := p.product()
	var union Union // is left if the last operator was a +
	for {
		switch {
		case p.takes("+"):
			if union == nil {
				union = Union{left}
			}
			union = append(union, p.product())
			left = union
		case p.takes("-"):
			left, union = Difference{left, p.product()}, nil
		default:
			return left
		}
	}
}

// product reads what & joins.
func (p *parser) product() Region {
	r := p.operand()
	if !p.takes("&") {
		return r
	}
	all := Intersection{r, p.operand()}
	for p.takes("&") {
		all = append(all, p.operand())
	}
	return all
}

// operand reads a shape or what is in parentheses, with the spaces around it.
func (p *parser) operand() (r Region) {
	p.spaces()
	defer p.spaces()
	if !p.takes("(") {
		return p.shape()
	}
	if p.depth++; p.depth > maxDepth {
		p.fail(fmt.Errorf("more than %d parentheses in one another", maxDepth))
		return nil
	}
	r = p.sum()
	if !p.takes(")") {
		p.want(`"+", "-", "&" or ")"`)
	}
	p.depth--
	return r
}

func (p *parser) shape() Region {
	start := p.at
	if p.shapes++; p.shapes > maxShapes {
		p.fail(fmt.Errorf("more than %d shapes", maxShapes))
	}
	var r Region
	switch {
	case p.takes("box:"):
		r = p.box()
	case p.takes("ball:"):
		at := p.point()
		p.token(",")
		r = Ball{at, p.radius()}
	case p.takes("cylinder:"):
		at := p.point()
		p.token(",")
		radius := p.radius()
		p.token(",")
		height := p.integer(1, reach)
		r = Cylinder{at, radius, height}
	case p.takes("prism:"):
		r = p.prism(start)
	default:
		p.want(`"box:", "ball:", "cylinder:", "prism:" or "("`)
	}
	return r
}

func (p *parser) box() Region {
	a := p.point()
	p.token("..")
	b := p.point()
	return geom.Box{
		Min: geom.Point{X: min(a.X, b.X), Y: min(a.Y, b.Y), Z: min(a.Z, b.Z)},
		Max: geom.Point{X: max(a.X, b.X) + 1, Y: max(a.Y, b.Y) + 1, Z: max(a.Z, b.Z) + 1},
	}
}

func (p *parser) prism(start int) Region {
	floor := p.coordinate()
	p.token("..")
	ceiling := p.coordinate()
	floor, ceiling = min(floor, ceiling), max(floor, ceiling)
	p.token(":")
	var corners []Corner
	for ok := p.err == nil; ok; ok = p.takes(";") {
		x := p.integer(space.Min.X, space.Max.X)
		p.token(",")
		corners = append(corners, Corner{x, p.integer(space.Min.Z, space.Max.Z)})
	}
	if p.err != nil {
		return nil
	}
	r, err := NewPrism(corners, floor, ceiling+1)
	if err != nil {
		p.at = start
		p.fail(err)
	}
	return r
}

func (p *parser) point() geom.Point {
	x := p.coordinate()
	p.token(",")
	y := p.coordinate()
	p.token(",")
	return geom.Point{X: x, Y: y, Z: p.coordinate()}
}

// coordinate reads that of a cell.
func (p *parser) coordinate() int { return p.integer(space.Min.X, space.Max.X-1) }

// integer reads a number from low to high.
func (p *parser) integer(low, high int) int {
	text := p.digits(false)
	v, err := strconv.Atoi(text)
	switch {
	case errors.Is(err, strconv.ErrSyntax):
		p.want("an integer")
	case err != nil || v < low || v > high:
		p.fail(fmt.Errorf("%.20s is not within %d to %d: %w", text, low, high, geom.ErrOutOfRange))
	default:
		p.at += len(text)
	}
	return v
}

// radius reads a number that is not negative.
func (p *parser) radius() float64 {
	text := p.digits(true)
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case errors.Is(err, strconv.ErrSyntax):
		p.want("a radius")
	case err != nil || !(v >= 0 && v <= reach):
		p.fail(fmt.Errorf("%.20s is not within 0 to %d: %w", text, reach, geom.ErrOutOfRange))
	default:
		p.at += len(text)
	}
	return v
}

// digits returns what may be a number here: a sign and digits, with one point among
// them if that is allowed.
func (p *parser) digits(point bool) string {
	if p.err != nil {
		return ""
	}
	rest := p.text[p.at:]
	end := 0
	for end < len(rest) && (rest[end] >= '0' && rest[end] <= '9' || end == 0 && rest[end] == '-' || point && rest[end] == '.') {
		point = point && rest[end] != '.'
		end++
	}
	return rest[:end]
}

// Text returns the text from which Parse makes r again. It fails for a region of another
// package, for a prism over a polygon with a Vertex that is no Corner, and for what has no cells by its
// numbers, such as an empty box or a union of nothing. A union or an intersection of
// one region has the text of that one. The text may be longer than Parse takes.
func Text(r Region) (string, error) {
	out, err := appendText(nil, r, lowest)
	if err != nil {
		return "", fmt.Errorf("region: text: %w", err)
	}
	return string(out), nil
}

// How strongly the operators bind.
const (
	lowest = iota // + and - from left to right
	second        // the right side of + and -
	third         // both sides of &
)

// appendText appends r, in parentheses if it binds less than the operator beside it.
func appendText(out []byte, r Region, binds int) ([]byte, error) {
	var err error
	join := func(parts []Region, own int, operator string) {
		if len(parts) == 1 {
			out, err = appendText(out, parts[0], binds)
			return
		}
		if len(parts) == 0 {
			err = fmt.Errorf("%T of nothing has no text", r)
		}
		if binds > own {
			out = append(out, '(')
		}
		for i, part := range parts {
			side := own + 1
			if i > 0 {
				out = append(out, operator...)
			} else if _, ok := part.(Difference); ok && own == lowest {
				side = own
			} else if _, ok := r.(Difference); ok {
				side = own
			}
			if err == nil {
				out, err = appendText(out, part, side)
			}
		}
		if binds > own {
			out = append(out, ')')
		}
	}
	switch r := r.(type) {
	case geom.Box:
		if r.Empty() || r.Bounds() != r {
			return nil, fmt.Errorf("box %v has no text", r)
		}
		out = append(appendInts(append(out, "box:"...), r.Min.X, r.Min.Y, r.Min.Z), ".."...)
		return appendInts(out, r.Max.X-1, r.Max.Y-1, r.Max.Z-1), nil
	case Ball:
		if !space.Contains(r.Center) || !(r.Radius >= 0 && r.Radius <= reach) {
			return nil, fmt.Errorf("ball %+v has no text", r)
		}
		return appendRound(append(out, "ball:"...), r.Center, r.Radius), nil
	case Cylinder:
		if !space.Contains(r.Base) || !(r.Radius >= 0 && r.Radius <= reach) || r.Height < 1 || r.Height > reach {
			return nil, fmt.Errorf("cylinder %+v has no text", r)
		}
		return appendInts(append(appendRound(append(out, "cylinder:"...), r.Base, r.Radius), ','), r.Height), nil
	case Prism:
		if len(r.corners) == 0 {
			return nil, errors.New("a prism without Corners has no text")
		}
		out = append(appendInts(append(out, "prism:"...), r.bounds.Min.Y), ".."...)
		out = appendInts(out, r.bounds.Max.Y-1)
		for i, c := range r.corners {
			out = appendInts(append(out, ":;"[min(i, 1)]), c.X, c.Z)
		}
		return out, nil
	case Union:
		join(r, lowest, " + ")
	case Difference:
		join([]Region{r.From, r.Without}, lowest, " - ")
	case Intersection:
		join(r, second, " & ")
	default:
		return nil, fmt.Errorf("%T has no text", r)
	}
	return out, err
}

func appendRound(out []byte, at geom.Point, radius float64) []byte {
	return strconv.AppendFloat(append(appendInts(out, at.X, at.Y, at.Z), ','), radius, 'f', -1, 64)
}

// appendInts appends numbers with commas between them.
func appendInts(out []byte, values ...int) []byte {
	for i, v := range values {
		if i > 0 {
			out = append(out, ',')
		}
		out = strconv.AppendInt(out, int64(v), 10)
	}
	return out
}
