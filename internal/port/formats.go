package port

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/format/bedrock"
	"github.com/cairnvoxel/cairn/internal/format/hytale"
	"github.com/cairnvoxel/cairn/internal/format/linear"
	"github.com/cairnvoxel/cairn/internal/format/litematic"
	"github.com/cairnvoxel/cairn/internal/format/luanti"
	"github.com/cairnvoxel/cairn/internal/format/maptemplate"
	"github.com/cairnvoxel/cairn/internal/format/mcedit"
	"github.com/cairnvoxel/cairn/internal/format/polar"
	"github.com/cairnvoxel/cairn/internal/format/slime"
	"github.com/cairnvoxel/cairn/internal/format/sponge"
	"github.com/cairnvoxel/cairn/internal/format/structure"
	"github.com/cairnvoxel/cairn/internal/format/vox"
	"github.com/cairnvoxel/cairn/stone"
)

// Row is a format in the table of formats, with what people want to know of it.
type Row struct {
	format.Kind
	Title string
	Game  string // whose names its blocks have; the empty string is any
	Reads string // what is read, in words
	Lacks string // what a world may have that the format cannot hold
	Unmet string // of Reads: what was only met in files that a library made
	Home  string // the folder of a world's only dimension
}

// Written returns what is written of the format, in words.
func (r *Row) Written() string {
	switch {
	case r.Create == nil && r.CreateFolder == nil:
		return ""
	case len(r.Versions) == 0:
		return "what it reads"
	}
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(r.Versions), "[]"), " ", ", ")
}

// MarshalJSON writes the row as one object.
func (r Row) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Name  string `json:"name"`
		Title string `json:"title"`
		Ext   string `json:"ext,omitempty"`
		Game  string `json:"game"`
		Reads string `json:"reads"`
		Write string `json:"writes,omitempty"`
		Lacks string `json:"lacks,omitempty"`
		Unmet string `json:"never_met,omitempty"`
	}{r.Name, r.Title, r.Ext, r.Game, r.Reads, r.Written(), r.Lacks, r.Unmet})
}

// Games of formats.
const (
	Minecraft   = "Minecraft"
	hytaleGame  = "Hytale"
	bedrockGame = "Minecraft Bedrock"
	colours     = "colours"
)

// kinds is the table of formats.
var kinds = []Row{
	// Before Anvil, which takes any folder with a level.dat.
	{Kind: bedrock.Kind(), Title: "Bedrock Edition: a folder, or an archive of one (.mcworld)", Game: bedrockGame, Reads: "1.0 to 1.26", Unmet: "all"},
	{Kind: anvil.Kind(), Title: "Anvil, a folder", Game: Minecraft, Reads: "1.2 to 1.21"},
	{Kind: hytale.Kind(), Title: "Hytale: a save, a world, an instance or a region file", Game: hytaleGame, Home: "universe/worlds/default", Reads: "saves of 2026",
		Lacks: "blocks below 0 and from 320 on; objects and volumes of other games"},
	{Kind: anvil.Linear(), Title: "Linear: a folder of Minecraft with other region files", Game: Minecraft, Reads: "1, 2 and 3, which is Buffered", Unmet: "2 and 3"},
	{Kind: anvil.McRegion(), Title: "McRegion, the folder before Anvil", Game: Minecraft, Reads: "Beta 1.3 to 1.1", Lacks: "what is not of McRegion: only a world that was read from it is written"},
	{Kind: luanti.Kind(), Title: "Luanti (Minetest), a folder or a map.sqlite", Game: "Luanti", Reads: "25 to 29", Unmet: "26", Lacks: "further dimensions, biomes, objects of other games; before 27 how far light is, before 28 that metadata is private"},
	{Kind: slime.Kind(), Title: "Slime", Game: Minecraft, Reads: "1 to 13", Unmet: "2 to 4 and 6 to 8",
		Lacks: "further dimensions, files, points of interest, ticks before 12, entities before 3, columns without blocks"},
	{Kind: polar.Kind(), Title: "Polar of Minestom", Game: Minecraft, Reads: "1 to 7", Unmet: "1 and 3 to 5",
		Lacks: "further dimensions, files, entities, ticks, structures, spawn; before 6 the data version"},
	{Kind: sponge.Kind(), Title: "Schematic of Sponge and WorldEdit", Game: Minecraft, Reads: "1 to 3", Lacks: "light, ticks, files; entities before 3, biomes before 2"},
	{Kind: mcedit.Kind(), Title: "Schematic of MCEdit", Game: Minecraft, Reads: "all; blocks have numbers", Lacks: "names of blocks, biomes, light, ticks, files, the data version"},
	{Kind: structure.Kind(), Title: "Structure of the game", Game: Minecraft, Reads: "1.9 to 1.21", Lacks: "biomes, light, ticks, files, the place in the world"},
	{Kind: litematic.Kind(), Title: "Schematic of Litematica", Game: Minecraft, Reads: "4 to 7", Unmet: "4", Lacks: "biomes, light, files, the place in the world"},
	{Kind: vox.Kind(), Title: "Scene of MagicaVoxel", Game: colours, Reads: "150 and 200", Lacks: "names that are no colours, biomes, light, objects, files"},
	{Kind: maptemplate.Kind(), Title: "Map template of Nucleoid", Game: Minecraft, Reads: "1 and 2", Lacks: "biomes, light, ticks, files, the place in the world"},
	{Kind: hytale.Prefab(), Title: "Prefab of Hytale", Game: hytaleGame, Reads: "8", Lacks: "tints, light, files, the place in the world"},
}

