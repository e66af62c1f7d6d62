// The 3D page: a world to walk and fly through, with its time line.

import { call, json, Refused, words, type Commit, type Facts } from "../api";
import { el, fill, icon, svg, type Child } from "../dom";
import { bringBack, bringPlayerBack, type From } from "../back";
import { download } from "../parts";
import { ago, bytes, count, many, time } from "../text";
import { may, type Page, type View as PageView } from "../view";
import { Client, webSocket, type Moment, type Welcome } from "../../../../../server/stream/typescript/index.ts";
import { landOf, lookAt, middleOf, standAt } from "./begin.ts";
import { Controls } from "./controls.ts";
import { Loader } from "./load.ts";
import { Scene, skyOf, type Pose } from "./scene.ts";
import { cellAt, type Node } from "./tree.ts";
import { Body, cast, eyes, Walker } from "./walk.ts";

/** Facts about the page for those who drive it. */
export interface State {
  frames: number;
  cubes: number;
  shown: number;
  waiting: number;
  synced: number;
  firstCompleteMs: number;
  marks: { open?: number; welcome?: number; synced?: number }; // milliseconds, as firstCompleteMs
  version: { id: string; number: number; time: number; live: boolean } | null;
  position: [number, number, number];
  direction: [number, number];
  mode: "walk" | "fly";
  picked: { name: string; block: [number, number, number]; blame: string } | null;
  status: string;
  received: number;
  edits: number;
  frameMs: number;
  triangles: number;
}

declare global {
  interface Window {
    /** Read-only facts for tests. */
    cairnState?: Readonly<State>;
  }
}

interface Quality {
  radius: number;
  detail: string; // of details
  numbers: boolean;
}

const kept = "cairn 3d";
/** The greatest distance that cubes are asked for, in blocks. */
const radii = [64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096];
/** How many pixels a cell may be wrong by, and how many pixels the picture has for one of the screen at most. */
interface Detail {
  name: string;
  error: number;
  ratio: number;
}
const automatic = "Automatic";
const details: Detail[] = [
  { name: "Low", error: 16, ratio: 0.75 },
  { name: "Medium", error: 8, ratio: 1 },
  { name: "High", error: 5, ratio: 1.5 },
  { name: "Very high", error: 3, ratio: 2 },
];
const memory = 96e6; // bytes that the copy of cubes may take
const fieldOfView = 70;

const round = (v: number, digits: number) => Number(v.toFixed(digits));

/** The numbers of a text with commas, or null if there are not n of them. */
function numbersOf(text: string | null, n: number): number[] | null {
  const parts = (text ?? "").split(",").map(Number);
  return text && parts.length === n && parts.every(Number.isFinite) ? parts : null;
}

export const three: Page = (v) => new Three(v).open();

class Three {
  // When the page began to load, or was gone to from another page.
  private readonly began = document.body.dataset.seen3d ? performance.now() : 0;
  private readonly marks: State["marks"] = {};
  private readonly pose: Pose = { x: 0, y: 80, z: 0, yaw: 0, pitch: -20 };
  private quality: Quality;
  private scene!: Scene;
  private loader!: Loader;
  private walker!: Walker;
  private controls!: Controls;
  private client: Client | undefined;
  private session = 0;
  private dimension: string;
  private at: string;
  private moment: Moment | undefined;
  private volumes = "";
  private facts: Facts | undefined;
  private placed: boolean;
  /** The view is being looked for: at the spawn, or of the land. */
  private settling: "spawn" | "land" | "" = "";
  private tried: Pose | undefined; // while a view is being looked for
  private home: Pose | undefined; // where this dimension began
  private stood: Triple[] = []; // where the walker stood last, and before
  private synced = 0;
  private commits: Commit[] = [];
  private picked: State["picked"] = null;
  private corner: Triple | null = null; // of a box to bring back
  private bringing: (() => Promise<unknown>) | undefined; // shows how, of the version that is selected
  private readonly player = { file: "" }; // that was chosen last
  private pick = 0;
  private edits = 0;
  private auto: Detail = { name: automatic, error: 12, ratio: 1.5 };
  private passed = { frames: 0, ms: 0 }; // since the detail was last thought over
  private frames = 0;
  private frameMs = 0;
  private lastFrame = 0;
  private lastDraw = 0;
  private ahead = false; // a frame is planned
  private running = false; // the last frame wanted another one
  private firstCompleteMs = -1;
  private lastView = { at: -1e9, key: "" };
  private lastShare = "";
  private speedNote = 0;

  private readonly canvas = el("canvas", { class: "three-canvas", tabIndex: 0, role: "application", "aria-label": "The world in 3D. Move with W A S D, look with the arrow keys, choose a block with Enter. Press ? for all keys." });
  private readonly status = el("div", { class: "three-status", role: "status", "aria-live": "polite" });
  private readonly note = el("div", { class: "three-note", role: "status", "aria-live": "polite" });
  private readonly numbers = el("dl", { class: "three-numbers three-panel", hidden: true });
  private readonly info = el("aside", { class: "three-info three-panel", "aria-live": "polite", "aria-label": "The chosen block", hidden: true });
  private readonly settings = el("div", { class: "three-settings three-panel", role: "dialog", "aria-label": "Settings", hidden: true });
  private readonly help = el("div", { class: "three-help three-panel", role: "dialog", "aria-label": "Keys", hidden: true });
  private readonly dimensions = el("select", { class: "three-dimension", "aria-label": "Dimension", hidden: true });
  private readonly modeButton = el("button", { type: "button", class: "three-mode" });
  private readonly line = el("section", { class: "three-line", "aria-label": "Time line", hidden: true });
  private readonly slider = el("input", { type: "range", min: "0", step: "1", "aria-label": "Version" });
  private readonly lineText = el("div", { class: "three-line-text" });
  private readonly nowButton = el("button", { type: "button", class: "three-now" }, "Now");

  constructor(private readonly v: PageView) {
    this.dimension = v.query.get("dim") ?? "";
    this.at = v.query.get("at") ?? "";
    const p = numbersOf(v.query.get("p"), 3), d = numbersOf(v.query.get("d"), 2);
    this.placed = p !== null;
    if (p) [this.pose.x, this.pose.y, this.pose.z] = p as [number, number, number];
    if (d) [this.pose.yaw, this.pose.pitch] = d as [number, number];
    this.quality = { radius: matchMedia("(max-width: 700px)").matches ? 384 : 768, detail: automatic, numbers: false };
    try {
      Object.assign(this.quality, JSON.parse(localStorage.getItem(kept) ?? "{}"));
    } catch {
      // What was kept cannot be read: the defaults stay.
    }
    const r = Number(v.query.get("r"));
    if (r >= 16 && r <= 8192) this.quality.radius = r;
  }

