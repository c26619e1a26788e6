import { lazy } from "../lazy.ts";
import { anyOf, wordsOf } from "../languages/matching.ts";

/** Local parts that services send their codes from; no person has one. */
const machine = lazy(() => {
  const parts = anyOf(wordsOf(({ localParts }) => localParts?.sendsCodes));
  return new RegExp(`(?:^|[._+-])(?:${parts})(?:$|[._+-])`, "u");
});

/** Whether an address is one that only machines write from. */
export function isMachine(address: string): boolean {
  return machine().test(address.slice(0, Math.max(0, address.lastIndexOf("@"))).toLowerCase());
}
