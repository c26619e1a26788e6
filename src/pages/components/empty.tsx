import type { PropsWithChildren } from "hono/jsx";

/** In the place of a list without entries: what is missing, and what to do. */
export function Empty({ title, children }: PropsWithChildren<{ title: string }>) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children !== undefined && <p>{children}</p>}
    </div>
  );
}
