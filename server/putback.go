package server

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/game/rollback"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// GameFolder is the folder of a game, whose history is a world of the Store.
type GameFolder interface {
	// Put calls put with the path of the folder while nobody else of this process reads or writes the folder. What is there
	// is made the newest version of the world before, and what put left of it after, unless put is dry and writes nothing.
	Put(ctx context.Context, dry bool, put func(dir string) error) error
}

// putbacks put parts of versions back into the folders of games.
type putbacks struct {
	*worlds
	folders map[string]GameFolder
}

func (h *putbacks) routes() []route {
	return []route{
		{method: "POST", path: "/v1/put/NAME", role: token.Write, long: true, about: "puts a region or a player of a version back into the folder of a stopped game", status: 200, handler: takes(h.put)},
		{method: "GET", path: "/v1/players/NAME", role: token.Read, about: "the files of players", query: []param{atVersion}, headers: known, status: 200, tells: staleHeaders, handler: plain(h.players, jsonOf(playersAnswer{}))},
	}
}

type putCall struct {
	At        string `json:"at,omitempty"`
	Dimension string `json:"dimension,omitempty"`
	Region    string `json:"region,omitempty"`
	File      string `json:"file,omitempty"`
	Dry       bool   `json:"dry_run,omitempty"`
}

type putAnswer struct {
	Dry       bool               `json:"dry_run"`
	Dimension string             `json:"dimension"` // of the region
	Chunks    int                `json:"chunks"`    // that differed, and were written
	Added     int                `json:"added"`     // of these: the folder did not have them
	Removed   int                `json:"removed"`   // of these: the version does not have them
	Left      int                `json:"left"`      // that the version does not have, and that lie in the region in part
	Cells     int                `json:"cells"`     // of blocks and biomes, that differed
	Objects   int                `json:"objects"`   // that differed
	File      *rollback.FileDone `json:"file"`      // null for a region
	Before    *wire.Commit       `json:"before"`    // the version that has what was replaced; null for a dry run
	Commit    wire.Commit        `json:"commit"`    // the newest version now
}

func (h *putbacks) put(c *call, to *putCall) (a putAnswer, err error) {
	o := rollback.Options{Dimension: to.Dimension, Dry: to.Dry, Read: port.Options{MaxBytes: c.limits.WorldMemory}}
	switch {
	case (to.Region == "") == (to.File == ""):
		return a, bad("give a region or a file")
	case to.File != "" && !port.IsPlayer(to.File):
		return a, bad("file=%.100q: only files of players are put back alone", to.File)
	case to.Region != "":
		if o.Region, err = region.Parse(to.Region); err != nil {
			return a, bad("%v", err)
		}
	}
	v, err := c.versionOf(c.name, to.At)
	if err != nil {
		return a, err
	}
	folder := h.folders[c.name]
	if folder == nil {
		return a, fault(wire.NoRoute, "this server does not watch the folder of this world")
	}
	a.Dry = to.Dry
	err = folder.Put(c.ctx, to.Dry, func(dir string) error {
		return h.heavily(c, v, func(then *world.Snapshot) error {
			if !to.Dry {
				newest, err := inspect.Find(c.ctx, c.st, c.name, "")
				if err != nil {
					return err
				}
				before := wire.CommitOf(newest)
				a.Before = &before
			}
			return a.put(c.ctx, dir, then, o, to.File)
		})
	})
	if err != nil {
		return a, err
	}
	newest, err := inspect.Find(c.ctx, c.st, c.name, "")
	a.Commit = wire.CommitOf(newest)
	return a, err
}

// put puts a file, or else a region, into a folder.
func (a *putAnswer) put(ctx context.Context, dir string, then *world.Snapshot, o rollback.Options, file string) error {
	folder, err := anvil.Open(dir, anvil.Options{})
	if err != nil {
		return putFault(err, err)
	}
	defer folder.Close()
	if file != "" {
		a.File, err = rollback.File(folder, then, nil, file, o.Dry)
		if errors.Is(err, fs.ErrNotExist) {
			return bad("this version has no file %.100q", file)
		}
		return putFault(err, unsupported(err))
	}
	d, err := rollback.Region(ctx, folder, then, o)
	if err != nil {
		return putFault(err, unsupported(err))
	}
	a.Dimension, a.Chunks, a.Added, a.Removed, a.Left, a.Cells, a.Objects = d.Dimension, d.Chunks, d.Added, d.Removed, d.Left, d.Cells, d.Objects
	return nil
}

// putFault gives codes to errors of a folder; other errors are as said.
func putFault(err, other error) error {
	switch {
	case errors.Is(err, anvil.ErrInUse):
		return fault(wire.InUse, "a running game has the world open: stop it first")
	case errors.Is(err, fs.ErrPermission):
		return refuse("the server has no right to write the folder of this world")
	case worded(err) != nil:
		return err
	}
	return other
}

type playersAnswer struct {
	Players []playerAnswer `json:"players"`
}

type playerAnswer struct {
	ID   string `json:"id"`
	Name string `json:"name"` // that the player last had, if the file says it
	File string `json:"file"`
}

// namedPlayers is how many files are opened to find the names of players.
const namedPlayers = 500

func (h *putbacks) players(c *call) error {
	v, known, err := h.unknown(c)
	if err != nil || known {
		return err
	}
	a := playersAnswer{Players: []playerAnswer{}}
	err = h.reading(c, v, func(s *world.Snapshot) error {
		for _, f := range s.About().Files {
			if !port.IsPlayer(f.Path) {
				continue
			}
			p := playerAnswer{ID: strings.TrimSuffix(f.Path[strings.LastIndexByte(f.Path, '/')+1:], ".dat"), File: f.Path}
			if len(a.Players) < namedPlayers {
				var err error
				if p.Name, err = port.PlayerName(s, f.Path); err != nil {
					return err
				}
			}
			a.Players = append(a.Players, p)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.answer(200, a)
}
