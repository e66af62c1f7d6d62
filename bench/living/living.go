// Package living measures the history of a folder that a game goes on writing: a server is played on it for
// a day, and each hour's state is kept by cairn and, beside it, by the tools that are installed.
package living

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/local"
)

// The worlds that are played on, below a folder of worlds.
var worldPaths = []string{
	"anvil/Tnze+go-mc--save-testdata",           // 1.18.1, with entities and points of interest
	"anvil/WarzoneMC+tgm-maps--CTW--Keipha_CTW", // a map of 1.16
	"anvil/Minestom+Minestom--vanilla_sample",   // 1.21, seen by nobody yet
}

const states = 24 // hours

// Row is what a tool took for the states of a world.
type Row struct {
	World string `json:"world"`
	Tool  string `json:"tool"`
	// Disk is what the tool keeps in the end, First what it kept of the state before the first hour.
	Disk  int64 `json:"disk_bytes"`
	First int64 `json:"first_bytes"`
	// PerState are the bytes on disk that a state added, Stones those of its stones, without packs.
	PerState float64 `json:"state_bytes"`
	Stones   float64 `json:"state_stone_bytes,omitempty"`
	// Seconds are of processors, a state; First Seconds for the state before the first hour.
	Seconds      float64 `json:"state_s"`
	FirstSeconds float64 `json:"first_s"`
	// Again is what it took to keep the last state once more.
	Again float64 `json:"again_s"`
	// Restore is what it took to restore a state, RestoreWall until it was there.
	Restore     float64 `json:"restore_s,omitempty"`
	RestoreWall float64 `json:"restore_wall_s,omitempty"`
	// Restored counts states that cairn restored equal; Different names the others.
	Restored  int      `json:"restored,omitempty"`
	Different []string `json:"different,omitempty"`
}

// Report is what all tools took for all worlds.
type Report struct {
	States  int      `json:"states"`
	Rows    []Row    `json:"rows"`
	Missing []string `json:"missing"` // tools that are not installed
}

// Bench plays on worlds: those of a folder of worlds, or folders of worlds themselves.
func Bench(ctx context.Context, dirs []string, o lab.Options) (*Report, error) {
	r := &Report{States: cmp.Or(o.Worlds, states)}
	var worlds []string
	for _, dir := range dirs {
		if _, err := os.Stat(filepath.Join(dir, "region")); err == nil {
			worlds = append(worlds, dir)
			continue
		}
		for _, name := range worldPaths {
			worlds = append(worlds, filepath.Join(dir, name))
		}
	}
	if len(worlds) == 0 {
		return nil, errors.New("living: name folders of worlds, or the folder of all worlds")
	}
	err := lab.WithCairn(ctx, o, func(o lab.Options, dir string) error {
		for i, world := range worlds {
			if err := r.world(ctx, world, filepath.Join(dir, fmt.Sprint(i)), o); err != nil {
				return fmt.Errorf("%s: %w", world, err)
			}
		}
		return nil
	})
	return r, err
}

// world plays on one world.
func (r *Report) world(ctx context.Context, world, dir string, o lab.Options) (err error) {
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	ctx, stop := context.WithCancel(ctx)
	defer stop() // kills a watch that is left
	live := filepath.Join(dir, "live")
	if err := copied(world, live); err != nil {
		return err
	}
	var tools []*tool
	for _, t := range allTools(o.Cairn) {
		if _, err := exec.LookPath(t.program); err != nil {
			if !slices.Contains(r.Missing, t.name) {
				r.Missing = append(r.Missing, t.name)
			}
			continue
		}
		t.dir, t.row = filepath.Join(dir, t.name), Row{World: filepath.Base(world), Tool: t.name}
		if err := os.MkdirAll(t.dir, 0o755); err != nil {
			return err
		}
		if t.begin != nil {
			if _, err := t.run(ctx, t.begin(t.dir, live)); err != nil {
				return err
			}
		}
		tools = append(tools, t)
	}
	s, err := newServer(live, o.Seed)
	if err != nil {
		return err
	}
	for n := range r.States + 1 {
		o.Step(n, 2*r.States, "playing on "+filepath.Base(world))
		if n > 0 {
			if err := s.hour(n); err != nil {
				return err
			}
		}
		for _, t := range tools {
			if err := t.keep(ctx, live, n, r.States); err != nil {
				return err
			}
		}
	}
	for _, t := range tools {
		if err := t.end(ctx, live, r.States); err != nil {
			return err
		}
		if t.row.Disk, err = lab.SizeOf(t.dir); err != nil {
			return err
		}
		t.row.PerState = float64(t.row.Disk-t.row.First) / float64(r.States)
		if t.name == "cairn" {
			if err := t.stones(ctx, r.States); err != nil {
				return err
			}
		}
	}
	if err := r.restore(ctx, tools, world, dir, o); err != nil {
		return err
	}
	for _, t := range tools {
		r.Rows = append(r.Rows, t.row)
	}
	return nil
}

