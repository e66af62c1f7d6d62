package port

import (
	"bytes"
	"errors"
	"io"
	"path"

	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/stone"
)

// IsPlayer reports whether a path in a world is that of a file of a player.
func IsPlayer(name string) bool {
	dir, file := path.Split(name)
	return path.Ext(file) == ".dat" && file != ".dat" && (dir == "playerdata/" || dir == "players/data/" || dir == "players/")
}

// maxPlayer bounds the bytes of a file of a player that PlayerName reads, and their memory when they are unpacked.
const maxPlayer = 1 << 20

// PlayerName returns the name that a player last had, as servers of Bukkit and its kin write it into the player's file, or "".
// It fails if the file cannot be read.
func PlayerName(w stone.Content, name string) (last string, err error) {
	r, err := w.OpenFile(name)
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(io.LimitReader(r, maxPlayer))
	if err = errors.Join(err, r.Close()); err != nil {
		return "", err
	}
	// A file that is damaged has no name.
	_ = document.NewDocument(bytes.NewReader(data), int64(len(data)), maxPlayer).Walk(func(s *nbt.Stream, t nbt.Type, name string) error {
		if t != nbt.Compound || name != "bukkit" {
			s.Skip(t)
			return nil
		}
		return document.Each(s, func(s *nbt.Stream, t nbt.Type, name string) (wrong error) {
			payload := nbt.NewPayload(s.Raw(t), nbt.Limits{})
			if t == nbt.String && name == "lastKnownName" {
				last, wrong = nbt.DecodeString(payload.String())
			}
			return wrong
		})
	})
	return last, nil
}
