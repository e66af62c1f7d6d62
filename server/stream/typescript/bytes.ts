// Numbers and texts as bytes: section 1 of stream/FORMAT.md.

/** Bytes that are not what FORMAT.md says. */
export class CorruptError extends Error {
  readonly offset: number;
  readonly part: string;

  /** offset counts from the start of the frame's payload, part is what was being read. */
  constructor(offset: number, part: string, why: string) {
    super(`stream: ${part} at byte ${offset}: ${why}`);
    this.name = "CorruptError";
    this.offset = offset;
    this.part = part;
  }
}

/** Reads the fields of a payload. */
export class Reader {
  at = 0;
  private readonly view: DataView;

  constructor(readonly bytes: Uint8Array, private readonly part: string) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  fail(why: string): never {
    throw new CorruptError(this.at, this.part, why);
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  private take(n: number): number {
    if (n > this.left) this.fail("the bytes end");
    const at = this.at;
    this.at += n;
    return at;
  }

  u8(): number {
    return this.bytes[this.take(1)]!;
  }

  /** Reads a uint of 64 bits. */
  big(): bigint {
    let v = 0n;
    for (let i = 0; ; i++) {
      const b = this.u8();
      if (i === 9 && b > 1) this.fail("a number of more than 64 bits");
      v |= BigInt(b & 127) << BigInt(7 * i);
      if (b < 128) {
        if (b === 0 && i > 0) this.fail("a number with a byte too many");
        return v;
      }
    }
  }

  /** Reads a uint of at most `most`, which is at most 2^53-1. */
  uint(most = Number.MAX_SAFE_INTEGER): number {
    let v = 0, place = 1;
    for (let i = 0; ; i++) {
      const b = this.u8();
      if (i === 8 && b > 15) this.fail("a number is too large");
      v += (b & 127) * place;
      if (b < 128) {
        if (b === 0 && i > 0) this.fail("a number with a byte too many");
        if (v > most) this.fail(`the number ${v} is above ${most}`);
        return v;
      }
      place *= 128;
    }
  }

  sint(): number {
    const v = this.uint();
    return v % 2 ? -(v + 1) / 2 : v / 2;
  }

  u64(): bigint {
    return this.view.getBigUint64(this.take(8), true);
  }

  f32(): number {
    return this.finite(this.view.getFloat32(this.take(4), true));
  }

  f64(): number {
    return this.finite(this.view.getFloat64(this.take(8), true));
  }

  private finite(v: number): number {
    if (!Number.isFinite(v)) this.fail("not a number");
    return v;
  }

  string(most: number): string {
    const n = this.uint(most), at = this.take(n);
    return text.decode(this.bytes.subarray(at, at + n));
  }

  end() {
    if (this.left) this.fail(`${this.left} bytes are left`);
  }
}

const text = new TextDecoder();
const utf8 = new TextEncoder();

/** Writes the fields of a payload. */
export class Writer {
  private bytes = new Uint8Array(64);
  private n = 0;

  private room(n: number): number {
    if (this.n + n > this.bytes.length) {
      const more = new Uint8Array(Math.max(this.n + n, 2 * this.bytes.length));
      more.set(this.bytes.subarray(0, this.n));
      this.bytes = more;
    }
    this.n += n;
    return this.n - n;
  }

  u8(v: number): this {
    const at = this.room(1); // first, for it may replace bytes
    this.bytes[at] = v;
    return this;
  }

  uint(v: number): this {
    for (; v >= 128; v = Math.floor(v / 128)) this.u8((v % 128) | 128);
    return this.u8(v);
  }

  sint(v: number): this {
    return this.uint(v < 0 ? -2 * v - 1 : 2 * v);
  }

  u64(v: bigint): this {
    const at = this.room(8);
    new DataView(this.bytes.buffer).setBigUint64(at, v, true);
    return this;
  }

  f32(v: number): this {
    const at = this.room(4);
    new DataView(this.bytes.buffer).setFloat32(at, v, true);
    return this;
  }

  f64(v: number): this {
    const at = this.room(8);
    new DataView(this.bytes.buffer).setFloat64(at, v, true);
    return this;
  }

  string(s: string): this {
    const b = utf8.encode(s);
    this.uint(b.length);
    return this.raw(b);
  }

  raw(b: Uint8Array): this {
    const at = this.room(b.length);
    this.bytes.set(b, at);
    return this;
  }

  done(): Uint8Array<ArrayBuffer> {
    return this.bytes.slice(0, this.n);
  }
}
