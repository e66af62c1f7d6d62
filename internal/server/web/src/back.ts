// Bring this back: the commands that put a box of an older version into a server's folder, and the box
// as a schematic for a server that runs.

import { el, type Child } from "./dom.ts";
import { count } from "./text.ts";

/** A block's place: x, y and z. */
export type Place = readonly [number, number, number];

/** Returns the text of the box that has two blocks at its corners. */
export function boxText(a: Place, b: Place): string {
  const low = a.map((v, i) => Math.min(v, b[i]!)), high = a.map((v, i) => Math.max(v, b[i]!));
  return `${low.join()}..${high.join()}`;
}

/** Returns an argument as a shell takes it. */
export const quoted = (arg: string): string => (/^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", `'\\''`)}'`);

/** Returns the commands that bring a box, or a file, of a version back. */
export function commands(name: string, version: string, what: { box: string; dimension: string; first: boolean } | { file: string }): { put: string; schematic: string } {
  const from = quoted(`@${name}${version && "@" + version}`);
  if ("file" in what) return { put: `cairn put ${from} --file ${quoted(what.file)} FOLDER`, schematic: "" };
  const of = (what.first ? "" : ` --dimension ${quoted(what.dimension)}`) + ` --region ${quoted("box:" + what.box)}`;
  return { put: `cairn put ${from}${of} FOLDER`, schematic: `cairn export ${from} piece.schem${of}` };
}

/** Returns how to bring a box of a version back. tell says to people what a click did, and download loads the box as a schematic. */
export function bringBack(name: string, version: string, dimension: string, first: boolean, a: Place, b: Place, tell: (text: string) => void, download: (box: string) => void): Child {
  const box = boxText(a, b);
  const { put, schematic } = commands(name, version, { box, dimension, first });
  const size = a.map((v, i) => Math.abs(v - b[i]!) + 1);
  const line = (command: string) =>
    el("p", { class: "command" }, el("code", null, command), el("button", { type: "button", class: "quiet small", onclick: () => void navigator.clipboard?.writeText(command).then(() => tell("The command is copied"), () => tell("Mark the command and copy it")) }, "Copy"));
  return [
    el("p", null, size.map(count).join(" × "), " blocks"),
    el("p", { class: "muted" }, "Into the folder of a server that is stopped:"), line(put),
    el("p", { class: "muted" }, "For a server that runs, as a schematic to paste:"), line(schematic),
    el("p", null, el("button", { type: "button", onclick: () => download(box) }, "Download the schematic")),
  ];
}
