package main

import (
	"context"
	"errors"
	"io"
	"path/filepath"

	"github.com/cairnvoxel/cairn/internal/demo"
	"github.com/spf13/cobra"
)

func newDemo() *cobra.Command {
	return &cobra.Command{
		Use:   "demo [DIR]",
		Short: "Makes worlds up and shows the main commands on them",
		Long: `demo makes worlds up, imports, checks and weighs them, exports one, compares and
draws them; puts one into a store, edits it, forks it and goes back in time. All of it
is in one folder, ./cairn-demo by default. If the folder is an older demo's, demo
makes it again.`,
		Example: "  cairn demo",
		Args:    takes(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			dir := "cairn-demo"
			if len(args) == 1 {
				dir = args[0]
			}
			return runDemo(c.Context(), c.OutOrStdout(), dir)
		},
	}
}

func runDemo(ctx context.Context, out io.Writer, dir string) error {
	sf := &storeFlag{url: localScheme + filepath.Join(dir, demo.StoreDir), writes: true, memory: memoryFlag{bytes: defaultMemory}}
	return demo.Run(ctx, demo.Options{Dir: dir, Out: out, Store: sf.url,
		Command: func(ctx context.Context, out io.Writer, args ...string) error {
			root := newRoot(sf)
			root.SetArgs(args)
			root.SetOut(out)
			return root.ExecuteContext(ctx)
		},
		Differs: func(err error) bool { return errors.Is(err, errWrong) },
		Close:   sf.close,
	})
}
