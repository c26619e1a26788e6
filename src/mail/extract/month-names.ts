import { lazy } from "../lazy.ts";
import { LANGUAGES } from "../languages/index.ts";
import { listed } from "../languages/matching.ts";

const months = lazy(() => {
  const found = new Map<string, number>();
  for (const { dates } of LANGUAGES) {
    for (const [at, names] of (dates?.months ?? []).entries()) {
      for (const name of listed(names)) if (!found.has(name)) found.set(name, at + 1);
    }
  }
  return found;
});

/** The month of a name, 1 to 12; null if it is none. */
export function monthOf(name: string): number | null {
  const lower = name.normalize("NFC").toLowerCase().replace(/\.$/, "");
  return months().get(lower) ?? null;
}
