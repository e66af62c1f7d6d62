// Command weed is SeaweedFS's masters and volume servers, by the names that its own
// program has: weed master, weed volume.
package main

import (
	"fmt"
	"os"

	"github.com/seaweedfs/seaweedfs/weed/command"
	flag "github.com/seaweedfs/seaweedfs/weed/util/fla9"
)

func main() {
	flag.Parse()
	args := flag.Args()
	for _, c := range command.Commands {
		if len(args) == 0 || c.Name() != args[0] {
			continue
		}
		if err := c.Flag.Parse(args[1:]); err == nil && c.Run(c, c.Flag.Args()) {
			return
		}
		os.Exit(1)
	}
	fmt.Fprintln(os.Stderr, "weed: want master or volume, and flags")
	os.Exit(2)
}
