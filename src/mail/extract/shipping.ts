import type { ExtractionOf, ShippingStatus } from "../../contract/extraction.ts";
import { lowered } from "../code/key-words.ts";
import { carrierName, carriersIn } from "./carriers.ts";
import { dateContext, datesIn, type DateContext } from "./dates.ts";
import { statusIn } from "./delivery-status.ts";
import { labelled, phrases } from "./labelled-values.ts";
import { readText, type ExtractMail, type ReadText } from "./mail-text.ts";
import { structuredData } from "./structured-data.ts";
import { findThings, localName, nameAt, textAt, thingsAt, type Thing } from "./schema-org.ts";
import { trackingIn, type Tracking } from "./tracking.ts";

type Shipping = ExtractionOf<"shipping">;

/** What a mail says of a parcel: schema.org's ParcelDelivery, or the text; null if it speaks of none. */
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

const ETA = phrases(
  "estimated delivery|expected delivery|scheduled delivery|delivery date|estimated arrival|arriving|arrives|expected by|expected on|delivery by|will arrive|eta|due to arrive|to be delivered on|will be delivered on|delivery on",
  "voraussichtliche zustellung|voraussichtliche lieferung|voraussichtlicher liefertermin|voraussichtlich|lieferdatum|liefertermin|lieferung am|zustellung am|ankunft",
  "livraison prévue|livraison estimée|date de livraison|arrivée prévue|sera livré|sera livrée|livraison le",
  "entrega estimada|entrega prevista|fecha de entrega|llegada prevista|llegará|fecha estimada",
  "previsão de entrega|data de entrega|entrega até|chega|chegada prevista",
  "consegna prevista|data di consegna|consegna stimata|arrivo previsto",
  "verwachte bezorging|verwachte levering|bezorgdatum|leverdatum|bezorgmoment|verwacht op",
  "przewidywana dostawa|przewidywany termin|termin dostawy|data dostawy|planowana dostawa|przewidywana data",
  "ожидаемая дата|дата доставки|доставим|ожидаемая доставка|плановая дата|ожидается",
  "tahmini teslimat|teslimat tarihi|tahmini teslim|tahmini varış",
  "التسليم المتوقع|تاريخ التسليم|موعد التسليم|تاريخ التوصيل|موعد التوصيل|الوصول المتوقع",
  "अनुमानित डिलीवरी|डिलीवरी की तारीख|डिलीवरी तिथि|अपेक्षित डिलीवरी",
  "dự kiến giao|ngày giao dự kiến|giao dự kiến|thời gian giao hàng dự kiến|ngày giao hàng",
  "estimasi tiba|perkiraan tiba|tanggal pengiriman|estimasi sampai|perkiraan sampai|estimasi",
  "预计送达|预计到达|预计|預計送達|預計到貨|預計|送达时间|お届け予定日|お届け予定|配達予定日|配達予定|到着予定|도착 예정일|도착예정일|도착 예정|배송 예정일|배송예정일",
);

/** What a mail is about that speaks of a parcel. */
const PARCEL = phrases(
  "package|parcel|shipment|delivery|tracking|order|paket|sendung|lieferung|bestellung|päckchen|colis|commande|livraison|envoi|paquete|envío|pedido|pacote|encomenda|entrega|pacco|spedizione|ordine|pakket|zending|bestelling|paczka|przesyłka|przesyłki|zamówienie|посылка|посылку|заказ|отправление|kargo|kargonuz|gönderi|siparişiniz|paketiniz|شحنة|شحنتك|طلبك|طرد|पैकेज|ऑर्डर|शिपमेंट|पार्सल|đơn hàng|kiện hàng|bưu kiện|paket anda|pesanan|kiriman|包裹|快递|快遞|快件|订单|訂單|商品|荷物|お荷物|ご注文|注文|택배|상품|주문",
);

/** Lines of the text in which what is said of the parcel is its state. */
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

/** Whether a subject tells how a parcel stands: then a mail without a number is about it, too. */
const isAboutParcel = (subject: string): boolean => PARCEL.test(subject) && statusIn(subject) !== null;

const numbered = ({ number, carrier }: Tracking) => ({ tracking_number: number, carrier });

function confidenceOf(tracking: Tracking | null): number {
  if (tracking === null) return 0.5;
  return tracking.isValid === true ? 0.95 : 0.8;
}

/** What the subject says, else the first line that says something. */
function statusOf({ subject, lines }: ReadText): ShippingStatus | null {
  for (const line of [subject, ...lines.slice(0, OPENING_LINES)]) {
    const status = statusIn(lowered(line));
    if (status !== null) return status;
  }
  return null;
}

/** The day of arrival: of a span the last. */
function etaIn(lines: readonly string[], context: DateContext): string | null {
  for (const { value } of labelled(lines, ETA)) {
    const [first, second] = datesIn(value, context);
    if (first === undefined) continue;
    const isSpan =
      second !== undefined &&
      /^\s?(?:-|–|to|bis|au|al|a|and|до|～|~|至)/i.test(value.slice(first.end).trimStart());
    return isSpan ? second.value : first.value;
  }
  return null;
}
