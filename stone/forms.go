package stone

import (
	"slices"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/internal/stone/column"
)

// Form is a form of pages: FORMAT.md sections 5 to 7.
type Form struct {
	Holds  string // the content of such pages: see PageInfo
	Number int
	Name   string

	streams []string
}

// pageForms describes the forms for people. A new form is one more row.
var pageForms = []Form{
	{"cells", int(codec.Columns), "columns", []string{"kinds", "uniform values", "table", "ops", "runs", "references", "references high"}},
	{"cells", int(codec.Relief), "relief", []string{"kinds", "uniform values", "ops", "layers", "ground, high", "floors",
		"dents", "depths", "fill", "ground, low 0", "ground, low 1", "ground, low 2", "ground, low 3"}},
	{"cells", int(codec.Images), "images", []string{"kinds", "uniform values", "table", "ops", "runs", "references", "references high", "images"}},
	{"cells", int(codec.Odds), "odds", []string{"kinds", "uniform values", "table", "bits"}},
	{"cells", formLit, "lit", []string{"kinds", "uniform values", "octants", "table", "ops", "runs", "references", "references high"}},
	{"cells", formDelta, "delta", []string{"kinds", "uniform values", "hashes", "runs", "cells", "table", "ops", "runs", "references", "references high"}},
	{"columns", column.Plain, "plain", []string{"names", "shapes", "stamps", "sizes", "maps", "data"}},
	{"columns", column.Tags, "tags", []string{"names", "shapes", "stamps", "maps", "tags", "texts", "blobs"}},
	{"columns", column.Plain | column.Deltas, "delta", append(patchStreams[:5:5], "names", "shapes", "stamps", "sizes", "maps", "data")},
	{"columns", column.Tags | column.Deltas, "delta of tags", append(patchStreams[:5:5], "names", "shapes", "stamps", "maps", "tags", "texts", "blobs")},
	{"objects", column.Plain, "plain", []string{"counts", "places", "positions", "sizes", "payloads"}},
	{"objects", column.Tags, "tags", []string{"counts", "places", "positions", "tags", "texts", "blobs"}},
	{"objects", column.Plain | column.Deltas, "delta", append(patchStreams[:5:5], "counts", "places", "positions", "sizes", "payloads")},
	{"objects", column.Tags | column.Deltas, "delta of tags", append(patchStreams[:5:5], "counts", "places", "positions", "tags", "texts", "blobs")},
	{"file", 0, "plain", []string{"bytes"}},
	{"file", formPatch, "delta", patchStreams},
}

// patchStreams are the streams of patches in all kinds of pages.
var patchStreams = []string{"kinds", "hashes", "copies", "news", "new bytes"}

// Forms returns all forms, grouped by kind of page, in the order of their numbers.
func Forms() []Form { return slices.Clone(pageForms) }

// formOf returns the form of a page. An unknown form has the name "?".
func formOf(holds string, number int) Form {
	for _, f := range pageForms {
		if f.Holds == holds && f.Number == number {
			return f
		}
	}
	return Form{Holds: holds, Number: number, Name: "?"}
}

// stream returns the name of the form's stream i.
func (f *Form) stream(i int) string {
	if i < len(f.streams) {
		return f.streams[i]
	}
	return "?"
}

// FormSum is the total of the pages of one form.
type FormSum struct {
	Holds    string `json:"holds"`
	Form     int    `json:"form"`
	FormName string `json:"form_name"`
	Pages    int    `json:"pages"`
	Size     int64  `json:"size"`
	Plain    int64  `json:"plain"`
	Things   int    `json:"things"`
}

// SumForms sums pages by form, in the order of Forms.
func SumForms(pages []PageInfo) []FormSum {
	sums := []FormSum{}
	for _, f := range pageForms {
		sum := FormSum{Holds: f.Holds, Form: f.Number, FormName: f.Name}
		for i := range pages {
			if p := &pages[i]; p.Holds == f.Holds && p.Form == f.Number {
				sum.Pages++
				sum.Size += int64(p.Size)
				sum.Plain += int64(p.Plain)
				sum.Things += p.Things
			}
		}
		if sum.Pages > 0 {
			sums = append(sums, sum)
		}
	}
	return sums
}
