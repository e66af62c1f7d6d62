// Parts that several pages use: questions, notes, downloads, pictures.

import { address, answered, call, gaveUp, Lanes, pause, words } from "./api";
import { el, fill, type Child } from "./dom";
import { bytes, many } from "./text";
import { round } from "./tiles";

/** Asks the user before something happens. fields may contain inputs; the answer is false if the user declines. */
export function confirm(title: string, body: Child, action: string, danger = false): Promise<boolean> {
  return new Promise((resolve) => {
    const go = el("button", { class: danger ? "danger strong" : "strong", type: "submit" }, action);
    const cancel = el("button", { type: "button", onclick: () => d.close() }, "Cancel");
    let yes = false;
    const d = el(
      "dialog",
      { class: "ask", "aria-label": title, onclose: () => (d.remove(), resolve(yes)) },
      el("form", { method: "dialog", onsubmit: () => (yes = true) }, el("h2", null, title), body, el("div", { class: "row end" }, cancel, go)),
    );
    document.body.append(d);
    d.showModal();
    (d.querySelector<HTMLElement>("input, select") ?? (danger ? cancel : go)).focus();
  });
}

const mostNotes = 5;

/** Notes shows what happened, in words. */
export class Notes {
  readonly node = el("div", { class: "notes", role: "status", "aria-live": "polite" });

  /** Shows a note. It stays until the user closes it. */
  say(kind: "good" | "bad" | "", ...body: Child[]): HTMLElement {
    const n: HTMLElement = el("div", { class: `note closable ${kind}` }, el("div", null, body), el("button", { class: "quiet round small", type: "button", "aria-label": "Close this message", onclick: () => n.remove() }, "×"));
    for (const old of [...this.node.children]) if (n.textContent && old.textContent === n.textContent) old.remove(); // it happened again
    this.node.append(n);
    while (this.node.children.length > mostNotes) this.node.firstElementChild!.remove();
    return n;
  }

  fail(e: unknown, doing: string): void {
    if (!gaveUp(e)) this.say("bad", words(e, doing));
  }

  clear(): void {
    fill(this.node);
  }
}

export const formats: { id: string; ext: string; name: string; about: string }[] = [
  { id: "cairn", ext: ".cairn", name: "cairn", about: "one small file with everything in this version" },
  { id: "anvil", ext: ".zip", name: "Anvil", about: "a zip of a world folder, for the game" },
  { id: "linear", ext: ".zip", name: "Linear", about: "the same with region files in Linear's format" },
  { id: "mcregion", ext: ".zip", name: "McRegion", about: "the same for games before 1.2, of a world that came so" },
  { id: "slime", ext: ".slime", name: "Slime", about: "one dimension in one file, for servers of small worlds" },
  { id: "polar", ext: ".polar", name: "Polar", about: "one dimension in one file, for Minestom" },
  { id: "sponge", ext: ".schem", name: "Sponge schematic", about: "for editors" },
  { id: "mcedit", ext: ".schematic", name: "MCEdit schematic", about: "for old editors" },
  { id: "structure", ext: ".nbt", name: "Structure", about: "for structure blocks of the game" },
  { id: "litematic", ext: ".litematic", name: "Litematica schematic", about: "for the mod Litematica" },
  { id: "vox", ext: ".vox", name: "MagicaVoxel scene", about: "for cells that are named for colours" },
  { id: "maptemplate", ext: ".nbt", name: "Map template", about: "for minigames of Nucleoid" },
  { id: "prefab", ext: ".prefab.json", name: "Prefab", about: "for Hytale" },
];

/** Returns a chooser of formats. */
export function formatChooser(id: string): HTMLSelectElement {
  return el("select", { id }, formats.map((f) => el("option", { value: f.id }, `${f.name} (${f.ext}): ${f.about}`)));
}

/** Downloads a version of a world, the newest for at "", or a box of it as a schematic, and returns what the format cannot hold, by name. */
export async function download(name: string, format: string, at: string, dimension: string, signal: AbortSignal, progress?: (text: string) => void, box = ""): Promise<Record<string, number>> {
  const f = formats.find((f) => f.id === format);
  progress?.("The server writes the file.");
  const r = await call("/v1/export/" + name, { query: { format, at, dimension, box: box || undefined }, signal });
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let got = 0;
  for (const reader = r.body!.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value as Uint8Array<ArrayBuffer>);
    got += value.length;
    progress?.(`Received ${bytes(got)}.`);
  }
  const url = URL.createObjectURL(new Blob(parts));
  el("a", { href: url, download: name.replaceAll("/", "-") + (at ? `-v${at}` : "") + (f?.ext ?? "") }).click();
  await pause(100);
  setTimeout(() => URL.revokeObjectURL(url), 60000);
  try {
    return JSON.parse(r.headers.get("Cairn-Lost") ?? "{}") as Record<string, number>;
  } catch {
    return {};
  }
}

/** Says what a format could not hold, or null. */
export function lostWords(lost: Record<string, number> | null | undefined, what = "Left out"): HTMLElement | null {
  const all = Object.entries(lost ?? {});
  if (all.length === 0) return null;
  return el("details", null, el("summary", null, `${what}: ${all.length} kinds of things`), el("ul", null, all.map(([k, n]) => el("li", null, `${k}: ${n}`))));
}

const pictures = new Lanes(3);

/** Shows the picture of a version in an element, when its turn comes, with a scale if told to. It keeps the old one until then. */
export async function showPicture(box: HTMLElement, name: string, query: Record<string, string | number | undefined>, signal: AbortSignal, scaled = false): Promise<void> {
  try {
    const answer = await pictures.run(() => answered(address("/v1/picture/" + name, { ...query, plain: 1 }), signal), signal);
    const blob = await answer.blob();
    const img = el("img", { alt: "", draggable: false, decoding: "async" });
    img.src = URL.createObjectURL(blob);
    await img.decode();
    if (!signal.aborted) {
      fill(box, img, scaled && scaleOf(img, Number(answer.headers.get("Cairn-Scale")), signal));
      box.classList.remove("none");
    }
    URL.revokeObjectURL(img.src);
  } catch (e) {
    if (signal.aborted || gaveUp(e)) return;
    fill(box, el("span", { class: "muted", title: words(e, "see this world") }, "No picture"));
    box.classList.add("none");
  }
}

/** Returns a scale for a picture in which a block is so many pixels wide, as long as the signal is not given. */
export function scaleOf(img: HTMLImageElement, perBlock: number, signal: AbortSignal): HTMLElement {
  const text = el("span");
  const bar = el("i");
  const node = el("div", { class: "scale", "aria-hidden": "true", hidden: true }, text, bar);
  const size = new ResizeObserver(() => {
    const padding = 2 * parseFloat(getComputedStyle(img).paddingLeft);
    const shown = Math.min((img.clientWidth - padding) / img.naturalWidth, (img.clientHeight - padding) / img.naturalHeight) * perBlock; // pixels of the screen for a block
    node.hidden = !(shown > 0 && shown < 120); // of so small a world one sees the blocks
    if (node.hidden) return;
    const length = round(120 / shown);
    text.textContent = many(length, "block");
    bar.style.width = `${length * shown}px`;
  });
  size.observe(img);
  signal.addEventListener("abort", () => size.disconnect());
  return node;
}
