import { lowered } from "../code/key-words.ts";
import { labelled, phrases } from "./labelled-values.ts";
import type { ReadText } from "./mail-text.ts";
import { judge, TELLING_NUMBER, type Carrier } from "./tracking-number.ts";

/** The number of a parcel with who carries it, as far as number and mail tell. */
export interface Tracking {
  number: string;
  carrier: Carrier | null;
  /** Null where the number has no check digit that is known. */
  isValid: boolean | null;
}

const LABEL = phrases(
  "tracking number|parcel no.|package id|tracking no.|tracking no|tracking #|tracking id|tracking code|tracking|track number|shipment number|consignment number|parcel number|waybill number|waybill|awb number|awb no.|awb",
  "sendungsnummer|sendung nr.|paket nr.|sendungsnr.|sendungs-nr.|paketnummer|trackingnummer|tracking-nummer|sendungsverfolgung|sendungsverfolgungsnummer|sendungs-id",
  "numéro de suivi|colis n°|colis nº|n° de colis|n° de suivi|nº de suivi|numéro de colis|suivi n°|numéro d'expédition",
  "número de seguimiento|nº de seguimiento|n.º de seguimiento|número de envío|código de seguimiento|número de guía|localizador",
  "código de rastreio|código de rastreamento|número de rastreio|número de rastreamento|código de envio|rastreio",
  "numero di tracking|codice di tracciamento|numero di tracciamento|numero spedizione|codice spedizione|lettera di vettura|numero di spedizione",
  "track & trace-code|track&trace|track & trace|trackingcode|volgnummer|zendingsnummer|barcode|trackingnummer",
  "numer przesyłki|numer śledzenia|nr przesyłki|numer paczki|numer listu przewozowego",
  "трек-номер|номер отслеживания|трек номер|номер отправления|номер накладной|трек-код|номер посылки",
  "takip numarası|takip no|kargo takip no|kargo takip numarası|gönderi numarası|gönderi takip no|takip kodu",
  "رقم التتبع|رقم الشحنة|رقم تتبع الشحنة|رقم البوليصة|رمز التتبع",
  "ट्रैकिंग नंबर|ट्रैकिंग आईडी|ट्रैकिंग संख्या|एडब्ल्यूबी नंबर",
  "mã vận đơn|mã theo dõi|mã vận chuyển|số vận đơn",
  "nomor resi|no. resi|no resi|nomor pelacakan|kode resi",
  "运单号|快递单号|物流单号|运单编号|追踪号码|追踪号|追蹤號碼|追蹤編號|貨運單號|物流編號|託運單號|送り状番号|お問い合わせ番号|お問合せ番号|伝票番号|追跡番号|荷物番号|お問い合わせ伝票番号|운송장 번호|운송장번호|송장번호|송장 번호|등기번호|배송 조회 번호",
);

/** What may stand behind a label: letters and digits, in groups. */
const LABELLED_NUMBER =
  /^(?:number|nummer|numéro|is|lautet|:|：)?[\s:：#№(]*(?<number>[A-Z0-9](?:[ -]?[A-Z0-9]){7,39})(?![A-Z0-9])/i;

const MIN_DIGITS = 6;
/** A number in capitals may have fewer: no word has two. */
const MIN_DIGITS_IN_CAPITALS = 2;
const MIN_CHARS = 8;
const MAX_CHARS = 34;

/** Parameters of carriers' tracking pages. */
const IN_LINK =
  /[?&/](?:tracknums?|tracknumbers?|trknbr|tlabels|qtc_tlabels1|piececode|tracking[_-]?(?:id|number|no)?|idc|barcode|awb|consignment|trackingid)=(?<number>[A-Z0-9]{8,34})(?![A-Z0-9])/gi;

/** Lines beside a number of a well-known form in which the parcel is spoken of. */
const NEAR_LINES = 3;
const MAX_NUMBERS = 50;

/** The number of the parcel: behind a label, else one whose form and check digit tell, else out of a link. */
export function trackingIn({ subject, lines, raw }: ReadText, carriers: readonly Carrier[]): Tracking | null {
  return (
    labelledNumber([subject, ...lines], carriers) ??
    tellingNumber([subject, ...lines], carriers) ??
    linkedNumber(raw, carriers)
  );
}

function labelledNumber(lines: readonly string[], carriers: readonly Carrier[]): Tracking | null {
  for (const { value } of labelled(lines, LABEL).slice(0, MAX_NUMBERS)) {
    const written = LABELLED_NUMBER.exec(value)?.groups?.number;
    const number = written === undefined ? null : ofOneNumber(written);
    const found = number === null ? null : accepted(number, carriers);
    if (found !== null) return found;
  }
  return null;
}

/** Groups of a number, without the words that follow it: a group without digits ends it, unless it is a country. */
function ofOneNumber(written: string): string | null {
  const groups = written.split(/[ -]/);
  const end = groups.findIndex((group, at) => at > 0 && !/\d/.test(group) && !/^[A-Z]{2}$/.test(group));
  const number = groups.slice(0, end === -1 ? undefined : end).join("");
  const isCapitals = number === number.toUpperCase();
  const digits = number.replace(/\D/g, "").length;
  return digits >= (isCapitals ? MIN_DIGITS_IN_CAPITALS : MIN_DIGITS) ? number.toUpperCase() : null;
}

/** A labelled number, unless its check digit is wrong or it is too short for one. */
function accepted(number: string, carriers: readonly Carrier[]): Tracking | null {
  const length = number.length;
  if (length < MIN_CHARS || length > MAX_CHARS) return null;
  const verdict = judge(number, carriers);
  if (verdict?.isValid === false) return null;
  return {
    number,
    carrier: carrierFor(verdict?.carrier ?? null, carriers),
    isValid: verdict?.isValid ?? null,
  };
}

/** A post hands parcels to a carrier of its own, which the mail then names. */
function carrierFor(byForm: Carrier | null, named: readonly Carrier[]): Carrier | null {
  return byForm ?? named[0] ?? null;
}

const PARCEL_NEAR = phrases(
  "track|tracking|package|parcel|shipment|shipped|delivery|deliver|carrier|courier|mail|paket|sendung|colis|suivi|envío|seguimiento|paquete|pacco|spedizione|pakket|zending|paczka|przesyłka|посылка|kargo|شحنة|पार्सल|vận đơn|resi|paket|包裹|快递|運單|荷物|追跡|택배|운송장|rastreio|encomenda",
);

/** A number with a right check digit and a form of its own, beside words about a parcel or a carrier's name. */
function tellingNumber(lines: readonly string[], carriers: readonly Carrier[]): Tracking | null {
  for (const [at, line] of lines.entries()) {
    for (const [written] of Array.from(line.matchAll(TELLING_NUMBER)).slice(0, MAX_NUMBERS)) {
      const number = written.replace(/ /g, "");
      const verdict = judge(number, carriers);
      if (verdict?.isValid !== true) continue;
      const near = lowered(lines.slice(Math.max(0, at - NEAR_LINES), at + NEAR_LINES + 1).join("\n"));
      if (carriers.length === 0 && !PARCEL_NEAR.test(near)) continue;
      return { number, carrier: carrierFor(verdict.carrier, carriers), isValid: true };
    }
  }
  return null;
}

function linkedNumber(raw: string, carriers: readonly Carrier[]): Tracking | null {
  for (const match of Array.from(raw.matchAll(IN_LINK)).slice(0, MAX_NUMBERS)) {
    const found = accepted((match.groups?.number ?? "").toUpperCase(), carriers);
    if (found !== null) return found;
  }
  return null;
}
