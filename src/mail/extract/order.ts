import type { ExtractionOf } from "../../contract/extraction.ts";
import { priceOf } from "./amounts.ts";
import { moneyContext, type MoneyContext } from "./currency.ts";
import { readText, type ExtractMail } from "./mail-text.ts";
import { moneyText } from "./money-text.ts";
import { merchantOf } from "./merchant.ts";
import { namesOrder, orderIdIn } from "./order-id.ts";
import { itemsIn, type Item } from "./order-items.ts";
import { structuredData } from "./structured-data.ts";
import { findThings, nameAt, textAt, thingsAt, type Thing } from "./schema-org.ts";
import { totalIn, type Total } from "./total.ts";

type Order = ExtractionOf<"order">;

const MAX_ITEMS = 200;

/** Reads an order out of a mail, from schema.org's Order, else from the text; null if there is none. */
export function readOrder(mail: ExtractMail): Order | null {
  const { jsonld, microdata } = structuredData(mail.html);
  return orderOf(jsonld, "jsonld", mail) ?? orderOf(microdata, "microdata", mail) ?? orderInText(mail);
}

function orderOf(things: readonly Thing[], source: "jsonld" | "microdata", mail: ExtractMail): Order | null {
  const [order] = findThings(things, (type) => type === "Order");
  if (order === undefined) return null;
  const context = moneyContext(`${mail.subject}\n${mail.text}`, mail.from.address);
  const order_id = textAt(order, "orderNumber", "confirmationNumber");
  const price = priceIn(order, context);
  const merchant = nameAt(order, "merchant", "seller", "broker");
  if (order_id === null && price === null) return null;
  return {
    type: "order",
    order_id,
    total: price?.value ?? null,
    currency: price?.currency ?? null,
    merchant,
    items: itemsOf(order, context),
    source,
    confidence: order_id === null ? 0.9 : 0.98,
  };
}

/** The price of an order or an offer, in any of the ways that schema.org and the makers of templates have for it. */
export function priceIn(
  thing: Thing,
  context: MoneyContext,
): { value: string; currency: string | null } | null {
  const parts = thingsAt(thing, "totalPaymentDue", "priceSpecification", "partOfInvoice", "total", "price");
  for (const each of [thing, ...parts, ...thingsAt(parts[0], "totalPaymentDue")]) {
    const written = textAt(each, "price", "totalPrice", "total", "value", "totalPaymentDue", "amount");
    const price = priceOf(written, context);
    if (price === null) continue;
    const named = textAt(each, "priceCurrency", "currency") ?? textAt(thing, "priceCurrency", "currency");
    return { value: price.value, currency: isoCode(named) ?? price.currency };
  }
  return null;
}

const isoCode = (text: string | null): string | null =>
  text !== null && /^[a-z]{3}$/i.test(text) ? text.toUpperCase() : null;

function itemsOf(order: Thing, context: MoneyContext): Item[] {
  const offers = thingsAt(order, "acceptedOffer", "orderedItem").slice(0, MAX_ITEMS);
  return offers.flatMap((offer) => {
    const name = nameAt(offer, "itemOffered", "orderedItem", "name");
    if (name === null) return [];
    const [amount] = thingsAt(offer, "eligibleQuantity", "orderQuantity");
    const quantity = textAt(offer, "orderQuantity", "eligibleQuantity") ?? textAt(amount, "value");
    const price = priceIn(offer, context) ?? priceOfInner(offer, context);
    return [{ name, quantity, price: price?.value ?? null }];
  });
}

function priceOfInner(offer: Thing, context: MoneyContext): { value: string } | null {
  const [product] = thingsAt(offer, "itemOffered", "orderedItem");
  return product === undefined ? null : priceIn(product, context);
}

const sumOf = (total: Total | null): Pick<Order, "total" | "currency"> =>
  total === null ? { total: null, currency: null } : { total: total.value, currency: total.currency };

function orderInText(mail: ExtractMail): Order | null {
  const text = readText(mail);
  const context = moneyContext(`${text.subject}\n${text.lines.join("\n")}`, mail.from.address);
  const money = moneyText(text.lines, context);
  const items = itemsIn(money, text.written);
  const total = totalIn(money, items);
  const id = orderIdIn(text, items.length > 0 && total !== null, context);
  // Things with prices that add up to their sum are an order also where its number is not told.
  if (id === null && !(items.length > 0 && total?.isSum && namesOrder(text.subject))) return null;
  return {
    type: "order",
    order_id: id?.value ?? null,
    ...sumOf(total),
    merchant: merchantOf(text.lines, mail.from),
    items: items.map(({ item }) => item),
    source: "text",
    confidence: Math.min(0.9, (id?.isLabelled ? 0.7 : 0.6) + (total === null ? 0 : 0.15)),
  };
}
