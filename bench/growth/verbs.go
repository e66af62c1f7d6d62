package growth

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/cairnvoxel/cairn/bench/lab"
)

// verb is one thing that is measured.
type verb struct {
	name  string
	after []string // what must have been run on the same land
	once  bool     // a second run would do something else
	flat  bool     // what it costs is not to depend on the size of the world
	// served says that it calls the server of the verb before; others need the store
	// for themselves.
	served bool
	run    func(ctx context.Context, l *land) (lab.Cost, error)
}

// verbs returns all verbs in the order in which they are run: store imports the stone
// into a store as @big; chunk, picture and picture-again are calls of the server, open
// and save are the library's, edit-again is the second edit, and pack follows it. commit
// takes the edits back.
func verbs() []verb {
	return []verb{
		{name: "import", run: command("import", "--force", landDir, landStone)},
		{name: "import-quick", run: command("import", "--force", "--quick", landDir, "quick.cairn")},
		{name: "export", after: []string{"import"}, run: export},
		{name: "check", after: []string{"import"}, run: command("check", landStone)},
		{name: "diff", after: []string{"import"}, run: command("diff", landStone, landDir)},
		{name: "info", after: []string{"import"}, flat: true, run: command("info", landStone)},
		{name: "render", after: []string{"import"}, run: command("render", "--force", landStone, "land.png")},
		{name: "store", after: []string{"import"}, once: true, run: inStore("import", landStone, big)},
		{name: "chunk", after: []string{"store"}, flat: true, run: chunk},
		{name: "picture", after: []string{"store"}, once: true, run: picture},
		{name: "picture-again", after: []string{"picture"}, served: true, run: pictureAgain},
		{name: "open", after: []string{"store"}, flat: true, run: child(openWorld)},
		{name: "save", after: []string{"store"}, once: true, flat: true, run: child(saveWorld)},
		{name: "edit", after: []string{"store"}, once: true, flat: true, run: ball("0,70,0")},
		{name: "edit-again", after: []string{"edit"}, once: true, flat: true, run: ball("20,66,20")},
		{name: "pack", after: []string{"edit-again"}, once: true, run: inStore("pack", big)},
		{name: "backup", after: []string{"store"}, once: true, run: inStore("backup", "--to", "backups")},
		{name: "restore", after: []string{"backup"}, once: true, run: command("restore-store", "backups", "local:restored")},
		{name: "commit", after: []string{"store"}, once: true, run: inStore("commit", landDir, big)},
	}
}

// Verbs returns the names of all verbs, in the order in which they are run.
func Verbs() (names []string) {
	for _, v := range verbs() {
		names = append(names, v.name)
	}
	return names
}

// neededFor returns verbs of these names and those that must be run before, in order.
func neededFor(names []string) []verb {
	need := slices.Clone(names)
	all := verbs()
	for _, v := range slices.Backward(all) {
		if slices.Contains(need, v.name) {
			need = append(need, v.after...)
		}
	}
	return slices.DeleteFunc(all, func(v verb) bool { return !slices.Contains(need, v.name) })
}

// What a land's directory holds.
const (
	landDir   = "land"
	landStone = "land.cairn"
	storeDir  = "store"
	bigName   = "big"
	big       = "@" + bigName
)

// land is a made world and what verbs make of it.
type land struct {
	cairn   string // file of the command
	dir     string
	columns int
	server  *lab.Server // that has made the first picture
}

// close stops the server.
func (l *land) close() error {
	if l.server == nil {
		return nil
	}
	s := l.server
	l.server = nil
	return s.Stop()
}

func (l *land) path(name string) string { return filepath.Join(l.dir, name) }

func (l *land) make(ctx context.Context) error {
	if err := os.MkdirAll(l.dir, 0o777); err != nil {
		return err
	}
	_, _, err := lab.Run(ctx, l.dir, l.cairn, "gen", "survival", landDir, "--size", strconv.Itoa(edgeOf(l.columns)))
	return err
}

// command is a verb of the command.
func command(args ...string) func(context.Context, *land) (lab.Cost, error) {
	return func(ctx context.Context, l *land) (lab.Cost, error) {
		_, cost, err := lab.Run(ctx, l.dir, l.cairn, args...)
		return cost, err
	}
}

// inStore is a verb of the command on a world in the store.
func inStore(args ...string) func(context.Context, *land) (lab.Cost, error) {
	return command(append([]string{"--store", "local:" + storeDir}, args...)...)
}

// ball edits the world.
func ball(at string) func(context.Context, *land) (lab.Cost, error) {
	return inStore("edit", big, "ball", "--at", at, "--r", "5", "--name", "stone", "--new-columns")
}

// export writes a folder, which goes.
func export(ctx context.Context, l *land) (lab.Cost, error) {
	cost, err := command("export", landStone, "exported")(ctx, l)
	if err == nil {
		err = os.RemoveAll(l.path("exported"))
	}
	return cost, err
}
