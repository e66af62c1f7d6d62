//go:build unix

package main_test

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
)

const version = "0.0.1-rc.1"

// systems are those that a release is for.
var systems = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// TestRelease builds a release and uses each of its files as a person would: in "./test" those for
// this machine, in "./test all" all.
func TestRelease(t *testing.T) {
	here := runtime.GOOS + "/" + runtime.GOARCH
	if !slices.Contains(systems, here) {
		t.Skip("no release is for " + here)
	}
	targets := []string{here}
	if long.Part() {
		targets = systems
	}
	dir := t.TempDir()
	if out, err := release(t, ".", "TARGETS="+strings.Join(targets, " "), version, dir); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Run("sums", func(t *testing.T) { checkSums(t, dir, targets) })
	for _, target := range targets {
		t.Run(target, func(t *testing.T) { checkArchive(t, dir, target, target == here) })
	}
	if runtime.GOOS != "linux" {
		return
	}
	for _, target := range targets {
		system, arch, _ := strings.Cut(target, "/")
		if system != "linux" {
			continue
		}
		t.Run("debian "+arch, func(t *testing.T) {
			checkPackage(t, filepath.Join(dir, "cairn_0.0.1~rc.1_"+arch+".deb"), arch, target == here)
		})
		t.Run("image "+arch, func(t *testing.T) {
			checkImage(t, filepath.Join(dir, "cairn-"+version+"-image-"+arch+".tar"), arch, target == here)
		})
	}
}

// release runs ./release in a checkout, "." for this one.
func release(t *testing.T, checkout, env string, args ...string) (string, error) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash is here")
	}
	if checkout == "." {
		checkout = "../../.."
	}
	c := exec.Command("./release", args...)
	c.Dir, c.Env = checkout, append(os.Environ(), env)
	out, err := c.CombinedOutput()
	return string(out), err
}

// run runs a program and returns what it prints.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}

