import type { ExtractionOf, ShippingStatus } from "../../contract/extraction.ts";
import { lowered } from "../code/key-words.ts";
import { lazy } from "../lazy.ts";
import { anyOf, wordsOf } from "../languages/matching.ts";
import { carrierName, carriersIn } from "./carriers.ts";
import { dateContext, datesIn, type DateContext } from "./dates.ts";
import { statusIn } from "./delivery-status.ts";
import { labelled, phrases } from "./labelled-values.ts";
import { readText, type ExtractMail, type ReadText } from "./mail-text.ts";
import { structuredData } from "./structured-data.ts";
import { findThings, localName, nameAt, textAt, thingsAt, type Thing } from "./schema-org.ts";
import { trackingIn, type Tracking } from "./tracking.ts";

type Shipping = ExtractionOf<"shipping">;

/** Reads the delivery of a parcel out of a mail, from schema.org's ParcelDelivery, else from the text; null if there is none. */
export function readShipping(mail: ExtractMail): Shipping | null {
  const { jsonld, microdata } = structuredData(mail.html);
  return deliveryOf(jsonld, "jsonld") ?? deliveryOf(microdata, "microdata") ?? shippingInText(mail);
}

const SCHEMA_STATUS: Readonly<Record<string, ShippingStatus>> = {
  OrderInTransit: "in_transit",
  OrderDelivered: "delivered",
  OrderProblem: "exception",
  OrderReturned: "exception",
  InTransit: "in_transit",
  Delivered: "delivered",
  OutForDelivery: "out_for_delivery",
};

function deliveryOf(things: readonly Thing[], source: "jsonld" | "microdata"): Shipping | null {
  const [parcel] = findThings(things, (type) => type === "ParcelDelivery");
  const tracking_number = textAt(parcel, "trackingNumber");
  if (parcel === undefined || tracking_number === null) return null;
  const carrier = nameAt(parcel, "carrier", "provider");
  const arrival = textAt(parcel, "expectedArrivalUntil", "expectedArrivalFrom");
  const [order] = thingsAt(parcel, "partOfOrder");
  const status = textAt(parcel, "deliveryStatus", "orderStatus") ?? textAt(order, "orderStatus");
  return {
    type: "shipping",
    tracking_number: tracking_number.replace(/\s/g, ""),
    carrier: carrier === null ? null : carrierName(carrier),
    eta: /^\d{4}-\d{2}-\d{2}/.exec(arrival ?? "")?.[0] ?? null,
    status: SCHEMA_STATUS[localName(status ?? "")] ?? null,
    source,
    confidence: 0.98,
  };
}

const arrivalLabel = phrases(({ parcel }) => parcel?.arrivalLabel);

/** Finds a word for a parcel or an order. */
const parcelWord = phrases(({ parcel }) => parcel?.word);

/** Between the days of a span. */
const untilDay = lazy(
  () => new RegExp(`^(?:-|–|～|~|${anyOf(wordsOf(({ dates }) => dates?.untilDay))})`, "iu"),
);

/** Lines at the beginning of a text that tell the present status; further down, mails explain or advertise. */
const OPENING_LINES = 15;

function shippingInText(mail: ExtractMail): Shipping | null {
  const text = readText(mail);
  const lower = lowered(`${text.subject}\n${text.lines.join("\n")}`);
  const carriers = carriersIn(lowered(`${text.subject}\n${mail.from.name}\n${text.lines.join("\n")}`));
  const tracking = trackingIn(text, carriers);
  if (tracking === null && !isAboutParcel(lowered(text.subject))) return null;
  const context = dateContext({ text: lower, fromAddress: mail.from.address, receivedAt: mail.receivedAt });
  return {
    type: "shipping",
    ...(tracking === null ? { tracking_number: null, carrier: carriers[0] ?? null } : numbered(tracking)),
    eta: etaIn(text.lines, context),
    status: statusOf(text),
    source: "text",
    confidence: confidenceOf(tracking),
  };
}

/** Whether a subject tells the status of a parcel: then the mail is about one even without a tracking number. */
const isAboutParcel = (subject: string): boolean => parcelWord().test(subject) && statusIn(subject) !== null;

const numbered = ({ number, carrier }: Tracking) => ({ tracking_number: number, carrier });

function confidenceOf(tracking: Tracking | null): number {
  if (tracking === null) return 0.5;
  return tracking.isValid === true ? 0.95 : 0.8;
}

/** The status that the subject tells, else the first line that tells one. */
function statusOf({ subject, lines }: ReadText): ShippingStatus | null {
  for (const line of [subject, ...lines.slice(0, OPENING_LINES)]) {
    const status = statusIn(lowered(line));
    if (status !== null) return status;
  }
  return null;
}

/** The day of arrival: of a span the last. */
function etaIn(lines: readonly string[], context: DateContext): string | null {
  for (const { value } of labelled(lines, arrivalLabel())) {
    const [first, second] = datesIn(value, context);
    if (first === undefined) continue;
    const isSpan = second !== undefined && untilDay().test(value.slice(first.end).trimStart());
    return isSpan ? second.value : first.value;
  }
  return null;
}
