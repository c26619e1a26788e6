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

/** What a mail says of a payment: schema.org's Invoice or Order, or the text; null if it speaks of none. */
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

/** Words that a mail about a payment has. */
const PAYMENT = phrases(
  "receipt|invoice|payment received|payment confirmation|we received your payment|you paid|thank you for your payment|amount paid|you've been charged|has been charged|was charged|we charged|billing statement|your bill|order confirmation|purchase confirmation",
  "rechnung|quittung|kassenbon|beleg|zahlungsbestätigung|zahlung erhalten|zahlungseingang|ihre zahlung|sie haben bezahlt|abgebucht|zahlungsbeleg|kaufbeleg",
  "facture|reçu|paiement reçu|paiement effectué|votre paiement|quittance|ticket de caisse|justificatif",
  "recibo|factura|pago recibido|tu pago|su pago|comprobante|confirmación de pago|pago realizado",
  "recibo|fatura|nota fiscal|pagamento recebido|seu pagamento|comprovante|pagamento confirmado|pagamento aprovado",
  "ricevuta|fattura|pagamento ricevuto|scontrino|il tuo pagamento|pagamento effettuato|conferma di pagamento",
  "factuur|bon|kassabon|betaling ontvangen|betalingsbewijs|je betaling|uw betaling|bonnetje",
  "faktura|rachunek|paragon|potwierdzenie płatności|płatność otrzymana|otrzymaliśmy płatność|potwierdzenie wpłaty",
  "чек|квитанция|счет|счёт|оплата получена|кассовый чек|оплата прошла|платеж получен|платёж получен",
  "fatura|makbuz|ödemeniz alındı|fiş|ödeme onayı|ödeme makbuzu|dekont",
  "إيصال|فاتورة|تم استلام دفعتك|تم الدفع|تأكيد الدفع",
  "रसीद|बिल|भुगतान प्राप्त|इनवॉइस|चालान|भुगतान सफल",
  "hóa đơn|biên lai|biên nhận|thanh toán thành công|xác nhận thanh toán",
  "kwitansi|struk|faktur|pembayaran diterima|bukti pembayaran|pembayaran berhasil|invoice",
  "收据|發票|发票|收據|付款成功|支付成功|缴费|扣款通知|交易提醒|账单|帳單|領収書|領収|請求書|お支払い|ご利用明細|レシート|영수증|결제 완료|결제완료|결제가 완료|청구서|kvitto|kvittering",
);

/** A payment that was not made, or not yet decided: nothing was paid that a receipt could show. */
const FAILED = phrases(
  "payment failed|could not charge|couldn't charge|was declined|has been declined|payment declined|unable to process|unsuccessful|could not be processed|couldn't process|payment was not|approve your|approve this|authorize this|quote|estimate",
  "zahlung fehlgeschlagen|konnte nicht abgebucht|abgelehnt|konnte nicht verarbeitet|angebot nr.|kostenvoranschlag",
  "paiement refusé|échec du paiement|paiement a échoué|devis",
  "pago rechazado|no se pudo procesar|pago fallido|presupuesto",
  "pagamento recusado|não foi aprovado|pagamento não aprovado|orçamento",
  "pagamento non riuscito|pagamento rifiutato|preventivo",
  "betaling mislukt|betaling geweigerd|offerte",
  "płatność nieudana|płatność odrzucona|nie powiodła się",
  "не удалось списать|платеж отклонен|платёж отклонён|оплата не прошла",
  "ödeme başarısız|ödemeniz alınamadı|reddedildi",
  "فشل الدفع|تم رفض|भुगतान विफल|असफल|thanh toán thất bại|không thành công|pembayaran gagal|ditolak",
  "支付失败|付款失敗|扣款失败|付款失败|決済に失敗|お支払いができません|決済できません|결제 실패|결제가 실패|승인 거절",
);

const DATE = phrases(
  "date paid|payment date|invoice date|receipt date|transaction date|order date|paid on|billed on|date of issue|issue date|date of payment|purchase date|date issued|charged on|date",
  "rechnungsdatum|zahlungsdatum|belegdatum|kaufdatum|buchungsdatum|bezahlt am|zahlung vom|rechnung vom|bestelldatum|datum",
  "date de facture|date de paiement|date de la facture|date d'achat|payé le|date du paiement|facture du|réglé le|émise le",
  "fecha de factura|fecha de pago|fecha de compra|fecha de emisión|pagado el|fecha",
  "data de pagamento|data do pagamento|data da compra|data de emissão|pago em|data",
  "data fattura|data di pagamento|data pagamento|data acquisto|pagato il",
  "factuurdatum|betaaldatum|aankoopdatum|betaald op|besteldatum",
  "data płatności|data wystawienia|data zakupu|data sprzedaży|zapłacono dnia",
  "дата оплаты|дата платежа|дата покупки|дата операции|дата",
  "ödeme tarihi|fatura tarihi|işlem tarihi|satın alma tarihi|tarih",
  "تاريخ الدفع|تاريخ الفاتورة|تاريخ الشراء|التاريخ",
  "भुगतान की तारीख|भुगतान तिथि|बिल की तारीख|तारीख|दिनांक",
  "ngày thanh toán|ngày hóa đơn|ngày giao dịch|ngày mua|ngày",
  "tanggal pembayaran|tanggal transaksi|tanggal faktur|tanggal",
  "付款日期|支付时间|交易时间|开票日期|付款時間|交易日期|支付日期|日期|お支払い日|ご利用日|領収日|発行日|購入日|請求日|決済日|결제일|결제일시|거래일시|결제 일시|발행일|결제일자|날짜|datum|dato",
);

/** What falls due later is not when it was paid. */
const DUE = phrases(
  "due date|due|fällig|fälligkeit|échéance|vencimiento|vencimento|scadenza|vervaldatum|termin płatności|срок оплаты|son ödeme tarihi|تاريخ الاستحقاق|देय तिथि|hạn thanh toán|jatuh tempo|到期|お支払い期限|支払期限|납부기한|next|renews|nächste|prochain|próximo|förfallodatum",
);

function receiptInText(mail: ExtractMail, context: MoneyContext): Receipt | null {
  const { subject, lines } = readText(mail);
  const lower = lowered(`${subject}\n${lines.join("\n")}`);
  if (!PAYMENT.test(lower) || FAILED.test(lower)) return null;
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
  for (const { value, at } of labelled(lines, DATE)) {
    if (DUE.test(lowered(lines[at] ?? ""))) continue;
    const [date] = datesIn(value, context);
    if (date !== undefined) return date.value;
  }
  return null;
}
