// Keys, mouse and fingers.

import type { Pose } from "./scene.ts";
import type { Wish } from "./walk.ts";

export interface Events {
  /** The pose changed, or keys are held. */
  changed(): void;
  /** A place of the screen was clicked: x and y from -1 to 1. */
  pick(x: number, y: number): void;
  /** A key that is not for moving. */
  key(key: string): void;
  /** The wheel was turned: 1 for faster. */
  speed(by: number): void;
}

const moving = new Set(["KeyW", "KeyA", "KeyS", "KeyD", "Space", "ShiftLeft", "ShiftRight", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "KeyQ", "KeyE", "PageUp", "PageDown"]);
const commands = new Set(["f", "h", "o", "?", "n", "p", "c", "+", "-", "[", "]", "\\", "Enter", "Escape"]);
const reach = 56; // of the stick, in pixels
const turning = 100; // degrees per second by keys

interface Finger {
  x: number;
  y: number;
  startX: number;
  startY: number;
  began: number;
  far: boolean;
  stick: boolean;
}

export class Controls {
  private readonly held = new Set<string>();
  private readonly fingers = new Map<number, Finger>();
  private stick: [number, number] = [0, 0];
  private readonly knob = document.createElement("div");

  constructor(private readonly root: HTMLElement, private readonly canvas: HTMLElement, private readonly pose: Pose, signal: AbortSignal, private readonly on: Events) {
    this.knob.className = "three-stick";
    this.knob.hidden = true;
    root.append(this.knob);
    const listen = { signal };
    addEventListener("keydown", (e) => this.keyDown(e), listen);
    addEventListener("keyup", (e) => this.held.delete(e.code), listen);
    addEventListener("blur", () => this.held.clear(), listen);
    document.addEventListener("pointerlockchange", () => this.on.changed(), listen);
    canvas.addEventListener("pointerdown", (e) => this.down(e), listen);
    canvas.addEventListener("pointermove", (e) => this.move(e), listen);
    canvas.addEventListener("pointerup", (e) => this.up(e, true), listen);
    canvas.addEventListener("pointercancel", (e) => this.up(e, false), listen);
    canvas.addEventListener("contextmenu", (e) => e.preventDefault(), listen);
    canvas.addEventListener("wheel", (e) => {
      e.preventDefault();
      this.on.speed(e.deltaY < 0 ? 1 : -1);
    }, { signal, passive: false });
    signal.addEventListener("abort", () => {
      if (document.pointerLockElement === canvas) document.exitPointerLock();
    });
  }

  /** Whether keys or the stick move the viewer. */
  get busy(): boolean {
    return this.held.size > 0 || this.stick[0] !== 0 || this.stick[1] !== 0;
  }

  /** Holds a key down for a button on the screen. */
  hold(code: string, on: boolean) {
    if (on) this.held.add(code);
    else this.held.delete(code);
    this.on.changed();
  }

  /** Turns by the keys that were held for some seconds, and says where the viewer wants to go. */
  wish(seconds: number): Wish {
    const is = (...codes: string[]) => (codes.some((c) => this.held.has(c)) ? 1 : 0);
    const turn = turning * seconds * (is("ShiftLeft", "ShiftRight") ? 0.35 : 1);
    this.turn((is("ArrowRight") - is("ArrowLeft")) * turn, (is("ArrowUp") - is("ArrowDown")) * turn * 0.7);
    const clamp = (v: number) => Math.min(1, Math.max(-1, v));
    return {
      ahead: clamp(is("KeyW") - is("KeyS") - this.stick[1]),
      right: clamp(is("KeyD") - is("KeyA") + this.stick[0]),
      up: is("Space", "KeyE", "PageUp") - is("ShiftLeft", "ShiftRight", "KeyQ", "PageDown"),
      fast: is("ShiftLeft", "ShiftRight") === 1 && is("KeyW", "KeyS", "KeyA", "KeyD") === 1,
    };
  }

