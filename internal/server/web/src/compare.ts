// Compares two versions: how many cells, objects and columns differ, and where.

import { address, answered, gaveUp, json, words, type Commit } from "./api";
import { el, fill, type Child } from "./dom";
import { scaleOf } from "./parts";
import { count, many, time } from "./text";
import type { Timeline } from "./timeline";
import type { View } from "./view";

interface Difference {
  cells: number;
  volumes: Record<string, number> | null;
  objects: number;
  columns: number;
  properties: number;
  files: number;
  first: string[] | null;
  blocks?: { name: string; shown?: string; added: number; removed: number }[] | null;
}

/** Returns the part of a world's page that compares the selected version with another. */
export function compare(v: View, timeline: Timeline): { node: HTMLElement; moved: () => void } {
  const other = el("select", { id: "other" });
  const result = el("div", { class: "comparison", role: "status" });
  const title = el("span");
  const go = el("button", { type: "submit" }, "Compare");
  let running = new AbortController();
  const form = el("form", { class: "row", onsubmit: (e: Event) => (e.preventDefault(), void run()) }, el("label", { for: "other" }, title), other, go);
  const node = el("section", { class: "card", "aria-label": "Comparison", hidden: true }, el("h2", null, "Compare"), form, result);

  const moved = (): void => {
    running.abort();
    const { selected, commits } = timeline;
    node.hidden = commits.length < 2;
    title.textContent = `Version ${selected?.number ?? ""} with`;
    const i = commits.indexOf(selected as Commit);
    const near = commits.slice(Math.max(0, i - 100), i + 101).filter((c) => c !== selected);
    fill(other, [...near].reverse().map((c) => el("option", { value: c.id }, `version ${c.number}, ${time(c.time)}${c.message ? ", " + c.message.slice(0, 60) : ""}`)));
    other.value = (commits[i - 1] ?? commits[i + 1])?.id ?? "";
    fill(result);
  };

  const run = async (): Promise<void> => {
    const b = timeline.selected;
    const a = timeline.commits.find((c) => c.id === other.value);
    if (!a || !b) return;
    const [from, to] = a.number < b.number ? [a, b] : [b, a];
    running.abort();
    running = new AbortController();
    const signal = AbortSignal.any([running.signal, v.signal]);
    fill(result, el("progress", { "aria-label": "Comparing" }));
    try {
      const d = await json<Difference>("/v1/diff/" + v.name, { query: { a: from.id, b: to.id }, signal });
      const map = el("div");
      fill(result, show(from, to, d, map));
      if (d.cells > 0) fill(map, await where(v, from, to, signal));
    } catch (e) {
      if (!signal.aborted && !gaveUp(e)) fill(result, el("p", { class: "bad", role: "alert" }, words(e, "compare these versions")));
    }
  };
  return { node, moved };
}

function show(from: Commit, to: Commit, d: Difference, map: HTMLElement): Child {
  const title = el("h3", null, `From version ${from.number} to version ${to.number}`);
  if (d.cells + d.objects + d.columns + d.properties + d.files === 0) return [title, el("p", null, "Nothing differs.")];
  const tile = (n: number, what: string, more = what + "s"): Child => n > 0 && el("div", { class: "tile" }, el("strong", null, count(n)), el("span", null, n === 1 ? what : more));
  return [
    title,
    el("div", { class: "tiles" }, tile(d.cells, "cell"), tile(d.objects, "object"), tile(d.columns, "column"), tile(d.properties, "property", "properties"), tile(d.files, "file")),
    el("div", { class: "split even" }, el("div", null, volumes(d), blocks(d.blocks ?? [])), map),
    (d.first ?? []).length > 0 && el("details", null, el("summary", null, `The first ${many(d.first!.length, "difference")}`), el("ul", { class: "mono" }, d.first!.map((line) => el("li", null, line)))),
  ];
}

/** Shows how many cells differ in each volume. */
function volumes(d: Difference): Child {
  const all = Object.entries(d.volumes ?? {}).filter(([, n]) => n > 0);
  return all.length > 1 && el("p", { class: "muted" }, "Cells: ", all.map(([name, n], i) => [i > 0 && ", ", `${count(n)} ${name}`]), ".");
}

