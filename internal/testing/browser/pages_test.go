package browser_test

import (
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// hostile is a text that breaks out of attributes, elements and scripts that do not escape it.
const hostile = `"'><img src=x onerror=alert(1)><script>alert(2)</script>${alert(3)}</textarea>`

// TestEveryPage: every page has a title, is whole at a phone's width, and names what can be used;
// texts of others do no harm. What else a tab watches is in tab.
func TestEveryPage(t *testing.T) {
	a := api{t: t, url: serve(t)}
	q := "?author=" + url.QueryEscape(hostile) + "&message=" + url.QueryEscape(hostile)
	a.put("a/isle", q, 1)
	a.put("a/isle", q, 2)
	a.call(200, "PATCH", "/v1/properties/a/isle", []byte(`{"set":{"name":`+quote(hostile)+`,`+quote("k"+hostile)+`:"v"},"message":"m"}`))
	a.call(201, "PUT", "/v1/worlds/empty", nil)
	for _, path := range []string{"/", "/world/a/isle", "/world/empty", "/map/a/isle", "/map/empty", "/3d/a/isle", "/3d/empty", "/numbers", "/login", "/world/none", "/nothing/" + url.PathEscape(hostile), "/world/" + url.PathEscape(hostile)} {
		t.Run(strings.Trim(path, "/"), func(t *testing.T) {
			b := newTab(t, a.url)
			if strings.Contains(path, "no") || path == "/map/empty" || strings.Contains(path, "%") {
				b.allow("status of 40") // the browser logs a refused call
			}
			b.open(path)
			b.untilDone()
			b.checkNames()
			b.checkNarrow()
		})
	}
}

// TestWorlds: the list shows the worlds that the API lists, and what it says of each.
func TestWorlds(t *testing.T) {
	a := api{t: t, url: serve(t)}
	a.put("a/isle", "?message=first", 1)
	a.put("a/isle", "", 2)
	a.put("b/rock", "", 3)
	b := newTab(t, a.url)
	b.open("/")
	for _, name := range ask[struct{ Worlds []string }](a, "/v1/worlds").Worlds {
		b.until(`document.querySelector("main a[href='/world/` + name + `']")`)
	}
	b.until(`[...document.querySelectorAll("main img")].filter(i => i.complete && i.naturalWidth > 0).length === 2`)
	b.fill("#begins", "b/")
	b.until(`document.querySelectorAll("main .worlds > *").length === 1`)
	b.untilText("rock")
}

// commit is a version as the API tells it.
type commit struct {
	ID      string
	Number  int
	Author  string
	Message string
}

// TestWorld: a world's page shows the versions of the log with texts of others as they are; the
// time line shows how the world was, and so does its address.
func TestWorld(t *testing.T) {
	a := api{t: t, url: serve(t)}
	a.put("isle", "?author="+url.QueryEscape("<i>ann</i>")+"&message="+url.QueryEscape(hostile), 1)
	a.put("isle", "?author=bob&message=second", 2)
	a.put("isle", "?message=third", 3)
	log := ask[struct{ Commits []commit }](a, "/v1/log/isle").Commits
	b := newTab(t, a.url)
	b.open("/world/isle")
	for _, c := range log {
		b.untilText(c.Message)
		b.untilText(c.Author)
	}
	const picture = `document.querySelector("main .picture img")`
	b.until(picture + "?.complete && " + picture + ".naturalWidth > 0")
	b.untilDone()
	newest := b.pixels("main .picture")
	b.drag(`main input[type=range][aria-label=Version]`, 0)
	b.until(`location.search === "?at=1"`)
	b.untilOther("main .picture", newest)
	oldest := b.pixels("main .picture")

	b.open("/world/isle?at=1")
	b.untilDone()
	b.until(`document.querySelector("main input[type=range]").value === "0"`)
	b.untilSame("main .picture", oldest)

	b.open("/world/isle")
	b.untilText("Compare")
	b.untilDone() // what comes later moves the button
	b.click("section[aria-label=Comparison] button")
	b.until(`document.querySelector(".comparison .tiles")`)
	cells := ask[struct{ Cells int }](a, "/v1/diff/isle?a=2&b=3").Cells
	b.until(`document.querySelector(".comparison .tiles").innerText.replace(/[^0-9]/g, " ").split(" ").join("").includes("` + strconv.Itoa(cells) + `")`)
	b.untilDone()
	b.checkNames()
	b.checkNarrow()
}

// TestMap: the map shows the world, moves and shows other layers, and asks for nothing twice when
// it stands still.
func TestMap(t *testing.T) {
	a := api{t: t, url: serve(t)}
	a.put("isle", "", 1)
	a.put("isle", "", 2)
	b := newTab(t, a.url)
	b.open("/map/isle")
	b.untilDone()
	newest := b.pixels("main canvas")
	b.open("/map/isle?at=1")
	b.untilDone()
	b.untilOther("main canvas", newest)
	first := b.pixels("main canvas")
	b.do(chromedp.Focus(chromedp.CSS("main canvas")), chromedp.KeyEvent("+"))
	b.untilOther("main canvas", first)
	b.untilDone()
	b.checkNames()
}

// TestNumbers: the page shows what the server counts.
func TestNumbers(t *testing.T) {
	a := api{t: t, url: serve(t)}
	a.put("isle", "", 1)
	b := newTab(t, a.url)
	b.open("/numbers")
	b.untilText("POST /v1/import/NAME")
	b.checkNarrow()
}

// TestNumbersCluster: of a store on a cluster the page shows the calls to its halves, and of
// another store nothing about them.
func TestNumbersCluster(t *testing.T) {
	needBrowser(t)
	file := filepath.Join(t.TempDir(), "cluster.toml")
	if err := os.WriteFile(file, []byte("[catalogue]\nkind = \"bucket\"\n[bucket]\nkind = \"dir\"\npath = \"bucket\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newTab(t, serve(t, "--store", "cluster:"+file))
	b.open("/numbers")
	b.until(`document.querySelector("section[aria-label=Catalogue]:not([hidden]) tbody")`)
	other := newTab(t, serve(t))
	other.open("/numbers")
	other.untilText("Decoded pages")
	other.until(`document.querySelector("section[aria-label=Catalogue]").getClientRects().length === 0`)
}

// TestView: cairn view shows a file.
func TestView(t *testing.T) {
	needBrowser(t)
	path := filepath.Join(t.TempDir(), "My Isle.cairn")
	if err := os.WriteFile(path, island(t, 1), 0o644); err != nil {
		t.Fatal(err)
	}
	page, err := url.Parse(begin(t, "view", "--no-open", path))
	if err != nil || page.Path != "/3d/-.my.20.isle" {
		t.Fatalf("the page is %v: %v", page, err)
	}
	b := newTab(t, "http://"+page.Host)
	b.open(page.Path)
	b.untilDrawn(1)
	if n := b.colours(canvas); n < 20 {
		t.Errorf("the file is shown in %d colours", n)
	}
	b.open("/")
	b.until(`document.querySelector("main h2 a[href='/world/-.my.20.isle']")?.textContent === "My Isle"`)
	b.until(`[...document.querySelectorAll("main img")].some(i => i.complete && i.naturalWidth > 0)`)
}

// TestViewFolder: cairn view of a folder lists what it passed over, and why.
func TestViewFolder(t *testing.T) {
	needBrowser(t)
	dir := t.TempDir()
	for name, data := range map[string][]byte{"a.cairn": island(t, 1), "b.cairn": island(t, 2), "hub.bp": []byte("\x0a\xe5\xbb\x36....")} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	page, err := url.Parse(begin(t, "view", "--no-open", dir))
	if err != nil {
		t.Fatal(err)
	}
	b := newTab(t, "http://"+page.Host)
	b.open("/")
	b.untilText("Passed over: 1 file")
	b.untilText("hub.bp: unknown format: a blueprint of Axiom")
}

// TestLogin: without a token the pages ask for one and show nothing; a wrong one is refused in
// words; with one they show what it is for.
func TestLogin(t *testing.T) {
	needBrowser(t)
	file := filepath.Join(t.TempDir(), "tokens.json")
	admin := begin(t, "token", "new", "--file", file, "--role", "admin")
	reader := begin(t, "token", "new", "--file", file, "--role", "read", "--prefix", "open", "--note", "a reader <b>")
	if _, err := os.Stat(file); err != nil {
		t.Fatal(err)
	}
	a := api{t: t, url: serve(t, "--tokens", file), token: admin}
	a.put("open/isle", "", 1)
	a.put("secret/isle", "", 1)

	b := newTab(t, a.url)
	b.allow("status of 401")
	b.open("/")
	b.until(`document.querySelector("input[type=password]")`)
	if text := b.text(); strings.Contains(text, "isle") || eval[bool](b, `!!document.querySelector("input[type=search]")`) {
		t.Errorf("without a token the page shows: %s", text)
	}
	login(b, "a-token-that-nobody-knows")
	b.untilText("does not know this token")
	if at := eval[string](b, "location.href"); strings.Contains(at, "nobody") {
		t.Errorf("the token is in the address %s", at)
	}
	b.open("/login?to=/world/open/isle")
	b.until(`document.querySelector("input[type=password]")`)
	b.checkNames()
	b.checkNarrow()
	login(b, "not a token")
	b.untilText("does not know this token")
	login(b, reader)
	b.until(`location.pathname === "/world/open/isle"`)
	b.untilText("read")
	if cookie := eval[string](b, "document.cookie"); cookie != "" {
		t.Errorf("a script can read the cookie %q", cookie)
	}
	b.allow("status of 403")
	for _, page := range []string{"world", "map", "3d"} {
		b.open("/" + page + "/secret/isle")
		b.untilText("may not")
	}
	b.open("/world/open/isle")
	b.untilDone()
	if n := eval[int](b, `[...document.querySelectorAll("main button")].filter(b => /Delete|Rename|New version|Go back/.test(b.textContent)).length`); n != 0 {
		t.Errorf("a reader is offered %d changes", n)
	}
	b.open("/login")
	b.untilText("a reader <b>")
	b.click("main button")
	b.until(`document.querySelector("input[type=password]")`)
}

// login types a token and sends it.
func login(b *tab, token string) {
	b.t.Helper()
	b.until(`!document.querySelector("main button").disabled`)
	b.fill("input[type=password]", token)
	b.click("main button[type=submit]")
}

// TestPictureScale: the scale of a picture is drawn by the page, readable at a phone's width, and
// pictures in the list have none.
func TestPictureScale(t *testing.T) {
	a := api{t: t, url: serve(t)}
	a.put("isle", "", 1)
	b := newTab(t, a.url)
	b.size(400, 800)
	b.open("/world/isle")
	const scale = `document.querySelector(".picture .scale:not([hidden])")`
	b.until(scale + `?.innerText.match(/^[0-9]+ blocks?$/)`)
	if px := eval[float64](b, `parseFloat(getComputedStyle(`+scale+`).fontSize)`); px < 12 {
		t.Errorf("the scale has letters of %v pixels", px)
	}
	if part := eval[float64](b, scale+`.querySelector("i").offsetWidth / document.querySelector(".picture img").offsetWidth`); part < 0.05 || part > 0.5 {
		t.Errorf("the bar has %v of the picture's width", part)
	}
	b.open("/")
	b.until(`document.querySelector("main .picture img")`)
	if eval[bool](b, `!!document.querySelector(".scale")`) {
		t.Error("a picture in the list has a scale")
	}
}

// TestDeletedWorlds: a deleted world is listed and comes back.
func TestDeletedWorlds(t *testing.T) {
	a := api{t: t, url: serve(t)}
	a.put("gone/isle", "", 1)
	a.call(204, "DELETE", "/v1/worlds/gone/isle", nil)
	b := newTab(t, a.url)
	b.open("/")
	b.untilText("There are no worlds yet")
	b.click("details.deleted summary")
	b.until(`document.querySelector("button[aria-label='Bring back gone/isle']")`)
	b.click("button[aria-label='Bring back gone/isle']")
	b.until(`document.querySelector("main .worlds a[href='/world/gone/isle']")`)
	b.untilText("Brought back gone/isle")
	b.until(`document.querySelector(".deleted ul").innerText === "None."`)
}

// TestForeignUpload: a file of others is refused at once, before anything asks for a name.
func TestForeignUpload(t *testing.T) {
	a := api{t: t, url: serve(t)}
	b := newTab(t, a.url)
	b.open("/")
	b.untilDone()
	eval[bool](b, `(() => {
		const data = new DataTransfer();
		data.items.add(new File(["x"], "tower.mcstructure"));
		const input = document.querySelectorAll("input[type=file]")[1];
		input.files = data.files;
		return input.dispatchEvent(new Event("change"));
	})()`)
	b.untilText("tower.mcstructure is a structure of Bedrock Edition, which cairn does not read")
	if eval[bool](b, `!!document.querySelector(".upload")`) {
		t.Error("the page asks for the name of a world that it cannot send")
	}
}

// TestNotesOnce: a note that says what another one says takes its place.
func TestNotesOnce(t *testing.T) {
	a := api{t: t, url: serve(t)}
	a.put("isle", "", 1)
	b := newTab(t, a.url)
	b.open("/world/isle")
	b.untilDone()
	for range 2 {
		b.click(".line button:has(path[d^='M12 4v'])")
		b.click("dialog button[type=submit]")
		b.until(`[...document.querySelectorAll(".notes .note:not([data-old])")].some((n) => n.innerText.includes("Downloaded."))`)
		eval[int](b, `[...document.querySelectorAll(".notes .note")].map((n) => n.dataset.old = "").length`)
	}
	if n := eval[int](b, `document.querySelectorAll(".notes .note").length`); n != 1 {
		t.Errorf("%d notes say that a world was downloaded", n)
	}
}
