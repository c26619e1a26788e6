import type { ExtractionOf } from "../../contract/extraction.ts";
import { lowered } from "../code/key-words.ts";
import { cellsOf } from "./cells.ts";
import { moneyContext } from "./currency.ts";
import { dateContext, datesIn, type DateContext, type Shown } from "./dates.ts";
import { labelled, phrases } from "./labelled-values.ts";
import { readText, type ExtractMail } from "./mail-text.ts";
import { merchantOf } from "./merchant.ts";
import { dayOfIso, daysBetween } from "./moment.ts";
import { priceIn } from "./order.ts";
import { moneyText } from "./money-text.ts";
import { paymentMethodIn } from "./payment-method.ts";
import { dueWord } from "./shared-phrases.ts";
import { structuredData } from "./structured-data.ts";
import { findThings, localName, nameAt, textAt, type Thing } from "./schema-org.ts";
import { totalIn } from "./total.ts";

type Receipt = ExtractionOf<"receipt">;

/** Reads a payment out of a mail, from schema.org's Invoice or Order, else from the text; null if there is none. */
export function readReceipt(mail: ExtractMail): Receipt | null {
  const { jsonld, microdata } = structuredData(mail.html);
  return invoiceOf(jsonld, "jsonld", mail) ?? invoiceOf(microdata, "microdata", mail) ?? receiptInText(mail);
}

function invoiceOf(
  things: readonly Thing[],
  source: "jsonld" | "microdata",
  mail: ExtractMail,
): Receipt | null {
  const invoices = findThings(things, (type) => type === "Invoice");
  const [found] = [...invoices, ...findThings(things, (type) => type === "Order")];
  if (found === undefined) return null;
  const price = priceIn(found, moneyContext(`${mail.subject}\n${mail.text}`, mail.from.address));
  if (price === null) return null;
  const date = textAt(found, "dateCreated", "orderDate", "paymentDate", "scheduledPaymentDate");
  const method = nameAt(found, "paymentMethod");
  const last = textAt(found, "paymentMethodId")?.slice(-4) ?? "";
  return {
    type: "receipt",
    merchant: nameAt(found, "provider", "merchant", "seller", "broker"),
    amount: price.value,
    currency: price.currency,
    date: dayOfIso(date),
    payment_method:
      method === null ? null : `${localName(method)} ${/^\d{4}$/.test(last) ? last : ""}`.trim(),
    source,
    confidence: 0.98,
  };
}

/** Finds a word for a payment, an invoice or a receipt. */
const payment = phrases(({ receipt }) => receipt?.payment);

/** Finds words for a payment that failed or is still to be approved. */
const failed = phrases(({ receipt }) => receipt?.failed);

const dateLabel = phrases(({ receipt }) => receipt?.dateLabel);

function receiptInText(mail: ExtractMail): Receipt | null {
  const { subject, lines } = readText(mail);
  const all = `${subject}\n${lines.join("\n")}`;
  const lower = lowered(all);
  if (failed().test(lower)) return null;
  const total = totalIn(moneyText(lines, moneyContext(all, mail.from.address)));
  if (total === null) return null;
  const payment_method = paymentMethodIn(lines, total.at);
  const dates = dateContext({ text: lower, fromAddress: mail.from.address, receivedAt: mail.receivedAt });
  const date = dateOf({ lines, subject, paidAt: total.at }, dates);
  // A sum in running text with neither a day nor a way of paying may be of a plan or a debt.
  const isTold = payment_method !== null || date !== null || total.isRow || payment().test(lowered(subject));
  if (!isTold || !isPaid({ all, lower, payment_method, dates })) return null;
  return {
    type: "receipt",
    merchant: merchantOf(lines, mail.from),
    amount: total.value,
    currency: total.currency,
    date,
    payment_method,
    source: "text",
    confidence: total.isNamed ? 0.85 : 0.7,
  };
}

/** Words that tell whether the sum of a mail was paid. */
interface Payment {
  all: string;
  /** The same in lower case. */
  lower: string;
  payment_method: string | null;
  dates: DateContext;
}

