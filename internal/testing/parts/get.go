package parts

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Quick are the programs that Get gets within a minute or two: all but weed, which is SeaweedFS.
var Quick = []string{"toxiproxy", "minio", "ferret", "promtool", "prometheus", "postgres"}

// Get builds or fetches those of the named programs that are missing, and returns their
// folder, for CAIRN_PARTS. That is the folder CAIRN_PARTS names, or one in the user's cache
// whose name changes with the versions. The current directory must be in the module. Get
// installs PostgreSQL where it can: on Debian, as root. It tells log what it does. It returns
// what it could not get.
func Get(ctx context.Context, log io.Writer, names ...string) (dir string, missing []string, err error) {
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", nil, fmt.Errorf("parts: get: find the module: %w", err)
	}
	sources := filepath.Join(strings.TrimSpace(string(root)), "internal", "testing", "parts", "build")
	if dir, err = folder(sources); err != nil {
		return "", nil, fmt.Errorf("parts: get: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", nil, fmt.Errorf("parts: get: %w", err)
	}
	g := getter{ctx, dir, log}
	if err := g.run("/", "chmod", "a+x", dir); err != nil {
		return "", nil, fmt.Errorf("parts: get: %w", err)
	}
	for _, p := range []struct {
		name string
		get  func() error
	}{
		{"toxiproxy", func() error { return g.build(sources, "./toxiproxy", "toxiproxy") }},
		{"minio", func() error { return g.build(sources, "./minio", "minio") }},
		{"ferret", func() error { return g.build(filepath.Join(sources, "ferret"), ".", "ferret") }},
		{"weed", g.weed},
		{"promtool", g.prometheus},
		{"prometheus", g.prometheus},
		{"postgres", g.postgres},
	} {
		if _, err := locate(dir, p.name); err == nil || !slices.Contains(names, p.name) {
			continue
		}
		fmt.Fprintf(log, "gets %s, once\n", p.name)
		if err := p.get(); err != nil {
			fmt.Fprintf(log, "%s: %v\n", p.name, err)
			missing = append(missing, p.name)
		}
	}
	return dir, missing, ctx.Err()
}

// folder returns the folder of programs for the sources as they are.
func folder(sources string) (string, error) {
	if dir := os.Getenv(Env); dir != "" {
		return filepath.Abs(dir)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	err = filepath.WalkDir(sources, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		fmt.Fprintf(hash, "%s %d\n%s", e.Name(), len(b), b)
		return err
	})
	return filepath.Join(cache, "cairn", fmt.Sprintf("parts-%x", hash.Sum(nil)[:8])), err
}

type getter struct {
	ctx context.Context
	dir string
	log io.Writer
}

func (g getter) run(dir, name string, args ...string) error {
	cmd := exec.CommandContext(g.ctx, name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, g.log, g.log
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	return cmd.Run()
}

// build builds a program of another module.
func (g getter) build(dir, pkg, name string) error {
	return g.run(dir, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", filepath.Join(g.dir, name), pkg)
}

// The module that has SeaweedFS's masters and volume servers, by the names that its own
// program has: weed master, weed volume. It is made where it is built, because it wants other
// versions of what the modules of build share.
const (
	weedModule = `module weed

go 1.26.6

require github.com/seaweedfs/seaweedfs v0.0.0-20261109003541-7506e5f91cd6
`
	weedMain = `package main

import (
	"os"

	"github.com/seaweedfs/seaweedfs/weed/command"
	flag "github.com/seaweedfs/seaweedfs/weed/util/fla9"
)

func main() {
	flag.Parse()
	args := flag.Args()
	for _, c := range command.Commands {
		if len(args) > 0 && c.Name() == args[0] && c.Flag.Parse(args[1:]) == nil && c.Run(c, c.Flag.Args()) {
			return
		}
	}
	os.Exit(1)
}
`
)

// weed builds SeaweedFS, which takes minutes.
func (g getter) weed() error {
	scratch, err := os.MkdirTemp("", "weed")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	for name, text := range map[string]string{"go.mod": weedModule, "main.go": weedMain} {
		if err := os.WriteFile(filepath.Join(scratch, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return g.run(scratch, "go", "build", "-mod=mod", "-trimpath", "-ldflags", "-s -w", "-o", filepath.Join(g.dir, "weed"), ".")
}

// prometheus takes the programs out of Debian's package, which would start them as a
// service.
func (g getter) prometheus() error {
	scratch, err := os.MkdirTemp("", "prometheus")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	return g.run(scratch, "sh", "-c", `{ apt-get download -qq prometheus || { apt-get update -qq && apt-get download -qq prometheus; }; } &&
		dpkg -x prometheus_*.deb . && mv usr/bin/prometheus usr/bin/promtool "$0"`, g.dir)
}

// postgres installs PostgreSQL without starting it.
func (g getter) postgres() error {
	return g.run("/", "sh", "-c", `test "$(id -u)" = 0 && apt-get update -qq && apt-get install -y -qq --no-install-recommends postgresql-common &&
		sed -i 's/^#\?create_main_cluster.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf &&
		apt-get install -y -qq --no-install-recommends postgresql`)
}
