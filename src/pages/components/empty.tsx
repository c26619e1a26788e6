import type { Child, PropsWithChildren } from "hono/jsx";

/** In the place of a list without entries: what is missing, and what to do. */
export function Empty({ title, actions, children }: PropsWithChildren<{ title: string; actions?: Child }>) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children !== undefined && <p class="break">{children}</p>}
      {actions}
    </div>
  );
}
