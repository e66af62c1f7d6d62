package main

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/gallery"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/service"
	"github.com/cairnvoxel/cairn/internal/trial"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/local"
	"github.com/spf13/cobra"
)

func newTry(sf *storeFlag) *cobra.Command {
	o := trial.Options{Temp: os.TempDir()}
	var json, noPage, noOpen bool
	c := &cobra.Command{
		Use:   "try FOLDER...",
		Short: "Says what a history of your backups would take, and shows it",
		Long: `try finds backups of worlds in folders: zips, tars and folders of worlds. It says what they
take, and what their history in cairn would. Then a page shows the time line of each world.

It writes nothing but a store below TMPDIR, which Ctrl-C deletes, and the next try if it was killed.

Backups are of one world if their names without dates, and the names and seeds in their
level.dat, are the same. Of tars the names decide. The time of a backup is in its name, as for
import --dated, or the LastPlayed of its level.dat, or that of the file. The two oldest of
each world are read, then the next of each until --for is over. Those that are left are taken
to add as much as the later ones of their world that were read. Worlds of which fewer
than two were read are in no estimate.

What cannot be read or is open in a game is named and left out. Damaged chunks are kept as
stored.`,
		Example: "  cairn try ./backups\n  cairn try --for 10m --no-page ./backups ./saves/hub",
		Args:    takes(1, 1<<30),
		RunE: func(c *cobra.Command, args []string) (err error) {
			for _, path := range args {
				if err := outside(filepath.Join(o.Temp, "cairn-try"), path); err != nil {
					return err
				}
			}
			o.Read, o.Store = sf.options(), local.Options{CacheBytes: sf.cache}
			o.Read.Salvage = true
			o.Import = port.ImportOptions{Write: sf.whole(stone.Options{}), Note: port.Note{Cache: sf.memory.cache()}}
			show, done := console.Bar()
			if o.Progress = show; show == nil {
				o.Progress = func(int, int, string) {}
			}
			t, err := trial.Run(c.Context(), args, o)
			done()
			defer func() { err = errors.Join(err, t.Close()) }()
			switch {
			case err != nil:
				return err
			case json:
				return console.PrintJSON(c.OutOrStdout(), t.Outcome)
			}
			if t.Print(c.OutOrStdout()); noPage || t.Read == 0 {
				return nil
			}
			v := service.ViewSettings{Listen: "127.0.0.1:0", Path: "/", Browser: !noOpen, CacheBytes: sf.memory.share(), Passed: t.Remarks}
			return service.View(c.Context(), gallery.ReadOnly(t.Store), v, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.DurationVar(&o.For, "for", 2*time.Minute, "how long to read backups")
	f.BoolVar(&noPage, "no-page", false, "only print what was found, and end")
	f.BoolVar(&noOpen, "no-open", false, "only print the URL of the page")
	jsonFlag(f, &json)
	return c
}
