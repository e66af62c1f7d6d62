package codec

import "math/bits"

const (
	guesses = 4
	maxMiss = 1 << 12
)

// guesser guesses the ground of one column after another from earlier columns. It
// knows four ways and takes the one with the smallest recent errors near the column.
type guesser struct {
	// window is the ground of the tower and of two columns to its west and north.
	window [edge + 2][edge + 2]int64
	beside bool                     // there is a tower to the west
	misses [edge + 2][guesses]int64 // by x+1: errors in the row, and from x on in the previous row
	now    [guesses]int64
}

// begin moves on to the current tower.
func (g *guesser) begin(l *reliefPage) {
	g.misses = [edge + 2][guesses]int64{}
	for z := range 2 {
		for x := range edge {
			g.window[z][x+2] = l.height(l.north, z-2, x)
		}
		for x := range 2 {
			g.window[z][x] = g.window[z][2]
			if l.nw != 0 {
				g.window[z][x] = l.height(l.nw, z-2, x-2)
			}
		}
	}
	if g.beside = l.west != 0; g.beside {
		for z := range edge {
			for x := range 2 {
				g.window[z+2][x] = l.height(l.west, z, x-2)
			}
		}
	}
}

// height returns the ground of a tower at z and x from -2 on. If it is unknown, it
// returns the base of the current tower.
func (l *reliefPage) height(first int32, z, x int) int64 {
	if first == 0 {
		return int64(l.base) * unit
	}
	return l.sites[first+int32(z&(edge-1)*edge+x&(edge-1))].ground
}

// row starts row z.
func (g *guesser) row(z int) {
	if !g.beside {
		g.window[z+2][0], g.window[z+2][1] = g.window[z+1][2], g.window[z+1][2]
	}
}

// guess guesses the ground of a column. grade says how well this way has done.
func (g *guesser) guess(x, z int) (ground int64, grade int) {
	nn, n, r := (*[3]int64)(g.window[z][x:]), (*[3]int64)(g.window[z+1][x:]), (*[2]int64)(g.window[z+2][x:])
	plane := r[1] + n[2] - n[1]
	alongX := plane + r[1] - r[0] - n[1] + n[0]
	alongZ := plane + n[2] - nn[2] - n[1] + nn[1]
	curved := alongX + n[2] - 2*n[1] + n[0] - nn[2] + 2*nn[1] - nn[0]
	g.now = [guesses]int64{plane, (alongX + alongZ) >> 1, curved, r[1]}
	m := (*[3][guesses]int64)(g.misses[x:])
	best, least := 0, m[0][0]+m[1][0]+m[2][0]
	for i := 1; i < guesses; i++ {
		if miss := m[0][i] + m[1][i] + m[2][i]; miss < least {
			best, least = i, miss
		}
	}
	return g.now[best&(guesses-1)], gradeOf(least)
}

// gradeOf maps 0..3, 4..15, 16..31 and all above to 0, 1, 2 and 3.
func gradeOf(miss int64) int {
	const of = "\x00\x00\x00\x01\x01\x02\x03"
	return int(of[min(bits.Len64(uint64(miss)), len(of)-1)])
}

// note records the ground of a column after guess.
func (g *guesser) note(x, z int, ground int64) {
	g.window[z+2][x+2] = ground
	m := &g.misses[x+1]
	for i, guess := range g.now {
		off := ground - guess
		m[i] = min(max(off, -off), maxMiss)
	}
}
