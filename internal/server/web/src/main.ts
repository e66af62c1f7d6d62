// The frame of all pages: the header, and which page an address shows.

import "./style.css";
import "./three/three.css";
import { gaveUp, json, Refused, words, type Who } from "./api";
import { el, fill, hidden, icon, svg } from "./dom";
import { login } from "./login";
import type { Page, View } from "./view";
import { worlds } from "./worlds";

/** A page whose script is loaded when it is needed for the first time. */
interface Later {
  title: string;
  load: () => Promise<Page>;
}

const worldPages: Record<string, Later> = {
  world: { title: "World", load: async () => (await import("./world")).world },
  map: { title: "Map", load: async () => (await import("./map")).map },
  "3d": { title: "3D", load: async () => (await import("./three/page")).three },
};
const numbers: Later = { title: "Numbers", load: async () => (await import("./numbers")).numbers };

/** Returns what is loaded for an address, and the name of the world in it. */
function pageOf(path: string): { kind: string; name: string; later: Later | undefined } {
  const [, first = "", rest = ""] = /^\/([^/]*)\/?(.*)$/.exec(path) ?? [];
  const later = path === "/numbers" ? numbers : rest ? worldPages[first] : undefined;
  return { kind: first, name: later && rest ? decoded(rest) : "", later };
}

function decoded(text: string): string {
  try {
    return decodeURI(text);
  } catch {
    return text; // the server says that this is no name
  }
}

const main = el("main", { id: "main", tabIndex: -1 });
const tabs = el("nav", { class: "tabs", "aria-label": "Pages of this world" });
const nav = el("nav", { class: "nav", "aria-label": "Pages" });
const account = el("div", { class: "account" });
let leaving = new AbortController();
let who: Who | null = null;
let stranger = false; // the server asks for a token

function header(): HTMLElement {
  return el(
    "header",
    { class: "top" },
    el("a", { class: "skip", href: "#main", onclick: (e: Event) => (e.preventDefault(), main.focus()) }, "Skip to the content"),
    el("a", { class: "brand", href: "/", "aria-label": "cairn, all worlds" }, logo(), el("span", null, "cairn")),
    nav,
    tabs,
    el("div", { class: "right" }, account, themeSwitch()),
  );
}

function logo(): SVGElement {
  const stone = (cx: number, cy: number, rx: number, ry: number): SVGElement => svg("ellipse", { cx, cy, rx, ry });
  return svg("svg", { class: "logo", viewBox: "0 0 32 32", "aria-hidden": "true" }, stone(16, 26, 13, 4.4), stone(15.3, 17.6, 9.2, 3.8), stone(16.8, 10.4, 6.2, 3.1), stone(15.9, 4.6, 3.5, 2.4));
}

function themeSwitch(): HTMLElement {
  const root = document.documentElement;
  const dark = (): boolean => (root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
  const button = el("button", { class: "quiet round", type: "button" });
  const draw = (): void => {
    fill(button, icon(dark() ? "sun" : "moon"));
    button.setAttribute("aria-label", dark() ? "Light colours" : "Dark colours");
    button.title = dark() ? "Light colours" : "Dark colours";
  };
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    try {
      localStorage.setItem("theme", root.dataset.theme);
    } catch {
      // The choice lasts as long as the page.
    }
    draw();
    dispatchEvent(new Event("theme"));
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => (draw(), dispatchEvent(new Event("theme"))));
  draw();
  return button;
}

/** Asks who looks at the pages, and shows it. */
async function ask(): Promise<void> {
  who = null;
  stranger = false;
  try {
    who = await json<Who>("/v1/login");
  } catch (e) {
    stranger = e instanceof Refused && e.status === 401;
    if (e instanceof Refused && e.code === "no_route") who = { role: "admin", prefixes: [], note: "" };
  }
  fill(account, who ? el("a", { href: "/login", class: "who", title: who.note || "Who you are" }, who.role, who.note ? hidden(", " + who.note) : null) : stranger ? el("a", { href: "/login", class: "who" }, "Log in") : null);
}

