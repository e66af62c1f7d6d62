package metrics_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/client"
	"github.com/cairnvoxel/cairn/store/client/metrics"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
)

// Loads are timed step by step. A program that has metrics of its own registers them
// there.
func Example() {
	ctx := context.Background()
	srv, err := server.New(memory.New(memory.Options{}), server.Options{})
	if err != nil {
		log.Fatal(err)
	}
	site := httptest.NewServer(srv) // or: cairn serve
	defer site.Close()
	st, err := client.Open(ctx, site.URL, client.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer st.Close()
	if err := makeIsland(ctx, st, "island"); err != nil {
		log.Fatal(err)
	}

	loads := metrics.New()
	registry := prometheus.NewRegistry() // a program serves it with promhttp
	registry.MustRegister(loads)
	w, err := world.Open(ctx, st, "island", world.Options{Whole: true, Steps: loads})
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()

	all, err := registry.Gather()
	for _, f := range all {
		for _, m := range f.Metric {
			for _, l := range m.Label {
				fmt.Println(f.GetName(), l.GetValue(), m.Histogram.GetSampleCount())
			}
		}
	}
	fmt.Println(err)
	// Output:
	// cairn_client_load_step_seconds call 1
	// cairn_client_load_step_seconds decode 1
	// cairn_client_load_step_seconds fetch 1
	// cairn_client_load_step_seconds open 1
	// cairn_client_load_step_seconds ready 1
	// <nil>
}

// makeIsland makes a world with one block.
func makeIsland(ctx context.Context, st history.Store, name string) error {
	w, err := world.Create(ctx, st, name, world.Options{})
	if err != nil {
		return err
	}
	defer w.Close()
	if _, err := w.Update(func(tx *world.Tx) error {
		v := tx.AddDimension("overworld", voxel.BlockVolumes(), nil).Volume(voxel.Block)
		v.Set(geom.Point{Y: 64}, v.Named("minecraft:stone"))
		return nil
	}); err != nil {
		return err
	}
	_, err = w.Commit(ctx, "a stone")
	return err
}

func TestLoads(t *testing.T) {
	l := metrics.New()
	const ms = time.Millisecond
	l.Loaded("w", history.LoadSteps{Call: 30 * ms, Fetch: 20 * ms, Open: 10 * ms, Decode: 30 * ms, Ready: 10 * ms})
	l.Loaded("w", history.LoadSteps{Call: 30 * ms, Fetch: 20 * ms, Open: 10 * ms}) // opened without blocks
	l.Loaded("w", history.LoadSteps{Decode: 30 * ms, Ready: 10 * ms})              // blocks of an open world
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(l)
	answer := httptest.NewRecorder()
	promhttp.HandlerFor(r, promhttp.HandlerOpts{}).ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	text := answer.Body.String()
	if problems, err := promlint.New(strings.NewReader(text)).Lint(); err != nil || len(problems) > 0 {
		t.Errorf("lint: %v, %v", problems, err)
	}
	for _, want := range []string{
		"cairn_client_load_seconds_count 1\n", "cairn_client_load_seconds_sum 0.1\n",
		`cairn_client_load_step_seconds_count{step="call"} 2`, `cairn_client_load_step_seconds_count{step="ready"} 2`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}
