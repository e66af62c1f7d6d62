// Command release makes the files of a release of what ./release has built: archives, packages for
// Debian, images of containers, and their checksums. It is called in the root of the repository:
//
//	release VERSION TIME STAGE DIR
//
// TIME, in seconds since 1970, is the time of every file, so that one commit gives the same bytes
// wherever it is built. STAGE has a folder OS-ARCH with the program for each system, man with the
// pages of the manual and completions with the scripts for shells.
package main

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: release VERSION TIME STAGE DIR")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(version, seconds, stage, dir string) error {
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return fmt.Errorf("the time %q: want seconds since 1970", seconds)
	}
	r := &release{version: version, time: time.Unix(n, 0).UTC(), stage: stage, dir: dir}
	programs, err := filepath.Glob(filepath.Join(stage, "*-*", "cairn*"))
	if err != nil || len(programs) == 0 {
		return fmt.Errorf("%s has no program: %w", stage, fs.ErrNotExist)
	}
	for _, name := range programs {
		system, arch, _ := strings.Cut(filepath.Base(filepath.Dir(name)), "-")
		if err := r.target(name, system, arch); err != nil {
			return fmt.Errorf("%s-%s: %w", system, arch, err)
		}
	}
	slices.Sort(r.sums)
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(strings.Join(r.sums, "")), 0o666)
}

// release is a version, and what was made of it.
type release struct {
	version    string
	time       time.Time
	stage, dir string
	sums       []string // lines of SHA256SUMS
}

// target makes the files for one system.
func (r *release) target(program, system, arch string) error {
	exe, err := read(path.Base(program), program, 0o755)
	if err != nil {
		return err
	}
	files, err := r.papers(system)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("cairn-%s-%s-%s", r.version, system, arch)
	files = below(name, append(files, exe)...)
	if system == "windows" {
		return r.write(name + ".zip")(zipOf(files, r.time))
	}
	if err := r.write(name + ".tar.gz")(tarGzOf(files, r.time)); err != nil || system != "linux" {
		return err
	}
	if err := r.write(fmt.Sprintf("cairn_%s_%s.deb", debianVersion(r.version), arch))(r.debian(exe, arch)); err != nil {
		return err
	}
	return r.write(fmt.Sprintf("cairn-%s-image-%s.tar", r.version, arch))(r.image(exe, arch))
}

// write returns what writes a file of the release, and keeps its checksum.
func (r *release) write(name string) func(content []byte, err error) error {
	return func(content []byte, err error) error {
		if err != nil {
			return err
		}
		r.sums = append(r.sums, fmt.Sprintf("%x  %s\n", sha256.Sum256(content), name))
		return os.WriteFile(filepath.Join(r.dir, name), content, 0o666)
	}
}

// papers returns what is in an archive beside the program.
func (r *release) papers(system string) (out []file, err error) {
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		f, err := read(name, name, 0o644)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	for _, d := range []struct{ to, from, system string }{
		{"completions", filepath.Join(r.stage, "completions"), system},
		{"man/man1", filepath.Join(r.stage, "man"), system},
		{"systemd", "deploy/systemd", "linux"},
	} {
		if d.system != system {
			continue
		}
		files, err := readFolder(d.from)
		if err != nil {
			return nil, err
		}
		out = append(out, below(d.to, files...)...)
	}
	return out, nil
}
