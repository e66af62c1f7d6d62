// Package browser_test drives cairn's pages in Chromium, against the built command. It has nothing
// but tests. They are skipped where no Chromium is; CAIRN_BROWSER names one, or is "none".
package browser_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

var (
	program string          // the built command
	chrome  context.Context // of the browser that all tests share
	without string          // why there is no browser, or ""
)

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	binary := findBrowser()
	if binary == "" {
		without = "no Chromium is on the PATH; CAIRN_BROWSER names one"
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "cairn-browser")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "cairn.exe")
	if out, err := exec.Command("go", "build", "-o", program, "github.com/cairnvoxel/cairn/cmd/cairn").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	ctx, end := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(binary), chromedp.UserDataDir(filepath.Join(dir, "profile")),
		chromedp.Flag("headless", "new"), chromedp.NoSandbox, // root may not use the sandbox
		chromedp.Flag("use-gl", "angle"), chromedp.Flag("use-angle", "swiftshader"), chromedp.Flag("enable-unsafe-swiftshader", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"), chromedp.Flag("no-proxy-server", true),
		chromedp.Flag("force-prefers-reduced-motion", true), // else pictures of pages show moments of a motion
		chromedp.Flag("enable-precise-memory-info", true), chromedp.WSURLReadTimeout(time.Minute),
	)...)
	defer end()
	var close context.CancelFunc
	chrome, close = chromedp.NewContext(ctx)
	defer close()
	if err := chromedp.Do(chrome); err != nil {
		fmt.Fprintf(os.Stderr, "%s does not start: %v\n", binary, err)
		return 1
	}
	return m.Run()
}

func findBrowser() string {
	if named, ok := os.LookupEnv("CAIRN_BROWSER"); ok {
		if named == "none" {
			return ""
		}
		return named
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// needBrowser skips the test without a browser.
func needBrowser(t *testing.T) {
	t.Helper()
	if without != "" {
		t.Skip(without)
	}
}

// output collects what a process writes.
type output struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all.String()
}

// begin starts a verb that serves, and returns its first line on standard output. The process
// ends with the test.
func begin(t *testing.T, args ...string) (first string) {
	t.Helper()
	needBrowser(t)
	log := &output{}
	c := exec.Command(program, args...)
	c.Dir, c.Stderr = t.TempDir(), log
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := c.Process.Kill()
		if err == nil {
			c.Wait()
		} else if !errors.Is(err, os.ErrProcessDone) {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("cairn %s: %s", strings.Join(args, " "), log)
		}
	})
	first, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("cairn %s does not begin: %v\n%s", strings.Join(args, " "), err, log)
	}
	return strings.TrimSpace(first)
}

// serve starts a server with an empty store in memory and returns its URL.
func serve(t *testing.T, args ...string) string {
	t.Helper()
	_, url, ok := strings.Cut(begin(t, append([]string{"serve", "--store", "memory:", "--listen", "127.0.0.1:0"}, args...)...), " ")
	if !ok {
		t.Fatal("the server prints no URL")
	}
	return url
}
