import type { PropsWithChildren } from "hono/jsx";

/** How something stands: said by a word, and by the colour besides. */
export type Kind = "good" | "bad" | "warn" | "info";

/** A message to the reader. `role`: for one that answers what the reader did. */
export function Notice({
  kind,
  role,
  children,
}: PropsWithChildren<{ kind: Kind; role?: "alert" | "status" }>) {
  return (
    <div class={`notice ${kind}`} role={role}>
      <p>{children}</p>
    </div>
  );
}