/** Shows the name of a block; the game's own prefix steps back. */
function blockName(name: string): Child {
  const m = /^([a-z0-9_.-]+:)([\s\S]*)$/.exec(name);
  return m ? [el("span", { class: "folder" }, m[1]!), m[2]!] : name;
}

const shownBlocks = 40;

/** Shows by name what came and what went, most first. */
function blocks(all: { name: string; shown?: string; added: number; removed: number }[]): Child {
  if (all.length === 0) return null;
  const sorted = [...all].sort((a, b) => b.added + b.removed - a.added - a.removed);
  const most = Math.max(...sorted.map((b) => Math.max(b.added, b.removed)));
  const bar = (n: number, kind: string): Child => {
    const i = el("i", { class: kind });
    i.style.width = `${n ? Math.max(1.5, (100 * n) / most) : 0}%`;
    return i;
  };
  const row = (b: (typeof all)[number]): Child =>
    el("tr", null, el("th", { scope: "row" }, blockName(b.shown ?? b.name)), el("td", { class: "num gone" }, b.removed ? "\u2212" + count(b.removed) : ""), el("td", { class: "num come" }, b.added ? "+" + count(b.added) : ""), el("td", { class: "barcell", "aria-hidden": "true" }, bar(b.removed, "gone"), bar(b.added, "come")));
  return el(
    "table",
    { class: "bartable" },
    el("caption", { class: "hidden" }, "Counts by block"),
    el("thead", null, el("tr", null, el("th", { scope: "col" }, "Block"), el("th", { scope: "col", class: "num" }, "Gone"), el("th", { scope: "col", class: "num" }, "New"), el("th", { "aria-hidden": "true" }))),
    el("tbody", null, sorted.slice(0, shownBlocks).map(row)),
    sorted.length > shownBlocks && el("tfoot", null, el("tr", null, el("td", { colSpan: 4, class: "muted" }, `and ${many(sorted.length - shownBlocks, "more name")}`))),
  );
}

/** Shows the map of differences of one dimension, with a choice of dimensions. */
async function where(v: View, from: Commit, to: Commit, signal: AbortSignal): Promise<Child> {
  const box = el("div", { class: "diffbox" });
  const draw = async (dimension: string): Promise<void> => {
    const answer = await answered(address("/v1/diffmap/" + v.name, { a: from.id, b: to.id, dimension, size: 768 }), signal);
    const img = el("img", { alt: "Map of what differs", class: "diffmap" });
    img.src = URL.createObjectURL(await answer.blob());
    await img.decode();
    URL.revokeObjectURL(img.src);
    const [, west, east] = /^(-?\d+),.*\.\.(-?\d+),/.exec(answer.headers.get("Cairn-Box") ?? "") ?? [];
    fill(box, img, west !== undefined && scaleOf(img, img.naturalWidth / (Number(east) - Number(west) + 1), signal));
  };
  try {
    const { dimension, dimensions } = await json<{ dimension: string; dimensions: string[] }>("/v1/map/" + v.name, { query: { at: to.id }, signal });
    await draw(dimension);
    const choice = el("select", { "aria-label": "Dimension of the map" }, dimensions.map((d) => el("option", { value: d, selected: d === dimension }, d)));
    const fail = (e: unknown): void => {
      if (!gaveUp(e)) fill(box, el("p", { class: "bad", role: "alert" }, words(e, "compare these versions")));
    };
    choice.addEventListener("change", () => void draw(choice.value).catch(fail));
    const colour = (kind: string, text: string): Child => el("li", null, el("i", { class: kind }), text);
    return el("figure", { class: "figure" }, dimensions.length > 1 && choice, box, el("ul", { class: "legend colours" }, colour("come", "new"), colour("gone", "gone"), colour("other", "replaced")));
  } catch (e) {
    if (signal.aborted || gaveUp(e)) throw e;
    return null;
  }
}
