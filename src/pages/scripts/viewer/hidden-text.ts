import type { Email } from "../../../contract/message.ts";
import type { EmailView } from "../../../contract/view.ts";
import { isAbort } from "../lib/refusals.ts";
import { make } from "../lib/dom.ts";
import { count, line } from "../lib/words.ts";
import type { Shown } from "./context.ts";
import { unusualHiding, type Hiding } from "./hiding.ts";

/** Tokens of the hidden texts that are asked for, the most there are: comments for Outlook, which are many, count too. */
const BUDGET = 20_000;

/** Characters that may be invisible. A plain text without them hides nothing. */
const MAY_HIDE = /\p{Default_Ignorable_Code_Point}/u;

/** How each listed text is hidden, in words. */
const KINDS: Readonly<Record<string, string>> = {
  css: "hidden by style",
  size: "too small to read",
  color: "in the colour of its background",
  tags: "spelt in invisible characters",
};

/**
 * A place in which it is said whether a received mail hides text in an unusual way, once the service answers. It stays empty where
 * the mail hides nothing, or only what most newsletters do.
 */
export function hiddenTextPart(shown: Shown): HTMLElement {
  // The list is no part of what is announced: it may be long, and the reader opens it.
  const said = make("div", { role: "status" });
  const holder = make("div", { class: "hidden-text" }, said);
  if (mayHide(shown.email)) void fill({ holder, said }, shown);
  return holder;
}

function mayHide({ direction, body_html, body_text, subject }: Email): boolean {
  if (direction !== "inbound") return false;
  return body_html.trim() !== "" || MAY_HIDE.test(subject) || MAY_HIDE.test(body_text);
}

interface Place {
  holder: HTMLElement;
  /** The part of it that screen readers announce. */
  said: HTMLElement;
}

async function fill(place: Place, { context, email, signal }: Shown): Promise<void> {
  try {
    const query = { include: ["hidden"] as const, budget: BUDGET };
    const view = await context.client.emails.view(email.id, query, { signal });
    const hiding = unusualHiding(email, view);
    if (hiding !== null) warn(place, hiding, view);
  } catch (error) {
    if (isAbort(error)) return;
    const text = "Nobody knows whether this mail has text that you cannot see: the check failed.";
    place.said.replaceChildren(make("p", { class: "muted small" }, text));
  }
}

function warn({ holder, said }: Place, hiding: Hiding, { hidden_texts = [] }: EmailView): void {
  const listed = hidden_texts.filter(({ kind }) => Object.hasOwn(KINDS, kind));
  const text = `This mail has text that you cannot see: ${wordsOf(hiding)}. Programs that read the mail may see it.`;
  holder.classList.add("notice", "warn");
  said.replaceChildren(make("p", {}, text));
  if (listed.length === 0) return;
  const button = make("button", { type: "button", "aria-expanded": "false" }, "Show hidden text");
  const isCut = listed.length < hiding.style + hiding.size + hiding.color;
  button.addEventListener("click", () => {
    const open = holder.querySelector("section");
    button.setAttribute("aria-expanded", String(open === null));
    button.textContent = open === null ? "Close hidden text" : "Show hidden text";
    if (open === null) holder.append(list(listed, isCut));
    else open.remove();
  });
  holder.append(button);
}

function wordsOf({ style, size, color, characters }: Hiding): string {
  return [
    style > 0 && `${count(style, "part")} by style`,
    size > 0 && `${count(size, "part")} too small to read`,
    color > 0 && `${count(color, "part")} in the colour of the background`,
    characters > 0 && count(characters, "invisible character"),
  ]
    .filter((words) => words !== false)
    .join(", ");
}

/** Lists the texts as plain text, each with how it is hidden. */
function list(texts: NonNullable<EmailView["hidden_texts"]>, isCut: boolean): HTMLElement {
  const rows = texts.map(({ kind, text }) =>
    make(
      "li",
      {},
      make("span", { class: "badge" }, KINDS[kind] ?? ""),
      make("p", { class: "mono small break", dir: "auto" }, line(text)),
    ),
  );
  const title = "Hidden text, which the mail does not show";
  const more = isCut ? [make("p", { class: "small" }, "There is more of it in the raw message.")] : [];
  return make(
    "section",
    { "aria-label": title },
    make("p", { class: "small" }, make("strong", {}, title)),
    make("ul", { class: "rows" }, ...rows),
    ...more,
  );
}
