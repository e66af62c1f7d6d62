"""Reads a box, builds a wall and runs a brush: python3 cells.py WORLD

CAIRN_URL names the server, and CAIRN_TOKEN is a token if it wants one.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

SERVER = os.environ.get("CAIRN_URL", "http://127.0.0.1:7070")


class Refused(Exception):
    """The server said no. code is for programs, the text for people."""

    def __init__(self, code, message):
        super().__init__(f"{code}: {message}")
        self.code = code


def call(method, path, body=None, tries=5, **headers):
    """Returns the answer and its headers. Tries again while someone else changes the world."""
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    if os.environ.get("CAIRN_TOKEN"):
        headers["Authorization"] = "Bearer " + os.environ["CAIRN_TOKEN"]
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(SERVER + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            return json.load(answer), answer.headers
    except urllib.error.HTTPError as error:
        refusal = json.load(error)["error"]
    if refusal["code"] in ("leased", "busy") and tries > 1:
        time.sleep(0.5)
        return call(method, path, body, tries - 1, **headers)
    raise Refused(refusal["code"], refusal["message"])


def read(world, box, **more):
    """Returns the names of the cells of a box: x fastest, then z, then y."""
    query = urllib.parse.urlencode({"box": box, **more})
    answer, headers = call("GET", f"/v1/cells/{world}?{query}")
    out = []
    for cell in answer["cells"]:  # a number, or a number and how many times it stands there
        number, count = cell if isinstance(cell, list) else (cell, 1)
        out += [answer["names"][number]] * count
    return out, headers["ETag"]


def main(world):
    cells, version = read(world, "0,100,0..4,102,0")
    print("before:", len(cells), "cells,", len(set(cells)), "kinds")

    # A wall of 5 x 3 cells. null is a window: what is there stays.
    done, _ = call("PUT", f"/v1/cells/{world}", {
        "box": "0,100,0..4,102,0",
        "names": ["stone_bricks", None],
        "cells": [[0, 5], [0, 2], 1, [0, 2], [0, 5]],
        "message": "a wall", "author": "python",
    }, If_Match=version)  # only if nobody has changed the world since
    print("wall:", done["cells"], "cells, version", done["commit"]["number"])

    done, _ = call("POST", f"/v1/brush/{world}", {
        "brush": "ball", "at": [2, 110, 0], "r": 2, "name": "glass", "message": "a ball", "author": "python",
    })
    print("ball:", done["cells"], "cells, version", done["commit"]["number"])

    try:
        call("PUT", f"/v1/cells/{world}", {"box": "0,0,0..0,0,0", "names": ["stnoe"], "cells": [0]})
    except Refused as refused:
        print("refused:", refused)

    cells, _ = read(world, "0,100,0..4,102,0")
    print("after:", cells.count("minecraft:stone_bricks"), "stone bricks")


main(sys.argv[1])
