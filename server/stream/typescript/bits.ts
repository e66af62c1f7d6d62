// Cells in the form of codec/BITRLE.md.

import { CorruptError } from "./bytes.ts";

/** How the cells of a volume are read. */
export const enum Schema {
  Palette = 0,
  Terrain = 1,
  Level = 2,
}

const maxWidth = [15, 7, 8];

/** Reads the bits of some bytes, lowest first. */
class Bits {
  private at = 0; // in bits
  private readonly end: number;

  constructor(private readonly bytes: Uint8Array, private readonly start: number) {
    this.end = (bytes.length - start) * 8;
  }

  fail(why: string): never {
    throw new CorruptError(this.start + (this.at >> 3), "cells", why);
  }

  flag(): number {
    if (this.at >= this.end) this.fail("the bytes end");
    const b = (this.bytes[this.start + (this.at >> 3)]! >> (this.at & 7)) & 1;
    this.at++;
    return b;
  }

  u(n: number): number {
    if (this.at + n > this.end) this.fail("the bytes end");
    let v = 0, have = 0;
    while (have < n) {
      const bit = this.at & 7, take = Math.min(8 - bit, n - have);
      v |= ((this.bytes[this.start + (this.at >> 3)]! >> bit) & ((1 << take) - 1)) << have;
      have += take;
      this.at += take;
    }
    return v;
  }

  golomb(k: number): number {
    let z = 0;
    while (!this.flag()) if (++z > 16) this.fail("a number is too long");
    const h = (1 << z) + this.u(z);
    return (h - 1) * 2 ** k + this.u(k);
  }

  place(m: number): number {
    const k = 31 - Math.clz32(m), s = 2 ** (k + 1) - m;
    const v = this.u(k);
    return v < s ? v : v * 2 + this.flag() - s;
  }

  /** Checks the last bits and returns how many bytes were read. */
  finish(): number {
    while (this.at & 7) if (this.flag()) this.fail("the last bits are not zero");
    return this.at >> 3;
  }
}

/**
 * Decodes a box of `edge` cells an edge that begins at `start`: one number if all cells are equal, else
 * the cells, x fastest, then z, then y. The second value is where the box ends.
 */
export function decodeCells(bytes: Uint8Array, start: number, schema: Schema, edge: number): [Uint16Array | number, number] {
  const b = new Bits(bytes, start);
  if (4 << b.u(2) !== edge) b.fail("the box has another edge");
  const uniform = b.flag(), width = b.u(4) + 1;
  if (width > maxWidth[schema]!) b.fail("a symbol is too wide");
  const terrain = schema === Schema.Terrain;

  const whole = (symbol: number): number => {
    if (!terrain) return symbol;
    if (symbol === 1) b.fail("partly full air");
    const material = symbol >> 1;
    if (!(symbol & 1)) return material === 0 ? 0 : (material << 8) | 255;
    const part = b.u(8);
    if (part === 255) b.fail("an occupancy of 255");
    return (material << 8) | part;
  };
  const partly = (cell: number) => terrain && cell !== 0 && (cell & 255) !== 255;

  if (uniform) {
    const cell = whole(b.u(width));
    return [cell, start + b.finish()];
  }
  const count = b.golomb(0) + 1;
  if (count > 257) b.fail("too many symbols");
  const list: number[] = [];
  const listed = count <= 256;
  for (let i = 0; listed && i < count; i++) list.push(b.u(width));
  const near = b.flag(), guide = b.u(2);
  if (guide === 3) b.fail("a guide that is reserved");
  const order = b.u(4), orderPartly = terrain ? b.u(4) : 0;
  const d = guide === 1 ? edge : edge * edge;

  const total = edge ** 3, plane = edge * edge;
  const cells = new Uint16Array(total);
  let p = 0, last = -1, beforeLast = -1;
  let ahead = 0; // the first index above p - d where a run may begin
  while (p < total) {
    let cell = -1;
    if (near) {
      const below = p >= plane ? cells[p - plane]! : -1, north = p >= edge ? cells[p - edge]! : -1;
      if (below >= 0 && below !== last && b.flag()) cell = below;
      if (cell < 0 && north >= 0 && north !== last && north !== below && b.flag()) cell = north;
      if (cell < 0 && beforeLast >= 0 && beforeLast !== last && beforeLast !== below && beforeLast !== north && b.flag()) cell = beforeLast;
    }
    if (cell < 0) {
      let symbol: number;
      if (!listed) symbol = b.u(width);
      else if (last < 0 || partly(last)) symbol = list[b.place(list.length)]!;
      else {
        if (list.length < 2) b.fail("a second run of one symbol");
        const was = terrain ? (last >> 8) * 2 : last;
        let i = b.place(list.length - 1);
        const gap = list.indexOf(was);
        if (gap >= 0 && i >= gap) i++;
        symbol = list[i]!;
      }
      cell = whole(symbol);
    }
    let end = -1;
    if (guide && p >= d) {
      if (ahead <= p - d) ahead = p - d + 1;
      while (ahead < p && cells[ahead] === cells[ahead - 1]) ahead++;
      if (b.flag()) end = Math.min(ahead + d, total);
    }
    if (end < 0) end = p + 1 + b.golomb(partly(cell) ? orderPartly : order);
    if (end > total) b.fail("a run beyond the last cell");
    cells.fill(cell, p, end);
    p = end;
    beforeLast = last;
    last = cell;
  }
  return [cells, start + b.finish()];
}
