package luanti_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// reader is a mod of the game: it writes what nodes there are at positions, and ends the server.
const reader = `
local dir = minetest.get_worldpath()
minetest.after(0, function()
	local out = io.open(dir .. "/nodes.txt", "w")
	for line in io.lines(dir .. "/positions.txt") do
		local x, y, z = line:match("(%S+) (%S+) (%S+)")
		local pos = {x = tonumber(x), y = tonumber(y), z = tonumber(z)}
		minetest.get_voxel_manip():read_from_map(pos, pos)
		local n = minetest.get_node(pos)
		out:write(line, " ", n.name, " ", n.param1, " ", n.param2, " ", #minetest.serialize(minetest.get_meta(pos):to_table().fields), "\n")
	end
	out:close()
	minetest.request_shutdown()
end)
`

// TestServer has the game's own server read worlds that this package wrote. CAIRN_LUANTI is the path of the server.
func TestServer(t *testing.T) {
	server := os.Getenv("CAIRN_LUANTI")
	if server == "" {
		t.Skip("CAIRN_LUANTI is not set")
	}
	for _, from := range realWorlds(t) {
		for _, version := range []int{0, 29} {
			t.Run(fmt.Sprint(filepath.Base(from), version), func(t *testing.T) {
				w := load(t, from)
				dir, _ := write(t, w.Source(), version)
				positions, want := sample(w, 4000)
				got := serve(t, server, dir, positions)
				wrong := 0
				for i, line := range got {
					fields := strings.Fields(line)
					if have := strings.Join(fields[:len(fields)-1], " "); have != want[i] {
						if wrong++; wrong < 5 {
							t.Errorf("the game has %s, want %s", have, want[i])
						}
					}
				}
				if len(got) != len(want) || wrong > 0 {
					t.Errorf("%d of %d nodes are wrong", wrong, len(want))
				}
			})
		}
	}
}

// sample returns positions of nodes of a world, and what lies there: the position, the name, param1 and param2.
func sample(w *convert.Loaded, n int) (positions, want []string) {
	d := w.Dimensions[0]
	block := d.Volume("block")
	random := rand.New(rand.NewPCG(1, 2))
	for len(want) < n {
		c := d.Columns[random.IntN(len(d.Columns))]
		if len(c.Sections) == 0 {
			continue
		}
		s := c.Sections[random.IntN(len(c.Sections))]
		p := c.Pos.Min(int(s.Y) * 16).Add(geom.Point{X: random.IntN(16), Y: random.IntN(16), Z: random.IntN(16)})
		cell := func(volume string) int {
			chunk, in := d.Volume(volume).Chunks[p.Chunk()], p.InChunk()
			if chunk == nil {
				return 0
			}
			return int(chunk.Cell(in.X, in.Y, in.Z))
		}
		pos := fmt.Sprint(p.X, " ", p.Y, " ", p.Z)
		positions = append(positions, pos)
		want = append(want, fmt.Sprintf("%s %s %d %d", pos, block.Names[cell("block")], cell("day")|cell("night")<<4, cell("param2")))
	}
	return positions, want
}

// serve runs the server on a world until the mod ends it, and returns the lines of the mod.
func serve(t *testing.T, server, dir string, positions []string) []string {
	t.Helper()
	mod := filepath.Join(dir, "worldmods", "reader")
	conf := filepath.Join(t.TempDir(), "server.conf")
	must(os.RemoveAll(filepath.Dir(mod)))
	must(os.MkdirAll(mod, 0o755))
	must(os.WriteFile(filepath.Join(mod, "init.lua"), []byte(reader), 0o644))
	must(os.WriteFile(filepath.Join(mod, "mod.conf"), []byte("name = reader\n"), 0o644))
	must(os.WriteFile(filepath.Join(dir, "positions.txt"), []byte(strings.Join(positions, "\n")+"\n"), 0o644))
	must(os.WriteFile(conf, []byte("bind_address = 127.0.0.1\nserver_announce = false\n"), 0o644))
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, server, "--world", dir, "--gameid", "minetest_game", "--config", conf, "--port", "39317")
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	err := cmd.Run()
	nodes, err2 := os.ReadFile(filepath.Join(dir, "nodes.txt"))
	if err != nil || err2 != nil {
		t.Fatalf("%v, %v: %s", err, err2, log.String())
	}
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "Error") || strings.Contains(line, "ERROR") {
			t.Log(line)
		}
	}
	return strings.Split(strings.TrimSpace(string(nodes)), "\n")
}
