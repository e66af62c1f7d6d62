// What the user dropped or chose: which worlds it contains, as files with paths.

import type { Packed } from "./zip";

/** A world that was found among dropped files. */
export interface Found {
  /** What the user calls it: the name of its folder or file. */
  title: string;
  files: Packed[];
  bytes: number;
  /** The file itself, if it needs no packing. */
  whole?: File;
}

/** Lists the files of a drop, with their paths. Folders are read to their leaves. */
export async function dropped(data: DataTransfer): Promise<Packed[]> {
  const entries = [...data.items].map((i) => i.webkitGetAsEntry?.() ?? null); // before the first await: later the list is empty
  const loose = [...data.files];
  const out: Packed[] = [];
  for (const e of entries) if (e) await walk(e, out);
  return entries.some(Boolean) ? out : loose.map((file) => ({ path: file.name, file }));
}

const maxFiles = 60000;

async function walk(e: FileSystemEntry, out: Packed[]): Promise<void> {
  if (e.isFile) {
    const file = await new Promise<File>((ok, no) => (e as FileSystemFileEntry).file(ok, no));
    out.push({ path: e.fullPath.replace(/^\//, ""), file });
    if (out.length > maxFiles) throw new Error(`this folder has more than ${maxFiles} files: choose a smaller one`);
    return;
  }
  const reader = (e as FileSystemDirectoryEntry).createReader();
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((ok, no) => reader.readEntries(ok, no)); // at most 100 at a time
    if (some.length === 0) return;
    for (const child of some) await walk(child, out);
  }
}

/** Lists the files of an input. */
export function chosen(files: FileList): Packed[] {
  return [...files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
}

const whole = /\.(zip|tar|tar\.gz|tgz|cairn|slime|polar|schem|schematic|litematic|vox|nbt|prefab\.json)$/i;
/** Files of worlds that no cairn reads. */
const foreign: [RegExp, string][] = [
  [/\.mcworld$/i, "a world of Bedrock Edition"],
  [/\.mcstructure$/i, "a structure of Bedrock Edition"],
  [/\.bp$/i, "a blueprint of Axiom"],
  [/\.(rar|7z)$/i, "an archive that has to be unpacked"],
];

/** Says what a file is that looks like a world and is none that can be read; "" if it is not one of these. */
export const foreignKind = (path: string): string => foreign.find(([ends]) => ends.test(path))?.[1] ?? "";

const region = /(^|\/)(r\.-?\d+\.-?\d+\.(mca|mcr|linear|b_linear)|c\.-?\d+\.-?\d+\.mcc)$/;
/** The folder of a world, then the folders below it that region files lie in. */
const inRegions = /^(.*?\/)??(?:DIM-?\d+\/|dimensions\/[^/]+\/[^/]+\/)?(?:region|entities|poi)\/[^/]+$/;
/** A region file of Hytale below the folder of a save, a world or an instance. */
const ofHytale = /^(.*?\/)??(?:universe\/worlds\/[^/]+\/)?chunks\/-?\d+\.-?\d+\.region\.bin$/;
const useless = /(^|\/)(session\.lock|\.DS_Store|Thumbs\.db|desktop\.ini)$/i;
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);

/** Finds the worlds among files: folders with a level.dat, folders of region files, and files that are worlds. */
export function findWorlds(files: Packed[]): { worlds: Found[]; rest: string[] } {
  files = files.filter((f) => !useless.test(f.path));
  const levels = [...new Set(files.flatMap((f) => (/(^|\/)level\.dat(_old)?$/.test(f.path) ? folderOf(f.path) : ofHytale.test(f.path) ? (ofHytale.exec(f.path)![1] ?? "") : [])))].sort((a, b) => a.length - b.length);
  const roots = levels.filter((d, i) => !levels.slice(0, i).some((up) => d.startsWith(up)));
  // A server keeps the nether and the end of a world in folders beside it: they go with it, as they lie.
  const server = (d: string): string => d.replace(/_(nether|the_end)\/$/, "/");
  const joined = (d: string): boolean => roots.some((r) => r !== d && server(r) === server(d)) && roots.includes(server(d));
  const found = new Map<string, Found>();
  const rest: string[] = [];
  const put = (key: string, title: string, path: string, file: Blob): void => {
    const f = found.get(key) ?? { title, files: [], bytes: 0 };
    f.files.push({ path, file });
    f.bytes += file.size;
    found.set(key, f);
  };
  for (const { path, file } of files) {
    const root = roots.find((d) => path.startsWith(d));
    if (root !== undefined) {
      const world = joined(root) ? server(root) : root;
      const from = joined(root) ? folderOf(world.slice(0, -1)) : root;
      put("folder " + world, world.replace(/\/$/, "").split("/").pop() || "world", path.slice(from.length), file);
    } else if (region.test(path)) {
      const m = inRegions.exec(path);
      const part = m ? (m[1] ?? "") : folderOf(path);
      put("part " + part, part.replace(/\/$/, "").split("/").pop() || "region", m ? path.slice(part.length) : "region/" + path.slice(part.length), file);
    } else if (whole.test(path)) {
      found.set("file " + path, { title: path.split("/").pop()!, files: [{ path, file }], bytes: file.size, whole: file as File });
    } else {
      rest.push(path);
    }
  }
  return { worlds: [...found.values()], rest };
}
