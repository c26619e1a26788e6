import { mostTokensIn, tokensIn } from "./token-count.ts";
import { dividedText } from "../text/new-text.ts";
import type { HiddenPassage } from "../text/shown-text.ts";
import { fittedText } from "./fitted-text.ts";
import type { NumberedLink } from "./links.ts";
import { seenMail, type HiddenCounts, type SeenMail, type ViewedMail } from "./seen-mail.ts";

/** The wishes of the caller of a view. */
export interface ViewOptions {
  /** Tokens of the text at most, the marks around it included. */
  budget: number;
  /** Whether quoted text and the signature are shown. */
  quoted: boolean;
  /** Whether hidden texts are listed. */
  hidden: boolean;
  /** Random characters, chosen after the mail was written. */
  nonce: string;
  /** The verification code of the mail: the sentence that has it is shown first. */
  code: string | null;
}

/** A mail in the form in which a model reads it. */
export interface MailView {
  subject: string;
  text: string;
  tokens: number;
  omitted_tokens: number;
  omitted: { quoted_tokens: number; signature_tokens: number };
  hidden: HiddenCounts;
  hidden_texts?: HiddenText[];
  links: NumberedLink[];
  images: number;
  truncated: boolean;
}

/** A text that a reader does not see. */
export interface HiddenText {
  kind: HiddenPassage["kind"] | "tags";
  text: string;
}

/** The view of a mail, computed from its subject and bodies alone. */
export function viewOf(mail: ViewedMail, options: ViewOptions): MailView {
  return viewOfSeen(seenMail(mail), options);
}

/** As {@link viewOf}, of a mail that is read already; `fresh` is the part of its text to show, if not all that is new. */
export function viewOfSeen(seen: SeenMail, options: ViewOptions, fresh?: string): MailView {
  const parts = dividedText(seen.text, seen.subject);
  // A mail that only quotes is shown as it is.
  const isWhole = options.quoted || parts.fresh.trim() === "";
  const wanted = isWhole ? seen.text : (fresh ?? parts.fresh);
  const room = options.budget - mostTokensIn(marked("", options.nonce));
  const { text, omittedTokens } = fittedText(wanted, Math.max(room, 0), options.code);
  const shown = marked(text, options.nonce);
  return {
    subject: seen.subject,
    text: shown,
    tokens: tokensIn(shown),
    omitted_tokens: omittedTokens,
    omitted: {
      quoted_tokens: isWhole ? 0 : tokensIn(parts.quoted),
      signature_tokens: isWhole ? 0 : tokensIn(parts.signature),
    },
    hidden: seen.hidden,
    ...(options.hidden ? { hidden_texts: hiddenTexts(seen, options.budget) } : {}),
    links: seen.links.filter(({ n }) => text.includes(`[${n}]`)),
    images: seen.images,
    truncated: seen.isCut,
  };
}

/** A text between marks that a mail cannot imitate, because it does not know the nonce. */
export function marked(text: string, nonce: string): string {
  return `<mail ${nonce}>\n${text}${text === "" ? "" : "\n"}</mail ${nonce}>`;
}

/** Hidden texts of one mail that are listed. */
const MAX_HIDDEN_TEXTS = 200;

/** The hidden texts of a mail within a budget of their own, in the order they stand. */
function hiddenTexts({ passages, spelt }: SeenMail, budget: number): HiddenText[] {
  const all: HiddenText[] = [...(spelt === "" ? [] : [{ kind: "tags" as const, text: spelt }]), ...passages];
  const listed: HiddenText[] = [];
  let left = budget;
  for (const { kind, text } of all.slice(0, MAX_HIDDEN_TEXTS)) {
    const fitted = fittedText(text, left, null);
    if (fitted.text === "") break;
    listed.push({ kind, text: fitted.text });
    left -= mostTokensIn(fitted.text);
  }
  return listed;
}
