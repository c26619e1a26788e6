import { make } from "../lib/dom.ts";
import { webAddressesIn } from "../lib/web-address.ts";

/** Browsers lay out a longer text too slowly; the raw message has all of it. */
const MAX_SHOWN_CHARS = 200_000;

/** The text of a mail, its web addresses as links. */
export function textPart(text: string): HTMLElement {
  const shown = text.slice(0, MAX_SHOWN_CHARS);
  const part = make("div", { class: "text-part", dir: "auto" });
  for (const { text: piece, url } of webAddressesIn(shown)) {
    part.append(url === null ? piece : webLink(url, piece));
  }
  if (text.length > shown.length) {
    part.append(
      make(
        "p",
        { class: "notice" },
        "The text is too long to be shown whole. The rest is in the raw message.",
      ),
    );
  }
  if (text.trim() === "") part.append(make("p", { class: "muted" }, "This mail has no text."));
  return part;
}

/** A link that leaves the viewer: it opens a tab without an opener and sends no referrer. */
export function webLink(url: URL, text: string): HTMLAnchorElement {
  return make("a", { href: url.href, target: "_blank", rel: "noopener noreferrer" }, text);
}

/** A mail's text, and what of it its author wrote anew. */
interface Texts {
  body_text: string;
  text_new: string;
}

/** Whether a text quotes others, besides what its author wrote. */
export function quotesOthers({ body_text, text_new }: Texts): boolean {
  const own = text_new.trim();
  return own !== "" && own.length < body_text.trim().length;
}

/** Shows what is new in a mail, and the quoted rest of it when a button is pressed. */
export function foldedTextPart(email: Texts): HTMLElement {
  if (!quotesOthers(email)) return textPart(email.body_text);
  const part = make("div", {});
  const more = make(
    "button",
    { type: "button", class: "copy", "aria-expanded": "false" },
    "Show quoted text",
  );
  const show = (isWhole: boolean): void => {
    more.setAttribute("aria-expanded", String(isWhole));
    more.textContent = isWhole ? "Hide quoted text" : "Show quoted text";
    part.replaceChildren(textPart(isWhole ? email.body_text : email.text_new), more);
  };
  more.addEventListener("click", () => {
    show(more.getAttribute("aria-expanded") !== "true");
    more.focus();
  });
  show(false);
  return part;
}
