// Package stream shows worlds to viewers over a network: cubes at several levels of
// detail, coarse ones first, and then every edit. The protocol is in FORMAT.md.
//
// A Server streams an open world (Serve) or stored versions (New of a Stored); Tick shows what changed. The
// example Game of package autosave is a game whose autosave.Fleet says when a Server is to close, with
// object.Movers for what lives in its worlds.
//
// A Client keeps a viewer's copy. Client.Cell has what is at a place as far as the viewer knows, and Client.Cells what rays,
// sweeps and meshes ask.
package stream
