package anvil

import (
	"io"
	"io/fs"
	"strconv"

	"github.com/cairnvoxel/cairn/format/nbt"
)

// maxLevel bounds a level.dat as it is stored.
const maxLevel = 16 << 20

// readLevel returns what Head tells of level.dat; nil if it cannot be read,
// which is no fault of the chunks.
func readLevel(fsys fs.FS) map[string]string {
	f, err := fsys.Open("level.dat")
	if err != nil {
		return nil
	}
	defer f.Close()
	stored, err := io.ReadAll(io.LimitReader(f, maxLevel))
	if err != nil {
		return nil
	}
	doc, err := new(inflater).inflateGzip(nil, stored)
	if err != nil {
		return nil
	}
	root, err := rootTags(doc)
	if err != nil {
		return nil
	}
	data := find(root, "Data")
	if data == nil || data.t != nbt.Compound {
		return nil
	}
	tags := payloadTags(nil, data.payload())
	facts := map[string]string{}
	if g := find(tags, "LevelName"); g != nil && g.t == nbt.String {
		if name, err := nbt.DecodeString(g.payload()[2:]); err == nil {
			facts["name"] = name
		}
	}
	if v, ok := find(tags, "DataVersion").int(); ok {
		facts["data_version"] = strconv.Itoa(int(v))
	}
	return facts
}