func mustRead(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// checkSums checks that SHA256SUMS names each file of a release, and no other.
func checkSums(t *testing.T, dir string, targets []string) {
	want := []string{"SHA256SUMS"}
	for _, target := range targets {
		system, arch, _ := strings.Cut(target, "/")
		switch name := fmt.Sprintf("cairn-%s-%s-%s", version, system, arch); system {
		case "windows":
			want = append(want, name+".zip")
		case "linux":
			want = append(want, name+".tar.gz", "cairn_0.0.1~rc.1_"+arch+".deb", fmt.Sprintf("cairn-%s-image-%s.tar", version, arch))
		default:
			want = append(want, name+".tar.gz")
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	sums := string(mustRead(t, filepath.Join(dir, "SHA256SUMS")))
	for _, e := range entries {
		got = append(got, e.Name())
		line := fmt.Sprintf("%x  %s\n", sha256.Sum256(mustRead(t, filepath.Join(dir, e.Name()))), e.Name())
		if e.Name() != "SHA256SUMS" && !strings.Contains(sums, line) {
			t.Errorf("SHA256SUMS has no %q", line)
		}
	}
	slices.Sort(want)
	if !slices.Equal(got, want) || strings.Count(sums, "\n") != len(want)-1 {
		t.Errorf("the release has %q, want %q, and the sums\n%s", got, want, sums)
	}
}

// checkArchive unpacks an archive, looks at its program, and runs it if it is for this machine.
func checkArchive(t *testing.T, dir, target string, runs bool) {
	system, arch, _ := strings.Cut(target, "/")
	name := fmt.Sprintf("cairn-%s-%s-%s", version, system, arch)
	to := t.TempDir()
	program := filepath.Join(to, name, "cairn")
	if system == "windows" {
		program += ".exe"
		unzip(t, filepath.Join(dir, name+".zip"), to)
	} else {
		untar(t, gunzip(t, mustRead(t, filepath.Join(dir, name+".tar.gz"))), to)
	}
	for _, want := range []string{"LICENSE", "README.md", "completions/cairn.bash", "completions/_cairn", "completions/cairn.fish", "completions/cairn.ps1", "man/man1/cairn.1", "man/man1/cairn-import.1"} {
		if b := mustRead(t, filepath.Join(to, name, want)); len(b) < 100 {
			t.Errorf("%s has %d bytes", want, len(b))
		}
	}
	if _, err := os.Stat(filepath.Join(to, name, "systemd/cairn.service")); (err == nil) != (system == "linux") {
		t.Errorf("the unit: %v", err)
	}
	checkProgram(t, program, system, arch)
	if !runs {
		return
	}
	if got := run(t, to, program, "--version"); !strings.HasPrefix(got, "cairn v"+version+", ") || !strings.HasSuffix(got, " "+target+"\n") {
		t.Errorf("it is %q", got)
	}
	run(t, to, program, "gen", "island", "a.cairn")
	if got := run(t, to, program, "info", "a.cairn"); !strings.Contains(got, "overworld") {
		t.Errorf("info prints %s", got)
	}
	checkCompletions(t, filepath.Join(to, name))
	if system == "linux" {
		saves := t.TempDir()
		run(t, to, program, "export", "a.cairn", filepath.Join(saves, "A World"))
		checkThreeCommands(t, dir, arch, saves)
	}
}

// checkThreeCommands runs what docs/INSTALL.md says for a machine without Go, with the tools of every Linux and nothing in the
// environment, until the page of a world is shown.
func checkThreeCommands(t *testing.T, dir, arch, saves string) {
	_, text, found := strings.Cut(string(mustRead(t, "../../../docs/INSTALL.md")), "Three commands on a machine without Go")
	text, _, ended := strings.Cut(text, "\n## ")
	var commands []string
	for line := range strings.Lines(text) {
		if line, ok := strings.CutPrefix(line, "    "); ok {
			commands = append(commands, strings.TrimSpace(line))
		}
	}
	if !found || !ended || len(commands) != 3 {
		t.Fatalf("the commands are %q", commands)
	}
	in := t.TempDir()
	archive := "cairn-" + version + "-linux-" + arch + ".tar.gz"
	if err := os.Link(filepath.Join(dir, archive), filepath.Join(in, archive)); err != nil {
		t.Fatal(err)
	}
	script := commands[0] + "\n" + commands[1] + "\nexec " + commands[2] + " --no-open"
	script = strings.NewReplacer("X.Y.Z", version, "amd64", arch, "~/.minecraft/saves", "'"+saves+"'").Replace(script)
	c := exec.Command("/bin/sh", "-e", "-c", script)
	c.Dir, c.Env, c.Stderr = in, []string{"PATH=/usr/bin:/bin"}, os.Stderr
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = c.Process.Kill() // it shows until then
		_ = c.Wait()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.Get(at.ResolveReference(&url.URL{Path: "/v1/worlds"}).String())
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if body, err := io.ReadAll(answer.Body); err != nil || !strings.Contains(string(body), `"-.a.20.world"`) {
		t.Errorf("the worlds are %s: %v", body, err)
	}
}

// checkProgram looks at a program that may not run here.
func checkProgram(t *testing.T, program, system, arch string) {
	t.Helper()
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	settings := make(map[string]string)
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if settings["GOOS"] != system || settings["GOARCH"] != arch || settings["CGO_ENABLED"] != "0" || settings["-trimpath"] != "true" {
		t.Errorf("built with %v", settings)
	}
	if stat, err := os.Stat(program); err != nil || stat.Mode()&0o111 == 0 {
		t.Errorf("%v, %v", stat.Mode(), err)
	}
}

// checkCompletions loads the scripts in the shells that are here, and asks bash what it offers.
func checkCompletions(t *testing.T, dir string) {
	const ask = `
PATH=$1:$PATH
source "$1/completions/cairn.bash"
complete -p cairn >/dev/null || exit
# what a shell does at a key, and two functions of bash-completion
_get_comp_words_by_ref() { words=("${COMP_WORDS[@]}") cword=$COMP_CWORD cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}; }
__ltrim_colon_completions() { :; }
compopt() { :; }
COMP_WORDS=(cairn "${@:2}") COMP_CWORD=$(($# - 1)) COMP_LINE="cairn ${*:2}" COMP_TYPE=9
COMP_POINT=${#COMP_LINE}
__start_cairn
printf '%s\n' "${COMPREPLY[@]}"`
	for _, tt := range []struct{ words, want string }{{"import --light ", "keep drop"}, {"resto", "restore restore-store"}, {"token ", "list new remove"}} {
		args := append([]string{"-c", ask, "bash", dir}, strings.Split(tt.words, " ")...)
		var got []string
		for line := range strings.Lines(run(t, dir, "bash", args...)) {
			got = append(got, strings.Fields(line)[0])
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("behind cairn %s bash offers %q, want %s", tt.words, got, tt.want)
		}
	}
	for shell, script := range map[string]string{"zsh": "_cairn", "fish": "cairn.fish"} {
		if _, err := exec.LookPath(shell); err == nil {
			run(t, dir, shell, "-n", "completions/"+script)
		} else {
			t.Logf("no %s is here", shell)
		}
	}
}

// checkPackage reads a package, and installs it if it is for this machine: in a copy of the system's
// files, or, where that cannot be had, by unpacking it.
func checkPackage(t *testing.T, deb, arch string, runs bool) {
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("no dpkg is here")
	}
	for field, want := range map[string]string{"Package": "cairn", "Version": "0.0.1~rc.1", "Architecture": arch, "Depends": "passwd"} {
		if got := strings.TrimSpace(run(t, ".", "dpkg-deb", "-f", deb, field)); got != want {
			t.Errorf("%s: %q, want %q", field, got, want)
		}
	}
	to := t.TempDir()
	run(t, ".", "dpkg-deb", "-R", deb, to) // with what dpkg runs, in DEBIAN
	checkProgram(t, filepath.Join(to, "usr/bin/cairn"), "linux", arch)
	for _, want := range []string{
		"usr/lib/systemd/system/cairn.service", "usr/lib/systemd/system/cairn@.service", "usr/share/bash-completion/completions/cairn", "usr/share/zsh/vendor-completions/_cairn",
		"usr/share/fish/vendor_completions.d/cairn.fish", "usr/share/man/man1/cairn-import.1.gz", "usr/share/doc/cairn/copyright", "usr/share/doc/cairn/changelog.gz",
	} {
		if b := mustRead(t, filepath.Join(to, want)); len(b) < 100 {
			t.Errorf("%s has %d bytes", want, len(b))
		}
	}
	if unit := mustRead(t, filepath.Join(to, "usr/lib/systemd/system/cairn.service")); !bytes.Contains(unit, []byte("ExecStart=/usr/bin/cairn serve ")) {
		t.Errorf("the unit is\n%s", unit)
	}
	run(t, to, "md5sum", "--quiet", "-c", "DEBIAN/md5sums")
	for _, script := range []string{"postinst", "prerm", "postrm"} {
		run(t, to, "sh", "-n", "DEBIAN/"+script)
	}
	if !runs {
		return
	}
	const apart = `
set -e
mount -t tmpfs none "$1" && mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
mount --rbind /dev "$1/root/dev" && mount --rbind /proc "$1/root/proc"
cp "$2" "$1/root/cairn.deb"
chroot "$1/root" sh -ec "$3"`
	at := t.TempDir()
	if out, err := exec.Command("unshare", "--mount", "sh", "-c", apart, "sh", at, deb, "true").CombinedOutput(); err != nil {
		t.Logf("no second root is to be had (%v: %s); the package is only unpacked", err, bytes.TrimSpace(out))
		if got := run(t, to, "usr/bin/cairn", "--version"); !strings.HasPrefix(got, "cairn v"+version+", ") {
			t.Errorf("it is %q", got)
		}
		return
	}
	const install = `
exec 2>&1
dpkg --path-include='/usr/share/*' -i /cairn.deb
cd /tmp
/usr/bin/cairn --version
stat -c '%n %U:%G %a' /etc/cairn /var/backups/cairn
getent passwd cairn
/usr/bin/cairn gen island /tmp/a.cairn >/dev/null
setpriv --reuid cairn --regid cairn --clear-groups /usr/bin/cairn token new --file /etc/cairn/tokens.json --role admin >/dev/null
[ -z "$(command -v man)" ] || MANPATH=/usr/share/man man -P cat cairn-import | grep -A1 '^NAME'
[ -z "$(command -v systemd-analyze)" ] || systemd-analyze verify /usr/lib/systemd/system/cairn.service
dpkg -i /cairn.deb >/dev/null
dpkg -P cairn
[ ! -e /usr/bin/cairn ] && stat -c '%n remains' /etc/cairn/tokens.json`
	got := run(t, ".", "unshare", "--mount", "sh", "-c", apart, "sh", at, deb, install)
	for _, want := range []string{
		"Setting up cairn (0.0.1~rc.1)", "\ncairn v" + version + ", ", "/etc/cairn cairn:cairn 700\n", "/var/backups/cairn cairn:cairn 700\n", ":/var/lib/cairn:/usr/sbin/nologin\n",
		"Purging configuration files for cairn", "/etc/cairn/tokens.json remains\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the installation does not say %q", want)
		}
	}
	if _, err := exec.LookPath("man"); err == nil && !strings.Contains(got, "cairn-import - ") {
		t.Error("man does not find cairn-import")
	}
	if t.Failed() {
		t.Log(got)
	}
}

