import type { Email } from "../../../contract/message.ts";
import type { EmailView } from "../../../contract/view.ts";

/** The hidden content of a mail: parts by the way they are hidden, and invisible characters. */
export interface Hiding {
  style: number;
  size: number;
  color: number;
  characters: number;
}

/** Characters of the line that lists of mails show beside the subject, which newsletters hide in the mail itself. */
const PREHEADER_CHARS = 250;
/** Characters of the mail's text that hidden texts are compared with. */
const COMPARED_CHARS = 200_000;
/** Words that invisible characters must split before it is no accident of an editor. */
const SPLIT_WORDS = 3;

/** A letter of a script that needs no joiners, with invisible characters but a hyphen behind it, as such or named in HTML, and another letter. */
const SPLIT_WORD =
  /[\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek}](?:(?!\u00ad)\p{Default_Ignorable_Code_Point}|&(?:zwn?j|ZeroWidthSpace|NoBreak|#x(?:200[b-d]|206[0-4]|feff)|#(?:820[3-5]|828[89]|829[0-2]|65279));){1,99}(?=[\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek}])/giu;

/**
 * What a mail hides, if it is more than mails without a bad purpose do; else null. Everyday are: one short text hidden by style (the
 * preheader), the title of the page, copies of visible text (for another width of the screen), comments, look-alike letters (they
 * are seen), marks of the writing direction, and invisible characters that split no words (hyphenation, fillers).
 */
export function unusualHiding(
  email: Pick<Email, "subject" | "body_text" | "body_html">,
  view: Pick<EmailView, "hidden" | "hidden_texts">,
): Hiding | null {
  const { css, size, color, zero_width, tags } = view.hidden;
  const isSplit = zero_width > 0 && splitsWords(email);
  const characters = tags + (isSplit ? zero_width : 0);
  if (size + color + characters === 0 && !hidesByStyle(email, view)) return null;
  return { style: css, size, color, characters };
}

function splitsWords({ subject, body_text, body_html }: Pick<Email, "subject" | "body_text" | "body_html">) {
  const source = body_html.trim() === "" ? body_text : body_html;
  const text = `${subject}\n${source.slice(0, COMPARED_CHARS)}`;
  return (text.match(SPLIT_WORD) ?? []).length >= SPLIT_WORDS;
}

/** Whether style hides more than a preheader, the title and copies of what is seen. */
function hidesByStyle(
  { subject, body_text, body_html }: Pick<Email, "subject" | "body_text" | "body_html">,
  { hidden, hidden_texts = [] }: Pick<EmailView, "hidden" | "hidden_texts">,
): boolean {
  const texts = hidden_texts.filter(({ kind }) => kind === "css").map(({ text }) => text);
  // Those that the list has no room for are not known to be harmless.
  if (texts.length < hidden.css) return true;
  const [, title = ""] = /<title[^<>]{0,200}>([^<]{0,1000})/i.exec(body_html) ?? [];
  const seen = letters(`${subject} ${body_text.slice(0, COMPARED_CHARS)}`);
  const known = letters(title.replaceAll(/&#?\w{1,30};/g, ""));
  const others = texts.filter((text) => {
    const own = letters(text);
    return own !== known && !seen.includes(own);
  });
  return others.length > 1 || others.some((text) => text.length > PREHEADER_CHARS);
}

/** The letters and digits of a text, which are the same however it is laid out. */
function letters(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");
}
