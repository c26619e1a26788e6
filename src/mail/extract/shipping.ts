import type { ExtractionOf, ShippingStatus } from "../../contract/extraction.ts";
import { lowered } from "../code/key-words.ts";
import { lazy } from "../lazy.ts";
import { anyOf, wordsOf } from "../languages/matching.ts";
import { carrierName, carriersIn } from "./carriers.ts";
import { dateContext, datesIn, type DateContext } from "./dates.ts";
import { statusIn } from "./delivery-status.ts";
import { isDeadline } from "./appointment-time.ts";
import { isNamed, pairsIn } from "./form-pairs.ts";
import { labelled, phrases } from "./labelled-values.ts";
import { dayOfIso, daysBetween } from "./moment.ts";
import { readText, type ExtractMail, type ReadText } from "./mail-text.ts";
import { arrivalLabel, parcelNear, parcelWord } from "./shared-phrases.ts";
import { structuredData } from "./structured-data.ts";
import { findThings, localName, nameAt, textAt, thingsAt, type Thing } from "./schema-org.ts";
import { namesTracking, trackingIn, type Tracking } from "./tracking.ts";

type Shipping = ExtractionOf<"shipping">;

/** Reads the delivery of a parcel out of a mail, from schema.org's ParcelDelivery, else from the text; null if there is none. */
export function readShipping(mail: ExtractMail): Shipping | null {
  const { jsonld, microdata } = structuredData(mail.html);
  return deliveryOf(jsonld, "jsonld") ?? deliveryOf(microdata, "microdata") ?? shippingInText(mail);
}

const SCHEMA_STATUS: ReadonlyMap<string, ShippingStatus> = new Map([
  ["OrderInTransit", "in_transit"],
  ["OrderDelivered", "delivered"],
  ["OrderProblem", "exception"],
  ["OrderReturned", "exception"],
  ["InTransit", "in_transit"],
  ["Delivered", "delivered"],
  ["OutForDelivery", "out_for_delivery"],
]);

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
    eta: dayOfIso(arrival),
    status: SCHEMA_STATUS.get(localName(status ?? "")) ?? null,
    source,
    confidence: 0.98,
  };
}

const carrierLabel = phrases(({ parcel }) => parcel?.carrierLabel);

/** Between the days of a span. */
const untilDay = lazy(
  () => new RegExp(`^(?:-|–|～|~|${anyOf(wordsOf(({ dates }) => dates?.untilDay))})`, "iu"),
);

/** Lines at the beginning of a text that tell the present status; further down, mails explain or advertise. */
const OPENING_LINES = 15;

function shippingInText(mail: ExtractMail): Shipping | null {
  const text = readText(mail);
  const lower = lowered(`${text.subject}\n${text.lines.join("\n")}`);
  const carriers = carriersOf(text, mail.from.name);
  const numberFound = trackingIn(text, carriers);
  const tracking = isOfParcel(numberFound, carriers, lower) ? numberFound : null;
  const status = statusOf(text);
  // A number with a wrong check digit is not answered, but its mail is about a parcel.
  const isLabelled = status !== null && carriers.length > 0 && namesTracking(lower);
  if (tracking === null && !isLabelled && !isAboutParcel(lowered(text.subject))) return null;
  const context = dateContext({ text: lower, fromAddress: mail.from.address, receivedAt: mail.receivedAt });
  return {
    type: "shipping",
    ...(tracking === null ? { tracking_number: null, carrier: carriers[0] ?? null } : numbered(tracking)),
    eta: etaIn(text.lines, context) ?? (status === "delivered" ? null : dayToCome(text.lines, context)),
    status,
    source: "text",
    confidence: confidenceOf(tracking),
  };
}

/** Whether a number is that of a parcel: inquiries and errors have numbers with the same labels. */
const isOfParcel = (number: Tracking | null, carriers: readonly string[], lower: string): boolean =>
  number?.isValid === true || carriers.length > 0 || parcelWord().test(lower) || parcelNear().test(lower);

/** Words of the name of a carrier. */
const MAX_CARRIER_CHARS = 30;

/** The carriers that a mail names: the one with a label, known or not, then all that are known. */
function carriersOf(text: ReadText, sender: string): string[] {
  const pair = pairsIn(text, carrierLabel()).find(
    ({ label, value }) => isNamed(label, carrierLabel()) && isName(value),
  );
  const known = carriersIn(lowered(`${text.subject}\n${sender}\n${text.lines.join("\n")}`));
  return pair === undefined ? known : [carrierName(pair.written), ...known];
}

const isName = (value: string): boolean =>
  value.length <= MAX_CARRIER_CHARS && /^[\p{L}\p{M}\d&.,'’+ -]+$/u.test(value) && !/\d{4}/.test(value);

/** Whether a subject tells the status of a parcel: then the mail is about one even without a tracking number. */
const isAboutParcel = (subject: string): boolean => parcelWord().test(subject) && statusIn(subject) !== null;

const numbered = ({ number, carrier }: Tracking) => ({ tracking_number: number, carrier });

function confidenceOf(tracking: Tracking | null): number {
  if (tracking === null) return 0.5;
  return tracking.isValid === true ? 0.95 : 0.8;
}

/**
 * The status that the subject tells, else the first line that tells one. A shop's "on its way" in the subject means no more than that
 * it sent the parcel, if the text says so first.
 */
function statusOf({ subject, lines }: ReadText): ShippingStatus | null {
  const named = statusIn(lowered(subject));
  if (named !== null && named !== "in_transit") return named;
  for (const line of lines.slice(0, OPENING_LINES)) {
    const status = statusIn(lowered(line));
    if (status !== null) return named === null || status === "shipped" ? status : named;
  }
  return named;
}

/** Characters between a label of the day of arrival and the day. */
const MAX_LEAD_CHARS = 60;

/** The day of arrival behind its label: of a span the last. */
function etaIn(lines: readonly string[], context: DateContext): string | null {
  for (const { value } of labelled(lines, arrivalLabel())) {
    const [first, second] = datesIn(value, context);
    if (first === undefined || first.start > MAX_LEAD_CHARS) continue;
    const isSpan = second !== undefined && untilDay().test(value.slice(first.end).trimStart());
    return isSpan ? second.value : first.value;
  }
  return null;
}

/** Days in which a parcel that is on its way arrives. */
const MAX_DAYS_AHEAD = 30;

/** The only day to come that the opening of a mail names, in a line that speaks of the parcel. */
function dayToCome(lines: readonly string[], context: DateContext): string | null {
  const days = lines.slice(0, OPENING_LINES).flatMap((line) => {
    const lower = lowered(line);
    const isParcelLine = [parcelWord, parcelNear, arrivalLabel].some((words) => words().test(lower));
    return datesIn(line, context).flatMap((date) => {
      const ahead = daysBetween(context.today, date.value);
      if (!date.isCertain || ahead < 0 || ahead > MAX_DAYS_AHEAD) return [];
      return [{ day: date.value, isArrival: isParcelLine && !isDeadline(line, date) }];
    });
  });
  const [first] = days;
  return first?.isArrival === true && days.every(({ day }) => day === first.day) ? first.day : null;
}
