import type { Access } from "../mailbox/account/access.ts";

/** A caller's wish in a further call of the same request, which counts no more. */
export function further(access: Access): Access {
  return { ...access, isCounted: true };
}
