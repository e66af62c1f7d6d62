// Command cairn-peers measures cairn beside other Go libraries:
//
//	cairn-peers nbt|anvil|memory|grid|textures|dragonfly [--json] [--quick] [DIR...]
//
// The worlds are those below each DIR; the default is $CAIRN_WORLDS/anvil, and
// made ones for grid where that is not set. textures, which plays texture calls beside
// OpenImageIO, keeps its images in DIR, or nowhere; dragonfly, which plays saves and loads of
// its server's columns and arenas, has a made land; with --quick both only see that everything works. It ends with status 0 when done, 2 when called wrongly, 3 when it could
// not. It measures and judges nothing: the ratios are for the reader.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairnvoxel/cairn/bench/textures"
)

const usage = "usage: cairn-peers nbt|anvil|memory|grid|textures|dragonfly [--json] [--quick] [DIR...]"

var errUsage = errors.New(usage)

func main() {
	progress := io.Discard
	if info, err := os.Stderr.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		progress = os.Stderr
	}
	err := run(os.Args[1:], os.Stdout, progress)
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	if errors.Is(err, errUsage) {
		os.Exit(2)
	}
	os.Exit(3)
}

// verb measures the worlds below dirs and returns what to print.
type verb func(dirs []string, progress func(done, all int)) (report, error)

// report is printed as a table, or as itself in JSON.
type report interface{ table(w io.Writer) }

func run(args []string, out, progress io.Writer) error {
	if len(args) > 0 && args[0] == textures.ChildName {
		return textures.Child(context.Background(), args[1:], out)
	}
	var names []string
	asJSON, quick := false, false
	for _, a := range args {
		switch {
		case a == "--json":
			asJSON = true
		case a == "--quick":
			quick = true
		case strings.HasPrefix(a, "-"):
			return fmt.Errorf("%w\nunknown option %s", errUsage, a)
		default:
			names = append(names, a)
		}
	}
	if len(names) == 0 {
		return errUsage
	}
	v := map[string]verb{"nbt": measureNBT, "anvil": measureAnvil, "memory": measureMemory, "grid": measureGrid, "textures": measureTextures(quick), "dragonfly": measureDragonfly(quick)}[names[0]]
	if v == nil {
		return fmt.Errorf("%w\nunknown measurement %q", errUsage, names[0])
	}
	dirs := names[1:]
	made := names[0] == "textures" || names[0] == "dragonfly"
	if !made {
		dirs = folders(dirs)
	}
	if len(dirs) == 0 && names[0] != "grid" && !made {
		return fmt.Errorf("%w\nno DIR, and CAIRN_WORLDS is not set", errUsage)
	}
	r, err := v(dirs, func(done, all int) { fmt.Fprintf(progress, "\r%d of %d", done, all) })
	fmt.Fprint(progress, "\r")
	if err != nil {
		return err
	}
	if !asJSON {
		r.table(out)
		return nil
	}
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

func folders(dirs []string) []string {
	if root := os.Getenv("CAIRN_WORLDS"); root != "" && len(dirs) == 0 {
		return []string{filepath.Join(root, "anvil")}
	}
	return dirs
}
