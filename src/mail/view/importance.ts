import type { Sentence } from "./sentences.ts";

/** How much a reader needs a sentence, most first. */
export const IMPORTANCE = ["code", "lead", "fact", "prose", "footer"] as const;
export type Importance = (typeof IMPORTANCE)[number];

/** Sentences at the top that say what the mail is about. */
const LEAD = 3;
/** A short line is the label of what stands below it. */
const MAX_LABEL_CHARS = 40;

/** An amount, a date, a time, or a number of an order, an account, a parcel. */
const FACT =
  /\p{Sc}\s?\d|\d\s?\p{Sc}|\b(?:EUR|USD|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|HUF|BRL|CAD|AUD)\b|\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\d{1,2}[:.h]\d{2}|\d{1,2}\.? ?\p{L}{3,9}\.? ?\d{0,4}|\p{L}{3,9} \d{1,2}|\p{Nd}{4,}|(?=[A-Z0-9-]*\d)[A-Z0-9]{3,}-?[A-Z0-9-]{3,}|[年月日]/u;

/** Words of the small print below nearly every newsletter. */
const FOOTER =
  /unsubscri|abbestell|abmelden|désabonn|désinscri|darse de baja|cancelar (?:la )?suscri|annulla(?:re)? l.iscrizione|disiscri|afmelden|avregistrer|退订|配信停止|отпис|view (?:it |this )?(?:email |mail )?(?:in|on) (?:your |a )?(?:web ?)?browser|im browser|privacy|datenschutz|impressum|all rights reserved|alle rechte|copyright|©|you (?:are receiv|received)|sent to you because|manage (?:your )?preferences/i;

/** The importance of each sentence of a mail; `code` is its verification code. */
export function importances(sentences: readonly Sentence[], code: string | null): Importance[] {
  const digits = code?.replaceAll(/[\s-]/g, "") ?? "";
  const found = sentences.map(({ text }, at): Importance => {
    if (digits !== "" && text.replaceAll(/[\s-]/g, "").includes(digits)) return "code";
    if (FOOTER.test(text)) return "footer";
    if (at < LEAD) return "lead";
    return FACT.test(text) ? "fact" : "prose";
  });
  return found.map((importance, at) => {
    const next = found[at + 1];
    const isLabel = importance === "prose" && (sentences[at]?.text.length ?? 0) <= MAX_LABEL_CHARS;
    return isLabel && (next === "fact" || next === "code") ? next : importance;
  });
}
