import type { Child, PropsWithChildren } from "hono/jsx";

/** The title of a page, its first sentence, and what can be done with all of it. */
export function PageHead({ title, actions, children }: PropsWithChildren<{ title: Child; actions?: Child }>) {
  return (
    <div class="page-head">
      <div class="spread">
        <h1 class="break">{title}</h1>
        {actions !== undefined && <div class="row">{actions}</div>}
      </div>
      {children !== undefined && <p class="lead">{children}</p>}
    </div>
  );
}
