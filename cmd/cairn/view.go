package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cairnvoxel/cairn/internal/gallery"
	"github.com/cairnvoxel/cairn/internal/service"
	"github.com/cairnvoxel/cairn/server"
	"github.com/spf13/cobra"
)

type viewOptions struct {
	listen string
	noOpen bool
	packs  []string
}

func newView(sf *storeFlag) *cobra.Command {
	var o viewOptions
	c := &cobra.Command{
		Use:   "view SRC|WORLD|FOLDER",
		Short: "Shows a world in the browser, without a store",
		Long: `view reads a world, or finds all worlds in a folder, and shows them in the browser: in 3D, from
above, and in numbers. It prints the URL and opens it. Only this machine reaches it. Nothing can be
changed there. A world of a folder is read when it is first asked for.

view writes nothing except temporary files, which are gone when Ctrl-C ends it.`,
		Example: "  cairn view hub.zip\n  cairn view ./saves\n  cairn view @hub",
		Args:    takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return runView(c.Context(), sf, c.OutOrStdout(), c.ErrOrStderr(), args[0], o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:0", "an address of this machine; port 0 takes any free port")
	f.StringArrayVar(&o.packs, "resource-pack", nil, packHelp)
	f.BoolVar(&o.noOpen, "no-open", false, "only print the URL")
	return c
}

func runView(ctx context.Context, sf *storeFlag, out, log io.Writer, path string, o viewOptions) (err error) {
	if server.Loopback(o.listen) != nil {
		return usagef("--listen %s: want HOST:PORT of this machine, such as 127.0.0.1:7070; cairn serve is for others", o.listen)
	}
	textures, err := service.Textures(o.packs) // before a world, which may take long
	if err != nil {
		return err
	}
	v := service.ViewSettings{Listen: o.listen, Browser: !o.noOpen, Textures: textures, CacheBytes: sf.memory.share()}
	if isAddress(path) {
		a, st, c, err := sf.find(ctx, path)
		if err != nil {
			return err
		}
		v.Path = "/3d/" + a.name
		if a.version != "" {
			v.Path += "?at=" + c.ID().String()
		}
		return service.View(ctx, gallery.ReadOnly(st), v, out, log)
	}
	g, err := gallery.Open(ctx, path, gallery.Options{Memory: sf.memory.world(), Tell: func(text string) { fmt.Fprintln(log, text) }})
	if err != nil {
		return sourceError(path, err)
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	v.Path, v.Passed = "/", g.Passed
	if names := g.Names(); len(names) == 1 {
		v.Path = "/3d/" + names[0]
		err = g.Ready(ctx, names[0])
	}
	if err != nil {
		return err
	}
	return service.View(ctx, gallery.ReadOnly(g), v, out, log)
}
