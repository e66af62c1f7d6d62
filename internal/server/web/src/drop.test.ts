import assert from "node:assert/strict";
import { test } from "node:test";
import { findWorlds, foreignKind } from "./drop";

const files = (...paths: string[]) => paths.map((path) => ({ path, file: new Blob([path]) }));
const found = (...paths: string[]): string[] => findWorlds(files(...paths)).worlds.map((w) => `${w.title}: ${w.files.map((f) => f.path).join(" ")}`);

test("a folder with a level.dat is a world", () => {
  assert.deepEqual(found("w/level.dat", "w/region/r.0.0.mca", "w/session.lock", "w/data/x.dat"), ["w: level.dat region/r.0.0.mca data/x.dat"]);
  assert.deepEqual(found("level.dat", "region/r.0.0.mca"), ["world: level.dat region/r.0.0.mca"]);
});

test("a folder may hold many worlds, and a world's own copies stay in it", () => {
  assert.deepEqual(found("saves/a/level.dat", "saves/b/level.dat", "saves/a/old/level.dat"), ["a: level.dat old/level.dat", "b: level.dat"]);
});

test("the nether and the end of a server go with their world", () => {
  assert.deepEqual(found("s/world/level.dat", "s/world/region/r.0.0.mca", "s/world_nether/level.dat", "s/world_nether/DIM-1/region/r.0.0.mca", "s/arena/level.dat"), ["world: world/level.dat world/region/r.0.0.mca world_nether/level.dat world_nether/DIM-1/region/r.0.0.mca", "arena: level.dat"]);
  assert.deepEqual(found("world/level.dat", "world_the_end/level.dat"), ["world: world/level.dat world_the_end/level.dat"]);
  assert.deepEqual(found("a_nether/level.dat"), ["a_nether: level.dat"]);
});

test("a copy of a lost level.dat is enough", () => {
  assert.deepEqual(found("w/level.dat_old", "w/region/r.0.0.mca"), ["w: level.dat_old region/r.0.0.mca"]);
});

test("files of other programs are named", () => {
  assert.deepEqual(findWorlds(files("a.bp", "b.mcworld")).worlds, []);
  assert.equal(foreignKind("x/A.BP"), "a blueprint of Axiom");
  assert.equal(foreignKind("readme.txt"), "");
});

test("region files alone are a part of a world", () => {
  assert.deepEqual(found("r.0.0.mca", "r.-1.2.mca"), ["region: region/r.0.0.mca region/r.-1.2.mca"]);
  assert.deepEqual(found("region/r.0.0.mca"), ["region: region/r.0.0.mca"]);
  assert.deepEqual(found("hub/region/r.0.0.mca", "hub/entities/r.0.0.mca"), ["hub: region/r.0.0.mca entities/r.0.0.mca"]);
  assert.deepEqual(found("hub/r.0.0.mca"), ["hub: region/r.0.0.mca"]);
  assert.deepEqual(found("hub/region/r.0.0.mca", "hub/DIM-1/region/r.0.0.mca", "hub/dimensions/a/b/region/r.0.0.mca"), ["hub: region/r.0.0.mca DIM-1/region/r.0.0.mca dimensions/a/b/region/r.0.0.mca"]);
  assert.deepEqual(found("all/a/region/r.0.0.mca", "all/b/r.0.0.mca", "all/c/region/r.0.0.mca"), ["a: region/r.0.0.mca", "b: region/r.0.0.mca", "c: region/r.0.0.mca"]);
});

test("files of others are named and are no worlds", () => {
  for (const path of ["x/b.RAR", "c.mcstructure", "d.mcworld"]) {
    assert.equal(findWorlds(files(path)).worlds.length, 0, path);
    assert.notEqual(foreignKind(path), "", path);
  }
  for (const path of ["a.slime", "a.litematic", "a.vox", "b.zip", "litematic", "c.txt"]) assert.equal(foreignKind(path), "", path);
});

test("a save, a world and an instance of Hytale are worlds", () => {
  assert.deepEqual(found("s/config.json", "s/universe/worlds/default/chunks/0.-1.region.bin", "s/mods/a.zip"), ["s: config.json universe/worlds/default/chunks/0.-1.region.bin mods/a.zip"]);
  assert.deepEqual(found("i/instance.bson", "i/chunks/0.0.region.bin", "A.prefab.json"), ["i: instance.bson chunks/0.0.region.bin", "A.prefab.json: A.prefab.json"]);
});

test("files that are worlds stand alone; the rest is named", () => {
  const { worlds, rest } = findWorlds(files("a.slime", "x/b.zip", "readme.txt", ".DS_Store"));
  assert.deepEqual(worlds.map((w) => [w.title, !!w.whole]), [["a.slime", true], ["b.zip", true]]);
  assert.deepEqual(rest, ["readme.txt"]);
});
