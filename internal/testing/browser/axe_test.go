package browser_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/chromedp/cdproto/emulation"
)

// TestAxe: axe-core finds nothing serious on any page, in both colour schemes and two widths.
func TestAxe(t *testing.T) {
	axe, err := os.ReadFile(filepath.Join("..", "..", "server", "web", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Skip("axe-core is not there: npm ci --prefix internal/server/web")
	}
	needBrowser(t)
	tokens := filepath.Join(t.TempDir(), "tokens.json")
	begin(t, "token", "new", "--file", tokens, "--role", "admin")
	locked, a := serve(t, "--tokens", tokens), api{t: t, url: serve(t, "--watch", playedFolder(t)+"=@played")}
	a.untilWorld("played")
	a.put("a/isle", "?author=ann&message=first", 1)
	a.put("a/isle", "", 2)
	a.put("gone", "", 1)
	a.call(204, "DELETE", "/v1/worlds/gone", nil)
	a.call(201, "POST", "/v1/snapshots/a/isle", []byte(`{"snapshot":"s"}`))
	press := func(selector string) string { return "document.querySelector(" + quote(selector) + ").click()" }
	for _, size := range [][2]int64{{1280, 800}, {400, 800}} {
		for _, scheme := range []string{"light", "dark"} {
			if !long.Part() && (size[0] == 1280) != (scheme == "light") {
				continue
			}
			for _, p := range []struct{ server, path, script string }{
				{locked, "/", ""}, {a.url, "/", ""}, {a.url, "/", press(".pick input")}, {a.url, "/", press("details.deleted summary")},
				{a.url, "/login", ""}, {a.url, "/nothing", ""}, {a.url, "/numbers", ""}, {a.url, "/map/a/isle", ""}, {a.url, "/world/none", ""},
				{a.url, "/world/a/isle", press("section[aria-label=Comparison] button")}, {a.url, "/world/a/isle", press(".line button:has(path[d^='M12 4v'])")},
				{a.url, "/world/played", ""}, {a.url, "/3d/played", press(".three-bar button[aria-label='Bring a player back']")},
				{a.url, "/3d/none", ""}, {a.url, "/3d/a/isle", ""}, {a.url, "/3d/a/isle", press(".three-bar button[aria-label=Settings]")}, {a.url, "/3d/a/isle", press(".three-bar button[aria-label='Keys and help']")},
			} {
				t.Run(strings.Trim(p.path, "/"), func(t *testing.T) {
					b := newTab(t, p.server)
					b.allow("status of 40")
					b.size(size[0], size[1])
					call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
					b.open(p.path)
					b.untilDone()
					if p.script != "" { // makes something of the page
						eval[bool](b, "(() => { "+p.script+"; return true })()")
						b.untilDone()
					}
					eval[int](b, string(axe)+"; 0")
					for _, found := range eval[[]string](b, `axe.run({rules: {"label-content-name-mismatch": {enabled: true}}}).then(r => r.violations.filter(v => v.impact === "serious" || v.impact === "critical" || v.id.startsWith("landmark")).flatMap(v => v.nodes.map(n => v.id + ": " + v.help + ": " + n.html.slice(0, 200) + " " + n.failureSummary)))`) {
						t.Errorf("%s (%s) in %s colours at %d pixels: %s", p.path, p.script, scheme, size[0], strings.ReplaceAll(found, "\n", " "))
					}
				})
			}
		}
	}
}
