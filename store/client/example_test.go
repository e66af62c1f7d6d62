package client_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"

	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/client"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// A world of a server is opened and saved like one of a store beside it.
func Example() {
	srv, err := server.New(memory.New(memory.Options{}), server.Options{})
	if err != nil {
		log.Fatal(err)
	}
	site := httptest.NewServer(srv) // or: cairn serve
	defer site.Close()

	ctx := context.Background()
	st, err := client.Open(ctx, site.URL, client.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer st.Close()
	w, err := world.Create(ctx, st, "players/ann/island", world.Options{Author: "ann"})
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	_, err = w.Update(func(tx *world.Tx) error {
		v := tx.AddDimension("overworld", voxel.BlockVolumes(), nil).Volume(voxel.Block)
		v.Set(geom.Point{Y: 64}, v.Named("minecraft:stone"))
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	c, err := w.Commit(ctx, "a stone")
	if err != nil {
		log.Fatal(err)
	}
	names, err := st.List(ctx, "players/", "", 10)
	fmt.Println(c.Number, names, err)
	// Output: 1 [players/ann/island] <nil>
}
