// Makes elements. Text from outside becomes text nodes only, never markup.

export type Child = Node | string | number | null | undefined | false | Child[];

type Props = Record<string, unknown>;

/**
 * Makes an element. A property that begins with "on" is a listener, "class" and names with a dash
 * are attributes, the others are properties of the element. false, null and undefined are left out.
 */
export function el<K extends keyof HTMLElementTagNameMap>(tag: K, props?: Props | null, ...children: Child[]): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  set(e, props);
  add(e, children);
  return e;
}

const svgSpace = "http://www.w3.org/2000/svg";

/** Makes an element of SVG; all of its properties but listeners are attributes. */
export function svg<K extends keyof SVGElementTagNameMap>(tag: K, props?: Props | null, ...children: Child[]): SVGElementTagNameMap[K] {
  const e = document.createElementNS(svgSpace, tag) as SVGElementTagNameMap[K];
  set(e, props);
  add(e, children);
  return e;
}

function set(e: Element, props?: Props | null): void {
  for (const [key, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on") && typeof value === "function") {
      e.addEventListener(key.slice(2), value as EventListener);
    } else if (key === "class" || key === "for" || key === "role" || key === "list" || key.includes("-") || e.namespaceURI === svgSpace || !(key in e)) {
      e.setAttribute(key, value === true ? "" : String(value));
    } else {
      (e as unknown as Props)[key] = value;
    }
  }
}

/** Appends children; strings and numbers become text. */
export function add(e: Element, children: Child[]): void {
  for (const c of children) {
    if (Array.isArray(c)) add(e, c);
    else if (c !== null && c !== undefined && c !== false) e.append(c instanceof Node ? c : String(c));
  }
}

/** Replaces all children. */
export function fill(e: Element, ...children: Child[]): void {
  e.replaceChildren();
  add(e, children);
}

/** Returns a name that breaks behind its dashes, dots and slashes. */
export const breaking = (name: string): Child => name.split(/(?<=[/_.-])(?![/_.-])/).map((part, i) => [i > 0 && el("wbr"), part]);

/** Returns text for screen readers alone. */
export const hidden = (text: string): HTMLElement => el("span", { class: "hidden" }, text);

const icons: Record<string, string> = {
  sun: "M12 4V2M12 22v-2M4 12H2M22 12h-2M5.6 5.6 4.2 4.2M19.8 19.8l-1.4-1.4M5.6 18.4l-1.4 1.4M19.8 4.2l-1.4 1.4M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10Z",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5Z",
  search: "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM15.5 15.5 21 21",
  up: "M12 20V5M6 11l6-6 6 6",
  down: "M12 4v15M6 13l6 6 6-6",
  fork: "M6 4v5a4 4 0 0 0 4 4h4a4 4 0 0 1 4 4v3M6 13v7M3.5 6.5 6 4l2.5 2.5",
  back: "M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3",
  pen: "M4 20l1-4L16 5l3 3L8 19ZM14 7l3 3",
  bin: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5",
  map: "M3 6l6-2 6 2 6-2v14l-6 2-6-2-6 2ZM9 4v14M15 6v14",
  cube: "M12 3l8 4.5v9L12 21l-8-4.5v-9ZM4 7.5l8 4.5 8-4.5M12 12v9",
  flag: "M6 21V4M6 5h11l-2 4 2 4H6",
  lock: "M6 11h12v9H6ZM8.5 11V8a3.5 3.5 0 0 1 7 0v3",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  close: "M6 6l12 12M18 6 6 18",
  swap: "M4 8h13l-3-3M20 16H7l3 3",
  layers: "M12 4l9 5-9 5-9-5ZM3 14l9 5 9-5",
  out: "M14 4h6v16h-6M4 12h11M11 8l4 4-4 4",
  whole: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
};

/** Returns an icon, which has no name of its own: the button around it has one. */
export function icon(name: string): SVGElement {
  return svg("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: icons[name] ?? "" }));
}