// Table returns the table of formats.
func Table() []Row { return kinds }

// The formats that have names here.
const (
	Anvil      = "anvil"
	Bedrock    = "bedrock" // is only read
	Hytale     = "hytale"
	Luanti     = "luanti"
	Slime      = "slime"
	Sponge     = "sponge"
	MCEdit     = "mcedit"
	Structure  = "structure"
	Litematica = "litematic"
	Vox        = "vox"
	Template   = "maptemplate"
	Prefab     = "prefab"
)

// Formats returns the names of all formats that can be written.
func Formats() (names []string) {
	for _, k := range kinds {
		if k.Written() != "" {
			names = append(names, k.Name)
		}
	}
	return names
}

// Format returns the format of that name, if it can be written.
func Format(name string) (k format.Kind, ok bool) {
	r, _ := rowOf(name)
	return r.Kind, r.Written() != ""
}

func rowOf(name string) (r Row, ok bool) {
	i := slices.IndexFunc(kinds, func(r Row) bool { return r.Name == name })
	if i < 0 {
		return r, false
	}
	return kinds[i], true
}

// TakesMade reports whether the format of that name takes a world that a program made as it is, so that ForGame need not
// make it one of the game.
func TakesMade(name string) bool {
	r, _ := rowOf(name)
	return r.Piece || r.Game != Minecraft
}

// GameOf returns the game whose names the blocks of a world have, if the format that it was read from tells.
func GameOf(w stone.Content) string {
	r, _ := rowOf(convert.HeadOf(w.About().Properties).Format)
	return r.Game
}

// FormatFor returns the format for a world that goes to a file or folder of that name. A folder is of the format that the world
// was read from, if that is one of folders.
func FormatFor(path string, w stone.Content) string {
	name := FormatOf(path)
	if k, ok := Format(convert.HeadOf(w.About().Properties).Format); ok && name == Anvil && k.CreateFolder != nil {
		return k.Name
	}
	return name
}

// FormatOf returns the format for a file or folder of that name.
func FormatOf(path string) string {
	for _, k := range kinds {
		if k.Ext != "" && strings.HasSuffix(path, k.Ext) {
			return k.Name
		}
	}
	return Anvil
}

// FileExts returns the extensions of files that hold a whole world.
func FileExts() []string {
	exts := []string{Ext}
	for _, k := range kinds {
		if k.Ext != "" {
			exts = append(exts, k.Ext)
		}
	}
	return exts
}

// openFolder opens a folder in the first format that recognizes it. If none does the error is that of Anvil.
func openFolder(open func(k *format.Kind) (format.Source, error)) (format.Source, error) {
	var no error
	for i := range kinds {
		if kinds[i].OpenFS == nil {
			continue
		}
		s, err := open(&kinds[i].Kind)
		if !errors.Is(err, format.ErrNoWorld) {
			return s, err
		}
		if kinds[i].Name == Anvil {
			no = err
		}
	}
	return nil, no
}

// FolderFormat returns the name of the first format that recognizes a folder, "" if none does.
func FolderFormat(fsys fs.FS) string {
	if i := slices.IndexFunc(kinds, func(k Row) bool { return k.DetectFS != nil && k.DetectFS(fsys) }); i >= 0 {
		return kinds[i].Name
	}
	return ""
}

