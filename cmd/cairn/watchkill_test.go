//go:build unix

package main_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/testing/anviltest"
	"github.com/cairnvoxel/cairn/internal/testing/long"
)

// moments are the states that things in a folder are in, which is written all the time. A thing has a name; its states
// count from 1.
type moments interface {
	Begun() map[string]int64 // the last of each that somebody began to write
	Ended() map[string]int64 // the last that was written whole
	// Read returns the states in a folder that nobody writes. Of states that are the same it returns the first that is not
	// earlier than that of before. What is in no state is an error of t.
	Read(t testing.TB, dir string, before map[string]int64) map[string]int64
}

// killed is a watch of a folder that is killed again and again.
type killed struct {
	*testing.T
	moments
	dir      string // of the store; the folder is "world" in it
	versions []between
	kills    int
}

// between is a version that the log has. It was made when the things were at least in the states of least, and at most in
// those of most.
type between struct {
	id          string
	least, most map[string]int64
	said        bool     // the watch has said that there is such a version,
	torn        []string // and that this is torn
}

// watchFor watches the folder for a time. Then the watch is killed; all versions before are still there.
func (k *killed) watchFor(life time.Duration) {
	k.Helper()
	least := k.Ended()
	var said, wrong bytes.Buffer
	c := exec.Command(program, "watch", "world", "@w", "--every", "1s", "--settle", "100ms", "--json")
	c.Dir, c.Stdout, c.Stderr = k.dir, &said, &wrong
	if err := c.Start(); err != nil {
		k.Fatal(err)
	}
	time.Sleep(life)
	_ = c.Process.Kill() // an end before that is found below
	_ = c.Wait()
	if k.kills++; c.ProcessState.Exited() || wrong.Len() > 0 {
		k.Fatalf("kill %d: it ended before, %v: %s", k.kills, c.ProcessState, &wrong)
	}
	k.look(least)
	for lines := json.NewDecoder(&said); ; {
		var v struct {
			Version int
			Torn    []string
		}
		if err := lines.Decode(&v); err != nil {
			if err != io.EOF && err != io.ErrUnexpectedEOF {
				k.Fatalf("kill %d: %v", k.kills, err)
			}
			return
		}
		if v.Version < 1 || v.Version > len(k.versions) {
			k.Fatalf("kill %d: version %d is lost: the log has %d", k.kills, v.Version, len(k.versions))
		}
		b := &k.versions[v.Version-1]
		b.said, b.torn = true, append(b.torn, v.Torn...)
	}
}

// look adds what is new in the log, of looks that began when the states of least were written.
func (k *killed) look(least map[string]int64) {
	k.Helper()
	most := k.Begun()
	log := logs(k.T, k.dir, "@w")
	slices.Reverse(log)
	for i, was := range k.versions {
		if i >= len(log) || log[i]["id"] != was.id {
			k.Fatalf("kill %d: version %d is lost, of %d", k.kills, i+1, len(k.versions))
		}
	}
	for _, v := range log[len(k.versions):] {
		k.versions = append(k.versions, between{id: v["id"].(string), least: least, most: most})
	}
}

// finish compares all versions with what the folder was, when nobody writes it any more.
func (k *killed) finish() {
	k.Helper()
	least := k.Ended()
	mustRun(k.T, 0, k.dir, "import", "--live", "world", "@w")
	k.look(least)
	mustRun(k.T, 0, k.dir, "check", "local:cairn-data")
	if r := cairn(k.T, k.dir, "diff", "world", "@w"); r.code != 0 {
		k.Errorf("the last version is not the folder: %s%s", r.out, r.errors)
	}
	out := filepath.Join(k.dir, "out")
	before, torn := map[string]int64{}, 0
	for i, v := range k.versions {
		mustRun(k.T, 0, k.dir, "export", fmt.Sprintf("@w@%d", i+1), "out")
		now := k.Read(k.T, out, before)
		for name := range k.Begun() {
			if n := now[name]; n < before[name] || n > v.most[name] || n < v.least[name] && (n != before[name] || v.said && !names(v.torn, name)) {
				k.Errorf("version %d: %s is in state %d, in the one before %d; states %d to %d were written; torn: %q", i+1, name, n, before[name], v.least[name], v.most[name], v.torn)
			}
		}
		before = now
		torn += len(v.torn)
		if i == len(k.versions)-1 {
			anviltest.CompareTags(k.T, filepath.Join(k.dir, "world"), out)
		}
		if err := os.RemoveAll(out); err != nil {
			k.Fatal(err)
		}
		if k.Failed() {
			k.FailNow()
		}
	}
	saves := int64(0)
	for _, n := range k.Ended() {
		saves += n
	}
	k.Logf("%d kills, %d versions beside %d saves; %d things were torn for long", k.kills, len(k.versions), saves, torn)
}

// names reports whether texts name a thing: its file, or its chunk in any file.
func names(texts []string, thing string) bool {
	file, chunk, _ := strings.Cut(thing, " ")
	return slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, cmp.Or(chunk, file)) })
}

// run watches a folder and kills the watch, for a time and until there were some kills and versions.
func (k *killed) run(span time.Duration, kills, versions int) {
	k.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	least := k.Ended()
	mustRun(k.T, 0, k.dir, "import", "--live", "world", "@w")
	k.look(least)
	for end := time.Now().Add(span); time.Now().Before(end) || k.kills < kills || len(k.versions) < versions; {
		k.watchFor(50*time.Millisecond + time.Duration(random.Int64N(int64(3*time.Second))))
	}
}

// scribed are the moments of a scribe.
type scribed struct{ *anviltest.Scribe }

func (s scribed) Read(t testing.TB, dir string, _ map[string]int64) map[string]int64 {
	return s.Scribe.Read(t, dir)
}

// TestWatchKilled kills a watch again and again beside a writer in a hurry: no version is lost, each chunk and file of
// each is as it was at one moment of the look, and the last one is what the folder is.
func TestWatchKilled(t *testing.T) {
	t.Parallel() // with TestWatchServer
	dir := t.TempDir()
	s := anviltest.StartScribe(t, filepath.Join(dir, "world"), "region/r.0.0.mca", "region/r.1.0.mca", "entities/r.0.0.mca",
		"level.dat", "playerdata/01234567-89ab-cdef-0123-456789abcdef.dat", "data/raids.dat")
	k := &killed{T: t, moments: scribed{s}, dir: dir}
	k.run(time.Duration(long.By(10, 60, 1800))*time.Second, long.By(4, 20, 1000), 4)
	s.Stop()
	k.finish()
}