  private since(): number {
    return Math.round(performance.now() - this.began);
  }

  open() {
    this.marks.open = this.since();
    const { v, signal } = { v: this.v, signal: this.v.signal };
    document.body.dataset.seen3d = "1";
    const stage = el("div", { class: "three-stage" }, this.canvas, this.status, this.note, this.crosshair(), this.bar(), this.numbers, this.info, this.settings, this.help, this.touch());
    const root = el("div", { class: "three" }, stage, this.timeline());
    v.main.append(root);
    try {
      this.scene = new Scene(this.canvas);
    } catch {
      this.say("This browser cannot show 3D: it lacks WebGL 2, or that is switched off.", true);
      return;
    }
    this.loader = new Loader(this.scene, () => this.plan());
    this.walker = new Walker(this.pose, this.loader.tree, this.loader.body, () => (this.loader.smooth ? 1.1 : 0.6), (x, y, z) => {
      const m = this.moment;
      return m !== undefined && [x, y, z].some((k, a) => k < m.min[a]! || k >= m.max[a]!);
    });
    this.walker.flying = v.query.get("mode") !== "walk";
    this.controls = new Controls(root, this.canvas, this.pose, signal, {
      changed: () => this.plan(),
      pick: (x, y) => this.choose(x, y),
      key: (key) => this.key(key),
      speed: (by) => this.speed(by),
    });
    if (this.scene.software) this.auto = { name: automatic, error: 16, ratio: 1 };
    new ResizeObserver(() => this.resize()).observe(stage);
    this.resize();
    this.mode();
    this.drawSettings();
    this.canvas.addEventListener("webglcontextlost", (e) => {
      e.preventDefault();
      this.say("The graphics card lost the picture. Load the page again.", true);
    });
    signal.addEventListener("abort", () => this.close());
    const clock = setInterval(() => this.tick(), 250);
    const log = setInterval(() => void this.grow().catch(() => undefined), 5000); // the next time may go better
    signal.addEventListener("abort", () => (clearInterval(clock), clearInterval(log)));
    this.expose();
    this.say("Connecting …");
    const asked = this.ask();
    void this.texture();
    void asked.then(() => this.readLog());
    this.connect(asked);
  }

  private close() {
    this.session++;
    this.client?.close();
    this.loader.end();
    this.scene.dispose();
    delete window.cairnState;
  }

  // ask gets what the API knows of the world: dimensions, where it begins, and its versions.
  private async ask() {
    const { v } = this;
    try {
      this.facts = await json<Facts>("/v1/worlds/" + path(v.name), { signal: v.signal, query: { at: this.at } });
      this.listDimensions();
    } catch (e) {
      if (v.signal.aborted) return;
      this.refusal = e; // a token for a part of a world may still stream it
      if (!this.client?.connected && this.status.classList.contains("bad")) this.lost(0);
    }
  }

  // texture gets the textures of the resource pack that the server was given, if it was.
  private async texture() {
    const { signal } = this.v;
    try {
      const info = await json<{ tiles: number; tile: number; pad: number; columns: number }>("/v1/textures", { signal });
      if (!info.tiles) return;
      const image = await createImageBitmap(await (await call("/v1/atlas", { signal })).blob(), { premultiplyAlpha: "none", colorSpaceConversion: "none" });
      if (signal.aborted) return;
      this.scene.textures(image, info.tile, info.pad, info.columns);
      this.loader.textures(async (names) => {
        const out: (number[] | null)[] = [];
        for (let i = 0; i < names.length; i += 1000)
          out.push(...(await json<{ faces: (number[] | null)[] }>("/v1/textures", { method: "POST", json: { names: names.slice(i, i + 1000) }, signal })).faces);
        return out;
      });
    } catch {
      // Blocks are drawn in their colours.
    }
  }

  private async readLog() {
    const { v } = this;
    try {
      const log = await json<{ commits: Commit[] }>("/v1/log/" + path(v.name), { signal: v.signal, query: { n: 1000 } });
      this.commits = log.commits.reverse();
    } catch {
      this.commits = []; // without a log there is no time line
    }
    this.drawLine();
  }

