// Package stream shows worlds to viewers over a network: cubes at several levels of
// detail, coarse ones first, and then every edit. The protocol is in FORMAT.md.
package stream
