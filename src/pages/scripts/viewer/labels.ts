import { make } from "../lib/dom.ts";
import { icon } from "../lib/icon.ts";
import { line } from "../lib/words.ts";
import type { Shown } from "./context.ts";
import { failureNotice } from "./failures.ts";
import { labelHash } from "./place.ts";

/** The service takes no longer label. */
const MAX_LABEL_CHARS = 64;

/** The labels of a mail: each leads to the mails that carry it, can be taken off, and others can be put on. */
export function labelsPart({ context, email, signal }: Shown): HTMLElement {
  const part = make("div", { class: "labels-part row" });
  const said = make("div");
  let canChange = false;
  const show = (labels: readonly string[]): void => {
    const chips = labels.map((label) => {
      const name = line(label);
      const chip = make("span", { class: "chip" }, make("a", { href: labelHash(label) }, name));
      if (canChange) chip.append(small(`Remove the label ${name}`, () => change({ remove_labels: [label] })));
      return chip;
    });
    part.replaceChildren(
      ...chips,
      ...(canChange ? [addForm((label) => change({ add_labels: [label] }))] : []),
    );
    part.append(said);
  };
  const change = async (json: { add_labels?: string[]; remove_labels?: string[] }): Promise<void> => {
    try {
      const { labels } = await context.client.emails.label(email.id, json, { signal });
      said.replaceChildren();
      show(labels);
      context.announce(labels.length === 0 ? "The mail has no label." : `Labels: ${labels.join(", ")}`);
    } catch (error) {
      const notice = failureNotice(error);
      if (notice !== null) said.replaceChildren(notice);
    }
  };
  show(email.labels);
  context.me
    .then(({ scope }) => {
      canChange = scope !== "provisional";
      show(email.labels);
    })
    .catch(() => {});
  return part;
}

function small(name: string, act: () => Promise<void>): HTMLButtonElement {
  const button = make("button", { type: "button", class: "chip-remove", "aria-label": name }, icon("close"));
  button.addEventListener("click", () => void act());
  return button;
}

/** A button that becomes a field. */
function addForm(add: (label: string) => Promise<void>): HTMLElement {
  const holder = make("span", {});
  const begin = make("button", { type: "button", class: "copy" }, "Add label");
  const input = make("input", {
    type: "text",
    class: "label-field",
    "aria-label": "New label",
    maxlength: String(MAX_LABEL_CHARS),
    autocomplete: "off",
    autocapitalize: "none",
  });
  const form = make("form", { method: "post", novalidate: true }, input);
  begin.addEventListener("click", () => {
    holder.replaceChildren(form);
    input.focus();
  });
  input.addEventListener("blur", () => {
    if (input.value.trim() === "") holder.replaceChildren(begin);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const label = input.value.trim();
    if (label !== "") void add(label);
  });
  holder.append(begin);
  return holder;
}
