// Where tiles lie, and which of them a view needs. No page and no network.

/** The edge of a tile in pixels. */
export const edge = 256;

/** A square of the map: at zoom Z a pixel is 2^Z blocks wide. */
export interface Tile {
  zoom: number;
  x: number;
  z: number;
}

/** What the window shows: the block at its centre and how many blocks a pixel is wide. */
export interface Window {
  x: number;
  z: number;
  scale: number;
  width: number;
  height: number;
}

/** Returns the zoom whose pixels are at most as wide as those of the screen. */
export function zoomFor(scale: number, density: number, least: number, greatest: number): number {
  return Math.max(least, Math.min(greatest, Math.floor(Math.log2(scale / density) + 1e-9)));
}

/** Lists the tiles that a window needs, those near its centre first. */
export function needed(w: Window, zoom: number): Tile[] {
  const size = edge * 2 ** zoom;
  const [halfX, halfZ] = [(w.width / 2) * w.scale, (w.height / 2) * w.scale];
  const out: Tile[] = [];
  for (let z = Math.floor((w.z - halfZ) / size); z <= Math.floor((w.z + halfZ) / size); z++) {
    for (let x = Math.floor((w.x - halfX) / size); x <= Math.floor((w.x + halfX) / size); x++) out.push({ zoom, x, z });
  }
  const far = (t: Tile): number => Math.hypot((t.x + 0.5) * size - w.x, (t.z + 0.5) * size - w.z);
  return out.sort((a, b) => far(a) - far(b));
}

/** Reports whether a tile may show something of a world between two corners. */
export function inside(t: Tile, from: number[], to: number[]): boolean {
  const size = edge * 2 ** t.zoom;
  return t.x * size <= to[0]! && (t.x + 1) * size > from[0]! && t.z * size <= to[2]! && (t.z + 1) * size > from[2]!;
}

/** Returns the tile of a greater zoom that contains a tile. */
export function parent(t: Tile, zoom: number): Tile {
  const by = 2 ** (zoom - t.zoom);
  return { zoom, x: Math.floor(t.x / by), z: Math.floor(t.z / by) };
}

/** Returns a round length for a scale bar of at most most blocks. */
export function round(most: number): number {
  const ten = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  return [5, 2, 1].map((n) => n * ten).find((n) => n <= most) ?? ten;
}
