package browser_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/diff"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// canvas is what the 3D page draws on.
const canvas = "main canvas"

// untilDrawn waits until the 3D page shows everything of a version.
func (b *tab) untilDrawn(version int) {
	b.t.Helper()
	b.until(fmt.Sprintf(`(s => s && s.version?.number === %d && s.synced === 2 && s.waiting === 0 && s.firstCompleteMs >= 0 && s.status === "")(window.cairnState)`, version))
}

// shown calls f with the colour of each pixel of an element.
func (b *tab) shown(selector string, f func([3]uint32)) {
	b.t.Helper()
	img, err := png.Decode(bytes.NewReader([]byte(b.pixels(selector))))
	if err != nil {
		b.t.Fatal(err)
	}
	for at := range points(img.Bounds()) {
		r, g, bl, _ := img.At(at.X, at.Y).RGBA()
		f([3]uint32{r, g, bl})
	}
}

// colours returns how many colours an element shows.
func (b *tab) colours(selector string) int {
	b.t.Helper()
	seen := map[[3]uint32]bool{}
	b.shown(selector, func(c [3]uint32) { seen[c] = true })
	return len(seen)
}

// count returns how many pixels of an element are of some colours.
func (b *tab) count(selector string, is func([3]uint32) bool) (n int) {
	b.t.Helper()
	b.shown(selector, func(c [3]uint32) {
		if is(c) {
			n++
		}
	})
	return n
}

// points yields the points of a rectangle.
func points(r image.Rectangle) func(func(image.Point) bool) {
	return func(yield func(image.Point) bool) {
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				if !yield(image.Pt(x, y)) {
					return
				}
			}
		}
	}
}

// TestThree: the 3D page draws the world. An edit of somebody else arrives while one looks. The
// time line goes back. A chosen block is what the API says.
func TestThree(t *testing.T) {
	a := api{t: t, url: serve(t)}
	a.put("isle", "?author=ann", 1)
	b := newTab(t, a.url)
	b.open("/3d/isle?p=0,125,0&d=0,-89")
	b.untilDrawn(1)
	if n := b.colours(canvas); n < 20 {
		t.Errorf("the page shows %d colours", n)
	}
	isGold := func(c [3]uint32) bool { return c[0] > 0x6000 && 10*c[1] > 7*c[0] && 100*c[2] < 45*c[0] }
	before := b.count(canvas, isGold)

	a.call(200, "POST", "/v1/brush/isle", []byte(`{"brush":"ball","at":[0,100,0],"r":7,"name":"gold_block","author":"bob"}`))
	b.untilDrawn(2)
	b.wait("the gold is shown", func() bool { return b.count(canvas, isGold) > before+1000 })
	if eval[int](b, "window.cairnState.edits") == 0 {
		t.Error("the ball came without edits")
	}

	const slider = "main input[type=range][aria-label=Version]"
	b.until(`document.querySelector(` + quote(slider) + `)?.offsetParent`)
	b.drag(slider, 0)
	b.untilDrawn(1)
	b.wait("the gold is gone", func() bool { return b.count(canvas, isGold) < before+100 })
	b.drag(slider, 1)
	b.untilDrawn(2)
	b.wait("the gold is back", func() bool { return b.count(canvas, isGold) > before+1000 })

	b.do(chromedp.Focus(chromedp.CSS(canvas)), chromedp.KeyEvent("\r"))
	b.until(`window.cairnState.picked?.blame`)
	type choice struct {
		Name  string
		Block [3]int
		Blame string
	}
	picked := eval[choice](b, "window.cairnState.picked")
	blame := ask[struct{ Commit commit }](a, fmt.Sprintf("/v1/blame/isle?dimension=overworld&x=%d&y=%d&z=%d", picked.Block[0], picked.Block[1], picked.Block[2])).Commit
	if picked.Name != "minecraft:gold_block" || blame.Author != "bob" || picked.Blame != fmt.Sprint(blame.Number) {
		t.Errorf("the chosen block is %+v, the API says %+v", picked, blame)
	}
	b.untilText(blame.Author)
	b.checkNames()
	b.checkNarrow()
}

