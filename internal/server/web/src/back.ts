// Bring this back: the commands that put a box or a player of an older version into a server's folder, the button
// that does it where the server knows the folder, and the box as a schematic for a server that runs.

import { json, words, type Commit } from "./api.ts";
import { el, fill, type Child } from "./dom.ts";
import { many, count } from "./text.ts";

/** A block's place: x, y and z. */
export type Place = readonly [number, number, number];

/** What is brought back: a box of a dimension, or a file of the world. */
export type What = { box: string; dimension: string; first: boolean } | { file: string };

/** Where it comes from, and who wants it. */
export interface From {
  name: string;
  version: string;
  /** The server watches the folder of the world, and the viewer may write the world. */
  folder: boolean;
  signal: AbortSignal;
  /** Says to people what a click did. */
  tell(text: string): void;
}

/** Returns the text of the box that has two blocks at its corners. */
export function boxText(a: Place, b: Place): string {
  const low = a.map((v, i) => Math.min(v, b[i]!)), high = a.map((v, i) => Math.max(v, b[i]!));
  return `${low.join()}..${high.join()}`;
}

/** Returns an argument as a shell takes it. */
export const quoted = (arg: string): string => (/^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", `'\\''`)}'`);

/** Returns the commands that bring a box, or a file, of a version back. */
export function commands(name: string, version: string, what: What): { put: string; schematic: string } {
  const from = quoted(`@${name}${version && "@" + version}`);
  if ("file" in what) return { put: `cairn put ${from} FOLDER --file ${quoted(what.file)}`, schematic: "" };
  const of = (what.first ? "" : ` --dimension ${quoted(what.dimension)}`) + ` --region ${quoted("box:" + what.box)}`;
  return { put: `cairn put ${from}${of} FOLDER`, schematic: `cairn export ${from} piece.schem${of}` };
}

/** Returns how to bring a box of a version back. download loads the box as a schematic. */
export function bringBack(from: From, dimension: string, first: boolean, a: Place, b: Place, download: (box: string) => void): Child {
  const box = boxText(a, b), what = { box, dimension, first };
  const size = a.map((v, i) => Math.abs(v - b[i]!) + 1);
  return [
    el("p", null, size.map(count).join(" × "), " blocks"),
    into(from, what),
    el("p", { class: "muted" }, "For a server that runs, as a schematic to paste:"), line(from, commands(from.name, from.version, what).schematic),
    el("p", null, el("button", { type: "button", onclick: () => download(box) }, "Download the schematic")),
  ];
}

interface Player {
  id: string;
  name: string;
  file: string;
}

/** Returns how to bring a player of a version back, null if it has no players. kept is the file of the player that was chosen before. */
export async function bringPlayerBack(from: From, kept: { file: string }): Promise<Child> {
  const { players } = await json<{ players: Player[] }>("/v1/players/" + from.name, { query: { at: from.version }, signal: from.signal });
  if (players.length === 0) return null;
  const text = (p: Player) => (p.name ? `${p.name} (${p.id})` : p.id);
  players.sort((a, b) => text(a).localeCompare(text(b)));
  const choice = el("select", { "aria-label": "Player" }, players.map((p) => el("option", { value: p.file }, text(p))));
  const how = el("div");
  const show = () => fill(how, into(from, { file: (kept.file = choice.value) }));
  choice.addEventListener("change", show);
  if (players.some((p) => p.file === kept.file)) choice.value = kept.file;
  show();
  return [el("p", null, choice), how];
}

/** Returns a command with a button that copies it. */
const line = (from: From, command: string): Child =>
  el("p", { class: "command" }, el("code", null, command), el("button", { type: "button", class: "quiet small", onclick: () => void navigator.clipboard?.writeText(command).then(() => from.tell("The command is copied"), () => from.tell("Mark the command and copy it")) }, "Copy"));

/** Returns how something comes into the folder of a server: the command, and for who may a button. */
const into = (from: From, what: What): Child => [
  el("p", { class: "muted" }, "Into the folder of a server that is stopped:"), line(from, commands(from.name, from.version, what).put), from.folder && putter(from, what),
];

/** The answer of POST /v1/put. */
export interface Put {
  chunks: number;
  left: number;
  cells: number;
  objects: number;
  file: { same: boolean; was: number } | null;
  before: Commit | null;
}

/** Says what a put replaces, "" for nothing. */
export function replaces(p: Put): string {
  const left = p.left ? ` ${many(p.left, "chunk")} that this version lacks would stay.` : "";
  if (p.file) return p.file.same ? "" : p.file.was < 0 ? "The folder does not have this player: this adds the file." : "This replaces the player's file.";
  return p.chunks ? `This replaces ${many(p.chunks, "chunk")}, in which ${many(p.cells, "cell")} and ${many(p.objects, "object")} differ.${left}` : "";
}

/** Returns the button that puts something into the server's folder. The first press says what that replaces, the second does it. */
function putter(from: From, what: What): Child {
  const said = el("p", { role: "status" });
  const first = "Put it into the folder…";
  let sure = false;
  const press = async (): Promise<void> => {
    const now = sure;
    sure = false;
    go.disabled = true;
    try {
      const body = "file" in what ? what : { dimension: what.dimension, region: "box:" + what.box };
      const done = await json<Put>("/v1/put/" + from.name, { method: "POST", json: { at: from.version, ...body, dry_run: !now }, signal: from.signal });
      sure = !now && replaces(done) !== "";
      said.textContent = !now ? replaces(done) || "Nothing differs: the folder has this already." : `Done. Version ${done.before?.number ?? "?"} has what was there before.`;
    } catch (e) {
      said.textContent = words(e, "write the folder of this world");
    }
    go.disabled = false;
    go.textContent = sure ? "Replace it now" : first;
    go.classList.toggle("danger", sure);
    go.focus({ preventScroll: true });
  };
  const go = el("button", { type: "button", onclick: () => void press() }, first);
  return [said, el("p", null, go)];
}
