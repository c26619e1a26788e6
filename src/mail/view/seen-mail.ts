import {
  countInvisible,
  homoglyphWords,
  NOTHING_INVISIBLE,
  type InvisibleCounts,
} from "../text/invisible-characters.ts";
import { readShown, type HiddenPassage, type Writing } from "../text/shown-text.ts";
import { LEFT_OUT } from "../style/css-selectors.ts";
import { LinkNumbers, withoutMarks, type NumberedLink } from "./links.ts";

/** The parts of a mail that a view is made of. */
export interface ViewedMail {
  subject: string;
  /** The plain text; read where there is no HTML. */
  text: string;
  /** "" if none. */
  html: string;
}

/** Counts of hidden things in a mail: elements and comments with text, characters, and words, by kind. */
export interface HiddenCounts extends InvisibleCounts {
  css: number;
  size: number;
  color: number;
  homoglyphs: number;
  comments: number;
}

/** The visible part of a mail. */
export interface SeenMail {
  subject: string;
  /** Links have their numbers behind them. */
  text: string;
  links: readonly NumberedLink[];
  hidden: HiddenCounts;
  passages: readonly HiddenPassage[];
  /** The text that invisible tag characters spell. */
  spelt: string;
  images: number;
  /** Whether the mail goes on behind what was read. */
  isCut: boolean;
}

/** Characters of a subject. */
const MAX_SUBJECT_CHARS = 300;

/** Characters of a body that are read; a long newsletter has a quarter, and Gmail shows a quarter. */
const MAX_CHARS = 400_000;
/** Pictures and fonts inside of the HTML, which are not read. Style sheets are, and so is everything behind the data. */
const DATA_URL = /data:(?:image|font|application|audio|video)\/[\w.+-]+(?:;[\w=.-]+)*,[\w%+/=.~-]{200,}/gi;

/** Stands for the text of a mail that cannot be read. */
export const CANNOT_BE_SHOWN = "This mail cannot be shown: its HTML could not be read.";

/**
 * Reads the visible part of a mail: of its HTML if it has any, else of its text. Linear in its length. Never throws: of a mail that
 * cannot be read the text says so, so that the others of its thread are shown.
 */
export function seenMail(mail: ViewedMail): SeenMail {
  try {
    return readMail(mail);
  } catch {
    return { ...readMail({ subject: "", text: CANNOT_BE_SHOWN, html: "" }), isCut: true };
  }
}

function readMail({ subject, text, html }: ViewedMail): SeenMail {
  const numbers = new LinkNumbers();
  const invisible = { ...NOTHING_INVISIBLE, spelt: "" };
  const shownSubject = countInvisible(subject.replaceAll(/\s+/g, " ").trim(), invisible);
  const source = html.trim() === "" ? text : html.replaceAll(DATA_URL, LEFT_OUT);
  const shown =
    html.trim() === ""
      ? plainText(source.slice(0, MAX_CHARS).toWellFormed())
      : readShown(source, writingWith(numbers));
  const seen = numbers.written(shown.text);
  const count = (kind: HiddenPassage["kind"]): number =>
    shown.passages.filter((passage) => passage.kind === kind).length;
  return {
    subject: shownSubject.slice(0, MAX_SUBJECT_CHARS).toWellFormed(),
    text: seen,
    links: numbers.links,
    hidden: {
      css: count("css"),
      size: count("size"),
      color: count("color"),
      zero_width: invisible.zero_width + shown.invisible.zero_width,
      bidi: invisible.bidi + shown.invisible.bidi,
      tags: invisible.tags + shown.invisible.tags,
      homoglyphs: homoglyphWords(`${shownSubject}\n${seen}`).length,
      comments: count("comments"),
    },
    passages: shown.passages,
    spelt: `${invisible.spelt}${shown.invisible.spelt}`,
    images: shown.images,
    isCut: shown.isCut || source.length > MAX_CHARS,
  };
}

/** Links by number; no descriptions of pictures, and nothing that its author keeps from programs that read a page aloud. */
function writingWith(numbers: LinkNumbers): Writing {
  return {
    maxChars: MAX_CHARS,
    describesImages: false,
    link: (url, text, hasImage) => {
      if (text === "" && !hasImage) return "";
      return text === addressOf(url) ? "" : ` ${numbers.mark(url, text)} `;
    },
    write: withoutMarks,
    isLeftOut: ({ attributes }) => attributes.get("aria-hidden")?.trim().toLowerCase() === "true",
  };
}

const addressOf = (url: string): string | null =>
  /^mailto:/i.test(url) ? url.slice("mailto:".length) : null;

function plainText(text: string) {
  const invisible = { ...NOTHING_INVISIBLE, spelt: "" };
  const shown = countInvisible(withoutMarks(text), invisible);
  return { text: shown, passages: [], invisible, images: 0, isCut: false };
}
