// Package stream shows worlds to viewers over a network: cubes at several levels of
// detail, coarse ones first, and then every edit. The protocol is in FORMAT.md.
//
// Serve shows an open world, and New any Source. A Client keeps a viewer's copy: Client.Cell has what is at a place as
// far as the viewer knows, and Client.Cells what rays, sweeps and meshes ask.
package stream
