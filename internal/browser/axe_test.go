package browser_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/long"
	"github.com/chromedp/cdproto/emulation"
)

// TestAxe: axe-core finds nothing serious on any page, in both colour schemes and two widths.
func TestAxe(t *testing.T) {
	axe, err := os.ReadFile(filepath.Join("..", "..", "server", "web", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Skip("axe-core is not there: npm ci --prefix server/web")
	}
	needBrowser(t)
	tokens := filepath.Join(t.TempDir(), "tokens.json")
	admin := begin(t, "token", "new", "--file", tokens, "--role", "admin")
	a := api{t: t, url: serve(t, "--tokens", tokens), token: admin}
	a.put("a/isle", "?author=ann&message=first", 1)
	a.put("a/isle", "", 2)
	a.put("gone", "", 1)
	a.call(204, "DELETE", "/v1/worlds/gone", nil)
	a.call(201, "POST", "/v1/snapshots/a/isle", []byte(`{"snapshot":"s"}`))
	for _, size := range [][2]int64{{1280, 800}, {400, 800}} {
		for _, scheme := range []string{"light", "dark"} {
			if !long.Part() && (size[0] == 1280) != (scheme == "light") {
				continue
			}
			b := newTab(t, a.url)
			b.allow("status of 40")
			b.size(size[0], size[1])
			call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
			// check looks at a page after a script made something of it.
			check := func(path, script string) {
				b.open("/assets/none") // ends what the page before asks for
				b.open(path)
				b.untilDone()
				if script != "" {
					eval[bool](b, "(() => { "+script+"; return true })()")
					b.untilDone()
				}
				eval[int](b, string(axe)+"; 0")
				for _, found := range eval[[]string](b, `axe.run({rules: {"label-content-name-mismatch": {enabled: true}}}).then(r => r.violations.filter(v => v.impact === "serious" || v.impact === "critical" || v.id.startsWith("landmark")).flatMap(v => v.nodes.map(n => v.id + ": " + v.help + ": " + n.html.slice(0, 200) + " " + n.failureSummary)))`) {
					t.Errorf("%s (%s) in %s colours at %d pixels: %s", path, script, scheme, size[0], strings.ReplaceAll(found, "\n", " "))
				}
			}
			check("/", "")
			b.open("/login")
			b.until(`document.querySelector("input[type=password]")`)
			login(b, a.token)
			b.until(`location.pathname === "/"`)
			b.untilDone()
			press := func(selector string) string { return "document.querySelector(" + quote(selector) + ").click()" }
			check("/", "")
			check("/", press(".pick input"))
			check("/", press("details.deleted summary"))
			check("/login", "")
			check("/nothing", "")
			check("/world/none", "")
			check("/world/a/isle", press("section[aria-label=Comparison] button"))
			check("/world/a/isle", press(".line button:has(path[d^='M12 4v'])")) // download
			check("/map/a/isle", "")
			check("/numbers", "")
			check("/3d/a/isle", "")
			check("/3d/a/isle", press(".three-bar button[aria-label=Settings]"))
			check("/3d/a/isle", press(".three-bar button[aria-label='Keys and help']"))
			check("/3d/none", "")
		}
	}
}
