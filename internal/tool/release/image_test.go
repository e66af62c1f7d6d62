//go:build unix

package main_test

import (
	"archive/tar"
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
)

// blob refers to a file of a layout of OCI.
type blob struct {
	MediaType, Digest string
	Size              int
	Platform          struct{ Architecture, OS string }
}

// read returns what it refers to.
func (b blob) read(t *testing.T, dir, kind string) []byte {
	t.Helper()
	content := mustRead(t, filepath.Join(dir, "blobs", strings.Replace(b.Digest, ":", "/", 1)))
	if len(content) != b.Size || digest(content) != b.Digest || b.MediaType != "application/vnd.oci.image."+kind {
		t.Errorf("%+v is %d bytes, %s; want %s", b, len(content), digest(content), kind)
	}
	return content
}

func digest(content []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(content)) }

func decode(t *testing.T, b []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
}

// imageConfig says how the program of an image is run.
type imageConfig struct {
	Architecture, OS string
	Config           struct {
		User, StopSignal string
		Entrypoint, Cmd  []string
		Volumes          map[string]any
	}
	RootFS struct {
		DiffIDs []string `json:"diff_ids"`
	}
}

// checkImage reads an image from its index to its layer, and runs it if it is for this machine.
func checkImage(t *testing.T, name, arch string, runs bool) {
	dir := t.TempDir()
	untar(t, mustRead(t, name), dir)
	var layout struct{ ImageLayoutVersion string }
	decode(t, mustRead(t, filepath.Join(dir, "oci-layout")), &layout)
	var index struct{ Manifests []blob }
	decode(t, mustRead(t, filepath.Join(dir, "index.json")), &index)
	if layout.ImageLayoutVersion != "1.0.0" || len(index.Manifests) != 1 || index.Manifests[0].Platform.Architecture != arch || index.Manifests[0].Platform.OS != "linux" {
		t.Fatalf("%+v, %+v", layout, index)
	}
	var manifest struct {
		SchemaVersion int
		Config        blob
		Layers        []blob
	}
	decode(t, index.Manifests[0].read(t, dir, "manifest.v1+json"), &manifest)
	if manifest.SchemaVersion != 2 || len(manifest.Layers) != 1 {
		t.Fatalf("%+v", manifest)
	}
	var config imageConfig
	decode(t, manifest.Config.read(t, dir, "config.v1+json"), &config)
	layer := gunzip(t, manifest.Layers[0].read(t, dir, "layer.v1.tar+gzip"))
	if config.Architecture != arch || config.OS != "linux" || !reflect.DeepEqual(config.RootFS.DiffIDs, []string{digest(layer)}) {
		t.Errorf("%+v of a layer %s", config, digest(layer))
	}
	var saved []struct {
		Config           string
		RepoTags, Layers []string
	}
	decode(t, mustRead(t, filepath.Join(dir, "manifest.json")), &saved)
	if len(saved) != 1 || "sha256:"+filepath.Base(saved[0].Config) != manifest.Config.Digest || len(saved[0].Layers) != 1 || "sha256:"+filepath.Base(saved[0].Layers[0]) != manifest.Layers[0].Digest || saved[0].RepoTags[0] != "cairn:"+version {
		t.Errorf("manifest.json: %+v", saved)
	}
	root := t.TempDir()
	headers := untar(t, layer, root)
	checkProgram(t, filepath.Join(root, "usr/local/bin/cairn"), "linux", arch)
	if h := headers["data/"]; h == nil || h.Uid != 7070 || h.Mode != 0o700 {
		t.Errorf("/data is %+v", h)
	}
	if h := headers["tmp/"]; h == nil || h.Mode != 0o1777 {
		t.Errorf("/tmp is %+v", h)
	}
	if config.Config.User != "7070" || config.Config.StopSignal != "SIGTERM" || config.Config.Volumes["/data"] == nil || !bytes.Contains(mustRead(t, filepath.Join(root, "etc/ssl/certs/ca-certificates.crt")), []byte("BEGIN CERTIFICATE")) {
		t.Errorf("%+v", config.Config)
	}
	if runs {
		runImage(t, root, headers, config)
	}
}

// runImage runs the image's server in its own files alone, as its user, which needs root.
func runImage(t *testing.T, root string, headers map[string]*tar.Header, config imageConfig) {
	if os.Getuid() != 0 {
		if got := run(t, root, "usr/local/bin/cairn", "--version"); !strings.HasPrefix(got, "cairn v"+version+", ") {
			t.Errorf("it is %q", got)
		}
		return
	}
	for name, h := range headers {
		if err := os.Chown(filepath.Join(root, name), h.Uid, h.Gid); err != nil {
			t.Fatal(err)
		}
	}
	inside := func(args ...string) *exec.Cmd {
		c := exec.Command(config.Config.Entrypoint[0], args...)
		c.Dir, c.Env = "/data", []string{"PATH=/usr/local/bin"}
		c.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 7070, Gid: 7070}}
		return c
	}
	if out, err := inside("token", "new", "--file", "/data/tokens.json", "--role", "admin").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var args []string
	for _, arg := range config.Config.Cmd {
		args = append(args, strings.Replace(arg, "0.0.0.0:7070", "127.0.0.1:0", 1))
	}
	c := inside(args...)
	var log bytes.Buffer
	c.Stderr = &log
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "ready ")
	if err == nil && ok {
		var answer *http.Response
		if answer, err = http.Get(url + "/readyz"); err == nil {
			answer.Body.Close()
			ok = answer.StatusCode == http.StatusOK
		}
	}
	c.Process.Signal(syscall.SIGTERM)
	if end := c.Wait(); err != nil || !ok || end != nil {
		t.Errorf("%q, %v, then %v\n%s", line, err, end, log.String())
	}
}
