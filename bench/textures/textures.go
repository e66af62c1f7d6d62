// Package textures plays traces of texture calls through render/texture and through OpenImageIO, on
// the same files with the same bounds of memory.
//
// The images are made: noise, of which a quarter is flat. maketx of OpenImageIO makes the files, and a
// small driver that g++ builds plays its side, if they are installed (Debian: libopenimageio-dev and
// openimageio-tools). OpenImageIO has the settings that are best for it here: openexr:core is 1, so
// that threads read one file at a time, and exr_threads is -1. Both keep as many files open as they do by
// default: OpenImageIO 100, cairn 256.
package textures

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/cairnvoxel/cairn/internal/table"
)

// Setting is a trace and how it is played.
type Setting struct {
	Trace   string   `json:"trace"` // or the name of a recording
	What    string   `json:"what"`
	Files   []string `json:"files"`
	Threads int      `json:"threads"`
	Calls   int      `json:"calls"`
	Warm    int      `json:"warm"` // calls before the clock starts, by one thread
	Budget  int      `json:"megabytes"`
	Choice
}

// Played is what one system made of a setting.
type Played struct {
	Calls     float64 `json:"calls_per_second"`
	Processor float64 `json:"processor_ns_per_call"`
	Mean      float64 `json:"mean"`                // of the first channel of the results
	Tiles     int64   `json:"tiles"`               // read
	Again     int64   `json:"again"`               // of these
	Peak      int64   `json:"peak"`                // bytes of memory beyond those before the first call
	Constants int     `json:"constants,omitempty"` // tiles, in the end
	Unpacked  int64   `json:"unpacked,omitempty"`  // tiles that came from the compressed tier
}

// Row is a setting played by both. OpenImageIO reads the same images as EXR with zip where Files are
// cairn's own.
type Row struct {
	Setting
	Cairn Played  `json:"cairn"`
	Rival *Played `json:"openimageio,omitempty"`
}

// Same is how far samples of the two are from each other.
type Same struct {
	Lookups int     `json:"lookups"`
	Worst   float64 `json:"worst_difference"`
}

// Report has a row for each setting.
type Report struct {
	Rows []Row `json:"rows"`
	// Choices are played by cairn alone.
	Choices []Row    `json:"choices"`
	Same    Same     `json:"same"`
	Files   []File   `json:"files"`
	Picture *Picture `json:"picture"`
	Left    string   `json:"left_out,omitempty"`
}

// image is one that is made. Its form is a compression of EXR, or ours.
type image struct {
	edge int
	seed uint64
	form string
	mask bool
}

// What the two have for textures.
const (
	ours   = "ctex"
	theirs = "zip"
)

// source is images that are made: one, or a set.
type source interface {
	make(ctx context.Context, dir string) (name string, err error)
	rival(dir string) string // the name of what OpenImageIO reads
}

// The recordings, and how many of their calls are played.
const (
	levelName, levelCalls = "level", 1 << 23
	sceneName, sceneCalls = "scene", 40_000
)

// settings are those that are measured. In part of the calls, a hundred times fewer, the figures mean
// nothing but that everything works.
func settings(quick bool) (all []Setting, images [][]source) {
	add := func(trace, what string, calls, warm, budget int, of ...source) {
		if quick {
			calls, warm = calls/100, warm/100
		}
		for threads := 1; threads <= 2; threads++ {
			all = append(all, Setting{Trace: trace, What: what, Threads: threads, Calls: calls, Warm: warm, Budget: budget})
			images = append(images, of)
		}
	}
	plain, zip, own := image{edge: 2048, seed: 1, form: "none"}, image{edge: 2048, seed: 1, form: theirs}, image{edge: 2048, seed: 1, form: ours}
	add("coh", "cached", 1<<22, 1<<20, 256, plain)
	add("inc", "cached", 1_000_000, 250_000, 256, plain)
	add("coh", "paged, none", 1<<20, 0, 4, plain)
	add("coh", "paged, zip", 1<<20, 0, 4, zip)
	add("inc", "paged, none", 48_000, 0, 4, plain)
	add("inc", "paged, zip", 12_000, 0, 4, zip)
	add("coh", "paged, ctex to zip", 1<<20, 0, 4, own)
	add("inc", "paged, ctex to zip", 12_000, 0, 4, own)
	if !quick {
		for _, form := range []string{theirs, ours} {
			six := []source{image{edge: 4096, seed: 2, form: form}}
			for _, seed := range []uint64{1, 3, 4, 5, 6} {
				six = append(six, image{edge: 2048, seed: seed, form: form})
			}
			add("inc", "six files, "+form, 30_000, 7_500, 64, six...)
		}
	}
	add(levelName, "cached, zip", levelCalls, levelCalls/4, 1024, levelImages(theirs, quick)...)
	add(levelName, "32 MB, zip", levelCalls, 0, 32, levelImages(theirs, quick)...)
	add(levelName, "32 MB, ctex to zip", levelCalls, 0, 32, levelImages(ours, quick)...)
	add(sceneName, "paged, zip", sceneCalls, 0, 256, newBox(sceneEdge(quick), theirs).sources()...)
	add(sceneName, "paged, ctex to zip", sceneCalls, 0, 256, newBox(sceneEdge(quick), ours).sources()...)
	return all, images
}

