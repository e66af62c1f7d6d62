import { el } from "./dom";
import type { Page } from "./view";

export const numbers: Page = (v) => v.main.append(el("h1", null, "Numbers"));
