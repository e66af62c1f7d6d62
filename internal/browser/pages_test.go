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
	b.open("/world/open/isle")
	b.until(`document.querySelector("main a[href^='/login']")`)
	if text := b.text(); strings.Contains(text, "version") {
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
	b.open("/world/secret/isle")
	b.untilText("the token is for other names")
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
