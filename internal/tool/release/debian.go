package main

import (
	"bytes"
	"crypto/md5"
	"fmt"
	"path"
	"strings"
)

// debianVersion returns a version as dpkg orders it: 1.0.0~rc1 is before 1.0.0.
func debianVersion(version string) string { return strings.Replace(version, "-", "~", 1) }

// completionsAt is where Debian has the scripts for shells.
var completionsAt = map[string]string{
	"cairn.bash": "usr/share/bash-completion/completions/cairn",
	"_cairn":     "usr/share/zsh/vendor-completions/_cairn",
	"cairn.fish": "usr/share/fish/vendor_completions.d/cairn.fish",
}

// debian returns a package: an archive of ar with the version of the form, the tar with what dpkg has
// to know, and the tar with the files. deploy/debian has the fields that are always the same, and
// what dpkg runs.
func (r *release) debian(exe file, arch string) ([]byte, error) {
	files, err := r.installed(exe)
	if err != nil {
		return nil, err
	}
	var sums, installed strings.Builder
	size := 0
	for _, f := range files {
		size += len(f.content)
		fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(f.content), f.name)
	}
	about, err := readFolder("deploy/debian")
	if err != nil {
		return nil, err
	}
	for i, f := range about {
		if f.name != "control" {
			about[i].mode = 0o755
			continue
		}
		fmt.Fprintf(&installed, "Version: %s\nArchitecture: %s\nInstalled-Size: %d\n", debianVersion(r.version), arch, (size+1023)/1024)
		about[i].content = append([]byte("Package: cairn\n"+installed.String()), f.content...)
	}
	about = append(about, file{name: "md5sums", mode: 0o644, content: []byte(sums.String())})

	var b bytes.Buffer
	b.WriteString("!<arch>\n")
	r.member(&b, "debian-binary", []byte("2.0\n"))
	for _, part := range []struct {
		name  string
		files []file
	}{{"control.tar.gz", about}, {"data.tar.gz", files}} {
		plain, err := tarOf("./", part.files, r.time)
		if err != nil {
			return nil, err
		}
		packed, err := gzipped(plain)
		if err != nil {
			return nil, err
		}
		r.member(&b, part.name, packed)
	}
	return b.Bytes(), nil
}

// member appends a file to an archive of ar.
func (r *release) member(b *bytes.Buffer, name string, content []byte) {
	fmt.Fprintf(b, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", name, r.time.Unix(), 0, 0, 0o100644, len(content))
	b.Write(content)
	if len(content)%2 != 0 {
		b.WriteByte('\n')
	}
}

// installed returns the files of the package where they are installed.
func (r *release) installed(exe file) ([]file, error) {
	out := below("usr/bin", exe)
	units, err := readFolder("deploy/systemd")
	if err != nil {
		return nil, err
	}
	for _, u := range units {
		u.content = bytes.ReplaceAll(u.content, []byte("/usr/local/bin/"), []byte("/usr/bin/"))
		out = append(out, below("usr/lib/systemd/system", u)...)
	}
	papers, err := r.papers("debian")
	if err != nil {
		return nil, err
	}
	for _, f := range papers {
		switch dir, name := path.Split(f.name); {
		case dir == "completions/":
			if f.name = completionsAt[name]; f.name == "" {
				continue // a shell that Debian does not have
			}
		case dir == "man/man1/":
			f.name = "usr/share/" + f.name + ".gz"
		case name == "CHANGELOG.md":
			f.name = "usr/share/doc/cairn/changelog.gz"
		case name == "LICENSE":
			f.name = "usr/share/doc/cairn/copyright"
			f.content = append(f.content, "\ncairn licences prints the licences of everything in the program.\n"...)
		default:
			f.name = "usr/share/doc/cairn/" + name
		}
		if strings.HasSuffix(f.name, ".gz") {
			if f.content, err = gzipped(f.content); err != nil {
				return nil, err
			}
		}
		out = append(out, f)
	}
	return out, nil
}
