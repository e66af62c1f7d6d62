package browser_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// api calls a server as a program does.
type api struct {
	t          *testing.T
	url, token string
}

// call makes a call, which must end with a status, and returns the body.
func (a api) call(want int, method, path string, body []byte) []byte {
	a.t.Helper()
	r, err := http.NewRequestWithContext(a.t.Context(), method, a.url+path, bytes.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	if a.token != "" {
		r.Header.Set("Authorization", "Bearer "+a.token)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		a.t.Fatal(err)
	}
	defer answer.Body.Close()
	out, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != want {
		a.t.Fatalf("%s %s: status %d, want %d: %v\n%.500s", method, path, answer.StatusCode, want, err, out)
	}
	return out
}

// ask decodes the answer to a GET.
func ask[T any](a api, path string) (v T) {
	a.t.Helper()
	if out := a.call(200, "GET", path, nil); json.Unmarshal(out, &v) != nil {
		a.t.Fatalf("%s: no JSON: %.200s", path, out)
	}
	return v
}

// untilWorld waits until a world has a version.
func (a api) untilWorld(name string) {
	a.t.Helper()
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	end := time.After(patience)
	for {
		answer, err := http.Get(a.url + "/v1/map/" + name)
		if err == nil {
			answer.Body.Close()
			if answer.StatusCode == 200 {
				return
			}
		}
		select {
		case <-tick.C:
		case <-end:
			a.t.Fatalf("never: a version of %s", name)
		}
	}
}

// put makes a world, or its next version, of an island.
func (a api) put(name, query string, seed uint64) {
	a.t.Helper()
	a.call(200, "POST", "/v1/import/"+name+query, island(a.t, seed))
}

// island returns a small world as a file. Another seed is another island.
func island(t *testing.T, seed uint64) []byte {
	t.Helper()
	return file(t, land(t, seed))
}

// spawning returns an island as a file, in which players begin at a place.
func spawning(t *testing.T, at geom.Point) []byte {
	t.Helper()
	w := land(t, 1)
	w.Files = []format.File{format.FileOf(anvil.LevelPath, anvil.AppendLevel(nil, format.Level{Version: terrain.Modern, HasSpawn: true, Spawn: at}))}
	return file(t, w)
}

func land(t *testing.T, seed uint64) *convert.Loaded {
	t.Helper()
	w, err := convert.Load(t.Context(), terrain.Island(terrain.Options{Seed: seed, Size: 4, Version: terrain.Modern}))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func file(t *testing.T, w *convert.Loaded) []byte {
	t.Helper()
	var out bytes.Buffer
	if _, _, err := convert.WriteStone(t.Context(), w, &out, stone.Options{}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
