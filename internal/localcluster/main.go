// Command localcluster starts a whole cluster on this machine: PostgreSQL with a
// synchronous standby, MinIO with four drives, three cairn serve, and Prometheus. It
// prints where each is, starts again what ends, makes the standby the primary when
// that ends, and ends everything on Ctrl-C. It builds or fetches first what is missing of the
// programs that it starts. With -dir it goes on with the worlds that it left there.
//
// It is for trying things out. One machine is one machine: a cluster that must not
// lose anything needs several.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/cairnvoxel/cairn/internal/testing/parts"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "localcluster:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, log io.Writer) error {
	var o parts.ClusterOptions
	flags := flag.NewFlagSet("localcluster", flag.ExitOnError)
	flags.SetOutput(log)
	get := flags.Bool("get", false, "only get the programs that are missing, and print their folder")
	weed := flags.Bool("weed", false, "with -get: SeaweedFS too, unless CAIRN_WEED names its program; to build it takes minutes")
	dir := flags.String("dir", "", "where to keep worlds and logs; default a new folder, which is deleted at the end")
	flags.StringVar(&o.Catalogue, "catalogue", parts.OnPostgres, "postgres, bucket or mongodb")
	flags.IntVar(&o.Servers, "servers", 3, "how many cairn serve")
	if err := flags.Parse(args); err != nil {
		return err
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	names := parts.Quick
	if !*get {
		names = needs(o.Catalogue)
	} else if *weed {
		names = append(slices.Clone(names), "weed")
	}
	programs, missing, err := parts.Get(ctx, log, names...)
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		fmt.Fprintf(out, "without %s, which cannot be had here\n", strings.Join(missing, ", "))
	}
	if *get {
		fmt.Fprintln(out, programs)
		return nil
	}
	if err := os.Setenv(parts.Env, programs); err != nil {
		return err
	}
	if *dir == "" {
		if *dir, err = os.MkdirTemp("", "cairn-cluster"); err != nil {
			return err
		}
		defer os.RemoveAll(*dir)
	}
	if *dir, err = filepath.Abs(*dir); err != nil {
		return err
	}
	if err := os.MkdirAll(*dir, 0o755); err != nil {
		return err
	}
	fmt.Fprintln(out, "builds cairn")
	if o.Cairn, err = parts.BuildCairn(ctx, *dir); err != nil {
		return err
	}
	o.Prometheus = !slices.Contains(missing, "prometheus")
	if o.Rules, err = filepath.Glob(filepath.Join(root, "deploy", "prometheus", "*alerts.yml")); err != nil {
		return err
	}
	fmt.Fprintln(out, "starts the cluster")
	c, err := parts.StartCluster(ctx, *dir, o)
	if ctx.Err() != nil && err != nil {
		return nil
	}
	if err != nil {
		return err
	}
	describe(out, c)
	c.Supervise(ctx, func(what string, err error) {
		if err != nil {
			what += ": " + err.Error()
		}
		fmt.Fprintln(out, what)
	})
	fmt.Fprintln(out, "stops")
	return c.Stop()
}

// needs returns the programs of a cluster with a catalogue.
func needs(catalogue string) []string {
	names := []string{"minio", "prometheus"}
	switch catalogue {
	case parts.OnPostgres:
		names = append(names, "postgres")
	case parts.OnMongo:
		names = append(names, "ferret", "postgres") // or SQLite below FerretDB
	}
	return names
}

// describe prints where the parts are.
func describe(out io.Writer, c *parts.Cluster) {
	for _, s := range c.Servers {
		fmt.Fprintf(out, "server      %s   metrics http://%s/metrics\n", s.URL(), s.Debug())
	}
	fmt.Fprintf(out, "all of them CAIRN_STORE=%s\n", c.URL())
	if c.Postgres != nil {
		fmt.Fprintf(out, "PostgreSQL  %s\n", c.Postgres.URL())
	}
	if c.Ferret != nil {
		fmt.Fprintf(out, "FerretDB    %s\n", c.Ferret.URL())
	}
	fmt.Fprintf(out, "MinIO       %s   key %s, secret %s\n", c.MinIO.URL(), parts.AccessKey, parts.SecretKey)
	if c.Prometheus != nil {
		fmt.Fprintf(out, "Prometheus  %s\n", c.Prometheus.URL())
	}
	fmt.Fprintf(out, "files       %s\nCtrl-C ends everything\n", c.Dir())
}