// Bench measures. The images lie in dir, and are made if they are not there; "" is a temporary folder.
func Bench(ctx context.Context, dir string, quick bool, progress func(done, all int)) (r *Report, err error) {
	if !hasRival() {
		return nil, errors.New("textures: maketx of OpenImageIO is not installed: it makes the files")
	}
	temp, err := os.MkdirTemp("", "cairn-textures")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	if dir == "" {
		dir = temp
	}
	r = &Report{}
	driver, left := buildRival(ctx, temp)
	if left != nil {
		r.Left = left.Error()
	}
	if left == nil {
		if r.Same, err = compare(ctx, dir, driver); err != nil {
			return nil, err
		}
	}
	if r.Files, err = measureFiles(ctx, dir, quick); err != nil {
		return nil, err
	}
	if r.Picture, err = drawPicture(ctx, dir, filepath.Join(temp, levelName), quick); err != nil {
		return nil, err
	}
	if err := newBox(sceneEdge(quick), theirs).record(filepath.Join(temp, sceneName), sceneCalls); err != nil {
		return nil, err
	}
	all, images := settings(quick)
	for i, s := range all {
		progress(i, len(all))
		if !slices.Contains(traceNames, s.Trace) {
			s.Trace = filepath.Join(temp, s.Trace)
		}
		its := s
		for _, of := range images[i] {
			name, err := of.make(ctx, dir)
			if err != nil {
				return nil, err
			}
			s.Files, its.Files = append(s.Files, name), append(its.Files, of.rival(dir))
		}
		row := Row{Setting: s}
		row.Trace = all[i].Trace
		if row.Cairn, err = s.playApart(ctx); err != nil {
			return nil, err
		}
		if left == nil {
			if row.Rival, err = its.playRival(ctx, driver); err != nil {
				return nil, err
			}
		}
		r.Rows = append(r.Rows, row)
	}
	r.Choices, err = playChoices(ctx, dir, quick, progress)
	return r, err
}

// Table prints the rows: cairn's figures beside OpenImageIO's.
func (r *Report) Table(w io.Writer) {
	if r.Left != "" {
		fmt.Fprintf(w, "without OpenImageIO: %s\n", r.Left)
	} else {
		fmt.Fprintf(w, "%d samples of all filters differ from OpenImageIO's by at most %.1e\n", r.Same.Lookups, r.Same.Worst)
	}
	t := table.New(w, "trace", "threads", "calls", "budget MB", "calls/s", "its", "ratio", "ns of processor", "its", "ratio", "mean", "its", "tiles", "its", "again", "its", "peak MB", "its")
	for _, row := range r.Rows {
		cells := []string{row.Trace + ", " + row.What, fmt.Sprint(row.Threads), fmt.Sprint(row.Calls), fmt.Sprint(row.Budget)}
		ours, its := row.Cairn, Played{}
		if row.Rival != nil {
			its = *row.Rival
		}
		add := func(format string, a, b float64) {
			cells = append(cells, fmt.Sprintf(format, a), fmt.Sprintf(format, b))
		}
		add("%.0f", ours.Calls, its.Calls)
		cells = append(cells, ratio(ours.Calls, its.Calls))
		add("%.0f", ours.Processor, its.Processor)
		cells = append(cells, ratio(ours.Processor, its.Processor))
		add("%.6f", ours.Mean, its.Mean)
		add("%.0f", float64(ours.Tiles), float64(its.Tiles))
		add("%.0f", float64(ours.Again), float64(its.Again))
		add("%.1f", float64(ours.Peak)/1e6, float64(its.Peak)/1e6)
		t.Row(cells...)
	}
	t.Flush()
	fmt.Fprintln(w)
	t = table.New(w, "choice", "calls/s", "ns of processor", "mean", "tiles", "again", "unpacked", "constant", "peak MB")
	for _, row := range r.Choices {
		p := row.Cairn
		t.Row(row.Trace+", "+row.What, fmt.Sprintf("%.0f", p.Calls), fmt.Sprintf("%.0f", p.Processor), fmt.Sprintf("%.6f", p.Mean),
			fmt.Sprint(p.Tiles), fmt.Sprint(p.Again), fmt.Sprint(p.Unpacked), fmt.Sprint(p.Constants), fmt.Sprintf("%.1f", float64(p.Peak)/1e6))
	}
	t.Flush()
	fmt.Fprintln(w)
	t = table.New(w, "files", "bytes", "us a tile read at random", "tiles a second by two threads beside one")
	for _, f := range r.Files {
		t.Row(f.Name, table.Size(f.Bytes), fmt.Sprintf("%.1f", f.Read), fmt.Sprintf("%.2f", f.Two))
	}
	t.Flush()
	p := r.Picture
	fmt.Fprintf(w, "\na level of %d voxels from inside, %d x %d pixels, %d samples each\n", p.Cells, p.Width, p.Height, p.Samples)
	t = table.New(w, "bytes of cells", "of textures", "seconds", "of processor", "texture calls", "bytes of textures read")
	for _, d := range []Drawing{p.Free, p.Bounded} {
		t.Row(table.Size(d.ForCells), table.Size(d.ForTextures), fmt.Sprintf("%.2f", d.Seconds), fmt.Sprintf("%.2f", d.Processor), fmt.Sprint(d.Calls), table.Size(d.Read))
	}
	t.Row("ratio", "", ratio(p.Bounded.Seconds, p.Free.Seconds), ratio(p.Bounded.Processor, p.Free.Processor), "", "")
	t.Flush()
}

func ratio(a, b float64) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", a/b)
}
