"""Prints the cells of a schematic of Litematica as litemapy reads them. A later region covers an earlier one."""
import sys

from litemapy import Schematic

regions = Schematic.load(sys.argv[1]).regions.values()
cells = {}
for region in regions:
    for x, y, z in region.block_positions():
        cells[region.x + x, region.y + y, region.z + z] = region[x, y, z].to_block_state_identifier()
for (x, y, z), name in cells.items():
    if name != "minecraft:air":
        print(x, y, z, 1, name)
print("object block_entities", sum(len(r.tile_entities) for r in regions))
print("object entities", sum(len(r.entities) for r in regions))