function link(href: string, text: string, current: boolean): HTMLElement {
  return el("a", { href, "aria-current": current ? "page" : undefined }, text);
}

/** Shows the page of the address. */
async function show(): Promise<void> {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  const at = location.pathname;
  const { kind, name, later } = pageOf(at);
  fill(nav, link("/", "Worlds", at === "/"), link("/numbers", "Numbers", at === "/numbers"));
  const version = new URLSearchParams(location.search).get("at");
  const q = version ? "?" + new URLSearchParams({ at: version }).toString() : "";
  fill(tabs, name && el("span", { class: "crumb", title: name }, name), name && Object.entries(worldPages).map(([k, p]) => link(`/${k}/${name}${q}`, p.title, k === kind)));
  document.body.dataset.page = at === "/" ? "worlds" : kind;
  const own = el("div", { class: "page" });
  fill(main, own);
  const v: View = {
    main: own,
    name,
    query: new URLSearchParams(location.search),
    signal,
    who,
    title: (text) => {
      if (!signal.aborted) document.title = text ? `${text} – cairn` : "cairn";
    },
    share: (query) => {
      if (signal.aborted) return;
      const all = new URLSearchParams(location.search);
      for (const [k, value] of Object.entries(query)) value === undefined || value === "" ? all.delete(k) : all.set(k, String(value));
      const text = all.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
      history.replaceState(history.state, "", location.pathname + (text ? "?" + text : ""));
    },
    go: (path) => go(path),
  };
  v.title(later ? [name, later.title].filter(Boolean).join(", ") : at === "/login" || (at === "/" && stranger) ? "Log in" : "");
  try {
    const page = later ? await later.load() : at === "/login" || (at === "/" && stranger) ? login(ask) : at === "/" ? worlds : missing;
    if (!signal.aborted) await page(v);
  } catch (e) {
    if (!signal.aborted && !gaveUp(e)) fill(own, trouble(e, "see this page"));
  }
}

/** Returns an error as a part of a page. */
function trouble(e: unknown, doing: string): HTMLElement {
  if (e instanceof Refused && ["no_world", "bad_name", "gone"].includes(e.code)) {
    return el("div", { class: "empty", role: "alert" }, el("h1", null, e.code === "gone" ? "This world was deleted" : "There is no world of this name"), el("p", null, "All worlds are on the ", el("a", { href: "/" }, "first page"), "."));
  }
  const login = e instanceof Refused && (e.status === 401 || e.status === 403);
  const prefixes = who?.prefixes ?? [];
  const has = who && login && ` Your token has the role ${who.role}${prefixes.length ? ` and is for ${prefixes.join(", ")}` : ""}.`;
  return el("div", { class: "note bad", role: "alert" }, el("p", null, words(e, doing), has), login && el("p", null, el("a", { class: "button strong", href: "/login?to=" + encodeURIComponent(location.pathname + location.search) }, who ? "Another token" : "Log in")));
}

const missing: Page = (v) => {
  v.title("No such page");
  fill(v.main, el("div", { class: "empty" }, el("h1", null, "There is no page here"), el("p", null, "All worlds are on the ", el("a", { href: "/" }, "first page"), ".")));
};

function go(path: string): void {
  history.pushState(null, "", path);
  scrollTo(0, 0);
  void show();
}

const isPage = (path: string): boolean => /^\/(|login|numbers|world\/.+|map\/.+|3d\/.+)$/.test(path);

document.addEventListener("click", (e) => {
  const a = (e.target as Element | null)?.closest?.("a");
  if (!a || e.defaultPrevented || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
  if (a.target || a.hasAttribute("download") || a.origin !== location.origin || !isPage(a.pathname)) return;
  e.preventDefault();
  go(a.pathname + a.search);
});
addEventListener("popstate", () => void show());
// A file that misses the page's place for files does not replace the page.
for (const kind of ["dragover", "drop"] as const) document.addEventListener(kind, (e) => e.preventDefault());

document.body.append(header(), main);
void pageOf(location.pathname).later?.load().catch(() => undefined); // beside the question who looks; show tells of a failure
void ask().then(show);
