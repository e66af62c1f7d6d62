package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	_ "embed"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

//go:generate go run ../../internal/tool/licences . licences.txt.gz

// licences are the notices of all that is in the program, made by internal/tool/licences.
//
//go:embed licences.txt.gz
var licences []byte

func newLicences() *cobra.Command {
	return &cobra.Command{
		Use:   "licences",
		Short: "Prints the licences of all that is in this program",
		Args:  takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			r, err := gzip.NewReader(bytes.NewReader(licences))
			if err == nil {
				_, err = io.Copy(c.OutOrStdout(), r)
			}
			return err
		},
	}
}

// build describes the build of the program.
type build struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Time    string `json:"time,omitempty"` // of the commit
	Changed bool   `json:"changed"`        // since the commit
	Go      string `json:"go"`
	System  string `json:"system"`
}

// release is the version that ./release builds, set by -ldflags -X; "" in all other builds.
var release string

func buildOf() build {
	info, _ := debug.ReadBuildInfo()
	return described(info, release)
}

// described returns a build by what the go command wrote into the program: the version of the
// module or of the tag, and of a checkout the commit. release is the version if it is not "".
func described(info *debug.BuildInfo, release string) build {
	b := build{Version: cmp.Or(release, "unknown"), Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
	if info == nil {
		return b
	}
	b.Version = cmp.Or(release, info.Main.Version, b.Version)
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Changed = s.Value == "true"
		}
	}
	return b
}

// String returns the build in one line.
func (b build) String() string {
	s := b.Version
	if b.Commit != "" {
		s += fmt.Sprintf(", commit %.12s of %s", b.Commit, b.Time)
	}
	if b.Changed {
		s += ", with changes"
	}
	return s + ", " + b.Go + " " + b.System
}

func (b build) print(out io.Writer) { fmt.Fprintln(out, "cairn", b) }

func newVersion() *cobra.Command {
	return printing(&cobra.Command{
		Use:   "version",
		Short: "Prints the version, the commit and the Go of this program",
		Args:  takes(0, 0),
	}, func(context.Context, []string) (result, error) { return buildOf(), nil })
}
