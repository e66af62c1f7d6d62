// Command example is a dragonfly server whose worlds are in a cairn store, for this machine alone and without accounts:
//
//	go run -C game/provider/dragonfly ./example --store local:worlds --world hub
//
// Who joins has bricks. What they build is durable some seconds later, or when they leave.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/cairnvoxel/cairn/game/provider/dragonfly"
	"github.com/cairnvoxel/cairn/store"
	"github.com/cairnvoxel/cairn/store/history"
	_ "github.com/cairnvoxel/cairn/store/local"
	"github.com/df-mc/dragonfly/server"
	"github.com/df-mc/dragonfly/server/block"
	"github.com/df-mc/dragonfly/server/item"
	"github.com/df-mc/dragonfly/server/player"
)

// savedLine is logged for each version.
const savedLine = "Saved a version."

func main() {
	addr := flag.String("addr", "127.0.0.1:19132", "where to listen")
	url := flag.String("store", "local:cairn-data", "the store of worlds")
	name := flag.String("world", "dragonfly", "the world")
	every := flag.Duration("every", 5*time.Second, "how often the server saves")
	flag.Parse()
	if err := run(*addr, *url, *name, *every); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
}

func run(addr, url, name string, every time.Duration) (err error) {
	ctx := context.Background()
	st, err := store.Open(ctx, url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	p, err := dragonfly.Open(ctx, st, name, dragonfly.Options{Saved: func(c history.Commit) { slog.Info(savedLine, "number", c.Number) }})
	if err != nil {
		return err
	}
	conf, err := config(addr)
	if err != nil {
		return errors.Join(err, p.Close())
	}
	conf.WorldProvider, conf.SaveInterval = p, every
	srv := conf.New()
	p.Follow(srv.World())
	srv.Listen()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt)
	go func() {
		<-stop
		srv.Close() // which closes the Provider
	}()
	for who := range srv.Accept() {
		who.Inventory().SetItem(0, item.NewStack(block.Bricks{}, 64))
		who.Handle(quitter{srv: srv})
	}
	return p.Err()
}

// config returns a server without accounts and without files of its own.
func config(addr string) (server.Config, error) {
	uc := server.DefaultConfig()
	uc.Network.Address, uc.Server.AuthEnabled = addr, false
	uc.World.SaveData, uc.Players.SaveData, uc.Resources.AutoBuildPack = false, false, false
	uc.Resources.Folder = filepath.Join(os.TempDir(), "dragonfly-without-packs")
	return uc.Config(slog.Default())
}

// quitter saves when a player leaves.
type quitter struct {
	player.NopHandler
	srv *server.Server
}

func (q quitter) HandleQuit(*player.Player) { go q.srv.World().Save() }
