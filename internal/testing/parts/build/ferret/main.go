// Command ferret speaks the protocol of MongoDB on SQLite or PostgreSQL. It prints
// its URI when it is ready.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"

	"github.com/FerretDB/FerretDB/ferretdb"
)

func main() {
	c := ferretdb.Config{Handler: "sqlite", Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))}
	flag.StringVar(&c.Listener.TCP, "listen", "127.0.0.1:0", "HOST:PORT to listen on")
	flag.StringVar(&c.PostgreSQLURL, "postgres", "", "URL of PostgreSQL")
	dir := flag.String("sqlite", ".", "folder of SQLite files, if -postgres is not set")
	flag.Parse()
	c.SQLiteURL = "file:" + *dir + "/"
	if c.PostgreSQLURL != "" {
		c.Handler = "postgresql"
	}
	f, err := ferretdb.New(&c)
	if err != nil {
		fmt.Fprintln(os.Stderr, "ferret:", err)
		os.Exit(1)
	}
	go func() { fmt.Println(f.MongoDBURI()) }()
	if err := f.Run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "ferret:", err)
		os.Exit(1)
	}
}
