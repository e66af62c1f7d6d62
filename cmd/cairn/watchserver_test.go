//go:build unix

package main_test

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/testing/anviltest"
	"github.com/cairnvoxel/cairn/internal/testing/long"
)

// squid is a server whose bots walk and build, and the log of what it writes of chunks.
type squid struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.Closer
	said   *said
	log    *os.File
	rest   []byte // of the log: a line that is not complete
	chunks map[string]*written
	sums   anviltest.Sums
	known  map[[sha256.Size]byte][sha256.Size]byte // of documents as they were exported, by the sums of their bytes
}

// written are the states of a chunk.
type written struct {
	packed [][]byte
	sums   [][sha256.Size]byte // of as many as were asked for
	ended  int64
}

// mustSquid starts the server in dir, and waits until all its bots are there.
func mustSquid(t *testing.T, dir string) *squid {
	t.Helper()
	s := &squid{t: t, said: &said{}, chunks: map[string]*written{}, known: map[[sha256.Size]byte][sha256.Size]byte{}}
	world, log := filepath.Join(dir, "world"), filepath.Join(dir, "log")
	write(t, log, nil)
	file, err := os.Open(log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	s.log = file
	modules := squidModules(t)
	s.cmd = exec.Command("node", filepath.Join("testdata", "squid", "play.js"), world, log)
	s.cmd.Env, s.cmd.Stderr = append(os.Environ(), "NODE_PATH="+modules), s.said
	in, err := s.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.in = in
	t.Cleanup(func() {
		s.cmd.Process.Kill()
		s.cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.HasSuffix(lines.Text(), "ready") {
	}
	if !strings.HasSuffix(lines.Text(), "ready") {
		t.Fatalf("the server has ended: %v: %s", lines.Err(), s.said)
	}
	go io.Copy(io.Discard, out)
	return s
}

// squidModules returns the folder of the server's packages, which npm fetches once.
func squidModules(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"node", "npm"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("needs node and npm for a server that writes: %v", err)
		}
	}
	packages := []string{"flying-squid@1.12.0", "mineflayer@4.39.0"}
	dir := filepath.Join(userCache, "cairn", fmt.Sprint(packages[0], "+", packages[1]))
	modules := filepath.Join(dir, "node_modules")
	if _, err := os.Stat(modules); err == nil {
		return modules
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	partial, err := os.MkdirTemp(filepath.Dir(dir), "squid")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(partial)
	c := exec.Command("npm", append([]string{"install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", partial}, packages...)...)
	if out, err := c.CombinedOutput(); err != nil {
		t.Skipf("npm cannot fetch the server: %v: %s", err, out)
	}
	if err := os.Rename(partial, dir); err != nil {
		t.Fatal(err)
	}
	return modules
}

// stop has the bots leave and the server write what it has not yet.
func (s *squid) stop() {
	s.t.Helper()
	s.in.Close()
	if err := s.cmd.Wait(); err != nil {
		s.t.Fatalf("the server: %v: %s", err, s.said)
	}
}

// read reads on in the log.
func (s *squid) read() {
	s.t.Helper()
	more, err := io.ReadAll(s.log)
	if err != nil {
		s.t.Fatal(err)
	}
	s.rest = append(s.rest, more...)
	for {
		line, rest, ok := bytes.Cut(s.rest, []byte("\n"))
		if !ok {
			return
		}
		s.rest = rest
		var v struct {
			File string
			X, Z int
			Doc  []byte
		}
		if err := json.Unmarshal(line, &v); err != nil {
			s.t.Fatal(err)
		}
		name := chunkName(s.t, v.File, v.X, v.Z)
		c := s.chunks[name]
		if c == nil {
			c = &written{}
			s.chunks[name] = c
		}
		if v.Doc != nil {
			c.packed = append(c.packed, v.Doc)
		} else {
			c.ended = int64(len(c.packed))
		}
	}
}

// chunkName names a chunk at x, z in a region file, as cairn names what is torn.
func chunkName(t testing.TB, file string, x, z int) string {
	t.Helper()
	var rx, rz int
	if _, err := fmt.Sscanf(file, "r.%d.%d.mca", &rx, &rz); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("region/%s chunk {%d %d}", file, 32*rx+x, 32*rz+z)
}

func (s *squid) Begun() map[string]int64 {
	return s.by(func(c *written) int64 { return int64(len(c.packed)) })
}

func (s *squid) Ended() map[string]int64 { return s.by(func(c *written) int64 { return c.ended }) }

func (s *squid) by(of func(*written) int64) map[string]int64 {
	s.read()
	out := map[string]int64{}
	for name, c := range s.chunks {
		out[name] = of(c)
	}
	return out
}

func (s *squid) Read(t testing.TB, dir string, before map[string]int64) map[string]int64 {
	t.Helper()
	out := map[string]int64{}
	files, err := filepath.Glob(filepath.Join(dir, "region", "*.mca"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		for slot, chunk := range anviltest.Slots(t, file) {
			name := chunkName(t, filepath.Base(file), slot%32, slot/32)
			doc, err := chunk.Doc()
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if out[name] = s.state(t, name, doc, before[name]); out[name] == 0 {
				t.Errorf("%s is as the server never wrote it", name)
			}
		}
	}
	return out
}

// state returns the number of the state in which a chunk is, or 0. Of several it is the first that is not earlier than before.
func (s *squid) state(t testing.TB, name string, doc []byte, before int64) (n int64) {
	t.Helper()
	raw := sha256.Sum256(doc)
	sum, ok := s.known[raw]
	if !ok {
		sum = s.sums.Of(t, doc)
		s.known[raw] = sum
	}
	c := s.chunks[name]
	if c == nil {
		return 0
	}
	for k := len(c.sums); k < len(c.packed); k++ {
		z, err := zlib.NewReader(bytes.NewReader(c.packed[k]))
		if err != nil {
			t.Fatal(err)
		}
		doc, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		c.sums = append(c.sums, s.sums.Of(t, doc))
	}
	for k, had := range c.sums {
		if had == sum && n < max(before, 1) {
			n = int64(k) + 1
		}
	}
	return n
}

// TestWatchServer kills a watch again and again beside a server of another make, whose bots walk, dig and build: no
// version is lost, each chunk of each is as the server wrote it at one moment, and the last one is what the folder is.
// CAIRN_SERVER is for how long: in "./test long" half an hour.
func TestWatchServer(t *testing.T) {
	span, err := time.ParseDuration(os.Getenv("CAIRN_SERVER"))
	if err != nil && !long.Set() {
		t.Skip("CAIRN_SERVER is not set to a time")
	} else if err != nil {
		span = 30 * time.Minute
	}
	t.Parallel()
	dir := t.TempDir()
	s := mustSquid(t, dir)
	k := &killed{T: t, moments: s, dir: dir}
	k.run(span, 2, 3)
	s.stop()
	k.finish()
	most := 0
	for _, c := range s.chunks {
		for _, doc := range c.packed {
			most = max(most, len(doc))
		}
	}
	t.Logf("%d chunks, of up to %d bytes", len(s.chunks), most)
}
