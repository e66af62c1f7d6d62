package inmemory_test

import (
	"testing"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/store/inmemory"
	"github.com/cairnvoxel/cairn/internal/testing/blobtest"
)

func openBucket(*testing.T) blob.Bucket { return inmemory.NewBucket() }

func TestBucket(t *testing.T) { blobtest.Run(t, openBucket) }