// copied copies a folder. What is copied can be written.
func copied(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.CopyFS(to, os.DirFS(from))
}

// stones weighs the stones of the commits.
func (t *tool) stones(ctx context.Context, states int) error {
	st, err := local.Open(filepath.Join(t.dir, "store"), local.Options{})
	if err != nil {
		return err
	}
	defer st.Close()
	log, err := st.Log(ctx, "w", history.ID{}, states+1)
	for _, c := range log {
		for _, s := range c.Stones {
			if c.Number > 1 {
				t.row.Stones += float64(s.Size) / float64(states)
			}
		}
	}
	return err
}

// restore restores each state with each tool. It plays once more, the same, and compares what cairn restores.
func (r *Report) restore(ctx context.Context, tools []*tool, world, dir string, o lab.Options) error {
	again, out := filepath.Join(dir, "again"), filepath.Join(dir, "restored")
	if err := copied(world, again); err != nil {
		return err
	}
	s, err := newServer(again, o.Seed)
	if err != nil {
		return err
	}
	for n := range r.States + 1 {
		o.Step(r.States+n, 2*r.States, "restoring")
		if n > 0 {
			if err := s.hour(n); err != nil {
				return err
			}
		}
		for _, t := range tools {
			if t.restore == nil {
				continue
			}
			took, err := t.run(ctx, t.restore(t.dir, n, out))
			if err != nil {
				return err
			}
			t.row.Restore += took.Processor.Seconds() / float64(r.States+1)
			t.row.RestoreWall += took.Wall.Seconds() / float64(r.States+1)
			if t.name == "cairn" {
				if err := t.compare(n, again, out); err != nil {
					return err
				}
			}
			if err := os.RemoveAll(out); err != nil {
				return err
			}
		}
	}
	return nil
}

// compare compares a state that was restored.
func (t *tool) compare(n int, want, got string) error {
	diff, err := differing(want, got)
	if err == nil && diff == "" {
		t.row.Restored++
	} else if err == nil {
		t.row.Different = append(t.row.Different, fmt.Sprintf("%d: %s", n, diff))
	}
	return err
}

// tool keeps states of a folder.
type tool struct {
	name, program string
	dir           string // where it keeps them
	begin         func(dir, live string) []string
	save          func(dir, live string, n int) []string
	ends          func(dir, live string) []string
	restore       func(dir string, n int, out string) []string
	watch         *watch // cairn's, while the play lasts
	row           Row
}

// allTools returns cairn and its rivals. Each has one live folder, as they do for servers.
func allTools(cairn string) []*tool {
	git := func(dir, live, command string) []string {
		return []string{"-c", fmt.Sprintf("export GIT_DIR=%q GIT_WORK_TREE=%q GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; %s", dir, live, command)}
	}
	restic := func(dir, command string) []string {
		return []string{"-c", fmt.Sprintf("export RESTIC_PASSWORD=x RESTIC_CACHE_DIR=%q; restic -r %q %s", dir+".cache", dir, command)}
	}
	borg := func(dir, command string) []string {
		return []string{"-c", fmt.Sprintf("export BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK=yes BORG_BASE_DIR=%q; borg %s", dir+".base", command)}
	}
	return []*tool{
		{name: "cairn", program: cairn, save: func(dir, live string, _ int) []string {
			return []string{"import", "--live", "--store", storeIn(dir), live, "@w"}
		}, restore: func(dir string, n int, out string) []string {
			return []string{"export", "--store", storeIn(dir), fmt.Sprintf("@w@%d", n+1), out}
		}},
		{name: "restic", program: "restic", begin: func(dir, _ string) []string { return restic(dir, "init -q") },
			save: func(dir, live string, n int) []string {
				return restic(dir, fmt.Sprintf("backup -q --host h --tag s%d %q", n, live))
			}, restore: func(dir string, n int, out string) []string {
				return restic(dir, fmt.Sprintf("restore -q --tag s%d --target %q latest", n, out))
			}},
		{name: "borg", program: "borg", begin: func(dir, _ string) []string { return borg(dir, fmt.Sprintf("init -e none %q", dir)) },
			save: func(dir, live string, n int) []string {
				return borg(dir, fmt.Sprintf("create -C zstd --chunker-params buzhash,10,23,12,4095 %q::s%d %q", dir, n, live))
			}, restore: func(dir string, n int, out string) []string {
				return []string{"-c", fmt.Sprintf("mkdir -p %q && cd %q && %s", out, out, borg(dir, fmt.Sprintf("extract %q::s%d", dir, n))[1])}
			}},
		{name: "git", program: "git", begin: func(dir, live string) []string { return git(dir, live, "git init -q && git config gc.auto 0") },
			save: func(dir, live string, n int) []string {
				return git(dir, live, fmt.Sprintf("git add -A && git commit -q --allow-empty -m s && git tag s%d", n))
			}, restore: func(dir string, n int, out string) []string {
				return []string{"-c", fmt.Sprintf("mkdir -p %q && %s", out, git(dir, out, fmt.Sprintf("git checkout -q -f s%d -- .", n))[1])}
			},
			ends: func(dir, live string) []string { return git(dir, live, "git gc -q --prune=now") }},
		{name: "zip", program: "zip", save: func(dir, live string, n int) []string {
			return []string{"-c", fmt.Sprintf("cd %q && zip -q -r %q/%d.zip .", live, dir, n)}
		}},
	}
}

