package main

import (
	"runtime/debug"

	"github.com/spf13/cobra"
)

// Described returns what cairn --version prints behind its name.
func Described(info *debug.BuildInfo, release string) string {
	return described(info, release).String()
}

// Root returns the command with all verbs.
func Root() *cobra.Command { return newRoot(&storeFlag{}) }
