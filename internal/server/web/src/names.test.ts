import assert from "node:assert/strict";
import { test } from "node:test";
import { freeName, isSnapshot, nameFault, nameOf, prefixesFor, shown } from "./names";

test("names are made of file names", () => {
  for (const [file, want] of [
    ["My Wörld (1)", "my-world-1"],
    ["saves/Hub.tar.gz", "hub"],
    ["r.0.0.mca", "r.0.0"],
    ["..", "world"],
    ["<script>alert(1)</script>", "script"],
    ['"><img src=x>', "img-src-x"],
    ["世界", "world"],
    ["a".repeat(100), "a".repeat(64)],
  ]) {
    assert.equal(nameOf(file!), want);
    assert.equal(nameFault(nameOf(file!)), "");
  }
});

test("escaped names are shown as they were", () => {
  for (const [name, want] of [
    ["hub", "hub"],
    ["my_world-1.18", "my_world-1.18"],
    ["-.hub", "Hub"],
    ["old/-.sky.wars.20.map.201", "old/SkyWars Map 1"],
    ["-.gr.8f6-.8df-e", "Größe"],
    ["-a.9ffb", "a\uFFFDb"],
    ["-x", "-x"],
    ["-.world.-0123", "-.world.-0123"],
    ["-.8110000-", "-.8110000-"],
  ])
    assert.equal(shown(name!), want);
});

test("what is wrong with a name is said", () => {
  for (const bad of ["", "a//b", "/a", "a/", "A", "a b", "..", "a/../b", "a".repeat(65), "1/2/3/4/5/6/7/8/9", "ä", "<b>"]) assert.notEqual(nameFault(bad), "", bad);
  for (const good of ["a", "a/b.c_d-e", "1/2/3/4/5/6/7/8"]) assert.equal(nameFault(good), "", good);
});

test("a taken name gets a number", async () => {
  const taken = new Set(["x/a", "x/a-2"]);
  assert.equal(await freeName("x/a", async (n) => taken.has(n)), "x/a-3");
  const long = await freeName("x/" + "b".repeat(64), async (n) => n.length === 66 && !n.endsWith("-2"));
  assert.equal(nameFault(long), "");
});

test("a token with prefixes asks for its own names only", () => {
  const who = { role: "read" as const, prefixes: ["b", "a/x"], note: "" };
  assert.deepEqual(prefixesFor(null, "q"), ["q"]);
  assert.deepEqual(prefixesFor({ ...who, prefixes: null }, ""), [""]);
  assert.deepEqual(prefixesFor(who, ""), ["a/x", "b"]);
  assert.deepEqual(prefixesFor(who, "a"), ["a/x"]);
  assert.deepEqual(prefixesFor(who, "b/c"), ["b/c"]);
  assert.deepEqual(prefixesFor(who, "bc"), []);
});

test("named snapshots are no worlds of the list", () => {
  assert.ok(isSnapshot("a/.snapshots/b"));
  assert.ok(!isSnapshot("a/snapshots/b"));
});
