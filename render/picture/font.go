package picture

import (
	"image"
	"image/color"
	"strings"
)

const (
	glyphWidth  = 5
	glyphHeight = 7
	advance     = glyphWidth + 1
)

// glyphs holds the letters of captions: the letter, then seven rows of five pixels.
// Each row is a number from 0 to 31 in base 32; the leftmost pixel is the highest
// bit.
// bit.
const glyphs = `
0 ehjhphe 1 4c4444e 2 eh1248v 3 v2421he 4 26aiv22 5 vgu11he 6 68guhhe 7 v124888 8 ehhehhe 9 ehhf12c
a 00e1fhf b ggmphhu c 00egghe d 11djhhf e 00ehvge f 69gsggg g 00fhf1e h ggmphhh i 40c444e j 206222i k ggikoki l c44444e m 00qlllh
n 00mphhh o 00ehhhe p 00uhugg q 00dif11 r 00mpggg s 00ege1u t 88s8896 u 00hhhjd v 00hhha4 w 00hhlla x 00ha4ah y 00hhf1e z 00v248v
- 000v000 . 00000cc , 000066c : 0cc0cc0 / 0124800 % op248j3 ( 2488842 ) 8422248 _ 000000v + 044v440 ' 6480000 @ ehlnmge
`

// letters returns the rows of each letter.
func letters() map[rune][glyphHeight]uint8 {
	m := map[rune][glyphHeight]uint8{}
	f := strings.Fields(glyphs)
	for i := 0; i+1 < len(f); i += 2 {
		var rows [glyphHeight]uint8
		for j := range rows {
			rows[j] = uint8(strings.IndexByte("0123456789abcdefghijklmnopqrstuv", f[i+1][j]))
		}
		m[rune(f[i][0])] = rows
	}
	return m
}

// width returns how wide a text is in pixels at a size of 1.
func width(text string) int { return len([]rune(text)) * advance }

// write draws text in lower case with its upper left corner at (x,y). Each pixel of
// a letter is size wide. Unknown letters are blank.
func write(img *image.RGBA, x, y, size int, text string, c color.RGBA) {
	font := letters()
	for _, r := range strings.ToLower(text) {
		for row, bits := range font[r] {
			for col := range glyphWidth {
				if bits>>(glyphWidth-1-col)&1 != 0 {
					px, py := x+col*size, y+row*size
					fill(img, image.Rect(px, py, px+size, py+size), c)
				}
			}
		}
		x += advance * size
	}
}
