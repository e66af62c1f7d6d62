package memory_test

import (
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/blob"
	"github.com/cairnvoxel/cairn/blob/blobtest"
	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/store/storetest"
)

var kind = storetest.Kind{
	Open: func(_ *testing.T, now func() time.Time) history.Store { return memory.New(memory.Options{Now: now}) },
}

func TestStore(t *testing.T) { storetest.Run(t, kind) }

func TestLinear(t *testing.T) { storetest.Linear(t, kind, 2000) }

func openBucket(*testing.T) blob.Bucket { return memory.NewBucket() }

func TestBucket(t *testing.T) { blobtest.Run(t, openBucket) }
