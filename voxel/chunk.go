package voxel

// Chunk is a placeholder until chunk.go lands.
type Chunk struct{}
