package mesh

import (
	"context"
	"os"
)

// Writer writes a model to an empty file. name is that of the result without its extension.
type Writer func(ctx context.Context, f *os.File, m *Model, name string) (Stats, error)

// WriterOf returns what writes files of an extension such as ".ply", or nil.
func WriterOf(extension string) Writer {
	switch extension {
	case ".ply":
		return func(ctx context.Context, f *os.File, m *Model, _ string) (Stats, error) { return WritePLY(ctx, f, m) }
	}
	return nil
}

// Extensions returns the extensions that WriterOf knows.
func Extensions() []string { return []string{".glb", ".obj", ".ply"} }
