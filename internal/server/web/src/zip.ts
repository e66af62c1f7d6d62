// Packs files into a zip without compression. The blobs are not copied: the browser reads them again when
// it sends the zip.

export interface Packed {
  path: string;
  file: Blob;
}

const tables = makeTables();

/** Makes four tables, so that a step takes four bytes. */
function makeTables(): Uint32Array[] {
  const t = [0, 1, 2, 3].map(() => new Uint32Array(256));
  for (let i = 0; i < 256; i++) {
    let c = i;
    for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
    t[0]![i] = c;
  }
  for (let i = 0; i < 256; i++) for (let k = 1; k < 4; k++) t[k]![i] = t[0]![t[k - 1]![i]! & 255]! ^ (t[k - 1]![i]! >>> 8);
  return t;
}

/** Continues a CRC-32 over bytes; the first call takes 0. */
export function crc32(crc: number, b: Uint8Array): number {
  const [t0, t1, t2, t3] = tables as [Uint32Array, Uint32Array, Uint32Array, Uint32Array];
  let c = ~crc;
  let i = 0;
  for (; i + 4 <= b.length; i += 4) {
    c ^= b[i]! | (b[i + 1]! << 8) | (b[i + 2]! << 16) | (b[i + 3]! << 24);
    c = t3[c & 255]! ^ t2[(c >>> 8) & 255]! ^ t1[(c >>> 16) & 255]! ^ t0[c >>> 24]!;
  }
  for (; i < b.length; i++) c = t0[(c ^ b[i]!) & 255]! ^ (c >>> 8);
  return ~c >>> 0;
}

/** The largest sum of sizes that a zip of this kind holds. */
export const maxZip = 0xfffffffe;

/** Packs files; progress hears how many bytes were read. */
export async function zip(files: Packed[], signal: AbortSignal, progress?: (bytes: number) => void): Promise<Blob> {
  const parts: BlobPart[] = [];
  const directory: BlobPart[] = [];
  let at = 0;
  let entries = 0;
  let read = 0;
  for (const { path, file } of files) {
    let crc = 0;
    let size = 0;
    for (const reader = file.stream().getReader(); ; ) {
      signal.throwIfAborted();
      const { done, value } = await reader.read();
      if (done) break;
      crc = crc32(crc, value);
      size += value.length;
      read += value.length;
      progress?.(read);
    }
    const name = new TextEncoder().encode(path);
    if (at + size + name.length + 30 > maxZip || entries === 0xffff || name.length > 0xffff) throw new Error("this is too large to be packed in the page: pack it as a zip or tar file first");
    const head = shared(crc, size, name.length);
    parts.push(record([0x504b0304], head), name, file);
    directory.push(record([0x504b0102, 20], head, at), name);
    at += 30 + name.length + size;
    entries++;
  }
  const length = directory.reduce((n, p) => n + (p as Uint8Array).length, 0);
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x504b0506);
  end.setUint16(8, entries, true);
  end.setUint16(10, entries, true);
  end.setUint32(12, length, true);
  end.setUint32(16, at, true);
  return new Blob([...parts, ...directory, end.buffer], { type: "application/zip" });
}

/** Returns the part that both headers of an entry have. */
function shared(crc: number, size: number, name: number): Uint8Array<ArrayBuffer> {
  const d = new DataView(new ArrayBuffer(26));
  d.setUint16(0, 20, true); // version
  d.setUint16(2, 0x0800, true); // names are UTF-8
  d.setUint16(8, 0x21, true); // the date 1 January 1980
  d.setUint32(10, crc, true);
  d.setUint32(14, size, true);
  d.setUint32(18, size, true);
  d.setUint16(22, name, true);
  return new Uint8Array(d.buffer);
}

/** Returns a local header, or with a second number an entry of the directory for what begins at. */
function record(first: number[], head: Uint8Array, at = 0): Uint8Array<ArrayBuffer> {
  const central = first.length > 1;
  const d = new DataView(new ArrayBuffer(central ? 46 : 30));
  d.setUint32(0, first[0]!);
  if (central) d.setUint16(4, first[1]!, true);
  const out = new Uint8Array(d.buffer);
  out.set(head, central ? 6 : 4);
  if (central) d.setUint32(42, at, true);
  return out;
}
