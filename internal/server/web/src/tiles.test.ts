import assert from "node:assert/strict";
import { test } from "node:test";
import { inside, needed, parent, round, zoomFor, type Window } from "./tiles";

const w: Window = { x: 0, z: 0, scale: 1, width: 500, height: 300 };

test("a window needs the tiles that it touches, near ones first", () => {
  const all = needed(w, 0);
  assert.deepEqual(all.map((t) => `${t.x},${t.z}`).sort(), ["-1,-1", "-1,0", "0,-1", "0,0"]);
  const shifted = needed({ ...w, x: 128, z: 128 }, 0);
  assert.deepEqual(shifted[0], { zoom: 0, x: 0, z: 0 });
  for (const zoom of [-2, -1, 0, 1, 5]) {
    const size = 256 * 2 ** zoom;
    for (const t of needed(w, zoom)) assert.ok(t.x * size < 250 && (t.x + 1) * size > -250.001, `${zoom} ${t.x}`);
  }
});

test("the zoom is as fine as the screen, within the map's own", () => {
  assert.equal(zoomFor(1, 1, -3, 8), 0);
  assert.equal(zoomFor(1, 2, -3, 8), -1);
  assert.equal(zoomFor(3, 1, -3, 8), 1);
  assert.equal(zoomFor(1000, 1, -3, 4), 4);
  assert.equal(zoomFor(0.01, 1, 0, 4), 0);
});

test("parents contain their children", () => {
  assert.deepEqual(parent({ zoom: 0, x: -1, z: 5 }, 1), { zoom: 1, x: -1, z: 2 });
  assert.deepEqual(parent({ zoom: -1, x: -5, z: 3 }, 2), { zoom: 2, x: -1, z: 0 });
});

test("tiles beside the world are not asked for", () => {
  assert.ok(inside({ zoom: 0, x: 0, z: 0 }, [255, 0, 0], [300, 0, 10]));
  assert.ok(!inside({ zoom: 0, x: 0, z: 0 }, [256, 0, 0], [300, 0, 10]));
  assert.ok(!inside({ zoom: 0, x: -1, z: 0 }, [0, 0, 0], [300, 0, 10]));
});

test("the scale bar is round", () => {
  assert.equal(round(137), 100);
  assert.equal(round(70), 50);
  assert.equal(round(29), 20);
  assert.equal(round(0.5), 1);
});
