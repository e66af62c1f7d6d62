// What a page is: a function that fills an element until its signal is given.

import type { Who } from "./api";

export interface View {
  /** The element that the page fills. */
  main: HTMLElement;
  /** The name of the world, or "" on pages without one. */
  name: string;
  /** The parameters of the page's address. */
  query: URLSearchParams;
  /** Given when the user leaves the page. Listeners, calls and loops end with it. */
  signal: AbortSignal;
  /** Who looks at the page; null for somebody who is not logged in. */
  who: Who | null;
  /** Sets the title of the browser's tab. */
  title(text: string): void;
  /** Replaces the parameters of the page's address; undefined and "" remove one. */
  share(query: Record<string, string | number | undefined>): void;
  /** Goes to another page of this server. */
  go(path: string): void;
}

export type Page = (v: View) => void | Promise<void>;

/** Reports whether the viewer has a role on a world, as far as the page knows; the server decides. */
export function may(who: Who | null, role: Who["role"], name = ""): boolean {
  const order = ["read", "write", "admin"];
  if (!who || order.indexOf(who.role) < order.indexOf(role)) return false;
  const prefixes = who.prefixes ?? [];
  return prefixes.length === 0 || (name !== "" && prefixes.some((p) => name === p || name.startsWith(p + "/")));
}
