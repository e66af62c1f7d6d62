package browser_test

import (
	"cmp"
	"flag"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/systeminfo"
	"github.com/chromedp/chromedp"
)

var (
	measured = flag.String("measure", "", "comma-separated worlds that TestMeasureView shows; \"worlds\" takes the largest maps below CAIRN_WORLDS")
	radius   = flag.String("radius", "", "blocks that TestMeasureView sees; by default what the page takes")
)

// TestMeasureView measures cairn view: how long it reads a world, when the 3D page has the first
// whole picture, and what the tab holds then. Nothing fails by its figures.
func TestMeasureView(t *testing.T) {
	if *measured == "" {
		t.Skip("without -measure there is nothing to measure")
	}
	needBrowser(t)
	paths := strings.Split(*measured, ",")
	if *measured == "worlds" {
		paths = largest(t, 6)
	}
	fmt.Printf("%-8s %10s %10s %10s %10s %10s %10s %10s %8s\n", "world", "read", "complete", "processor", "all", "received", "JS heap", "tab", "cubes")
	for i, path := range paths {
		t.Run(strconv.Itoa(i), func(t *testing.T) { measure(t, i, path) })
	}
}

// state is what the page tells of itself.
type state struct {
	FirstCompleteMs float64
	Received        float64
	Cubes           int
	Heap            float64
}

func measure(t *testing.T, i int, path string) {
	began := time.Now()
	page, err := url.Parse(begin(t, "view", "--no-open", "--memory", "1GiB", path))
	if err != nil {
		t.Fatal(err)
	}
	read := time.Since(began)
	b := newTab(t, "http://"+page.Host)
	b.size(1280, 800)
	_, busy := renderers(b)
	began = time.Now()
	at := page.Path
	if *radius != "" {
		at += "?r=" + *radius
	}
	b.open(at)
	b.until(`window.cairnState?.firstCompleteMs >= 0`)
	_, until := renderers(b)
	b.until(`window.cairnState.synced === 2 && window.cairnState.waiting === 0`)
	all := time.Since(began)
	s := eval[state](b, `({firstCompleteMs: cairnState.firstCompleteMs, received: cairnState.received, cubes: cairnState.cubes, heap: performance.memory.usedJSHeapSize})`)
	var tab int64
	pids, _ := renderers(b)
	for _, pid := range pids {
		tab = max(tab, resident(pid)) // the others are of empty tabs
	}
	fmt.Printf("%-8d %8.2f s %8.2f s %8.2f s %8.2f s %7.2f MB %7.1f MB %7.1f MB %8d\n", i, read.Seconds(), s.FirstCompleteMs/1000, until-busy, all.Seconds(), s.Received/1e6, s.Heap/1e6, float64(tab)/1e6, s.Cubes)
}

// renderers returns the processes of the browser that hold pages, and the processor time of all its
// processes in seconds.
func renderers(b *tab) (out []int64, busy float64) {
	b.t.Helper()
	info, err := chromedp.CallBrowser(b.ctx, systeminfo.GetProcessInfo, cdp.Empty{})
	if err != nil {
		b.t.Fatal(err)
	}
	for _, p := range info.ProcessInfo {
		busy += p.CPUTime
		if p.Type == "renderer" {
			out = append(out, p.ID)
		}
	}
	return out, busy
}

// resident returns the bytes that a process holds for itself alone, 0 where the system does not
// say.
func resident(pid int64) (n int64) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) == 3 && strings.HasPrefix(f[0], "Private_") {
			kb, err := strconv.ParseInt(f[1], 10, 64)
			if err == nil {
				n += kb << 10
			}
		}
	}
	return n
}

// largest returns the folders of n worlds below CAIRN_WORLDS that have the most bytes.
func largest(t *testing.T, n int) []string {
	t.Helper()
	root := os.Getenv("CAIRN_WORLDS")
	if root == "" {
		t.Skip("CAIRN_WORLDS is not set")
	}
	sizes := map[string]int64{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".mca" {
			return err
		}
		info, err := e.Info()
		if err == nil && filepath.Base(filepath.Dir(path)) == "region" {
			sizes[filepath.Dir(filepath.Dir(path))] += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for path := range sizes {
		all = append(all, path)
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(sizes[b], sizes[a]), strings.Compare(a, b)) })
	return all[:min(n, len(all))]
}
