// What a folder of worlds would weigh in cairn.

import type { View } from "./view";

/** Adds the part of a page that weighs dropped folders. */
export function savings(v: View): void {
  void v;
}
