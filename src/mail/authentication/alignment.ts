import { organizationalDomain } from "../address/public-suffix.ts";

/** How domains are compared: `relaxed`, by organisational domain; `strict`, letter by letter. */
export type Alignment = "relaxed" | "strict";

/** Whether a proven domain speaks for the domain of From (RFC 7489 §3.1). Both are in canonical form; "" speaks for none. */
export function isAligned(proven: string, fromDomain: string, how: Alignment): boolean {
  if (proven === "") return false;
  if (proven === fromDomain) return true;
  if (how === "strict") return false;
  const organization = organizationalDomain(fromDomain);
  return organization !== null && organizationalDomain(proven) === organization;
}
