"""Prints the cells of the region files in a folder of chunks, as hytale-region-parser reads them.

Of one chunk in STEP it prints all cells, of the others how many cells have each name.
"""
import sys
from pathlib import Path

from hytale_region_parser import RegionFileParser

step = int(sys.argv[2])
number = objects = entities = 0
for path in sorted(Path(sys.argv[1]).glob("*.region.bin")):
    with RegionFileParser(path) as region:
        for index in region.get_chunk_indexes():
            chunk = region.read_chunk(index)
            objects += len({c.index for c in chunk.block_components})
            entities += len(chunk.entities)
            number += 1
            for section in chunk.sections:
                if section.palette_type > 2:
                    sys.exit("the reader takes the ids of a palette of shorts for bytes")
                if number % step:
                    for entry in section.block_palette:
                        if entry.name != "Empty":
                            # the reader takes the count of a full section, 32,768, for a negative number
                            print("count", chunk.chunk_x, section.section_y, chunk.chunk_z, entry.count % 65536, entry.name)
                    continue
                if section.palette_type == 1 and section.block_indices:
                    # the reader takes the low half of a byte for the first cell, but the heights that the game stores
                    # agree with the blocks if it is the high one
                    section.block_indices = bytes(b >> 4 | (b & 15) << 4 for b in section.block_indices)
                blocks = {}
                region._extract_block_positions(section, 32 * chunk.chunk_x, 32 * section.section_y, 32 * chunk.chunk_z, blocks)
                for at, block in blocks.items():
                    print(*at.split(","), 1, block["name"])
print("object block_entities", objects)
print("object entities", entities)
