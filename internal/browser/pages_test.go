package browser_test

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hostile is a text that breaks out of attributes, elements and scripts that do not escape it.
const hostile = `"'><img src=x onerror=alert(1)><script>alert(2)</script>${alert(3)}</textarea>`

// every is what all pages are checked for: they have a title, names, fit a phone, and work.
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
			if strings.Contains(path, "no") || strings.Contains(path, "%") {
				b.allow("status of 40") // the browser logs a refused call
			}
			b.open(path)
			b.until(`document.title.includes("cairn") && document.querySelector("main").innerText.trim() !== "" && !document.querySelector("[aria-busy=true]")`)
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

// TestView: cairn view shows a file.
func TestView(t *testing.T) {
	needBrowser(t)
	path := filepath.Join(t.TempDir(), "My Isle.cairn")
	if err := os.WriteFile(path, island(t, 1), 0o644); err != nil {
		t.Fatal(err)
	}
	page, err := url.Parse(begin(t, "view", "--no-open", path))
	if err != nil || page.Path != "/3d/my-isle" {
		t.Fatalf("the page is %v: %v", page, err)
	}
	b := newTab(t, "http://"+page.Host)
	b.open(page.Path)
	b.until(`document.querySelector("main").innerText.includes("my-isle") || document.querySelector("main canvas")`)
	b.open("/")
	b.until(`document.querySelector("main a[href='/world/my-isle']")`)
	b.until(`[...document.querySelectorAll("main img")].some(i => i.complete && i.naturalWidth > 0)`)
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
	b.until(`document.querySelector("main a[href^='/login']")`)
	if text := b.text(); strings.Contains(text, "isle") {
		t.Errorf("without a token the page shows: %s", text)
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
	if status := eval[int](b, `fetch("/v1/worlds/secret/isle").then(a => a.status)`); status != 403 {
		t.Errorf("the reader's page gets another's world: %d", status)
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
