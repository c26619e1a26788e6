import { make } from "../lib/dom.ts";
import { icon } from "../lib/icon.ts";
import { line } from "../lib/words.ts";
import type { Shown } from "./context.ts";
import { failureNotice } from "./failures.ts";
import { labelHash } from "./place.ts";

/** The service takes no longer label. */
const MAX_LABEL_CHARS = 64;

interface LabelChange {
  add_labels?: string[];
  remove_labels?: string[];
}

/** The labels of a mail: each leads to the mails that carry it, can be taken off, and others can be put on. */
export function labelsPart({ context, email, signal }: Shown): HTMLElement {
  const said = make("div");
  const part = make("div", { class: "labels-part row" }, said);
  let canChange = false;
  const show = (labels: readonly string[]): void => {
    const chips = labels.map((label) => {
      const name = line(label);
      const chip = make("span", { class: "chip" }, make("a", { href: labelHash(label) }, name));
      if (canChange) chip.append(small(`Remove the label ${name}`, () => change({ remove_labels: [label] })));
      return chip;
    });
    // The form stays: the reader may write in it.
    for (const old of part.querySelectorAll(":scope > .chip")) old.remove();
    part.prepend(...chips);
  };
  const changeNow = async (json: LabelChange): Promise<boolean> => {
    try {
      const { labels } = await context.client.emails.label(email.id, json, { signal });
      said.replaceChildren();
      show(labels);
      context.announce(labels.length === 0 ? "The mail has no label." : `Labels: ${labels.join(", ")}`);
      return true;
    } catch (error) {
      const notice = failureNotice(error);
      if (notice !== null) said.replaceChildren(notice);
      return false;
    }
  };
  let last = Promise.resolve(true);
  /** Makes one change after the other, so that the last answer has them all. Resolves to whether it worked. */
  const change = (json: LabelChange): Promise<boolean> => (last = last.then(() => changeNow(json)));
  show(email.labels);
  context.me
    .then(({ scope }) => {
      canChange = scope !== "provisional";
      if (canChange) said.before(addForm((label) => change({ add_labels: [label] })));
      show(email.labels);
    })
    .catch(() => {});
  return part;
}

function small(name: string, act: () => Promise<unknown>): HTMLButtonElement {
  const button = make("button", { type: "button", class: "chip-remove", "aria-label": name }, icon("close"));
  button.addEventListener("click", () => void act());
  return button;
}

/** A button that becomes a field, until the label is added. */
function addForm(add: (label: string) => Promise<boolean>): HTMLElement {
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
    if (label === "") return;
    void add(label).then((isAdded) => {
      // Unless the reader writes the next one already.
      if (!isAdded || input.value.trim() !== label) return;
      const hadFocus = document.activeElement === input;
      input.value = "";
      holder.replaceChildren(begin);
      if (hadFocus) begin.focus();
    });
  });
  holder.append(begin);
  return holder;
}
