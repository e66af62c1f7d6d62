package browser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience bounds the wait for one condition; whole bounds the life of a tab.
const (
	patience = 30 * time.Second
	whole    = 2 * time.Minute
)

// tab is a tab of the browser, with cookies of its own. At the end of the test it fails it if the
// page had an error, opened a dialog, broke the content security policy or asked another host.
type tab struct {
	t    *testing.T
	ctx  context.Context
	host string // of the server

	mu     sync.Mutex
	under  map[network.RequestID]bool // requests that have no answer yet
	faults []string
	allows []string // parts of faults that the test expects
}

// newTab opens a tab for the pages of a server.
func newTab(t *testing.T, server string) *tab {
	t.Helper()
	needBrowser(t)
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	b := &tab{t: t, host: u.Host, under: map[network.RequestID]bool{}}
	var end, closeTab context.CancelFunc
	b.ctx, closeTab = chromedp.NewContext(chrome, chromedp.WithNewBrowserContext(), chromedp.WithListener(b.hear))
	if err := chromedp.Do(b.ctx); err != nil { // opens the tab; a context with an end would close the browser
		t.Fatal(err)
	}
	b.ctx, end = context.WithTimeout(b.ctx, whole)
	call(b, network.Enable, network.EnableParams{})
	call(b, log.Enable, cdp.Empty{})
	call(b, inspector.Enable, cdp.Empty{})
	b.size(960, 600)
	t.Cleanup(func() {
		if t.Failed() {
			b.show()
		}
		end()
		closeTab()
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, f := range b.faults {
			if !slices.ContainsFunc(b.allows, func(part string) bool { return strings.Contains(f, part) }) {
				t.Errorf("the page: %s", f)
			}
		}
	})
	return b
}

// allow says that a fault with this text is expected.
func (b *tab) allow(part string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.allows = append(b.allows, part)
}

func (b *tab) fault(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faults = append(b.faults, fmt.Sprintf(format, args...))
}

// hear takes the events of the tab.
func (b *tab) hear(event any) {
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeAssert {
			var text []string
			for _, a := range e.Args {
				text = append(text, string(a.Value)+a.Description)
			}
			b.fault("console: %s", strings.Join(text, " "))
		}
	case *runtime.EventExceptionThrown:
		b.fault("exception: %v", e.ExceptionDetails)
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError {
			b.fault("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL)
		}
	case *page.EventJavascriptDialogOpening:
		b.fault("dialog: %s", e.Message)
		go chromedp.Call(b.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{})
	case *inspector.EventTargetCrashed:
		b.fault("the page crashed")
	case *network.EventRequestWillBeSent:
		b.asks(e.Request.URL)
		b.waits(e.RequestID, !strings.Contains(e.Request.URL, ".worker")) // a worker tells its own listeners
	case *network.EventLoadingFinished:
		b.waits(e.RequestID, false)
	case *network.EventLoadingFailed:
		b.waits(e.RequestID, false)
	case *network.EventWebSocketCreated:
		b.asks(e.URL)
	}
}

// waits says whether the page waits for the answer to a request.
func (b *tab) waits(id network.RequestID, yes bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if yes {
		b.under[id] = true
	} else {
		delete(b.under, id)
	}
}

// idle reports whether every request has its answer.
func (b *tab) idle() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.under) == 0
}

// asks checks that a request is for the server.
func (b *tab) asks(address string) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "blob" && u.Scheme != "data" && u.Host != b.host {
		b.fault("a request leaves the server: %.200s", address)
	}
}

// do runs steps.
func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// call runs a command of the browser's protocol.
func call[P, R any](b *tab, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	r, err := chromedp.Call(b.ctx, command, params)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// size sets the size of the window in pixels.
func (b *tab) size(width, height int64) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, height))
}

// open opens a page of the server.
func (b *tab) open(path string) {
	b.t.Helper()
	b.mu.Lock()
	clear(b.under) // of the page before
	b.mu.Unlock()
	b.do(chromedp.Navigate("http://" + b.host + path))
}

// eval evaluates JavaScript and decodes its value.
func eval[T any](b *tab, js string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", js, err)
	}
	return v
}

// until waits until JavaScript is true.
func (b *tab) until(js string) {
	b.t.Helper()
	b.wait(js, func() bool { return eval[bool](b, "!!("+js+")") })
}

// wait waits until a condition holds.
func (b *tab) wait(what string, holds func() bool) {
	b.t.Helper()
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	end := time.After(patience)
	for !holds() {
		select {
		case <-tick.C:
		case <-end:
			b.t.Fatalf("never: %s", what)
		}
	}
}

