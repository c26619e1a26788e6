import { make } from "./dom.ts";

/** A field with its label, and its hint below it. */
export function field(
  { id, label, hint = "" }: { id: string; label: string; hint?: string },
  attributes: Readonly<Record<string, string | boolean>> = {},
): { field: HTMLElement; input: HTMLInputElement } {
  const described: Record<string, string> = hint === "" ? {} : { "aria-describedby": `${id}-hint` };
  const input = make("input", { id, type: "text", autocomplete: "off", ...described, ...attributes });
  const hints = hint === "" ? [] : [make("span", { class: "hint", id: `${id}-hint` }, hint)];
  return {
    field: make("div", { class: "field" }, make("label", { for: id }, label), input, ...hints),
    input,
  };
}

/** A button that is disabled while `act` runs. `act` never rejects. */
export function doing(text: string, act: () => Promise<void>, kind = ""): HTMLButtonElement {
  const button = make("button", { type: "button", class: kind }, text);
  button.addEventListener("click", () => {
    button.disabled = true;
    void act().finally(() => (button.disabled = false));
  });
  return button;
}

/**
 * Runs `act` while a form takes no input, so that the answer overwrites nothing that was typed since it was asked for. Then the
 * focus is where it was. Does nothing if the form waits for an answer already. `act` never rejects.
 */
export async function locked(form: HTMLFormElement, act: () => Promise<void>): Promise<void> {
  if (form.inert) return;
  const focused = document.activeElement;
  form.inert = true;
  await act();
  form.inert = false;
  if (focused instanceof HTMLElement && document.activeElement === document.body) focused.focus();
}
