import type { PropsWithChildren } from "hono/jsx";
import type { Kind } from "./notice.tsx";

/** A state in one word. */
export function Badge({ kind, children }: PropsWithChildren<{ kind?: Kind }>) {
  return <span class={kind === undefined ? "badge" : `badge ${kind}`}>{children}</span>;
}

/** A label that a person or a rule put there. */
export function Chip({ children }: PropsWithChildren) {
  return <span class="chip">{children}</span>;
}
