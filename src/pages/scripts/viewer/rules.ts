import type { MailboxRules, ReceiveMode } from "../../../contract/rules.ts";
import { isRefusal } from "../lib/refusals.ts";
import { make } from "../lib/dom.ts";
import { locked } from "../lib/form.ts";
import { line } from "../lib/words.ts";
import type { Context } from "./context.ts";
import { failureNotice } from "./failures.ts";
import { hashOf } from "./place.ts";

type Receive = MailboxRules["receive"];

const MODES: readonly (readonly [mode: ReceiveMode, text: string])[] = [
  ["everyone", "Everyone, unless blocked"],
  ["verified", "Only senders whose domain is proven"],
  ["listed", "Only senders that are allowed below"],
];

/** Who may write to the mailbox. */
export async function rulesView(context: Context, signal: AbortSignal): Promise<HTMLElement> {
  const { receive } = await context.client.rules.get({ signal });
  const form = new RulesForm(context, receive);
  return make(
    "div",
    { class: "settings" },
    make("h2", { tabindex: "-1" }, "Who may write"),
    form.element,
    make("p", {}, make("a", { href: hashOf("refused") }, "Refused mail"), " is kept for 7 days."),
  );
}

/** A text of many lines with its label and its hint. */
function linesField(
  id: string,
  label: string,
  hint: string,
): { field: HTMLElement; input: HTMLTextAreaElement } {
  const input = make("textarea", {
    id,
    rows: "4",
    class: "mono",
    spellcheck: "false",
    autocomplete: "off",
    "aria-describedby": `${id}-hint`,
  });
  const field = make(
    "div",
    { class: "field" },
    make("label", { for: id }, label),
    input,
    make("span", { class: "hint", id: `${id}-hint` }, hint),
  );
  return { field, input };
}

/** The mode and the entries, one a line. */
class RulesForm {
  readonly element: HTMLElement;
  readonly #context: Context;
  readonly #mode = make("select", { id: "rules-mode" });
  readonly #proven = linesField(
    "rules-allow",
    "Allowed",
    "One a line: an address, a domain, or *. and a domain for its subdomains. Each counts only where the sender is proven.",
  );
  readonly #unproven = linesField(
    "rules-unverified",
    "Allowed even if not proven",
    "Anybody can write such a name and gets in.",
  );
  readonly #blocked = linesField("rules-block", "Blocked", "The most specific entry decides; here as above.");
  readonly #said = make("div");

  constructor(context: Context, receive: Receive) {
    this.#context = context;
    for (const [value, text] of MODES) this.#mode.append(make("option", { value }, text));
    const mode = make("div", { class: "field" }, make("label", { for: "rules-mode" }, "Let in"), this.#mode);
    const form = make("form", { method: "post", novalidate: true }, mode);
    form.append(this.#proven.field, this.#unproven.field, this.#blocked.field, this.#said);
    form.append(make("button", {}, "Save the rules"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void locked(form, () => this.#save());
    });
    this.element = make("section", {}, form);
    this.show(receive);
  }

  show({ mode, allow, block }: Receive): void {
    this.#mode.value = mode;
    const written = (entries: readonly { match: string }[]) => entries.map(({ match }) => match).join("\n");
    this.#proven.input.value = written(allow.filter(({ unverified }) => unverified !== true));
    this.#unproven.input.value = written(allow.filter(({ unverified }) => unverified === true));
    this.#blocked.input.value = written(block);
  }

  async #save(): Promise<void> {
    const stated = this.#stated();
    try {
      const { receive } = await this.#context.client.rules.put({ receive: stated });
      this.show(receive);
      this.#said.replaceChildren(make("p", { class: "notice good", role: "status" }, "Saved."));
    } catch (error) {
      const wrong = wrongEntry(error, stated);
      const notice =
        wrong === null
          ? failureNotice(error)
          : make("div", { class: "notice bad", role: "alert" }, make("p", { class: "break" }, wrong));
      this.#said.replaceChildren(...(notice === null ? [] : [notice]));
    }
  }

  #stated() {
    const mode = MODES.find(([one]) => one === this.#mode.value)?.[0] ?? "everyone";
    const entries = ({ value }: HTMLTextAreaElement) =>
      value.split("\n").flatMap((text) => (text.trim() === "" ? [] : [{ match: text.trim() }]));
    const unproven = entries(this.#unproven.input).map((entry) => ({ ...entry, unverified: true }));
    return {
      mode,
      allow: [...entries(this.#proven.input), ...unproven],
      block: entries(this.#blocked.input),
    };
  }
}

/** Names the first wrong entry by its text; null for an error that names none. */
function wrongEntry(error: unknown, stated: Pick<Receive, "allow" | "block">): string | null {
  if (!isRefusal(error)) return null;
  const [, list, index] = /^receive\.(allow|block)[[.](\d+)/.exec(error.field ?? "") ?? [];
  const entry = list === "allow" || list === "block" ? stated[list][Number(index)] : undefined;
  if (entry === undefined) return null;
  return `“${line(entry.match)}” ${error.message.replace(/^[^:]*: /, "")}.`;
}
