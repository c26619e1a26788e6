import { lowered } from "../code/key-words.ts";
import { labelled, phrases } from "./labelled-values.ts";

/** Names of an order's number that can be nothing else. */
const NUMBER_LABEL = phrases(
  "order number|order no.|order no|order id|order reference|order ref|order nr|order code|your order #|order #|purchase order",
  "bestellnummer|bestellnr.|bestell-nr.|bestell-nr|auftragsnummer|bestellung nr.|bestellung nr|bestellung #|auftrags-nr.|bestell-id",
  "numéro de commande|numéro de votre commande|n° de commande|nº de commande|commande n°|commande nº|commande no|commande #|référence de commande|réf. commande|référence commande",
  "número de pedido|n.º de pedido|nº de pedido|n° de pedido|núm. de pedido|pedido n.º|pedido nº|pedido n°|pedido #|número de orden|pedido número|orden #|orden n.º",
  "número do pedido|nº do pedido|n.º do pedido|código do pedido|número da encomenda|n.º da encomenda|encomenda n.º|encomenda nº",
  "numero ordine|numero d'ordine|n. ordine|ordine n.|ordine n°|ordine nr.|ordine #|numero dell'ordine|codice ordine|ordine numero",
  "bestelnummer|ordernummer|bestelling #|bestelling nr.|order-id|bestellingsnummer",
  "numer zamówienia|nr zamówienia|zamówienie nr|zamówienia nr|zamówienie numer|zamówienie #|id zamówienia",
  "номер заказа|заказ №|заказ номер|заказа №|№ заказа|заказ #",
  "sipariş numarası|sipariş no|sipariş numaranız|sipariş #|siparis no",
  "رقم الطلب|رقم الطلبية|الطلب رقم|طلب رقم|رقم طلبك",
  "ऑर्डर नंबर|ऑर्डर संख्या|ऑर्डर आईडी|ऑर्डर #|ऑर्डर क्रमांक",
  "mã đơn hàng|số đơn hàng|đơn hàng #|mã đơn|đơn hàng số",
  "nomor pesanan|no. pesanan|no pesanan|id pesanan|pesanan #|nomor order|kode pesanan",
  "订单号|订单编号|订单号码|單號|訂單編號|訂單號碼|訂單號|订单",
  "注文番号|ご注文番号|オーダー番号|受注番号|注文no|注文no.|注文id",
  "주문번호|주문 번호|주문 no",
  "beställningsnummer|ordrenummer|číslo objednávky",
);

/** Words for an order, behind which a number with a sign, or a long one, is its number. */
const ORDER_WORD = phrases(
  "order|purchase|bestellung|auftrag|commande|pedido|encomenda|compra|ordine|bestelling|zamówienie|zamówienia|заказ|заказа|заказу|sipariş|siparişiniz|طلبك|الطلب|ऑर्डर|đơn hàng|pesanan|注文|주문|訂單",
);

const TOKEN = "(?<id>(?=[A-Z\\d/_-]{0,30}\\d)[A-Z\\d][A-Z\\d]*(?:[-/_.][A-Z\\d]+){0,6})";
/** The number right behind its label. A label may be followed by another word for "number". */
const LABELLED_ID = new RegExp(
  `^(?:is|lautet|est|es|é|è|ist|:|：|is:|:)?[\\s:：#№]*(?:n[°º.]|nr\\.?|no\\.?)?[\\s:：#№]*${TOKEN}`,
  "iu",
);
const SIGNED_ID = new RegExp(`^[\\s(:"']*(?:\\p{L}{3,14} )?(?:[#№]|n[°º]|nr\\.?|no\\.) ?${TOKEN}`, "iu");
const LONG_ID = new RegExp(`^[\\s:("']*${TOKEN}`, "u");

const MIN_ID_CHARS = 3;
const MIN_LONG_CHARS = 6;
const MAX_ID_CHARS = 32;

/** The number of an order, and whether a label named it. */
export interface OrderId {
  value: string;
  isLabelled: boolean;
}

/** The number of the order a mail is about: behind a label in the text or the subject, or a marked one behind "order". */
export function orderIdIn(subject: string, lines: readonly string[]): OrderId | null {
  const all = [...lines, subject];
  for (const { value } of labelled(all, NUMBER_LABEL)) {
    const id = usable(LABELLED_ID.exec(value)?.groups?.id, MIN_ID_CHARS);
    if (id !== null) return { value: id, isLabelled: true };
  }
  for (const line of [subject, ...lines]) {
    const id = idBehindWord(line);
    if (id !== null) return { value: id, isLabelled: false };
  }
  return null;
}

function idBehindWord(line: string): string | null {
  const match = ORDER_WORD.exec(lowered(line));
  if (match === null) return null;
  const rest = line.slice(match.index + match[0].length);
  return (
    usable(SIGNED_ID.exec(rest)?.groups?.id, MIN_ID_CHARS) ??
    usable(LONG_ID.exec(rest)?.groups?.id, MIN_LONG_CHARS)
  );
}

/** A token that can be an order's number: no date, no amount, no year. */
function usable(id: string | undefined, minChars: number): string | null {
  if (id === undefined || id.length < minChars || id.length > MAX_ID_CHARS) return null;
  if (/^(?:19|20)\d{2}(?:[-/.]\d{1,2}){1,2}$|^\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}$/.test(id)) return null;
  if (/^\d+[.,]\d{1,2}$/.test(id)) return null;
  return id;
}