  private turn(right: number, up: number) {
    if (right === 0 && up === 0) return;
    this.pose.yaw = (this.pose.yaw + right + 360) % 360;
    this.pose.pitch = Math.min(89.9, Math.max(-89.9, this.pose.pitch + up));
    this.on.changed();
  }

  private keyDown(e: KeyboardEvent) {
    const target = e.target as HTMLElement | null;
    const elsewhere = target && target !== this.canvas && target !== document.body && !this.root.contains(target) && target.id !== "main";
    if (elsewhere || e.ctrlKey || e.metaKey || e.altKey) return;
    const typing = target && /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName), button = target && /^(BUTTON|A)$/.test(target.tagName);
    if (e.key === "Escape") return this.on.key("Escape");
    if (typing || (button && (e.key === "Enter" || e.code === "Space"))) return;
    const key = e.key === "=" ? "+" : e.key === "_" ? "-" : e.key.length === 1 ? e.key.toLowerCase() : e.key;
    if (moving.has(e.code)) {
      e.preventDefault();
      this.held.add(e.code);
      this.on.changed();
    } else if (key === "l" && !e.repeat) {
      void (this.canvas.requestPointerLock?.() as Promise<void> | undefined)?.catch?.(() => undefined); // the browser may refuse it
    } else if (commands.has(key) && (!e.repeat || "+-[]".includes(key))) {
      e.preventDefault();
      this.on.key(key);
    }
  }

  private get locked(): boolean {
    return document.pointerLockElement === this.canvas;
  }

  private down(e: PointerEvent) {
    this.canvas.focus({ preventScroll: true });
    if (e.pointerType === "touch") this.root.classList.add("touched");
    if (e.button > 0 || this.locked) return;
    this.canvas.setPointerCapture(e.pointerId);
    const r = this.canvas.getBoundingClientRect();
    const stick = e.pointerType === "touch" && e.clientX - r.left < r.width * 0.42 && e.clientY - r.top > r.height * 0.3 && ![...this.fingers.values()].some((f) => f.stick);
    this.fingers.set(e.pointerId, { x: e.clientX, y: e.clientY, startX: e.clientX, startY: e.clientY, began: e.timeStamp, far: false, stick });
  }

  private move(e: PointerEvent) {
    if (this.locked) {
      this.turn(e.movementX * 0.12, -e.movementY * 0.12);
      return;
    }
    const f = this.fingers.get(e.pointerId);
    if (!f) return;
    if (Math.hypot(e.clientX - f.startX, e.clientY - f.startY) > 6) f.far = true;
    if (f.stick && f.far) {
      const x = (e.clientX - f.startX) / reach, y = (e.clientY - f.startY) / reach, l = Math.max(1, Math.hypot(x, y));
      this.stick = [x / l, y / l];
      const r = this.root.getBoundingClientRect();
      this.knob.hidden = false;
      this.knob.style.setProperty("--x", `${f.startX - r.left}px`);
      this.knob.style.setProperty("--y", `${f.startY - r.top}px`);
      this.knob.style.setProperty("--dx", `${this.stick[0] * reach * 0.6}px`);
      this.knob.style.setProperty("--dy", `${this.stick[1] * reach * 0.6}px`);
      this.on.changed();
    } else if (!f.stick) {
      const by = e.pointerType === "touch" ? 0.28 : 0.2;
      this.turn((e.clientX - f.x) * by, -(e.clientY - f.y) * by);
    }
    f.x = e.clientX;
    f.y = e.clientY;
  }

  private up(e: PointerEvent, done: boolean) {
    if (this.locked) {
      if (done && e.button === 0) this.on.pick(0, 0);
      return;
    }
    const f = this.fingers.get(e.pointerId);
    if (!f) return;
    this.fingers.delete(e.pointerId);
    if (f.stick) {
      this.stick = [0, 0];
      this.knob.hidden = true;
      this.on.changed();
    }
    if (!done || f.far || e.timeStamp - f.began > 500) return;
    const r = this.canvas.getBoundingClientRect();
    this.on.pick(((e.clientX - r.left) / r.width) * 2 - 1, 1 - ((e.clientY - r.top) / r.height) * 2);
  }
}
