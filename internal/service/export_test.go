package service

import (
	"github.com/cairnvoxel/cairn/internal/living"
	"github.com/cairnvoxel/cairn/server"
)

// NewFolder returns a folder that no store is needed for as long as nothing is there.
func NewFolder(dir string) server.GameFolder {
	return &folder{History: &living.History{Dir: dir}, busy: make(chan struct{}, 1)}
}
