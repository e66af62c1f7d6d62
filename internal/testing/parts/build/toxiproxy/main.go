// Command toxiproxy forwards connections, slowly or not at all. Its first argument
// is the host and port where it takes orders over HTTP.
package main

import (
	"fmt"
	"net"
	"os"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "toxiproxy: want HOST:PORT")
		os.Exit(2)
	}
	host, port, err := net.SplitHostPort(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "toxiproxy:", err)
		os.Exit(2)
	}
	log := zerolog.New(os.Stderr).Level(zerolog.WarnLevel)
	toxiproxy.NewServer(toxiproxy.NewMetricsContainer(prometheus.NewRegistry()), log).Listen(host, port)
}
