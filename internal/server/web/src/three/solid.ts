// What is solid: the one rule for surfaces, rays and bodies, as voxel.Rule.Extent has it.

/** The fullness of a cell that is matter from side to side. */
export const whole = 256;

/** A bit that a Terrain or liquid cell has in the border of a cube if it stands for a part of a coarser one. */
export const coarse = 0x4000;

/** Returns how full a Terrain cell is, in 256ths. */
export const fullness = (cell: number): number => ((cell >> 8) & 63 ? (cell & 255) + 1 : 0);

/**
 * Returns how far matter reaches from the centre of its cell towards a neighbour that is empty, in 256ths of
 * the edge. behind says whether the neighbour on the other side has matter, on which it then lies.
 */
export const reach = (full: number, behind: boolean): number => (behind ? full - 128 : (full + 1) >> 1);

/** Where matter is, in 256ths of its cell's edge by axis. */
export interface Extent {
  low: [number, number, number];
  high: [number, number, number];
}

/** Returns where the matter of a Terrain cell is. beside reports whether the next cell along an axis has matter. */
export function extent(full: number, beside: (axis: number, step: number) => boolean): Extent {
  const e: Extent = { low: [0, 0, 0], high: [whole, whole, whole] };
  for (let axis = 0; axis < 3 && full < whole; axis++) {
    const below = beside(axis, -1), above = beside(axis, 1);
    if (!below) e.low[axis] = 128 - reach(full, above);
    if (!above) e.high[axis] = 128 + reach(full, below);
  }
  return e;
}
