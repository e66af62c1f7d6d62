// Calls the API of the same server and says in words what went wrong.

/** Refused is the answer of the server to a call that it did not do. */
export class Refused extends Error {
  constructor(readonly status: number, readonly code: string, message: string, readonly path: string) {
    super(message);
  }
}

export interface Commit {
  id: string;
  parent: string;
  base: string;
  number: number;
  time: string;
  author: string;
  message: string;
  stones: { id: string; size: number }[] | null;
}

export interface Lease {
  fence: number;
  holder: string;
  until: string;
}

export interface Facts {
  name: string;
  commit: Commit | null;
  fence: number;
  lease: Lease | null;
  /** The server watches the folder of a game whose history the world is. */
  folder: boolean;
  stones: number;
  bytes: number;
  /** Where players begin. */
  spawn: { dimension: string; at: [number, number, number]; yaw: number } | null;
  properties: { key: string; value: string }[];
  dimensions: Dimension[];
}

export interface Dimension {
  name: string;
  volumes: Volume[];
  columns?: number;
}

export interface Volume {
  name: string;
  schema: string;
  scale: number;
  names: number;
}

export interface Who {
  role: "read" | "write" | "admin";
  prefixes: string[] | null;
  note: string;
  /** Of a token that may look at a part of one world and do nothing else. */
  dimension?: string;
  box?: unknown;
}

/** Returns the world that a token is bound to a part of, or "". */
export const boundTo = (who: Who | null): string => (who?.box ? (who.prefixes?.[0] ?? "") : "");

export interface Call {
  method?: string;
  query?: Record<string, string | number | undefined>;
  json?: unknown;
  body?: Blob;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Returns a path with a query; parameters that are undefined or "" are left out. */
export function address(path: string, query: Call["query"] = {}): string {
  const q = new URLSearchParams();
  for (const [k, v] of Object.entries(query)) if (v !== undefined && v !== "") q.set(k, String(v));
  const text = q.toString();
  return text ? path + "?" + text : path;
}

/** Calls the server and returns its answer. It throws Refused if the server refuses. */
export async function call(path: string, c: Call = {}): Promise<Response> {
  const headers: Record<string, string> = { ...c.headers };
  if (c.json !== undefined) headers["Content-Type"] = "application/json";
  if (c.body) headers["Content-Type"] = "application/octet-stream";
  const r = await fetch(address(path, c.query), {
    method: c.method ?? "GET",
    headers,
    body: c.json === undefined ? c.body : JSON.stringify(c.json),
    signal: c.signal,
    credentials: "same-origin",
  });
  if (!r.ok) throw await refusal(r, path);
  return r;
}

/** Calls the server and returns the JSON of its answer. */
export async function json<T>(path: string, c: Call = {}): Promise<T> {
  return (await (await call(path, c)).json()) as T;
}

async function refusal(r: Response, path: string): Promise<Refused> {
  return refusedBy(r.status, await r.text().catch(() => ""), path);
}

/** Makes a Refused of the status and the body of an answer. */
export function refusedBy(status: number, body: string, path: string): Refused {
  try {
    const e = (JSON.parse(body) as { error?: { code?: unknown; message?: unknown } }).error;
    if (typeof e?.code === "string") return new Refused(status, e.code, String(e.message ?? ""), path);
  } catch {
    // Not an answer of the API: a proxy, for example.
  }
  return new Refused(status, "", `the answer was ${status}`, path);
}

/** Reports whether an error only says that the page itself gave a call up. */
export const gaveUp = (e: unknown): boolean => e instanceof DOMException && e.name === "AbortError";

const explained: Record<string, string> = {
  no_world: "There is no world of this name.",
  no_commit: "There is no such version.",
  no_route: "This server does not offer that.",
  exists: "A world of this name exists already.",
  in_use: "The game runs and has the world open. Stop it first.",
  conflict: "Somebody saved the world in the meantime. Open it again and repeat what you did.",
  fenced: "Somebody else has taken over the lease of this world.",
  leased: "Somebody else is working on this world and holds its lease. Try again when the lease has ended.",
  gone: "This was deleted.",
  bad_name: "A name consists of a-z, 0-9, dot, dash and underscore, in up to eight parts with a slash between them.",
  corrupt: "The data is damaged.",
  unsupported: "The world cannot be written in this format.",
  too_large: "This is larger than the server allows.",
  busy: "The server is busy. Try again in a moment.",
  draining: "The server is shutting down.",
  full: "The server's disk is full.",
  timeout: "The server took too long.",
  internal: "The server failed. Its log says why.",
};

/** Says in words why a call failed. doing completes "You may not ...". */
export function words(e: unknown, doing = "do this"): string {
  if (e instanceof Refused) {
    switch (e.code) {
      case "unauthorized":
        return `You may not ${doing}: you are not logged in.`;
      case "forbidden":
        return `You may not ${doing}: ${sentence(e.message || "your token does not allow it")}`;
    }
    const known = e.code === "unsupported" && e.path.startsWith("/v1/put/") ? "" : e.code === "unsupported" && /^\/v1\/(import|savings)/.test(e.path) ? "The server does not know this kind of file." : explained[e.code];
    const said = e.message ? sentence(e.message) : "";
    if (!known) return said ? capital(said) : `The server answered ${e.status}.`;
    return ["corrupt", "unsupported", "too_large"].includes(e.code) && said ? `${known} ${capital(said)}` : known;
  }
  if (e instanceof TypeError) return "The server does not answer. Is it running?";
  return e instanceof Error ? capital(sentence(e.message)) : String(e);
}

const sentence = (s: string): string => (/[.!?]$/.test(s) ? s : s + ".");
export const capital = (s: string): string => s.charAt(0).toUpperCase() + s.slice(1);

/** Waits, or rejects when the signal is given. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const t = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(t);
      reject(new DOMException("given up", "AbortError"));
    });
  });
}

/** Lanes runs at most so many jobs at a time, in the order in which they came. */
export class Lanes {
  private busy = 0;
  private waiting: (() => void)[] = [];
  constructor(private readonly most: number) {}

  /** Runs job when its turn comes; one whose signal was given meanwhile does not begin. */
  async run<T>(job: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.busy >= this.most) await new Promise<void>((go) => this.waiting.push(go));
    else this.busy++;
    try {
      signal?.throwIfAborted();
      return await job();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.busy--;
    }
  }
}

/** Gets bytes for a picture. */
export const picture = async (path: string, signal: AbortSignal): Promise<Blob> => (await answered(path, signal)).blob();

/** Gets the answer with a picture. A busy server is asked again a few times. */
export async function answered(path: string, signal: AbortSignal): Promise<Response> {
  for (let tries = 0; ; tries++) {
    try {
      return await call(path, { signal });
    } catch (e) {
      if (!(e instanceof Refused) || e.code !== "busy" || tries >= 4) throw e;
      await pause(500 * 2 ** tries, signal);
    }
  }
}
