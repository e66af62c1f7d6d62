package memory_test

import (
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/testing/storetest"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
)

var kind = storetest.Kind{
	Open: func(_ *testing.T, now func() time.Time) history.Store { return memory.New(memory.Options{Now: now}) },
}

func TestStore(t *testing.T) { storetest.Run(t, kind) }

func TestLinear(t *testing.T) { storetest.Linear(t, kind, 2000) }
