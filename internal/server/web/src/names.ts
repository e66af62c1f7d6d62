// Names of worlds: how one is made of a file's name, and how many are listed.

import { json, type Who } from "./api";

const maxPart = 64;

/** Says what is wrong with a name, or returns "". */
export function nameFault(name: string): string {
  const parts = name.split("/");
  if (name === "") return "A world needs a name.";
  if (parts.length > 8) return "A name has at most eight parts.";
  for (const p of parts) {
    if (p === "") return "A part of the name is empty.";
    if (p === "." || p === "..") return `“${p}” cannot be a part of a name.`;
    if (p.length > maxPart) return `Each part has at most ${maxPart} characters.`;
    const bad = /[^a-z0-9._-]/u.exec(p)?.[0];
    if (bad) return `“${bad}” cannot stand in a name. Use a-z, 0-9, dot, dash and underscore.`;
  }
  return "";
}

/** Returns a name as people know it: parts that begin with a dash are escaped, as store/history/escape.go says. */
export function shown(name: string): string {
  const escape = /\.(?:([a-z])|([0-7][0-9a-f])|8((?:10|[0-9a-f])?[0-9a-f]{1,4})-|9[0-9a-f]{2})/g;
  const text = (part: string): string => part.replace(escape, (_, big, ascii, code) => big?.toUpperCase() ?? (ascii || code ? String.fromCodePoint(parseInt(ascii ?? code, 16)) : "\uFFFD"));
  const escaped = (part: string): boolean => part.startsWith("-") && part.search(escape) > 0 && !part.replace(escape, "").includes(".");
  return name.split("/").map((p) => (escaped(p) ? text(p.slice(1)) : p)).join("/");
}

/** Makes one part of a name of the name of a file or a folder. */
export function nameOf(file: string): string {
  const base = file.split("/").pop() ?? "";
  const plain = base
    .replace(/\.(zip|tar|tar\.gz|tgz|cairn|slime|polar|schem|schematic|nbt|litematic|vox|prefab\.json|mca|mcr)$/i, "")
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[-.]+|[-.]+$/g, "")
    .slice(0, maxPart);
  return plain || "world";
}

/** Returns a name that taken does not report, by a number at its end if needed. */
export async function freeName(name: string, taken: (name: string) => Promise<boolean>): Promise<string> {
  for (let n = 1; n < 100; n++) {
    const tail = n === 1 ? "" : "-" + n;
    const at = name.lastIndexOf("/") + 1;
    const free = name.slice(0, at) + name.slice(at, at + maxPart - tail.length) + tail;
    if (!(await taken(free))) return free;
  }
  return name;
}

/** Reports whether a world exists. The list says it without an error. */
export async function exists(name: string, signal: AbortSignal): Promise<boolean> {
  const { worlds } = await json<{ worlds: string[] }>("/v1/worlds", { query: { prefix: name, n: 1 }, signal });
  return worlds[0] === name;
}

/** Returns the prefixes to ask the server for, so that a token with prefixes sees what begins with prefix. */
export function prefixesFor(who: Who | null, prefix: string): string[] {
  const own = who?.prefixes ?? [];
  if (own.length === 0) return [prefix];
  const inside = own.find((p) => prefix === p || prefix.startsWith(p + "/"));
  if (inside) return [prefix];
  return own.filter((p) => p.startsWith(prefix)).sort();
}

export const isSnapshot = (name: string): boolean => name.includes("/.snapshots/");

/** Lists names page by page; the server is asked for a page only when the caller wants it. */
export async function* listed(prefixes: string[], size: number, signal: AbortSignal): AsyncGenerator<string[]> {
  for (const prefix of prefixes) {
    for (let after = ""; ; ) {
      const page = await json<{ worlds: string[]; more: boolean }>("/v1/worlds", { query: { prefix, after, n: size }, signal });
      yield page.worlds.filter((n) => !isSnapshot(n));
      if (!page.more || page.worlds.length === 0) break;
      after = page.worlds[page.worlds.length - 1]!;
    }
  }
}
