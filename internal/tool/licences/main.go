// Command licences makes cmd/cairn/licences.txt.gz: the notices of everything that is in the
// program cairn, which cairn licences prints. Run it after a change of go.mod:
//
//	go generate ./cmd/cairn
//
// A text that several modules have stands once, below all their names.
package main

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// three.txt is the licence of three.js 0.187.0, which is in the pages.
//
//go:embed three.txt
var three string

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: licences PACKAGE FILE")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

func write(program, to string) error {
	all, err := notices(program)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	for _, n := range all {
		fmt.Fprintf(z, "%s\n\n%s\n\n%s\n\n", strings.Join(n.of, "\n"), n.text, strings.Repeat("-", 80))
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(to, b.Bytes(), 0o666)
}

// notice is a text and what it is of.
type notice struct {
	text string
	of   []string
}

// named matches the files of a module that say under which terms it may be copied.
var named = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)`)

func notices(program string) ([]notice, error) {
	list, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}", program).Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	lines := strings.Split(strings.TrimSpace(string(list)), "\n")
	slices.Sort(lines)
	lines = append([]string{"Go " + strings.TrimPrefix(runtime.Version(), "go") + " " + strings.TrimSpace(string(root))}, slices.Compact(lines)...)
	all := []notice{{strings.TrimSpace(three), []string{"three.js 0.187.0"}}}
	for _, line := range lines {
		part := strings.SplitN(line, " ", 3)
		if len(part) < 3 {
			continue
		}
		found, err := os.ReadDir(part[2])
		if err != nil {
			return nil, err
		}
		count := 0
		for _, f := range found {
			if f.IsDir() || !named.MatchString(f.Name()) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(part[2], f.Name()))
			if err != nil {
				return nil, err
			}
			count++
			all = add(all, strings.TrimSpace(string(text)), part[0]+" "+part[1])
		}
		if count == 0 {
			return nil, fmt.Errorf("%s has no licence", part[0])
		}
	}
	return all, nil
}

func add(all []notice, text, of string) []notice {
	for i := range all {
		if all[i].text == text {
			all[i].of = append(all[i].of, of)
			return all
		}
	}
	return append(all, notice{text, []string{of}})
}
