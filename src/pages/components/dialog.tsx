import type { Child, PropsWithChildren } from "hono/jsx";

interface DialogProps {
  id: string;
  title: string;
  /** The buttons; each closes the dialog with its `value`. */
  actions: Child;
  /** The name by which a script finds it. */
  part?: string;
  open?: boolean;
}

/** A question or a list in front of the page, which a script opens with `showModal()`. */
export function Dialog({ id, title, actions, part, open, children }: PropsWithChildren<DialogProps>) {
  return (
    <dialog data-part={part} aria-labelledby={id} open={open}>
      <h2 id={id}>{title}</h2>
      {children}
      <form method="dialog" class="actions">
        {actions}
      </form>
    </dialog>
  );
}