// storeIn names the store of cairn in a folder.
func storeIn(dir string) string { return "local:" + filepath.Join(dir, "store") }

// run runs the tool, or a shell with it.
func (t *tool) run(ctx context.Context, args []string) (lab.Cost, error) {
	program := t.program
	if args[0] == "-c" {
		program = "sh"
	} else {
		args = append([]string{program}, args...)
		program = "env"
		args = append([]string{"XDG_CACHE_HOME=" + t.dir + ".cache"}, args...)
	}
	_, cost, err := lab.Run(ctx, "", program, args...)
	return cost, err
}

// keep keeps the live folder as state n of some. cairn watches it.
func (t *tool) keep(ctx context.Context, live string, n, last int) (err error) {
	var cost lab.Cost
	if t.name != "cairn" {
		cost, err = t.run(ctx, t.save(t.dir, live, n))
	} else {
		if n == 0 {
			t.watch, err = startWatch(ctx, t.program, storeIn(t.dir), live, t.dir+".cache")
		}
		if err == nil {
			cost.Processor, err = t.watch.look(n + 1)
		}
	}
	if err != nil {
		return err
	}
	took := cost.Processor
	if n > 0 {
		t.row.Seconds += took.Seconds() / float64(last)
		return nil
	}
	t.row.FirstSeconds = took.Seconds()
	t.row.First, err = lab.SizeOf(t.dir)
	return err
}

// end keeps the last state once more, and has the tool tidy up.
func (t *tool) end(ctx context.Context, live string, last int) error {
	if t.watch != nil {
		if err := t.watch.end(); err != nil {
			return err
		}
	}
	if t.restore != nil {
		took, err := t.run(ctx, t.save(t.dir, live, last+1))
		if err != nil {
			return err
		}
		t.row.Again = took.Processor.Seconds()
	}
	if t.ends == nil {
		return nil
	}
	_, err := t.run(ctx, t.ends(t.dir, live))
	return err
}

// Table prints the rows.
func (r *Report) Table(w io.Writer) {
	fmt.Fprintf(w, "%d hourly states of a folder that a server writes; seconds are of processors\n\n", r.States)
	t := table.New(w, "world", "keeper", "bytes", "first", "a state", "stones", "first s", "a state s", "unchanged s", "restore s", "wall", "restored")
	for _, row := range r.Rows {
		restored, stones := "", ""
		if row.Tool == "cairn" {
			restored, stones = fmt.Sprintf("%d of %d", row.Restored, r.States+1), table.Size(int64(row.Stones))
		}
		t.Row(row.World, row.Tool, table.Size(row.Disk), table.Size(row.First), table.Size(int64(row.PerState)), stones,
			fmt.Sprintf("%.2f", row.FirstSeconds), fmt.Sprintf("%.3f", row.Seconds), fmt.Sprintf("%.3f", row.Again), fmt.Sprintf("%.3f", row.Restore), fmt.Sprintf("%.3f", row.RestoreWall), restored)
	}
	t.Flush()
	for _, row := range r.Rows {
		for _, d := range row.Different {
			fmt.Fprintf(w, "different: %s: state %s\n", row.World, d)
		}
	}
	for _, name := range r.Missing {
		fmt.Fprintf(w, "not installed: %s\n", name)
	}
}
