package table_test

import (
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/table"
)

func TestTable(t *testing.T) {
	var b strings.Builder
	to := table.New(&b, "world", "bytes", "ratio")
	to.Row("a long name", table.Size(999), table.Ratio(1, 3))
	to.Blank()
	to.Row("b", table.Size(12_345), table.Ratio(1, 0))
	to.Row("c", table.Size(7e18), "")
	to.Flush()
	want := `
world          bytes  ratio
a long name    999 B   0.33

b            12.3 kB      -
c             7.0 EB
`
	if got := "\n" + b.String(); got != want {
		t.Errorf("got%s\nwant%s", got, want)
	}
}
