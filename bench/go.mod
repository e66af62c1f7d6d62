module github.com/cairnvoxel/cairn/bench

go 1.26.0

require (
	github.com/Tnze/go-mc v1.20.2
	github.com/cairnvoxel/cairn v0.0.0
	github.com/df-mc/dragonfly v0.11.2
	github.com/sandertv/gophertunnel v1.59.0
)

require (
	github.com/df-mc/worldupgrader v1.0.21 // indirect
	github.com/go-gl/mathgl v1.2.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/klauspost/cpuid/v2 v2.4.0 // indirect
	github.com/pierrec/lz4/v4 v4.1.33 // indirect
	github.com/zeebo/xxh3 v1.1.0 // indirect
	golang.org/x/exp v0.0.0-20250103183323-7d7fa50e5329 // indirect
	golang.org/x/sys v0.48.0 // indirect
)

replace github.com/cairnvoxel/cairn => ..
