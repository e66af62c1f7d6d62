"""Prints the nodes of a map.sqlite of Luanti as mtanvil reads map blocks. The table, which has two forms, is read here."""
import sqlite3
import sys

import mtanvil


def signed(v):
    """Returns the lowest 12 bits of v with a sign."""
    return (v + 2048) % 4096 - 2048


db = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
entities = 0
for *at, data in db.execute("SELECT * FROM blocks"):
    if len(at) == 1:
        x = signed(at[0])
        y = signed((at[0] - x) >> 12)
        at = x, y, ((at[0] - x) >> 12) - y >> 12
    block = mtanvil.MapBlock(pos=tuple(at), data=data, verbose=False).data
    entities += len(block["static_objects"])
    names = [node.data["name"] for node in block["nodes"]]
    for start in range(0, 4096, 16):
        i = start
        while i < start + 16:
            n = 1
            while i + n < start + 16 and names[i + n] == names[i]:
                n += 1
            if names[i] != "air":
                print(16 * at[0] + i % 16, 16 * at[1] + i // 16 % 16, 16 * at[2] + i // 256, n, names[i])
            i += n
print("object entities", entities)
