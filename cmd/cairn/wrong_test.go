package main_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// noise is bytes that are no format's.
func noise(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	b[0] = 0xEE
	return b
}

// claim is a Slime file of a kilobyte that says it holds a gigabyte.
func claim() []byte {
	b := []byte{0xB1, 0x0B, 3, 0, 0, 0, 0, 0, 1, 0, 1, 1}
	b = binary.BigEndian.AppendUint32(b, 900)
	b = binary.BigEndian.AppendUint32(b, 1<<30)
	return append(b, noise(1000)...)
}

func TestWrongSources(t *testing.T) {
	dir := island(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	mustRun(t, 0, dir, "import", "island", "a.cairn")
	mustRun(t, 0, dir, "export", "a.cairn", "a.slime")
	world, slime := read(t, at("a.cairn")), read(t, at("a.slime"))
	write(t, at("noise"), noise(5000))
	write(t, at("noise.slime"), noise(5000))
	write(t, at("noise.cairn"), noise(5000))
	write(t, at("empty.cairn"), nil)
	write(t, at("cut.cairn"), world[:len(world)*2/3])
	write(t, at("cut.slime"), slime[:len(slime)*2/3])
	write(t, at("cut.zip"), zipped(t, "", map[string][]byte{"a": noise(2000)})[:1000])
	write(t, at("cut.tar"), tarred(t, "", map[string][]byte{"level.dat": noise(2000)})[:1000])
	tgz := gzipped(t, tarred(t, "", map[string][]byte{"level.dat": noise(2000)}))
	write(t, at("cut.tgz"), tgz[:len(tgz)*2/3])
	write(t, at("head.tgz"), tgz[:40])
	write(t, at("r.0.0.mca"), append([]byte{0, 0, 2, 1}, make([]byte, 3*4096)...))
	write(t, at("bare.zip"), zipped(t, "", map[string][]byte{"a": noise(20)}))
	write(t, at("bomb.tgz"), gzipped(t, tarred(t, "", map[string][]byte{"level.dat": make([]byte, 100<<20)})))
	write(t, at("bomb.zip"), zipped(t, "", map[string][]byte{"region/r.0.0.mca": make([]byte, 100<<20)}))
	write(t, at("claim.slime"), claim())
	newer := bytes.Clone(world)
	newer[7] = 99
	write(t, at("newer.cairn"), newer)
	write(t, at("bedrock/level.dat"), noise(100))
	write(t, at("bedrock/levelname.txt"), []byte("B"))
	write(t, at("bedrock/db/CURRENT"), []byte("MANIFEST-000001\n"))
	if err := os.MkdirAll(at("nothing/region"), 0o777); err != nil {
		t.Fatal(err)
	}
	before := list(t, dir)
	for _, tt := range []struct {
		src    string
		code   int
		reason string
	}{
		{"nowhere", 3, "nowhere: no such file"},
		{"noise", 3, "unknown format"},
		{"noise.slime", 3, "unknown format"},
		{"noise.cairn", 3, "unknown format"},
		{"empty.cairn", 3, "empty"},
		{"island/level.dat", 3, "give the folder"},
		{"cut.cairn", 1, "cut.cairn: "},
		{"cut.slime", 1, "cut.slime: "},
		{"cut.zip", 1, "cut.zip: zip: cut short, or no zip: 1000 bytes"},
		{"r.0.0.mca", 3, "as region/NAME"},
		{"cut.tar", 1, "cut.tar: tar: cut short: its 1000 bytes"},
		{"cut.tgz", 1, "cut.tgz: tar: cut short: its "},
		{"head.tgz", 1, "head.tgz: gzip: cut short: its 40 bytes"},
		{"bare.zip", 3, "no world at its root or in a folder, and no file that ends in .cairn"},
		{"bomb.tgz", 3, "unpack it first"},
		{"bomb.zip", 3, "unpack it first"},
		{"claim.slime", 1, "claim.slime: "},
		{"newer.cairn", 3, "newer version of cairn"},
		{"bedrock", 3, "the database of a world of Bedrock Edition: MANIFEST-000001"},
		{"nothing", 3, "neither level.dat nor region files"},
		{"a.cairn/x", 3, "not a directory"},
		{"@hub", 3, "no store is there"},
		{"@Hub", 2, "a name consists of parts"},
		{"@hub@", 2, "after the second @"},
	} {
		for _, args := range [][]string{{"import", tt.src, "new.cairn"}, {"info", tt.src}, {"render", tt.src, "new.png"}} {
			if r := mustRun(t, tt.code, dir, args...); !strings.Contains(r.errors, tt.reason) || r.out != "" {
				t.Errorf("%v: says %q, %q; want %q", args, r.out, r.errors, tt.reason)
			}
		}
		if r := mustRun(t, tt.code, dir, "check", tt.src); !strings.Contains(r.out+r.errors, tt.reason) {
			t.Errorf("check %s: says %q, %q; want %q", tt.src, r.out, r.errors, tt.reason)
		}
		mustRun(t, max(tt.code, 2+tt.code&1), dir, "diff", tt.src, "island") // 1 would mean that they differ
	}
	if after := list(t, dir); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

func TestWrongCalls(t *testing.T) {
	dir := island(t)
	mustRun(t, 0, dir, "import", "island", "a.cairn")
	mustRun(t, 0, dir, "export", "a.cairn", "a.slime")
	write(t, filepath.Join(dir, "file"), noise(10))
	write(t, filepath.Join(dir, "folder.cairn", "file"), noise(10))
	before := list(t, dir)
	for _, tt := range []struct {
		code   int
		reason string
		args   string
	}{
		{2, "no verb", "frobnicate"},
		{2, "no verb", "token frobnicate"},
		{2, "no verb", "backup frobnicate"},
		{2, "unknown flag", "import --frobnicate island b.cairn"},
		{2, "usage: cairn import", "import island"},
		{2, "usage: cairn diff", "diff a.cairn"},
		{2, "usage: cairn check", "check"},
		{2, "ends in .cairn", "import island b"},
		{2, "ends in .cairn", "import island .cairn"},
		{2, "a name consists of parts", "import island @../hub"},
		{2, "takes a whole world", "import island @hub@3"},
		{2, "only reads", "import island @hub --store local:island/store/below"},
		{2, "want local:DIR", "import island @hub --store clusters:x"},
		{3, "x.toml", "import island @hub --store cluster:x.toml"},
		{2, "--author", "import island @hub --author " + strings.Repeat("x", 257)},
		{2, "cairn import puts worlds", "export a.cairn @hub"},
		{2, "imported whole", "import island @hub/ --slim"},
		{2, "exported whole", "export @hub/ out --dimension overworld"},
		{2, "only for the worlds of @prefix/", "export a.cairn b.slime --force"},
		{2, "a name consists of parts", "import island @Hub/"},
		{2, "one side is @prefix/", "mirror @hub/ @other/"},
		{2, "one side is @prefix/", "mirror island folder.cairn"},
		{2, "the stores are the same", "mirror @hub/ local:cairn-data@other/"},
		{2, "--every", "mirror island @hub/ --every never"},
		{2, "ends with the command", "mirror island @hub/ --store memory:"},
		{3, "refused", "import redis://127.0.0.1:1 @hub/ --dry-run"},
		{3, "not a folder", "import file @hub/ --dry-run"},
		{3, "no such file", "import nowhere @hub/ --dry-run"},
		{2, "--format flat", "export @hub/ out --format flat"},
		{3, "no store is there", "export @hub/ out"},
		{2, "takes --json alone", "export a.cairn b.cairn --dimension overworld"},
		{3, "exists\n", "export a.cairn a.cairn"},
		{2, "token takes new, list or remove", "token"},
		{2, "snapshot takes save", "snapshot"},
		{2, "stone takes list", "stone"},
		{2, "no verb \"nosuch\"", "help nosuch"},
		{2, "no verb \"stone nosuch\"", "help stone nosuch"},
		{2, "give a file", "stone list @hub"},
		{2, "written @name", "log hub"},
		{2, "takes a whole world", "pack @hub@3"},
		{2, "takes a whole world", "fork @hub @new@1"},
		{2, "give one version", "restore @hub"},
		{2, "give one version", "restore @hub@1 --to 2"},
		{2, "-n -1", "log @hub -n -1"},
		{2, "--grace", "gc --grace never"},
		{2, "--grace", "gc --grace -3h"},
		{2, "--keep", "gc --keep most"},
		{2, "--keep newest=0", "gc --keep newest=0"},
		{2, "--deleted", "gc --deleted 200000000d"},
		{3, "no store is there", "log @hub"},
		{3, "no store is there", "list"},
		{3, "no store is there", "commit island @hub"},
		{3, "no store is there", "fork @hub @new"},
		{3, "no store is there", "restore @hub@1"},
		{3, "no store is there", "gc"},
		{3, "no store is there", "delete @hub"},
		{3, "no store is there", "import @hub new.cairn"},
		{3, "no store is there", "import @hub @new"},
		{3, "not a store", "import island @hub --store local:folder.cairn"},
		{2, "keep or drop", "import --light dim island b.cairn"},
		{2, "only reads", "import island island/b.cairn"},
		{2, "only reads", "import island island/region/../b.cairn"},
		{2, "only reads", "render island island/b.png"},
		{2, "ends in .png", "render island b.gif"},
		{2, "--scale", "render --scale -1 island b.png"},
		{3, "already exists; --force", "import island a.cairn"},
		{3, "is a folder", "import --force island folder.cairn"},
		{3, "nowhere: no such file or directory; make this folder first", "import island nowhere/b.cairn"},
		{3, "make this folder first", "gen island nowhere/b.cairn"},
		{2, "writes no .zip", "export a.cairn b.zip"},
		{2, "writes no .SLIME", "export a.cairn b.SLIME"},
		{2, "writes no .CAIRN", "export a.cairn b.CAIRN"},
		{2, "--box 1,2,3: want X,Y,Z..X,Y,Z", "render a.cairn b.png --box 1,2,3"},
		{2, "only reads", "export island island/b.slime"},
		{2, "anvil or hytale or linear or mcregion or luanti or slime", "export --format schematic a.cairn b"},
		{2, "a.cairn has blocks of Minecraft, and hytale wants those of Hytale: give --names FILE", "export --format hytale a.cairn b"},
		{2, "no table of names \"nope\": there are bedrock-java, java-hytale", "export --names nope a.cairn b"},
		{2, "hytale is written whole", "export --names java-hytale --format hytale --region box:0,0,0..9,9,9 a.cairn b"},
		{2, "--names: ", "export --names ./nope.toml a.cairn b"},
		{2, "no table of names \"nope\"", "formats nope"},
		{2, "slime has 1, 2, 3, 4", "export --slime-version 14 a.cairn b.slime"},
		{2, "anvil or hytale or linear or mcregion or luanti or slime", "export --format bedrock a.cairn b"},
		{2, "the world has overworld", "export --dimension the_end a.cairn b"},
		{3, "version 3 holds numeric blocks", "export --slime-version 3 a.cairn b.slime"},
		{3, "not empty", "export a.cairn folder.cairn/"},
		{3, "not empty", "export a.cairn island"},
		{3, "not a directory", "export a.cairn file"},
		{3, "already exists", "export a.cairn a.slime"},
		{3, "nowhere: no such file or directory; make this folder first", "export a.cairn nowhere/b"},
		{2, "there are", "gen moon b.cairn"},
		{2, "--size", "gen --size -1 island b.cairn"},
		{3, "not empty", "gen island island"},
		{3, "not a folder", "savings file"},
		{3, "cairn: nowhere: no such", "savings nowhere"},
		{3, "cairn: world: no such", "info world"},
		{2, "cairn: --region \"foo\": offset 0: ", "export a.cairn b.schem --region foo"},
		{3, "cairn: missing.json: no such", "token list --file missing.json"},
		{3, "cairn: --tokens: missing.json: no such", "serve --store memory: --listen 127.0.0.1:0 --tokens missing.json"},
		{3, "cairn: --resource-pack: pack nowhere: no such", "serve --store memory: --listen 127.0.0.1:0 --resource-pack nowhere"},
	} {
		r := mustRun(t, tt.code, dir, strings.Fields(tt.args)...)
		if !strings.Contains(r.errors, tt.reason) || r.out != "" || !strings.HasPrefix(r.errors, "cairn: ") {
			t.Errorf("%s: says %q, %q; want %q", tt.args, r.out, r.errors, tt.reason)
		}
	}
	if after := list(t, dir); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

// TestDamagedChunk breaks the stream of one chunk.
// A world of damaged chunks alone has nothing to draw, and the reason is said.
func TestOnlyDamagedChunks(t *testing.T) {
	dir := island(t)
	files, err := filepath.Glob(filepath.Join(dir, "island", "region", "*.mca"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, region := range files {
		b := read(t, region)
		for slot := range 1024 {
			if at := int(binary.BigEndian.Uint32(b[4*slot:])>>8) * 4096; at != 0 {
				copy(b[at+100:], noise(64))
			}
		}
		write(t, region, b)
	}
	for _, args := range []string{"render island a.png", "mesh island a.glb"} {
		if r := mustRun(t, 3, dir, strings.Fields(args)...); !strings.Contains(r.errors, "16 damaged chunks, which cairn check names") {
			t.Errorf("%s says %q", args, r.errors)
		}
	}
}

func TestDamagedChunk(t *testing.T) {
	dir := island(t)
	region := filepath.Join(dir, "island", "region", "r.0.0.mca")
	b := read(t, region)
	slot := 0
	for binary.BigEndian.Uint32(b[4*slot:]) == 0 {
		slot++
	}
	at := int(binary.BigEndian.Uint32(b[4*slot:])>>8) * 4096
	copy(b[at+100:], noise(64))
	write(t, region, b)
	r := mustRun(t, 1, dir, "import", "island", "a.cairn")
	for _, want := range []string{"region/r.0.0.mca chunk (0,0): ", "cairn import --salvage keeps"} {
		if !strings.Contains(r.errors, want) {
			t.Errorf("import says %q, want %q", r.errors, want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "a.cairn")); err == nil {
		t.Error("a damaged world is there under its name")
	}
	if r := mustRun(t, 1, dir, "check", "island"); !strings.Contains(r.out, "r.0.0.mca chunk (0,0)") {
		t.Errorf("check says %q", r.out)
	}
	if v := mustJSON(t, 0, dir, "info", "island"); v["damaged"] != 1.0 {
		t.Errorf("info counts %v damaged chunks", v["damaged"])
	}
	v := mustJSON(t, 0, dir, "import", "--salvage", "island", "a.cairn")
	if d := v["damaged"].([]any); len(d) != 1 || !strings.Contains(d[0].(string), "(0,0)") {
		t.Errorf("--salvage keeps %v", d)
	}
	if v := mustJSON(t, 0, dir, "info", "a.cairn"); v["damaged"] != 1.0 {
		t.Errorf("info counts %v damaged chunks in the stone", v["damaged"])
	}
	mustRun(t, 1, dir, "check", "a.cairn")
	mustRun(t, 0, dir, "export", "a.cairn", "back")
	mustRun(t, 0, dir, "diff", "island", "back")
}

// TestFlips changes bytes all over a stone; every one is found.
func TestFlips(t *testing.T) {
	dir := island(t)
	mustRun(t, 0, dir, "import", "island", "a.cairn")
	good := read(t, filepath.Join(dir, "a.cairn"))
	for i := 8; i < len(good); i += len(good) / 24 {
		bad := bytes.Clone(good)
		bad[i] ^= 1 << (i % 8)
		write(t, filepath.Join(dir, "b.cairn"), bad)
		r := mustRun(t, 1, dir, "check", "b.cairn")
		if !strings.Contains(r.out, "b.cairn: 1 problem") {
			t.Errorf("byte %d: check says %q, %q", i, r.out, r.errors)
		}
		mustRun(t, 1, dir, "stone", "check", "b.cairn")
	}
}
