import { bareUrl, TEXT_URL } from "../code/mail-links.ts";
import { shownHost } from "./hosts.ts";
import { linkFlags, type LinkFlag } from "./link-flags.ts";

/** A link of a mail. */
export interface NumberedLink {
  /** Its number in the text of the view, from 1. */
  n: number;
  url: string;
  /** Where it leads: the host, or the domain of a mail address; "" if that cannot be told. */
  host: string;
  /** Its visible text; "" for a picture. */
  text: string;
  flags: LinkFlag[];
}

/** Links of one mail that have numbers. */
const MAX_LINKS = 500;
/** Characters of what is seen of a link. */
const MAX_LABEL_CHARS = 100;

/** The marks of link numbers, before the text's own brackets are told apart from them. */
const OPEN = "\ue000";
const CLOSE = "\ue001";
const MARKS = /[\ue000\ue001]/g;

/** A text without characters that {@link LinkNumbers} uses as marks. */
export function withoutMarks(text: string): string {
  return text.replaceAll(MARKS, "");
}

/** Numbers the links of a mail in the order they stand. Each address has one number. */
export class LinkNumbers {
  readonly links: NumberedLink[] = [];
  readonly #byUrl = new Map<string, NumberedLink>();

  /** The mark that stands behind a link in the text; "" if there are too many. */
  mark(url: string, seen: string): string {
    const known = this.#byUrl.get(url) ?? this.#add(url);
    if (known === null) return "";
    const text = labelOf(seen);
    if (known.text === "") known.text = text;
    // Of a link that stands in several places, each text is judged.
    known.flags = [...new Set([...known.flags, ...linkFlags(url, text)])];
    return `${OPEN}${known.n}${CLOSE}`;
  }

  /** The text with `[n]` behind each link, and with hosts in the place of addresses. */
  written(text: string): string {
    const own = text.replaceAll(/\[(\d{1,4})\]/g, "($1)");
    const withHosts = own.replaceAll(TEXT_URL, (found, at: number) => {
      if (this.links.length >= MAX_LINKS) return found;
      const url = bareUrl(found.replace(/\ue000[^]*$/, ""));
      const host = shownHost(url);
      if (host === "") return found;
      const rest = found.slice(url.length);
      const isNumbered = /^\s?\ue000/.test(own.slice(at + url.length, at + url.length + 2));
      return `${host}${isNumbered ? "" : ` ${this.mark(url, "")}`}${rest}`;
    });
    return withHosts.replaceAll(/\ue000(\d+)\ue001/g, "[$1]");
  }

  #add(url: string): NumberedLink | null {
    if (this.links.length >= MAX_LINKS) return null;
    const link: NumberedLink = { n: this.links.length + 1, url, host: shownHost(url), text: "", flags: [] };
    this.links.push(link);
    this.#byUrl.set(url, link);
    return link;
  }
}

function labelOf(seen: string): string {
  const text = withoutMarks(seen.replaceAll(/\ue000\d+\ue001/g, ""))
    .replaceAll(/\s+/g, " ")
    .trim();
  return (text.length > MAX_LABEL_CHARS ? `${text.slice(0, MAX_LABEL_CHARS - 1)}…` : text).toWellFormed();
}