// TestThreeBringBack: who looks at an old version marks a box at two of its blocks, and gets the commands and the
// schematic that bring it back.
func TestThreeBringBack(t *testing.T) {
	a := api{t: t, url: serve(t)}
	a.put("isle", "", 1)
	a.put("isle", "", 2)
	b := newTab(t, a.url)
	b.open("/3d/isle?at=1&p=0,125,0&d=0,-89")
	b.untilDrawn(1)
	isYellow := func(c [3]uint32) bool { return c[0] > 0xF800 && c[1] > 0xB800 && c[1] < 0xD800 && c[2] < 0x4800 }
	before := b.count(canvas, isYellow)
	b.do(chromedp.Focus(chromedp.CSS(canvas)), chromedp.KeyEvent("\r"))
	b.untilText("Mark a box from here")
	b.clickText("Mark a box from here")
	b.do(chromedp.Focus(chromedp.CSS(canvas)))
	w := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeRawKeyDown, Key: "w", Code: "KeyW"}
	call(b, input.DispatchKeyEvent, w)
	b.until(`Math.hypot(window.cairnState.position[0], window.cairnState.position[2]) > 4`)
	w.Type = input.DispatchKeyEventTypeKeyUp
	call(b, input.DispatchKeyEvent, w)
	b.do(chromedp.KeyEvent("\r"))
	b.untilText("Box to here")
	b.clickText("Box to here")
	b.untilText("cairn put @isle@1 --region box:")
	b.untilText("cairn export @isle@1 piece.schem --region box:")
	b.wait("the box is drawn", func() bool { return b.count(canvas, isYellow) > before+100 })
	b.clickText("Download the schematic")
	b.untilText("The schematic is downloaded")
	b.checkNames()
	b.checkNarrow()
	b.do(chromedp.Focus(chromedp.CSS(canvas)), chromedp.KeyEvent("\x1b"))
	b.wait("the box is gone", func() bool { return b.count(canvas, isYellow) <= before })
}