// untar unpacks a tar into a folder, and returns its headers by name.
func untar(t *testing.T, content []byte, to string) map[string]*tar.Header {
	t.Helper()
	headers := make(map[string]*tar.Header)
	r := tar.NewReader(bytes.NewReader(content))
	for {
		h, err := r.Next()
		if err == io.EOF {
			return headers
		}
		if err != nil {
			t.Fatal(err)
		}
		headers[h.Name] = h
		unpack(t, filepath.Join(to, h.Name), h.FileInfo().Mode(), r)
	}
}

func unzip(t *testing.T, name, to string) {
	t.Helper()
	r, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, f := range r.File {
		content, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		unpack(t, filepath.Join(to, f.Name), f.Mode(), content)
		content.Close()
	}
}

func unpack(t *testing.T, name string, mode fs.FileMode, content io.Reader) {
	t.Helper()
	if mode.IsDir() {
		if err := os.MkdirAll(name, mode.Perm()); err != nil {
			t.Fatal(err)
		}
		return
	}
	err := os.MkdirAll(filepath.Dir(name), 0o755)
	var b []byte
	if err == nil {
		b, err = io.ReadAll(content)
	}
	if err == nil {
		err = os.WriteFile(name, b, mode.Perm())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func gunzip(t *testing.T, b []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err == nil {
		b, err = io.ReadAll(r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestReleaseWrong calls ./release wrongly.
func TestReleaseWrong(t *testing.T) {
	for _, tt := range []struct {
		name, env string
		args      []string
		want      string
	}{
		{"no version", "", nil, "usage: ./release VERSION [DIR]"},
		{"three words", "", []string{"1.2.3", "a", "b"}, "usage: ./release VERSION [DIR]"},
		{"not a version", "", []string{"new", t.TempDir()}, "version new: want X.Y.Z"},
		{"half a version", "", []string{"1.2", t.TempDir()}, "version 1.2: want X.Y.Z"},
		{"an unknown system", "TARGETS=linux/z80", []string{"1.2.3", t.TempDir()}, "linux/z80 does not build"},
	} {
		if out, err := release(t, ".", tt.env, tt.args...); err == nil || !strings.Contains(out, tt.want) {
			t.Errorf("%s: %v, says %q, not %q", tt.name, err, out, tt.want)
		}
	}
}

// TestStageWrong calls the program on stages that lack something.
func TestStageWrong(t *testing.T) {
	program := filepath.Join(t.TempDir(), "release")
	run(t, ".", "go", "build", "-o", program, ".")
	empty, partial := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(partial, "linux-amd64"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(partial, "linux-amd64/cairn"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"two words", []string{"1.2.3", "0"}, "usage: release VERSION TIME STAGE DIR"},
		{"no time", []string{"1.2.3", "now", empty, empty}, `the time "now"`},
		{"no program", []string{"1.2.3", "0", empty, empty}, "has no program"},
		{"no completions", []string{"1.2.3", "0", partial, empty}, "linux-amd64: open " + filepath.Join(partial, "completions")},
	} {
		c := exec.Command(program, tt.args...)
		c.Dir = "../../.."
		if out, err := c.CombinedOutput(); err == nil || !strings.Contains(string(out), tt.want) {
			t.Errorf("%s: %v, says %q, not %q", tt.name, err, out, tt.want)
		}
	}
}
