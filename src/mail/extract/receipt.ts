import type { ExtractionOf } from "../../contract/extraction.ts";
import { lowered } from "../code/key-words.ts";
import { moneyContext, type MoneyContext } from "./currency.ts";
import { dateContext, datesIn, type DateContext } from "./dates.ts";
import { labelled, phrases } from "./labelled-values.ts";
import { readText, type ExtractMail } from "./mail-text.ts";
import { merchantOf } from "./merchant.ts";
import { priceIn } from "./order.ts";
import { paymentMethodIn } from "./payment-method.ts";
import { structuredData } from "./structured-data.ts";
import { findThings, localName, nameAt, textAt, type Thing } from "./schema-org.ts";
import { totalIn } from "./total.ts";

type Receipt = ExtractionOf<"receipt">;

/** Reads a payment out of a mail, from schema.org's Invoice or Order, else from the text; null if there is none. */
export function readReceipt(mail: ExtractMail): Receipt | null {
  const { jsonld, microdata } = structuredData(mail.html);
  const context = moneyContext(`${mail.subject}\n${mail.text}`, mail.from.address);
  return (
    invoiceOf(jsonld, "jsonld", context) ??
    invoiceOf(microdata, "microdata", context) ??
    receiptInText(mail, context)
  );
}

function invoiceOf(
  things: readonly Thing[],
  source: "jsonld" | "microdata",
  context: MoneyContext,
): Receipt | null {
  const invoices = findThings(things, (type) => type === "Invoice");
  const [found] = [...invoices, ...findThings(things, (type) => type === "Order")];
  const price = found === undefined ? null : priceIn(found, context);
  if (found === undefined || price === null) return null;
  const date = textAt(found, "dateCreated", "orderDate", "paymentDate", "scheduledPaymentDate");
  const method = nameAt(found, "paymentMethod");
  const last = textAt(found, "paymentMethodId")?.slice(-4) ?? "";
  return {
    type: "receipt",
    merchant: nameAt(found, "provider", "merchant", "seller", "broker"),
    amount: price.value,
    currency: price.currency,
    date: /^\d{4}-\d{2}-\d{2}/.exec(date ?? "")?.[0] ?? null,
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

/** Finds words for a due date, which is not the date of payment. */
const due = phrases(({ receipt }) => receipt?.due);

function receiptInText(mail: ExtractMail, context: MoneyContext): Receipt | null {
  const { subject, lines } = readText(mail);
  const lower = lowered(`${subject}\n${lines.join("\n")}`);
  if (!payment().test(lower) || failed().test(lower)) return null;
  const total = totalIn(lines, context);
  if (total === null) return null;
  const dates = dateContext({ text: lower, fromAddress: mail.from.address, receivedAt: mail.receivedAt });
  return {
    type: "receipt",
    merchant: merchantOf(lines, mail.from),
    amount: total.value,
    currency: total.currency,
    date: dateOf(lines, dates),
    payment_method: paymentMethodIn(lines),
    source: "text",
    confidence: total.isNamed ? 0.85 : 0.7,
  };
}

function dateOf(lines: readonly string[], context: DateContext): string | null {
  for (const { value, at } of labelled(lines, dateLabel())) {
    if (due().test(lowered(lines[at] ?? ""))) continue;
    const [date] = datesIn(value, context);
    if (date !== undefined) return date.value;
  }
  return null;
}
