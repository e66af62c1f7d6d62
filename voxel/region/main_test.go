package region_test

import (
	"flag"
	"os"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
)

func TestMain(m *testing.M) {
	if !long.Part() {
		if err := flag.Set("rapid.checks", "30"); err != nil { // the default is 100
			panic(err)
		}
	}
	os.Exit(m.Run())
}