  // connect begins a session. The viewer's place may depend on what was asked before.
  private connect(asked: Promise<void> = Promise.resolve()) {
    const mine = ++this.session;
    this.client?.close();
    const url = new URL("/v1/stream", location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const current = <A extends unknown[]>(f: (...a: A) => void) => (...a: A) => {
      if (mine === this.session && !this.v.signal.aborted) f(...a);
    };
    const c = new Client(this.paced(webSocket(url.href)), { world: this.v.name, at: this.at, dimension: this.dimension }, {
      welcome: current((w) => this.welcome(c, w, asked)),
      names: current((volume, from) => this.loader.names(c, volume, from)),
      cubes: current((cubes) => this.loader.take(cubes)),
      edited: current((cubes) => {
        this.edits += cubes.length;
      }),
      forget: current((places) => this.loader.forget(places)),
      now: current((m) => this.now(m)),
      synced: current((stage) => this.sync(stage)),
      failure: current((code, text) => this.failed(code, text)),
      lost: current((wait) => this.lost(wait)),
    });
    this.client = c;
    this.volumes = "";
    this.synced = 0;
    this.awaited = undefined;
    c.connect();
  }

  // paced gives messages to a client a few milliseconds at a time, so that frames come in between. While
  // the first complete view waits to be drawn, what is finer waits too.
  private paced(open: ReturnType<typeof webSocket>): ReturnType<typeof webSocket> {
    return (on) => {
      const queue: Uint8Array[] = [];
      let planned = false, closed = false, held = 0;
      const drain = () => {
        planned = false;
        const began = performance.now(), until = document.hidden ? Infinity : began + 8;
        if (queue.length && this.awaited && this.firstCompleteMs < 0 && !document.hidden && (held ||= began) + 1500 > began) return plan(16);
        while (queue.length && performance.now() < until) on.message(queue.shift()!);
        if (queue.length) plan(0);
        else if (closed) on.closed();
      };
      const plan = (wait: number) => {
        if (planned) return;
        planned = true;
        setTimeout(drain, wait);
      };
      return open({
        open: () => on.open(),
        message: (bytes) => {
          queue.push(bytes);
          plan(0);
        },
        closed: () => {
          closed = true;
          plan(0);
        },
      });
    };
  }

  private welcome(c: Client, w: Welcome, asked: Promise<void>) {
    this.marks.welcome ??= this.since();
    const volumes = JSON.stringify(w.volumes);
    if (volumes !== this.volumes) {
      this.volumes = volumes;
      this.loader.begin(c);
    }
    this.dimension = w.dimension;
    this.scene.sky(skyOf(w.dimension));
    this.listDimensions();
    this.now(w.moment);
    this.say("Loading the world …");
    void asked.then(() => {
      if (c !== this.client || this.v.signal.aborted) return;
      if (!this.placed) this.begin();
      this.view(true);
    });
  }

  // begin looks for a view: where the world says that players begin, else of its land.
  private begin(kind: "spawn" | "land" = "spawn") {
    const m = this.moment, spawn = this.facts?.spawn;
    if (!m) return;
    const mid = (a: 0 | 1 | 2) => (m.min[a] + m.max[a]) / 2;
    if (kind === "spawn" && spawn?.dimension === this.dimension) {
      this.settling = "spawn";
      Object.assign(this.pose, { x: spawn.at[0] + 0.5, y: spawn.at[1] + eyes, z: spawn.at[2] + 0.5, yaw: (spawn.yaw + 540) % 360, pitch: -8 });
    } else {
      this.settling = "land";
      Object.assign(this.pose, { x: mid(0), y: Math.min(m.max[1] + 24, mid(1) + 200), z: mid(2), yaw: 0, pitch: -35 });
    }
    this.placed = false;
    this.tried = { ...this.pose };
    this.walker.velocity.fill(0);
    this.forgetStood();
    this.view(true);
  }

  // settle ends the search for a view, if the cubes that came are enough. all says that no more come.
  private settle(all: boolean) {
    const { pose, loader, tried, quality } = this;
    const { tree, seen } = loader;
    if (tried && (tried.x !== pose.x || tried.y !== pose.y || tried.z !== pose.z)) return this.settled(); // the viewer is under way
    if (this.settling === "land") {
      const land = landOf(tree, seen), found = middleOf(land)?.middle;
      const p = this.walker.flying ? lookAt(tree, seen, land, quality.radius) : found && { x: found.x, y: found.top + eyes, z: found.z, yaw: 0, pitch: -8 };
      Object.assign(pose, p);
      return this.settled();
    }
    const near = tree.at(Math.floor(pose.x), Math.floor(pose.y - eyes), Math.floor(pose.z));
    if (!all && near?.level !== 0) return;
    const p = standAt(tree, seen, (n, cell) => loader.body(n, cell) === Body.Solid, [pose.x, pose.y - eyes, pose.z], pose.yaw, eyes, quality.radius);
    if (!p) {
      this.begin("land");
      if (this.span() < quality.radius && landOf(tree, seen).length > 0) this.settle(true); // all of it is there
      return;
    }
    Object.assign(pose, p);
    this.settled();
  }

  private settled() {
    this.settling = "";
    this.placed = true;
    this.home = { ...this.pose };
    this.view(true);
    this.plan();
  }

  // goHome goes to where the view began, or would have begun without a place in the address.
  private goHome() {
    this.walker.velocity.fill(0);
    this.forgetStood();
    if (!this.home) return this.begin();
    Object.assign(this.pose, this.home);
    this.view(true);
    this.plan();
  }

  private forgetStood() {
    this.stood = [];
    this.walker.stood = undefined;
  }

  // catchFall puts somebody who falls beside the land back to where they stood.
  private catchFall() {
    const { pose, walker, loader } = this, m = this.moment;
    if (walker.flying || !m || this.settling) return;
    const on = walker.stood, [last] = this.stood;
    if (on && (!last || Math.hypot(last[0] - on[0], last[2] - on[2]) > 1.5)) this.stood = [on, ...this.stood.slice(0, 1)];
    const below = pose.y < m.min[1] - 16;
    if (!below && (walker.velocity[1] > -16 || this.synced < 1 || cast(loader.tree, [pose.x, pose.y, pose.z], [0, -1, 0], 8192, loader.seen))) return;
    const back = this.stood.pop();
    this.forgetStood();
    if (back) {
      walker.velocity.fill(0);
      [pose.x, pose.y, pose.z] = back;
    } else {
      this.home = undefined; // what was home for flying may be no ground
      this.goHome();
    }
    this.tell("You fell off the land: back on the ground");
    this.plan();
  }

  private now(m: Moment) {
    if (this.moment && this.moment.id !== m.id) this.synced = 0;
    this.moment = m;
    if (m.live || this.at === "") this.follow(m);
    this.drawLine();
    this.plan();
  }

  // grow looks for new versions while an old one is shown: the stream tells only of those of now.
  private async grow() {
    if (this.at === "" || document.hidden) return;
    const { commits } = await json<{ commits: Commit[] }>("/v1/log/" + path(this.v.name), { signal: this.v.signal, query: { n: 1 } });
    if (commits[0]) this.follow(commits[0]);
  }

  // follow asks for the log again when the world has a version that the time line lacks.
  private follow(m: { number: number }) {
    const last = this.commits[this.commits.length - 1];
    if (m.number <= (last?.number ?? 0)) return;
    void json<{ commits: Commit[] }>("/v1/log/" + path(this.v.name), { signal: this.v.signal, query: { n: 1000 } }).then(
      (log) => {
        this.commits = log.commits.reverse();
        this.drawLine();
      },
      () => undefined, // the next version asks again
    );
  }

  private sync(stage: number) {
    this.awaited ??= this.loader.unmade();
    this.marks.synced ??= this.since();
    if (this.settling) {
      const land = this.settling === "land";
      this.settle(land || stage === 2);
      if (land || this.settling) return; // what is needed next is more than coarse cubes
    }
    this.synced = Math.max(this.synced, stage);
    if (stage === 2) this.say("");
    this.plan();
  }

  private failed(code: string, text: string) {
    const e = new Refused(0, code, text, "/v1/stream");
    const own: Record<string, string> = {
      no_version: "The world has no such version.",
      no_dimension: "The world has no such dimension.",
      no_volume: "The world has nothing of this kind to show.",
      slow_viewer: "The connection is too slow for what the server sends.",
      too_fast: "The page asked for too much at once.",
      closing: "The server is shutting down.",
      bad_frame: "The server and this page do not understand each other. Load the page again.",
      unauthorized: "You may not see this world: you are not logged in.",
    };
    this.failure = own[code] ?? words(e, "see this world");
    const login = code === "unauthorized";
    this.say(this.failure, true, login ? el("a", { class: "button", href: "/login" }, "Log in") : null);
  }
  private failure = "";
  private refusal: unknown; // why the API said nothing of the world

  private lost(wait: number) {
    if (wait < 0) return; // failed says why
    const until = performance.now() + wait;
    const mine = this.session;
    const say = () => {
      if (mine !== this.session || this.client?.connected || this.v.signal.aborted) return;
      const left = Math.max(0, Math.ceil((until - performance.now()) / 1000));
      const why = this.failure || (this.refusal && !this.moment ? words(this.refusal, "see this world") : "The connection to the server is lost.");
      this.say(`${why} Trying again${left > 0 ? ` in ${left} s` : ""} …`, true, el("button", { type: "button", onclick: () => this.client?.retry() }, "Try now"));
      if (left > 0) setTimeout(say, 1000);
    };
    say();
  }

  // view tells the server where the viewer is, at most a few times a second.
  private view(force = false) {
    const c = this.client;
    if (!c?.connected || !(this.placed || this.settling)) return;
    const { pose, quality } = this;
    const a = (pose.yaw * Math.PI) / 180, b = (pose.pitch * Math.PI) / 180;
    const d: [number, number, number] = [Math.sin(a) * Math.cos(b), Math.sin(b), -Math.cos(a) * Math.cos(b)];
    const v = this.walker.velocity;
    const key = [round(pose.x, 1), round(pose.y, 1), round(pose.z, 1), round(pose.yaw / 10, 0), round(pose.pitch / 10, 0), ...v.map((n) => round(n, 0)), quality.radius, this.detail.error].join();
    const now = performance.now();
    if (!force && (key === this.lastView.key || now - this.lastView.at < 200)) return;
    this.lastView = { at: now, key };
    const pixels = this.canvas.height / ((fieldOfView * Math.PI) / 180);
    c.view({
      position: [pose.x, pose.y, pose.z], direction: d, velocity: [v[0], v[1], v[2]], pixels: Math.max(pixels, 1),
      // Coarse cubes of all the world say where its land is.
      error: this.settling === "land" ? 4096 : this.detail.error, radius: this.settling === "land" ? this.span() : quality.radius, rate: 0, memory,
    });
  }

  // span is how far it is through the world.
  private span(): number {
    const m = this.moment;
    return m ? Math.hypot(...[0, 1, 2].map((a) => m.max[a]! - m.min[a]!)) + 64 : this.quality.radius;
  }

  private get detail(): Detail {
    return details.find((d) => d.name === this.quality.detail) ?? this.auto;
  }

  // pace makes the picture simpler where frames take long, and finer where they do not.
  private pace(ms: number) {
    const p = this.passed;
    p.frames++;
    p.ms += ms;
    if (p.ms < 2500 || p.frames < 12) return;
    const mean = p.ms / p.frames, { auto } = this;
    this.passed = { frames: 0, ms: 0 };
    const was = auto.error;
    if (mean > 60) auto.error = Math.min(auto.error * 1.5, 24);
    else if (mean < 18) auto.error = Math.max(auto.error / 1.3, 5);
    auto.ratio = auto.error > 18 ? 0.75 : auto.error < 9 ? 2 : this.scene.software ? 1 : 1.5;
    if (auto.error !== was && this.detail === auto) this.resize();
  }

  // tick runs a few times a second, also while nothing moves.
  private tick() {
    if (this.settling && this.client?.connected && performance.now() - this.lastView.at > 1500) this.settle(true);
    this.view();
    this.share();
    this.drawNumbers();
    if (this.synced < 2 && this.client?.connected && this.synced > 0 && this.loader.waiting > 0) this.say(`Loading: ${many(this.loader.tree.nodes.size, "cube")}`);
    else if (this.client?.connected && this.synced >= 2) this.say("");
    this.plan(false);
  }

  private plan(moved = true) {
    if (moved) this.scene.stale = true;
    if (this.ahead || this.v.signal.aborted) return;
    if (!moved && !this.scene.stale && !this.controls.busy) return;
    this.request();
  }

  private frame(now: number) {
    this.ahead = false;
    if (this.v.signal.aborted) return;
    // After a rest the time since the last frame says nothing.
    const steady = this.running;
    const passed = steady ? Math.min((now - this.lastFrame) / 1000, 0.25) : 1 / 60;
    this.lastFrame = now;
    const began = performance.now();
    const wish = this.controls.wish(passed);
    const { walker } = this;
    const fast = walker.velocity.some((s) => s !== 0);
    const moved = ((walker.flying || !this.settling) && walker.move(passed, wish)) || fast;
    this.catchFall();
    this.loader.eye = [this.pose.x, this.pose.y, this.pose.z];
    this.loader.upload(this.firstCompleteMs < 0 ? 12 : 4);
    const calm = !moved && !this.controls.busy && this.loader.waiting === 0;
    // To fill seams takes as long as all the rest: where the processor draws, a picture that stays has time for it.
    if (moved || this.controls.busy || (calm && !this.scene.filled)) this.scene.stale = true;
    // Until the view is complete it is drawn now and then: where drawing takes long, nothing else gets on.
    const early = this.firstCompleteMs < 0 && !this.whole() && now - this.lastDraw < (this.scene.software ? 1000 : 100);
    if (this.scene.stale && !early) {
      this.lastDraw = now;
      this.scene.draw(this.pose, calm || !this.scene.software);
      this.frames++;
      if (this.firstCompleteMs < 0 && this.whole()) this.first();
    }
    const took = performance.now() - began;
    this.frameMs += ((steady && moved ? Math.max(took, passed * 1000) : took) - this.frameMs) * 0.1;
    if (moved) this.view();
    if (steady && moved && this.firstCompleteMs >= 0) this.pace(passed * 1000);
    this.running = moved || this.controls.busy || !walker.flying || this.scene.stale || !this.scene.filled || this.loader.waiting > 0;
    if (this.running && !this.ahead) this.request();
  }

  private request() {
    this.ahead = true;
    requestAnimationFrame((now) => this.frame(now));
  }

  // whole reports whether the cubes of the first complete view have their meshes.
  private whole(): boolean {
    if (!this.awaited) return false;
    for (const n of this.awaited) if (n.made >= 0 || !this.loader.tree.byID.has(n.id)) this.awaited.delete(n);
    return this.awaited.size === 0;
  }
  private awaited: Set<Node> | undefined;

  // first notes when the whole radius was on the screen for the first time.
  private first() {
    const gl = this.scene.renderer.getContext();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4)); // waits for the picture
    this.firstCompleteMs = this.since();
  }

  private resize() {
    const w = Math.max(1, this.canvas.clientWidth), h = Math.max(1, this.canvas.clientHeight);
    this.scene.resize(w, h, Math.min(devicePixelRatio, this.detail.ratio), fieldOfView);
    this.scene.far(this.quality.radius);
    this.plan();
  }

  // Choosing a block.

  private choose(x: number, y: number) {
    const { loader, pose } = this;
    const from: Triple = [pose.x, pose.y, pose.z], d = this.scene.ray(x, y);
    const hit = cast(loader.tree, from, d, Math.min(this.quality.radius, 2048), loader.seen);
    const turn = ++this.pick;
    this.bringing = undefined;
    if (!hit) {
      this.picked = null;
      this.info.hidden = true;
      return;
    }
    const cell = cellAt(hit.node, ...hit.block);
    const names = this.client?.names[loader.main] ?? [];
    const named = loader.smooth ? names[cell >> 8] : names[cell];
    const name = named?.name || (loader.smooth ? `material ${cell >> 8}` : `cell ${cell}`);
    if (hit.node.level === 0) {
      void this.blame(turn, this.show(name, hit.block));
      return;
    }
    this.show(name, hit.block, "Looking closer …");
    void this.closer(hit.node.level, hit.block, from, d).then(
      (found) => {
        if (turn !== this.pick) return;
        if (found) void this.blame(turn, this.show(...found));
        else this.show(name, hit.block, "This land is shown coarsely. Go nearer for the exact block.");
      },
      (e: unknown) => {
        if (turn === this.pick && !this.v.signal.aborted) this.show(name, hit.block, words(e, "see this block exactly"));
      },
    );
  }

  // closer asks the API for the blocks that a coarse cell stands for, and finds the one nearest to a ray.
  private async closer(level: number, block: Triple, from: Triple, d: Triple): Promise<[string, Triple] | null> {
    const size = 2 ** level;
    if (size > 64) return null;
    const low = block.map((k) => Math.floor(k / size) * size), high = low.map((k) => k + size - 1);
    const names = this.client?.names[this.loader.main] ?? [];
    const volume = this.client?.volumes[this.loader.main]?.name;
    const box = await json<Cells>("/v1/cells/" + path(this.v.name), { signal: this.v.signal, query: { at: this.at, dimension: this.dimension, volume, box: `${low.join()}..${high.join()}` } });
    const flat = (runs: Runs) => runs.flatMap((r) => (typeof r === "number" ? [r] : Array<number>(r[1]).fill(r[0])));
    const cells = flat(box.cells), full = box.occupancy ? flat(box.occupancy) : null;
    const kinds = new Map(names.map((n) => [n.name, n.look.kind]));
    const seen = box.names.map((n) => (kinds.has(n) ? kinds.get(n) !== 0 : n !== "" && !/(^|[:_])air$/.test(n)));
    let best: Triple | null = null, least = Infinity, what = "";
    cells.forEach((c, i) => {
      if (full ? c === 0 : !seen[c]) return;
      const p: Triple = [low[0]! + (i % size), low[1]! + Math.floor(i / size / size), low[2]! + (Math.floor(i / size) % size)];
      const to = p.map((k, a) => k + 0.5 - from[a]!), along = to[0]! * d[0] + to[1]! * d[1] + to[2]! * d[2];
      const off = Math.hypot(...to.map((k, a) => k - along * d[a]!));
      const score = Math.max(off - 0.6, 0) * 8 + along; // near the ray, and the first along it
      if (score >= least) return;
      least = score;
      best = p;
      what = box.names[c] ?? `material ${c}`;
    });
    return best && [what, best];
  }

  // show fills the panel of the chosen block.
  private show(name: string, block: Triple, text = "Looking up who changed it last …"): [NonNullable<State["picked"]>, HTMLElement] {
    const [title, state] = split(name);
    const look = this.client?.names[this.loader.main]?.find((n) => n.name === name)?.look;
    const picked = { name, block, blame: "" };
    this.picked = picked;
    const last = el("p", { class: "muted" }, text), heading = el("span", null, title);
    void this.shown(name).then((shown) => (heading.textContent = split(shown)[0]));
    fill(
      this.info,
      el("button", { type: "button", class: "quiet round three-close", "aria-label": "Close", onclick: () => this.unpick() }, icon("close")),
      el("h2", null, look ? swatch(look.red, look.green, look.blue) : null, heading),
      state ? el("p", { class: "three-state" }, state.map(([k, s]) => el("span", { class: "badge" }, k ? `${k} ${s}` : s))) : null,
      el("p", { class: "three-place" }, ["x", "y", "z"].map((axis, i) => el("span", null, axis + " ", el("b", null, block[i])))),
      last,
      this.marking(block),
    );
    this.info.hidden = false;
    return [picked, last];
  }

  // shown asks the server how people are shown the name of a block: before 1.13 that is a number.
  private async shown(name: string): Promise<string> {
    if (!name.startsWith("legacy:")) return name;
    return json<{ shown: string[] }>("/v1/textures", { method: "POST", json: { names: [name] }, signal: this.v.signal }).then((a) => a.shown[0] ?? name, () => name);
  }

  private async blame(turn: number, [picked, into]: [NonNullable<State["picked"]>, HTMLElement]) {
    const [x, y, z] = picked.block;
    const volume = this.client?.volumes[this.loader.main]?.name;
    let said: Child[];
    try {
      let from: string | undefined, r: Blame;
      let searched = 0;
      do {
        r = await json<Blame>("/v1/blame/" + path(this.v.name), { signal: this.v.signal, query: { at: this.at, dimension: this.dimension, volume, x, y, z, from } });
        from = r.next;
        searched += r.searched;
      } while (!r.commit && from && turn === this.pick);
      const c = r.commit;
      picked.blame = c ? String(c.number) : "";
      said = c
        ? [
            `Changed last in version ${c.number}, ${ago(c.time)}`, c.author ? ` by ${c.author}` : "", r.before ? `. Before that it was ${split(await this.shown(r.before))[0]}.` : ".",
            c.message ? el("span", { class: "three-message" }, c.message) : "",
            c.number === this.moment?.number ? null : el("button", { type: "button", class: "link", onclick: () => this.go(String(c.number)) }, "Show that version"),
          ]
        : [`None of ${many(searched, "version")} changed it.`];
    } catch (e) {
      if (this.v.signal.aborted) return;
      said = [e instanceof Refused && e.code === "no_route" ? "This server does not say which version changed it." : words(e, "see who changed it")];
    }
    if (turn === this.pick) fill(into, said);
  }

  // marking returns the button that makes a block a corner of the box to bring back, or the box's other corner.
  private marking(block: Triple): HTMLElement {
    const { corner } = this;
    const first = el("button", { type: "button", class: "quiet small", onclick: () => this.mark(block) }, "Mark a box from here");
    return el("p", { class: "row" }, corner ? el("button", { type: "button", class: "small", onclick: () => this.marked(corner, block) }, "Box to here: bring this back") : null, first);
  }

  private mark(block: Triple | null) {
    this.corner = block;
    this.scene.mark(block ?? undefined, block ?? undefined);
    if (block) this.tell("Choose the block at the other corner");
  }

  private marked(a: Triple, b: Triple) {
    this.scene.mark(a.map((v, i) => Math.min(v, b[i]!)), a.map((v, i) => Math.max(v, b[i]!)));
    void this.bring("this", (from) => {
      const first = this.dimension === "" || this.dimension === this.dimensions.options[0]?.value;
      return bringBack(from, this.dimension, first, a, b, (box) =>
        void download(from.name, "sponge", from.version, this.dimension, from.signal, undefined, box).then(() => this.tell("The schematic is downloaded"), (e: unknown) => this.tell(words(e, "download this"))),
      );
    });
  }

  // bring fills the panel with how to bring something back, and again when another version is selected.
  private bring(what: string, how: (from: From) => Child | Promise<Child>) {
    this.bringing = () => {
      const turn = ++this.pick, { v } = this;
      const version = this.at || String(this.commits[this.commits.length - 1]?.number ?? this.moment?.number ?? "");
      const body = el("div"), show = (c: Child) => turn === this.pick && fill(body, c);
      this.picked = null;
      fill(
        this.info,
        el("button", { type: "button", class: "quiet round three-close", "aria-label": "Close", onclick: () => this.unpick() }, icon("close")),
        el("h2", null, version ? `Bring ${what} back from version ${version}` : `Bring ${what} back`), body,
      );
      this.info.hidden = false;
      const folder = this.facts?.folder === true && may(v.who, "write", v.name);
      return Promise.resolve(how({ name: v.name, version, folder, signal: v.signal, tell: (text) => this.tell(text) })).then(show, (e: unknown) => show(el("p", null, words(e, "see the players"))));
    };
    return this.bringing();
  }

  private bringPlayer() {
    this.mark(null);
    void this.bring("a player", async (from) => (await bringPlayerBack(from, this.player)) ?? el("p", null, "This version has no players.")).then(() => this.info.querySelector("select")?.focus());
  }

  private unpick() {
    this.pick++;
    this.mark(null);
    this.bringing = undefined;
    this.picked = null;
    this.info.hidden = true;
    this.canvas.focus({ preventScroll: true });
  }

  // The time line.

  private timeline(): HTMLElement {
    this.slider.addEventListener("input", () => this.go(this.version(Number(this.slider.value))));
    this.nowButton.addEventListener("click", () => this.go(""));
    fill(this.line, this.lineText, el("div", { class: "three-line-row" }, this.slider, this.nowButton));
    return this.line;
  }

  // version names the one at a place of the time line; the last place is now.
  private version(i: number): string {
    const c = this.commits[i];
    return c && i < this.commits.length - 1 ? String(c.number) : "";
  }

  // go shows a version, "" for the newest.
  private go(version: string) {
    if (version === this.at) return;
    this.at = version;
    this.lastGo ??= window.setTimeout(() => {
      this.lastGo = undefined;
      this.client?.at(this.at);
      void this.bringing?.();
    }, 90);
    this.drawLine();
    this.share();
  }
  private lastGo: number | undefined;

  private drawLine() {
    const { commits, slider, at, moment } = this;
    this.line.hidden = commits.length < 2;
    if (this.line.hidden) return;
    slider.max = String(commits.length - 1);
    const wanted = at === "" ? commits.length - 1 : commits.findIndex((c) => String(c.number) === at || (at.length > 5 && c.id.startsWith(at)));
    if (document.activeElement !== slider || at === "") slider.value = String(wanted < 0 ? commits.length - 1 : wanted);
    const c = commits[wanted] ?? commits.find((k) => k.number === moment?.number);
    this.nowButton.setAttribute("aria-pressed", String(at === ""));
    const text = c ? `Version ${c.number}, ${time(c.time)}` : `Version ${moment?.number ?? "?"}`;
    slider.setAttribute("aria-valuetext", at === "" ? `Now: ${text}` : text);
    fill(this.lineText, el("b", null, at === "" ? "Now" : text), " ", el("span", { class: "muted" }, at === "" ? text : c ? ago(c.time) : "", c?.author ? ` · ${c.author}` : "", c?.message ? ` · ${c.message}` : ""));
  }

  // The bar of buttons and the panels.

  private bar(): HTMLElement {
    this.modeButton.addEventListener("click", () => this.key("f"));
    this.dimensions.addEventListener("change", () => {
      this.dimension = this.dimensions.value;
      this.placed = false;
      this.home = undefined;
      this.firstCompleteMs = -1;
      this.connect();
      this.canvas.focus({ preventScroll: true });
    });
    const button = (label: string, picture: string, key: string) => {
      const b = el("button", { type: "button", class: "round", "aria-label": label, title: label, onclick: () => this.key(key) }, glyph(picture));
      return b;
    };
    return el(
      "div", { class: "three-bar", role: "toolbar", "aria-label": "View" },
      this.dimensions, this.modeButton, button("Home: where the view began", "home", "h"),
      button("Bring a player back", "player", "p"),
      button("Copy a link to this view", "link", "c"), button("Settings", "gear", "o"), button("Numbers", "chart", "n"), button("Keys and help", "help", "?"),
    );
  }

  private crosshair(): Element {
    return el("div", { class: "three-cross", "aria-hidden": "true" });
  }

  private touch(): HTMLElement {
    const hold = (label: string, picture: string, code: string) => {
      const b = el("button", { type: "button", class: "round", "aria-label": label }, glyph(picture));
      b.addEventListener("pointerdown", (e) => {
        e.preventDefault();
        b.setPointerCapture(e.pointerId);
        this.controls.hold(code, true);
      });
      for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) b.addEventListener(end, () => this.controls.hold(code, false));
      b.addEventListener("contextmenu", (e) => e.preventDefault());
      return b;
    };
    return el("div", { class: "three-touch" }, hold("Up, or jump", "up", "Space"), hold("Down", "down", "ShiftLeft"));
  }

  private listDimensions() {
    const names = this.facts?.dimensions.map((d) => d.name) ?? [];
    if (this.dimension && !names.includes(this.dimension)) names.push(this.dimension);
    fill(this.dimensions, names.map((n) => el("option", { value: n }, n)));
    this.dimensions.value = this.dimension || (names[0] ?? "");
    this.dimensions.hidden = names.length < 2;
  }

  private mode() {
    const to = this.walker.flying ? "walk" : "fly"; // the button names what it does
    fill(this.modeButton, glyph(to), to === "walk" ? "Walk" : "Fly");
    this.modeButton.title = to === "walk" ? "Walk instead of flying (F)" : "Fly instead of walking (F)";
  }

  private drawSettings() {
    const { quality } = this;
    const nearest = radii.reduce((a, r, i) => (Math.abs(r - quality.radius) < Math.abs(radii[a]! - quality.radius) ? i : a), 0);
    const far = el("output", null, `${count(quality.radius)} blocks`);
    const range = el("input", { type: "range", id: "three-radius", min: "0", max: String(radii.length - 1), step: "1", value: String(nearest) });
    range.addEventListener("input", () => {
      quality.radius = radii[Number(range.value)]!;
      far.textContent = `${count(quality.radius)} blocks`;
      range.setAttribute("aria-valuetext", far.textContent);
      this.keep();
    });
    const detail = el("select", { id: "three-detail" }, [automatic, ...details.map((d) => d.name)].map((name) => el("option", { value: name }, name)));
    detail.value = this.detail.name;
    detail.addEventListener("change", () => {
      quality.detail = detail.value;
      this.keep();
    });
    const speed = el("output", null, `${this.walker.speed} blocks/s`);
    const fast = el("input", { type: "range", id: "three-speed", min: "1", max: "8", step: "0.5", value: String(Math.log2(this.walker.speed)) });
    fast.addEventListener("input", () => {
      this.walker.speed = Math.round(2 ** Number(fast.value));
      speed.textContent = `${this.walker.speed} blocks/s`;
    });
    const numbers = el("input", { type: "checkbox", id: "three-numbers", checked: quality.numbers });
    numbers.addEventListener("change", () => {
      quality.numbers = numbers.checked;
      this.keep();
      this.drawNumbers();
    });
    const field = (id: string, label: string, input: HTMLElement, value?: HTMLElement) => el("div", { class: "field" }, el("label", { for: id }, label, value ? " " : "", value), input);
    fill(
      this.settings,
      el("button", { type: "button", class: "quiet round three-close", "aria-label": "Close", onclick: () => this.key("o") }, icon("close")),
      el("h2", null, "Settings"),
      field("three-radius", "Distance:", range, far), field("three-detail", "Detail", detail), field("three-speed", "Speed of flying:", fast, speed),
      el("label", { class: "row" }, numbers, "Show numbers"),
    );
  }

  private keep() {
    try {
      localStorage.setItem(kept, JSON.stringify(this.quality));
    } catch {
      // The settings last as long as the page.
    }
    this.resize();
    this.view(true);
  }

  private drawHelp() {
    const row = (keys: string, what: string) => el("tr", null, el("th", { scope: "row" }, keys.split(" ").map((k) => el("kbd", null, k))), el("td", null, what));
    fill(
      this.help,
      el("button", { type: "button", class: "quiet round three-close", "aria-label": "Close", onclick: () => this.key("?") }, icon("close")),
      el("h2", null, "Keys"),
      el("table", null, el("tbody", null,
        row("W A S D", "go"), row("← ↑ ↓ →", "look around"), row("Space", "up, or jump"), row("Shift", "down, or run"), row("F", "walk or fly"), row("H", "home: where the view began"),
        row("+ -", "faster, slower"), row("Enter", "choose the block in the middle"), row("L", "lock the mouse"), row("[ ]", "a version back, on"), row("\\", "now"),
        row("P", "bring a player back"), row("C", "copy a link"), row("O", "settings"), row("N", "numbers"), row("Esc", "close"))),
      el("p", { class: "muted" }, "With the mouse: drag to look, click a block to choose it, turn the wheel for the speed. On a touch screen: the left thumb goes, the right thumb looks, a tap chooses."),
    );
  }

  private key(key: string) {
    const toggle = (panel: HTMLElement, draw?: () => void) => {
      panel.hidden = !panel.hidden;
      if (panel.hidden) {
        this.canvas.focus({ preventScroll: true });
        return;
      }
      for (const other of [this.settings, this.help]) if (other !== panel) other.hidden = true;
      draw?.();
      panel.querySelector<HTMLElement>("button, input")?.focus();
    };
    switch (key) {
      case "f":
        this.walker.flying = !this.walker.flying;
        this.walker.velocity.fill(0);
        this.mode();
        this.tell(this.walker.flying ? "Flying" : "Walking");
        this.plan();
        break;
      case "h":
        this.goHome();
        this.tell("Home");
        break;
      case "o":
        toggle(this.settings, () => this.drawSettings());
        break;
      case "?":
        toggle(this.help, () => this.drawHelp());
        break;
      case "n":
        this.quality.numbers = !this.quality.numbers;
        this.keep();
        this.drawNumbers();
        break;
      case "c":
        this.share();
        void navigator.clipboard?.writeText(location.href).then(() => this.tell("The link is copied"), () => this.tell("The address of this page is the link"));
        break;
      case "p":
        this.bringPlayer();
        break;
      case "Enter":
        this.choose(0, 0);
        break;
      case "+":
        this.speed(1);
        break;
      case "-":
        this.speed(-1);
        break;
      case "[":
      case "]": {
        if (this.commits.length < 2) break;
        const i = Math.min(Math.max(Number(this.slider.value) + (key === "[" ? -1 : 1), 0), this.commits.length - 1);
        this.go(this.version(i));
        break;
      }
      case "\\":
        this.go("");
        break;
      case "Escape":
        if (!this.settings.hidden || !this.help.hidden) {
          this.settings.hidden = this.help.hidden = true;
          this.canvas.focus({ preventScroll: true });
        } else if (!this.info.hidden) this.unpick();
    }
  }

  private speed(by: number) {
    const { walker } = this;
    walker.speed = Math.min(256, Math.max(2, Math.round(walker.speed * 2 ** (by / 2))));
    this.tell(`${walker.speed} blocks per second`);
  }

  // tell shows a text for a moment.
  private tell(text: string) {
    this.note.textContent = text;
    this.note.classList.add("on");
    clearTimeout(this.speedNote);
    this.speedNote = window.setTimeout(() => this.note.classList.remove("on"), 1200);
  }

  private say(text: string, bad = false, more?: Child) {
    if (this.status.dataset.text === text) return;
    if (!bad && this.status.classList.contains("bad") && !this.client?.connected) return;
    this.status.dataset.text = text;
    this.status.classList.toggle("bad", bad);
    fill(this.status, text ? el("span", null, text) : null, more);
    if (!bad) this.failure = "";
  }

  private share() {
    const { pose, walker } = this;
    if (!this.placed || (!walker.flying && walker.velocity[1] < -9)) return; // a fall is no place to come back to
    const q = {
      at: this.at, dim: this.facts && this.facts.dimensions.length > 1 && this.dimension !== this.facts.dimensions[0]!.name ? this.dimension : undefined,
      p: [round(pose.x, 1), round(pose.y, 1), round(pose.z, 1)].join(), d: [round(((pose.yaw % 360) + 360) % 360, 1), round(pose.pitch, 1)].join(),
      mode: this.walker.flying ? undefined : "walk",
    };
    const text = JSON.stringify(q);
    if (text === this.lastShare) return;
    this.lastShare = text;
    this.v.share(q);
  }

  private drawNumbers() {
    this.numbers.hidden = !this.quality.numbers;
    if (this.numbers.hidden) return;
    const heap = (performance as { memory?: { usedJSHeapSize: number } }).memory?.usedJSHeapSize;
    const { pose } = this;
    const rows: [string, string][] = [
      ["place", `${Math.floor(pose.x)} ${Math.floor(pose.y)} ${Math.floor(pose.z)}`],
      ["cubes", `${count(this.loader.tree.nodes.size)}, ${count(this.scene.shown)} shown`],
      ["triangles", count(this.scene.triangles)],
      ["received", bytes(this.client?.received ?? 0)],
      ["meshes", bytes(this.scene.bytes)],
      ["frame", `${this.frameMs.toFixed(1)} ms`],
    ];
    if (heap) rows.push(["memory", bytes(heap)]);
    if (this.firstCompleteMs >= 0) rows.push(["first view", `${(this.firstCompleteMs / 1000).toFixed(2)} s`]);
    fill(this.numbers, rows.map(([k, s]) => [el("dt", null, k), el("dd", null, s)]));
  }

  private expose() {
    const self = this;
    window.cairnState = {
      get frames() { return self.frames; },
      get cubes() { return self.loader.tree.nodes.size; },
      get shown() { return self.scene.shown; },
      get waiting() { return self.loader.waiting; },
      get synced() { return self.synced; },
      get firstCompleteMs() { return self.firstCompleteMs; },
      get marks() { return self.marks; },
      get version() {
        const m = self.moment;
        return m ? { id: m.id, number: m.number, time: m.time, live: m.live } : null;
      },
      get position(): [number, number, number] { return [self.pose.x, self.pose.y, self.pose.z]; },
      get direction(): [number, number] { return [self.pose.yaw, self.pose.pitch]; },
      get mode() { return self.walker.flying ? ("fly" as const) : ("walk" as const); },
      get picked() { return self.picked; },
      get status() { return self.status.textContent ?? ""; },
      get received() { return self.client?.received ?? 0; },
      get edits() { return self.edits; },
      get frameMs() { return self.frameMs; },
      get triangles() { return self.scene.triangles; },
    };
  }
}