// playedFolder makes the folder of a game, in which one player is.
func playedFolder(t *testing.T) string {
	t.Helper()
	needBrowser(t)
	dir := filepath.Join(t.TempDir(), "world")
	if out, err := exec.Command(program, "gen", "--size", "4", "island", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.Mkdir(filepath.Join(dir, "playerdata"), 0o755); err != nil {
		t.Fatal(err)
	}
	play(t, dir, "rich")
	return dir
}

// play writes the file of the player.
func play(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "playerdata", "ann.dat"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestThreeWatched: the time lines of a world whose folder the server watches grow while people look at them, and who looks
// at an old version puts a player of it back into the folder.
func TestThreeWatched(t *testing.T) {
	dir := playedFolder(t)
	a := api{t: t, url: serve(t, "--watch", dir+"=@hub")}
	a.untilWorld("hub")
	w, b := newTab(t, a.url), newTab(t, a.url)
	w.open("/world/hub")
	w.untilText("Version 1")
	b.open("/3d/hub?at=1&p=0,125,0&d=0,-89")
	b.untilDrawn(1)
	play(t, dir, "poor") // the next put makes that a version, and one of what it leaves
	a.call(200, "POST", "/v1/put/hub", []byte(`{"at":"1","file":"playerdata/ann.dat"}`))
	w.untilText("Version 3")
	b.until(`document.querySelector(".three-line input").max === "2"`)
	play(t, dir, "poor")
	b.do(chromedp.Focus(chromedp.CSS(canvas)), chromedp.KeyEvent("p"))
	b.untilText("cairn put @hub@1 FOLDER --file playerdata/ann.dat")
	b.until(`document.activeElement.tagName === "SELECT"`)
	b.clickText("Put it into the folder")
	b.untilText("This replaces the player's file.")
	is := func() string {
		text, err := os.ReadFile(filepath.Join(dir, "playerdata", "ann.dat"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if is() != "poor" {
		t.Error("the first press wrote")
	}
	b.checkNames()
	b.checkNarrow()
	b.clickText("Replace it now")
	b.untilText("Done. Version 4 has what was there before.")
	if is() != "rich" {
		t.Errorf("the player is %s", is())
	}
	b.drag(".three-line input", 1)
	b.untilText("cairn put @hub@2 FOLDER")
	w.untilText("Bring a player back from version 5")
	w.clickText("Put it into the folder")
	w.untilText("Nothing differs")
}

// clickText clicks the button whose text begins so.
func (b *tab) clickText(text string) {
	b.t.Helper()
	b.until(`(() => { const e = [...document.querySelectorAll("button")].find(e => e.offsetParent && e.textContent.startsWith(` + quote(text) + `)); e?.click(); return !!e; })()`)
}

// TestThreeNumbers: blocks of before 1.13 have numbers, and are shown by their names.
func TestThreeNumbers(t *testing.T) {
	a := api{t: t, url: serve(t)}
	w, err := convert.Load(t.Context(), terrain.Island(terrain.Options{Seed: 1, Size: 4}))
	if err != nil {
		t.Fatal(err)
	}
	a.call(200, "POST", "/v1/import/old", file(t, w))
	for _, name := range []string{"red_wool", "coarse_dirt"} {
		a.call(200, "POST", "/v1/brush/old", []byte(`{"brush":"ball","at":[0,100,0],"r":7,"name":"`+name+`","author":"bob"}`))
	}
	b := newTab(t, a.url)
	b.open("/3d/old?p=0,125,0&d=0,-89")
	b.untilDrawn(3)
	b.do(chromedp.Focus(chromedp.CSS(canvas)), chromedp.KeyEvent("\r"))
	b.untilText("coarse dirt (3:1)")
	b.untilText("Before that it was red wool (35:14).")
	if d := ask[struct{ Blocks []diff.BlockCount }](a, "/v1/diff/old?a=2&b=3"); len(d.Blocks) != 2 || d.Blocks[0].Name != "legacy:3/1" || d.Blocks[0].Shown != "minecraft:coarse_dirt (3:1)" {
		t.Errorf("%+v", d)
	}
}

// TestThreeAddress: an address shows a version and a place.
func TestThreeAddress(t *testing.T) {
	a := api{t: t, url: serve(t)}
	a.put("isle", "", 1)
	a.put("isle", "", 2)
	b := newTab(t, a.url)
	const view = "&p=10,110,10&d=45,-40"
	b.open("/3d/isle?at=1" + view)
	b.untilDrawn(1)
	at := eval[[3]float64](b, "window.cairnState.position")
	if at != [3]float64{10, 110, 10} {
		t.Errorf("the viewer is at %v", at)
	}
	oldest := b.pixels(canvas)
	b.open("/3d/isle?at=2" + view)
	b.untilDrawn(2)
	b.untilOther(canvas, oldest)
	b.do(chromedp.Focus(chromedp.CSS(canvas)))
	w := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeRawKeyDown, Key: "w", Code: "KeyW"}
	call(b, input.DispatchKeyEvent, w)
	b.until(`window.cairnState.position[0] !== 10 || window.cairnState.position[2] !== 10`)
	w.Type = input.DispatchKeyEventTypeKeyUp
	call(b, input.DispatchKeyEvent, w)
	b.until(`!location.search.includes("p=10,110,10")`)
}

// TestThreeBegins: a view begins where players do, else where much of the land is seen, and Home
// leads back there. Who walks beside the land comes back to it, and the address keeps no fall.
func TestThreeBegins(t *testing.T) {
	a := api{t: t, url: serve(t)}
	a.put("isle", "", 1)
	a.call(200, "POST", "/v1/import/home", spawning(t, geom.Point{X: 5, Y: 200, Z: -7}))
	a.call(200, "POST", "/v1/import/lost", spawning(t, geom.Point{X: 5000, Y: 70, Z: 0}))
	b := newTab(t, a.url)
	position := func() [3]float64 { return eval[[3]float64](b, "window.cairnState.position") }
	isLand := func(c [3]uint32) bool { return c[1] > c[2] }
	for _, name := range []string{"isle", "home", "lost"} {
		b.open("/3d/" + name)
		b.untilDrawn(1)
		if n := b.count(canvas, isLand); n < 960*600/5 {
			t.Errorf("%s begins with %d pixels of land", name, n)
		}
		if p := position(); name == "home" != (p[0] == 5.5 && p[2] == -6.5 && p[1] < 150) {
			t.Errorf("%s begins at %v", name, p)
		}
	}
	const onLand = `window.cairnState && (([x, y, z]) => Math.abs(x) < 40 && Math.abs(z) < 40 && y > 40)(window.cairnState.position)`
	b.open("/3d/isle?p=300,90,300&mode=walk")
	b.until(onLand)
	b.until(`window.cairnState.mode === "walk" && !location.search.includes("p=300")`)
	b.open("/3d/home?p=5.5,120,-6.5&d=90,0&mode=walk") // falls, stands, and goes east to the rim
	b.untilDrawn(1)
	w := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeRawKeyDown, Key: "w", Code: "KeyW"}
	space := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeRawKeyDown, Key: " ", Code: "Space"}
	for _, key := range []input.DispatchKeyEventParams{w, space} {
		call(b, input.DispatchKeyEvent, key)
	}
	b.untilText("You fell off the land")
	w.Type, space.Type = input.DispatchKeyEventTypeKeyUp, input.DispatchKeyEventTypeKeyUp
	for _, key := range []input.DispatchKeyEventParams{w, space} {
		call(b, input.DispatchKeyEvent, key)
	}
	b.until(onLand)
	if x := position()[0]; x < 10 {
		t.Errorf("who fell off the rim in the east is at x %v", x)
	}
	b.open("/3d/home?p=300,90,300")
	b.untilDrawn(1)
	b.do(chromedp.Focus(chromedp.CSS(canvas)), chromedp.KeyEvent("h"))
	b.until(onLand)
	b.until(`location.search.includes("p=5.5,")`)
}

// TestThreeSeams: a wall of white blocks of uneven depth has no hole through which the sky is seen,
// and no bright dots of the tops along its rims.
func TestThreeSeams(t *testing.T) {
	a := api{t: t, url: serve(t)}
	a.put("isle", "", 1)
	var cells []int
	for y := range 51 {
		for z := range 7 {
			for x := range 80 {
				n := uint32(x*73856093) ^ uint32(y*19349663)
				n = (n ^ n>>13) * 0x5bd1e995
				cells = append(cells, map[bool]int{true: 1}[z <= 3+int(n>>20)%4])
			}
		}
	}
	wall, err := json.Marshal(map[string]any{"names": []string{"air", "white_concrete"}, "new_columns": true, "cells": cells, "box": "60,120,-6..139,170,0"})
	if err != nil {
		t.Fatal(err)
	}
	a.call(200, "PUT", "/v1/cells/isle", wall)
	b := newTab(t, a.url)
	b.size(1280, 800)
	b.open("/3d/isle?p=100,150,40&d=10,-10")
	b.untilDrawn(2)
	b.wait("the seams are filled", func() bool {
		img, err := png.Decode(bytes.NewReader([]byte(b.pixels(canvas))))
		if err != nil {
			t.Fatal(err)
		}
		at := func(x, y int) [3]uint32 {
			r, g, bl, _ := img.At(x, y).RGBA()
			return [3]uint32{r >> 8, g >> 8, bl >> 8}
		}
		holes, dots := 0, 0
		for p := range points(image.Rect(100, 50, 600, 500)) {
			c, lone := at(p.X, p.Y), true
			if c[2] > c[0]+25 && c[2] > 190 {
				holes++
			}
			for _, d := range []image.Point{{0, 1}, {0, -1}, {1, 0}, {-1, 0}} {
				lone = lone && c[1] > at(p.X+d.X, p.Y+d.Y)[1]+25
			}
			if lone {
				dots++
			}
		}
		return holes == 0 && dots < 16
	})
}

// TestThreeRefused: who may not see a world gets the reason in words, and no pixel of it.
func TestThreeRefused(t *testing.T) {
	needBrowser(t)
	file := filepath.Join(t.TempDir(), "tokens.json")
	admin := begin(t, "token", "new", "--file", file, "--role", "admin")
	reader := begin(t, "token", "new", "--file", file, "--role", "read", "--prefix", "open")
	boxed := begin(t, "token", "new", "--file", file, "--role", "read", "--prefix", "open/isle", "--dimension", "overworld", "--box", "0,0,0..31,255,31")
	a := api{t: t, url: serve(t, "--tokens", file), token: admin}
	a.put("open/isle", "", 1)
	a.put("secret/isle", "", 1)

	b := newTab(t, a.url)
	b.allow("status of 40")
	b.allow("WebSocket connection")
	b.open("/login?to=/3d/secret/isle")
	b.until(`document.querySelector("input[type=password]")`)
	login(b, reader)
	b.until(`location.pathname === "/3d/secret/isle"`)
	b.untilText("not")
	b.until(`window.cairnState?.status.length > 10`)
	if cubes := eval[int](b, "window.cairnState.cubes"); cubes != 0 {
		t.Errorf("a reader of other worlds has %d cubes", cubes)
	}

	b.open("/3d/open/isle")
	b.untilDrawn(1)
	all := eval[int](b, "window.cairnState.cubes")

	b = newTab(t, a.url)
	b.allow("status of 40")
	b.open("/login?to=/3d/open/isle")
	b.until(`document.querySelector("input[type=password]")`)
	login(b, boxed)
	b.until(`location.pathname === "/3d/open/isle"`)
	b.untilDrawn(1)
	if some := eval[int](b, "window.cairnState.cubes"); some == 0 || some >= all {
		t.Errorf("a token for a box gets %d cubes, one for the world %d", some, all)
	}
}

// TestThreeTextures: with a resource pack the 3D page shows its textures.
func TestThreeTextures(t *testing.T) {
	dir := t.TempDir()
	blocks := filepath.Join(dir, "assets", "minecraft", "textures", "block")
	if err := os.MkdirAll(blocks, 0o755); err != nil {
		t.Fatal(err)
	}
	img := image.NewNRGBA(image.Rect(0, 0, 16, 16))
	for at := range points(img.Rect) {
		img.Set(at.X, at.Y, color.NRGBA{255, 0, uint8(200 + (at.X+at.Y)%2*55), 255})
	}
	var purple bytes.Buffer
	if err := png.Encode(&purple, img); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"grass_block_top", "grass_block_side", "dirt", "stone", "sand", "oak_log", "oak_leaves", "cobblestone", "oak_planks"} {
		if err := os.WriteFile(filepath.Join(blocks, name+".png"), purple.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	isPurple := func(c [3]uint32) bool { return c[0] > 2*c[1] && c[2] > 2*c[1] && c[0] > 0x2000 }
	for _, pack := range []string{"", dir} {
		var args []string
		if pack != "" {
			args = []string{"--resource-pack", pack}
		}
		a := api{t: t, url: serve(t, args...)}
		a.put("isle", "", 1)
		b := newTab(t, a.url)
		b.open("/3d/isle")
		b.untilDrawn(1)
		if pack == "" {
			if n := b.count(canvas, isPurple); n > 100 {
				t.Errorf("without a pack %d pixels are purple", n)
			}
			continue
		}
		b.wait("the textures are shown", func() bool { return b.count(canvas, isPurple) > 5000 })
	}
}
