// Command build bundles the pages: it reads internal/server/web/src and writes internal/server/web/dist.
//
//	go generate ./internal/server/web       install the pinned packages and bundle
//	go run ./internal/server/web/build      bundle with the packages that are there
//
// A file X.worker.ts becomes a file of its own; `import url from "./X.worker"` gives
// its address. With -test it writes the tests of the sources instead of the pages.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	dir := flag.String("dir", ".", "folder of package.json and src")
	out := flag.String("out", "", "folder to write; default dist in -dir")
	npm := flag.Bool("npm", false, "install the packages of package-lock.json first")
	test := flag.Bool("test", false, "bundle src/*.test.ts for node instead of the pages")
	flag.Parse()
	if err := run(*dir, *out, *npm, *test); err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}

func run(dir, out string, npm, test bool) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if npm {
		c := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
		c.Dir, c.Stdout, c.Stderr = dir, os.Stderr, os.Stderr
		if err := c.Run(); err != nil {
			return fmt.Errorf("npm ci in %s: %w", dir, err)
		}
	}
	if out == "" {
		out = filepath.Join(dir, "dist")
	}
	var files map[string][]byte
	if test {
		files, err = tests(dir)
	} else {
		files, err = pages(dir)
	}
	if err != nil {
		return err
	}
	return replace(out, files)
}

// replace makes the files the only content of the folder out.
func replace(out string, files map[string][]byte) error {
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	for name, data := range files {
		name = filepath.Join(out, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(name, data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// bundle returns the options that all bundles share.
func bundle(dir string, entries ...string) api.BuildOptions {
	return api.BuildOptions{
		AbsWorkingDir:     dir,
		EntryPoints:       entries,
		Outdir:            "dist/assets",
		EntryNames:        "[name]-[hash]",
		ChunkNames:        "[name]-[hash]",
		AssetNames:        "[name]-[hash]",
		PublicPath:        "/assets/",
		Bundle:            true,
		Splitting:         true,
		Format:            api.FormatESModule,
		Target:            api.ES2022,
		Charset:           api.CharsetUTF8,
		MinifySyntax:      true,
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		LegalComments:     api.LegalCommentsEndOfFile,
		Loader:            map[string]api.Loader{".svg": api.LoaderFile, ".png": api.LoaderFile},
		Metafile:          true,
		Write:             false,
	}
}

// pages returns the files of the pages by their names in dist.
func pages(dir string) (map[string][]byte, error) {
	files := make(map[string][]byte)
	o := bundle(dir, "src/main.ts", "src/theme.ts")
	o.Plugins = []api.Plugin{workers(dir, files)}
	outputs, err := build(o, files)
	if err != nil {
		return nil, err
	}
	html, err := os.ReadFile(filepath.Join(dir, "src", "index.html"))
	if err != nil {
		return nil, err
	}
	o = bundle(dir, "src/icon.svg")
	o.Loader = map[string]api.Loader{".svg": api.LoaderCopy}
	icon, err := build(o, files)
	if err != nil {
		return nil, err
	}
	outputs = append(outputs, icon...)
	for name, is := range map[string]func(string) bool{
		"MAIN.js":  func(s string) bool { return strings.HasPrefix(s, "main-") && strings.HasSuffix(s, ".js") },
		"MAIN.css": func(s string) bool { return strings.HasPrefix(s, "main-") && strings.HasSuffix(s, ".css") },
		"THEME.js": func(s string) bool { return strings.HasPrefix(s, "theme-") },
		"ICON.svg": func(s string) bool { return strings.HasSuffix(s, ".svg") },
	} {
		i := slices.IndexFunc(outputs, is)
		if i < 0 {
			return nil, fmt.Errorf("no file became %s", name)
		}
		html = []byte(strings.ReplaceAll(string(html), name, "/assets/"+outputs[i]))
	}
	files["index.html"] = html
	// The licence asks that its text goes with the code.
	files["assets/three-LICENSE.txt"], err = os.ReadFile(filepath.Join(dir, "node_modules", "three", "LICENSE"))
	return files, err
}

// tests returns the tests of the sources as files for node.
func tests(dir string) (map[string][]byte, error) {
	names, err := filepath.Glob(filepath.Join(dir, "src", "*.test.ts"))
	if err != nil || len(names) == 0 {
		return nil, errors.Join(err, errors.New("src has no *.test.ts"))
	}
	o := bundle(dir, names...)
	o.Platform, o.EntryNames, o.Splitting, o.MinifyIdentifiers = api.PlatformNode, "[name]", false, false
	o.OutExtension = map[string]string{".js": ".mjs"}
	files := make(map[string][]byte)
	_, err = build(o, files)
	return files, err
}

// build adds the files of a bundle to files and returns their names below assets.
func build(o api.BuildOptions, files map[string][]byte) (names []string, err error) {
	result := api.Build(o)
	if len(result.Errors) > 0 {
		text := api.FormatMessages(result.Errors, api.FormatMessagesOptions{Kind: api.ErrorMessage})
		return nil, errors.New(strings.Join(text, ""))
	}
	for _, f := range result.OutputFiles {
		name := filepath.Base(f.Path)
		files["assets/"+name] = f.Contents
		names = append(names, name)
	}
	return names, nil
}

// workers resolves imports of *.worker: the file becomes a bundle of its own, and
// the import its address.
func workers(dir string, files map[string][]byte) api.Plugin {
	var mu sync.Mutex // guards files
	return api.Plugin{Name: "workers", Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: `\.worker$`}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
			path := filepath.Join(a.ResolveDir, a.Path+".ts")
			if _, err := os.Stat(path); err != nil {
				return api.OnResolveResult{}, fmt.Errorf("worker %s: %w", a.Path, fs.ErrNotExist)
			}
			path, err := filepath.Rel(dir, path) // paths count in the hashes of names
			return api.OnResolveResult{Path: filepath.ToSlash(path), Namespace: "worker"}, err
		})
		b.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "worker"}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
			o := bundle(dir, a.Path)
			o.Splitting = false
			own := make(map[string][]byte)
			names, err := build(o, own)
			if err != nil {
				return api.OnLoadResult{}, err
			}
			if len(names) != 1 {
				return api.OnLoadResult{}, fmt.Errorf("worker %s became %d files, want 1", a.Path, len(names))
			}
			mu.Lock()
			files["assets/"+names[0]] = own["assets/"+names[0]]
			mu.Unlock()
			text := fmt.Sprintf("export default %q", "/assets/"+names[0])
			return api.OnLoadResult{Contents: &text}, nil
		})
	}}
}