/** Whether money was paid: words say so, or a way of paying stands in the mail; and not that it will be paid on a day to come. */
function isPaid({ all, lower, payment_method, dates }: Payment): boolean {
  const isCalledPaid = payment().test(lower);
  if (isCalledPaid && payment_method !== null) return true;
  if (!isCalledPaid && payment_method === null) return false;
  const isCardShown = /\d{4}$/.test(payment_method ?? "") && !dueWord().test(lower);
  return isCardShown || !isToCome(all, dates);
}

/** Whether a mail names days to come and none before: then money is to be paid. */
function isToCome(text: string, context: DateContext): boolean {
  const days = text.split("\n").flatMap((line) => datesIn(line, context));
  return days.length > 0 && days.every(({ value }) => value > context.today);
}

interface PaidText {
  subject: string;
  lines: readonly string[];
  /** The line of the sum that was paid. */
  paidAt: number;
}

/**
 * The day of payment: behind its label, in the line that tells the sum, alone in a cell or on a line, in the subject, or the only
 * day in the mail. Days to come, spans of days and days beside words for "due" are none.
 */
function dateOf({ subject, lines, paidAt }: PaidText, context: DateContext): string | null {
  const paid = pastDays(lines[paidAt] ?? "", context)[0]?.value;
  const named = notDue(subject, context)[0]?.value;
  return labelledDay(lines, context) ?? paid ?? dayAlone(lines, context) ?? named ?? onlyDay(lines, context);
}

/** The days up to the mail's own of a line without words for "due". */
const notDue = (line: string, context: DateContext): Shown[] =>
  dueWord().test(lowered(line)) ? [] : pastDays(line, context);

/** The day behind a label; of several labels that begin their lines the last day, since invoices are paid after they are written. */
function labelledDay(lines: readonly string[], context: DateContext): string | null {
  const days = labelled(lines, dateLabel()).flatMap(({ value, at, isLabel }) => {
    const [day] = dueWord().test(lowered(lines[at] ?? "")) ? [] : pastDays(value, context);
    return day === undefined ? [] : [{ day: day.value, isLabel }];
  });
  const last = days
    .flatMap(({ day, isLabel }) => (isLabel ? [day] : []))
    .toSorted()
    .at(-1);
  return last ?? days[0]?.day ?? null;
}

/** The first day that the last cell of a row holds, or a line, perhaps with a time, and few letters. */
function dayAlone(lines: readonly string[], context: DateContext): string | null {
  for (const line of lines) {
    const text = cellsOf(line).at(-1)?.text ?? "";
    const [day, ...others] = dueWord().test(lowered(line)) ? [] : pastDays(text, context);
    if (day === undefined || others.length > 0) continue;
    const rest = text.slice(0, day.start) + text.slice(day.end);
    if (rest.replace(/[^\p{L}]/gu, "").length <= MAX_LETTERS_BESIDE_DAY) return day.value;
  }
  return null;
}

/** The only day of a mail, if it is of these weeks. */
function onlyDay(lines: readonly string[], context: DateContext): string | null {
  const days = new Set(lines.flatMap((line) => notDue(line, context)).map(({ value }) => value));
  const recent = [...days].filter((day) => daysBetween(day, context.today) <= MAX_DAYS_AGO);
  const [only] = recent;
  return recent.length === 1 && only !== undefined ? only : null;
}

/** Older days of which nothing says that money was paid then are of something else. */
const MAX_DAYS_AGO = 100;

/** Letters of a weekday, of "at" or of a zone. */
const MAX_LETTERS_BESIDE_DAY = 14;

/** The days of a line up to the mail's own; those of a span are left out, as what was paid for. */
function pastDays(line: string, context: DateContext): Shown[] {
  const days = datesIn(line, context);
  return days.filter(
    ({ value, start, end }) =>
      value <= context.today &&
      !days.some((other) => isSpan(line.slice(end, other.start)) || isSpan(line.slice(other.end, start))),
  );
}

const isSpan = (between: string): boolean => /^\s?[-–—~〜～]\s?$/.test(between);
