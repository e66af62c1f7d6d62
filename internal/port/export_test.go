package port

import "github.com/cairnvoxel/cairn/internal/format/anvil"

// ErrUnknown says that bytes are in no known format.
var ErrUnknown = errUnknown

// Overlay puts region files over a world.
var Overlay = overlayOf

// Regions returns the region files of a source that has nothing else.
func (s *Opened) Regions() []anvil.Region { return s.regions() }

// ParseNames reads a table of names.
var ParseNames = parseNames