type Triple = [number, number, number];
type Runs = (number | [number, number])[];

/** The answer of the API to a call for cells. */
interface Cells {
  names: string[];
  cells: Runs;
  occupancy?: Runs;
}

interface Blame {
  commit: Commit | null;
  before: string;
  searched: number;
  next: string;
}

const path = (name: string) => name.split("/").map(encodeURIComponent).join("/");

// split cuts a name like minecraft:oak_log[axis=y], perhaps with a number behind, into a title and its state.
function split(name: string): [string, [string, string][] | null] {
  const [, base = name, state, number = ""] = /^([^[]*)\[(.*)\]( \(\d+:\d+\))?$/.exec(name) ?? [];
  const title = base.replace(/^minecraft:/, "").replace(/^legacy:(\d+)\/(\d+)$/, "block $1:$2").replaceAll("_", " ") + number;
  return [title, state ? state.split(",").map((s) => s.split("=", 2) as [string, string]).map(([k, s]) => [k, s ?? ""]) : null];
}

function swatch(red: number, green: number, blue: number): Element {
  return svg("svg", { class: "three-swatch", viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("rect", { width: 16, height: 16, rx: 3, fill: `rgb(${red},${green},${blue})` }));
}

const glyphs: Record<string, string> = {
  home: "M4 11l8-7 8 7M6 9.5V20h12V9.5",
  walk: "M13 4.5a1.5 1.5 0 1 0 .01 0ZM9 21l2.5-6 2.5 2.5V21M11.5 15l-.8-5.5L7 11v3M10.7 9.5 13 8l2 3 3 1",
  fly: "M3 13l18-9-6 17-4-7ZM11 14 21 4",
  link: "M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7l-1.3 1.3M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7l1.3-1.3",
  gear: "M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4",
  chart: "M5 20V10M11 20V4M17 20v-7M3 20h18",
  player: "M12 4a4 4 0 1 0 .01 0ZM5 20a7 7 0 0 1 14 0Z",
  help: "M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.5v.01",
  up: "M6 14l6-6 6 6",
  down: "M6 10l6 6 6-6",
};

const glyph = (name: string): SVGElement => svg("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: glyphs[name] ?? "" }));

