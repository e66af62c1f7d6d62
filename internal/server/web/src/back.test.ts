// The commands that bring something back.

import assert from "node:assert/strict";
import { test } from "node:test";
import { boxText, commands, quoted, replaces } from "./back.ts";

test("the corners of a box stand in any order", () => {
  assert.equal(boxText([3, -1, 20], [-5, 70, 20]), "-5,-1,20..3,70,20");
});

test("arguments are quoted where a shell would read them otherwise", () => {
  assert.equal(quoted("@hub@12"), "@hub@12");
  assert.equal(quoted("@SkyWars Map 1"), "'@SkyWars Map 1'");
  assert.equal(quoted("it's"), "'it'\\''s'");
});

test("commands name the version, the dimension if it is not the first, and the box", () => {
  const box = "0,0,0..15,63,15";
  assert.deepEqual(commands("hub", "7", { box, dimension: "overworld", first: true }), {
    put: "cairn put @hub@7 --region box:0,0,0..15,63,15 FOLDER",
    schematic: "cairn export @hub@7 piece.schem --region box:0,0,0..15,63,15",
  });
  assert.equal(commands("a b", "", { box, dimension: "the_end", first: false }).put, "cairn put '@a b' --dimension the_end --region box:0,0,0..15,63,15 FOLDER");
  assert.equal(commands("hub", "7", { file: "playerdata/x.dat" }).put, "cairn put @hub@7 FOLDER --file playerdata/x.dat");
});

test("a put says what it replaces, and nothing where nothing differs", () => {
  const none = { chunks: 0, left: 0, cells: 0, objects: 0, file: null, before: null };
  assert.equal(replaces(none), "");
  assert.equal(replaces({ ...none, chunks: 12, cells: 3400, objects: 1 }), "This replaces 12 chunks, in which 3\u202f400 cells and 1 object differ.");
  assert.match(replaces({ ...none, chunks: 1, left: 2 }), /2 chunks that this version lacks would stay\.$/);
  assert.equal(replaces({ ...none, file: { same: true, was: 4 } }), "");
  assert.match(replaces({ ...none, file: { same: false, was: -1 } }), /does not have this player/);
  assert.match(replaces({ ...none, file: { same: false, was: 4 } }), /replaces the player/);
});
