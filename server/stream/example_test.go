package stream_test

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/cairnvoxel/cairn/server/stream"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// A game shows its open world to viewers over a network.
func ExampleServe() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	w, err := world.Create(ctx, memory.New(memory.Options{}), "island", world.Options{Whole: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Close()
	build := func(block string, box geom.Box) {
		_, err := w.Update(func(tx *world.Tx) error {
			v := tx.AddDimension("overworld", []voxel.Volume{{Name: voxel.Block, Scale: 1}}, nil).Volume(voxel.Block)
			v.Fill(box, v.Named(block))
			return nil
		})
		if err != nil {
			fmt.Println(err)
		}
	}
	build("stone", geom.Box{Max: geom.Point{X: 64, Y: 8, Z: 64}})

	srv, err := stream.Serve(w, stream.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ticker := time.NewTicker(time.Second / 20)
	defer ticker.Stop()
	go srv.Run(ctx, ticker.C)

	// The viewer's connection; net.Listen and Dial give such a pair, too.
	viewer, conn := net.Pipe()
	ended := make(chan error)
	go func() {
		hello, err := stream.ReadHello(conn) // here a game checks hello.Token
		if err == nil {
			err = srv.Serve(ctx, conn, hello, stream.Access{})
		}
		ended <- err
	}()

	// The viewer prints what is at a place as soon as it knows, and whenever that changes.
	at, before := geom.Point{X: 5, Y: 8, Z: 5}, "?"
	var c stream.Client
	c.Told = func(f stream.Frame) {
		if s, ok := f.(*stream.Synced); ok && s.Stage == 2 && before == "?" {
			go build("gold", geom.Box{Min: at, Max: at.Add(geom.Point{X: 1, Y: 1, Z: 1})})
		}
		cell, _, ok := c.Cell(0, at)
		if name, known := c.Name(0, cell); ok && known && name.Name != before && c.Synced() == 2 {
			fmt.Printf("%v is %q\n", at, name.Name)
			if before = name.Name; before == "gold" {
				viewer.Close()
			}
		}
	}
	c.Run(viewer, stream.Hello{World: "island"}, stream.Viewpoint{Position: [3]float64{5, 10, 5}, Radius: 500})
	fmt.Println(<-ended)
	// Output:
	// (5,8,5) is "air"
	// (5,8,5) is "gold"
	// <nil>
}