// untilDone waits until a page has a title and content, and asks for nothing more.
func (b *tab) untilDone() {
	b.t.Helper()
	const whole = `document.title.includes("cairn") && document.readyState === "complete" && document.querySelector("main")?.innerText.trim()`
	calm := 0
	b.wait("the page is done", func() bool {
		if calm++; !eval[bool](b, "!!("+whole+")") || !b.idle() {
			calm = 0
		}
		return calm > 3
	})
}

// untilText waits until the page shows a text.
func (b *tab) untilText(text string) {
	b.t.Helper()
	b.until("document.body.innerText.includes(" + quote(text) + ")")
}

// text returns what the page shows.
func (b *tab) text() string {
	b.t.Helper()
	return eval[string](b, "document.body.innerText")
}

func quote(s string) string {
	out, err := json.Marshal(s)
	if err != nil {
		panic("browser: a text is no JSON: " + err.Error())
	}
	return string(out)
}

// show logs what the page shows, after a failure.
func (b *tab) show() {
	ctx, end := context.WithTimeout(b.ctx, 5*time.Second)
	defer end()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string]("location.href + ' shows:\\n' + document.body.innerText.slice(0, 2000)"))
	b.t.Log(text, err)
}

// named are the roles that must have a name for those who do not see the page.
var named = []string{"button", "link", "textbox", "searchbox", "combobox", "listbox", "slider", "spinbutton", "checkbox", "radio", "switch", "tab", "menuitem", "dialog", "navigation", "img", "image", "Canvas"}

// checkNames checks that everything that can be used has a name.
func (b *tab) checkNames() {
	b.t.Helper()
	used := 0
	for _, n := range call(b, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{}).Nodes {
		role, name := value(n.Role), value(n.Name)
		if n.Ignored || !slices.Contains(named, role) {
			continue
		}
		if used++; strings.TrimSpace(name) == "" {
			b.t.Errorf("a %s of the page has no name: node %v", role, n.BackendDOMNodeID)
		}
	}
	if used == 0 {
		b.t.Error("the page has nothing that can be used")
	}
}

func value(v *accessibility.Value) (s string) {
	if v != nil {
		_ = json.Unmarshal(v.Value, &s) // a value of another type is no name
	}
	return s
}

// checkNarrow checks that the page needs no scrolling to the side at a phone's width.
func (b *tab) checkNarrow() {
	b.t.Helper()
	b.size(400, 800)
	defer b.size(960, 600)
	const wide = `[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1).slice(0, 5).map(e => e.outerHTML.slice(0, 120)).join("\n")`
	const fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
	calm := 0 // a page may need a moment to follow the window
	for range 40 {
		if calm++; !eval[bool](b, fits) {
			calm = 0
		}
		if calm > 3 {
			return
		}
		eval[bool](b, "new Promise(done => setTimeout(() => done(true), 25))")
	}
	b.t.Errorf("at 400 pixels the page is %d pixels wide:\n%s", eval[int](b, "document.documentElement.scrollWidth"), eval[string](b, wide))
}

// pixels returns a number for what an element shows; other pixels give another one.
func (b *tab) pixels(selector string) string {
	b.t.Helper()
	png, err := chromedp.Run(b.ctx, chromedp.Screenshot(chromedp.CSS(selector)))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(png)
}

// untilOther waits until an element shows other pixels.
func (b *tab) untilOther(selector, than string) {
	b.t.Helper()
	b.wait(selector+" shows something else", func() bool { return b.pixels(selector) != than })
}

// untilSame waits until an element shows these pixels.
func (b *tab) untilSame(selector, as string) {
	b.t.Helper()
	b.wait(selector+" shows the same", func() bool { return b.pixels(selector) == as })
}

// drag moves a slider to a value, as dragging it does.
func (b *tab) drag(selector string, value int) {
	b.t.Helper()
	eval[bool](b, fmt.Sprintf(`(s => { s.value = %d; return s.dispatchEvent(new Event("input", {bubbles: true})) && s.dispatchEvent(new Event("change", {bubbles: true})) })(document.querySelector(%s))`, value, quote(selector)))
}

// click clicks the first element of a selector.
func (b *tab) click(selector string) {
	b.t.Helper()
	b.do(chromedp.Click(chromedp.CSS(selector)))
}

// fill replaces the text of an input as a person does.
func (b *tab) fill(selector, text string) {
	b.t.Helper()
	eval[string](b, "document.querySelector("+quote(selector)+").value = ''")
	b.do(chromedp.SendKeys(chromedp.CSS(selector), text))
}