// archiveExts are the extensions of archives that may hold a world.
var archiveExts = []string{".zip", ".tar", ".tar.gz", ".tgz", ".mcworld"}

// IsArchive reports whether a file has the name of an archive that may hold a world.
func IsArchive(name string) bool {
	return slices.ContainsFunc(archiveExts, func(ext string) bool { return strings.HasSuffix(name, ext) })
}

// TrimExt returns the name of a file without the extension of a format or an archive.
func TrimExt(name string) string {
	for _, ext := range slices.Concat(archiveExts, FileExts()) {
		if rest, ok := strings.CutSuffix(name, ext); ok && rest != "" {
			return rest
		}
	}
	return name
}

// foreignExts are the extensions of other worlds and schematics, and of single region files.
var foreignExts = []string{".linear", ".b_linear", ".mcstructure", ".mclevel", ".bp", ".mca", ".mcr", ".region.bin"}

// Detect reports whether a folder or a file looks like a world. It looks into folders, at the
// first bytes of files, and into archives that have the extension of one. The error is format.ErrNoWorld
// if there is no sign of a world; another error says why a file with the name of a world cannot be
// read.
func Detect(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		if FolderFormat(os.DirFS(path)) == "" {
			return format.ErrNoWorld
		}
		s, err := Open(path, Options{Salvage: true})
		if errors.Is(err, anvil.ErrInUse) { // the game may end
			return nil
		}
		if err != nil {
			return err
		}
		return s.Close()
	}
	ends := func(exts []string) bool {
		return slices.ContainsFunc(exts, func(ext string) bool { return strings.HasSuffix(path, ext) })
	}
	archive := IsArchive(path)
	switch {
	case !archive && !ends(FileExts()) && !ends(foreignExts) || strings.HasPrefix(filepath.Base(path), "._"):
		return format.ErrNoWorld
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return format.ErrNoWorld
	case archive:
		s, err := Open(path, Options{Salvage: true})
		if err != nil {
			return err
		}
		return s.Close()
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, min(info.Size(), maxHead))
	if _, err := io.ReadFull(f, head); err != nil {
		return err
	}
	if bytes.HasPrefix(head, []byte(stoneMagic)) || slices.ContainsFunc(kinds, func(k Row) bool { return k.Detect != nil && k.Detect(head) }) {
		return nil
	}
	return unknown(head, info.Size())
}

// foreign are the first bytes of files that cairn does not read.
var foreign = []struct{ magic, what string }{
	{"\x0a\xe5\xbb\x36", "a blueprint of Axiom"},
	{"\x0a\x00\x00\x03\x0e\x00format_version", "a structure of Bedrock Edition"},
	{"\x0a\x00\x0eMinecraftLevel", "a world of Indev"},
	{"\x0a\x00\x0cClassicWorld", "a world of ClassiCube"},
	{"\x27\x1b\xb7\x88", "a world of Classic"},
	{"7z\xbc\xaf", "an archive of 7-Zip"},
	{"Rar!", "an archive of RAR"},
	{"BZh", "an archive of bzip2"},
	{"\xfd7zXZ", "an archive of xz"},
	{"\x28\xb5\x2f\xfd", "an archive of Zstandard"},
}

// unknown returns an error that describes bytes of no known format.
func unknown(head []byte, size int64) error {
	inner := make([]byte, 32)
	if z, err := gzip.NewReader(bytes.NewReader(head)); err == nil {
		_, _ = io.ReadFull(z, inner) // what it is of may be less
	}
	for _, f := range foreign {
		if bytes.HasPrefix(head, []byte(f.magic)) || bytes.HasPrefix(inner, []byte(f.magic)) {
			return fmt.Errorf("%w: %s, which cairn does not read", errUnknown, f.what)
		}
	}
	switch {
	case len(head) == 0:
		return errors.New("the file is empty")
	case bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return errors.New("a zip with nothing in it")
	case isRegionTable(head, size) || linear.Detect(head):
		return errors.New("a single region file: give the folder of its world, or put it into a folder or a zip as region/NAME")
	case head[0] == 0x0A || isGzip(head):
		return errors.New("a file of NBT, such as a level.dat, and no schematic that cairn knows: of a world give the folder")
	}
	return fmt.Errorf("%w: it begins with %q", errUnknown, head[:min(len(head), 8)])
}
