import { phrases } from "./labelled-values.ts";

/** Names of the sum that is paid in the end, those that say so themselves. */
export const GRAND_TOTAL = phrases(
  "grand total|order total|total amount|amount paid|total paid|amount charged|total charged|amount due|total due|invoice total|you paid|payment amount|charged amount|total price|balance due",
  "gesamtsumme|gesamtbetrag|gesamtpreis|rechnungsbetrag|endbetrag|zahlbetrag|bestellsumme|rechnungssumme|zu zahlen|zahlungsbetrag",
  "total ttc|montant total|total à payer|montant payé|montant réglé|montant débité|total de la commande|net à payer",
  "importe total|total a pagar|total pagado|importe pagado|total del pedido|monto total|importe cobrado",
  "valor total|total pago|valor pago|total do pedido|total da compra|valor cobrado",
  "totale ordine|importo totale|totale pagato|importo pagato|totale fattura|totale da pagare",
  "totaalbedrag|te betalen|totaal betaald|betaald bedrag|factuurbedrag|totaal incl. btw",
  "do zapłaty|kwota do zapłaty|suma zamówienia|łączna kwota|razem brutto|zapłacono|kwota brutto|wartość zamówienia",
  "сумма заказа|итого к оплате|к оплате|сумма платежа|общая сумма|сумма к оплате|итоговая сумма|оплачено",
  "genel toplam|toplam tutar|ödenen tutar|sipariş tutarı|ödenecek tutar|toplam ücret",
  "المبلغ الإجمالي|إجمالي الطلب|المبلغ المدفوع|الإجمالي الكلي|المبلغ المستحق|إجمالي المبلغ",
  "कुल राशि|भुगतान राशि|कुल भुगतान|देय राशि",
  "tổng thanh toán|tổng tiền|số tiền thanh toán|tổng giá trị đơn hàng|tổng số tiền",
  "total pembayaran|total bayar|total tagihan|jumlah yang dibayar|jumlah pembayaran|total pesanan|total belanja",
  "实付金额|实付款|支付金额|付款金额|订单金额|订单总额|应付金额|總金額|實付金額|訂單金額|付款金額|應付金額|总金额|订单总计|訂單總額|扣款金额|消费金额",
  "ご請求金額|お支払い金額|お支払金額|注文合計|ご注文金額|請求金額|総合計|合計金額|お支払い合計|領収金額",
  "총 결제금액|총 결제 금액|결제금액|결제 금액|총 주문금액|주문금액|청구금액|총 금액",
  "att betala|totalt belopp|totalbelopp|i alt|att betala totalt|celkem k úhradě|celková cena",
);

/** Words that mean the same where no better one stands. */
export const TOTAL = phrases(
  "total|amount|charged|summe|betrag|gesamt|montant|totale|importo|importe|monto|totaal|bedrag|razem|suma|kwota|łącznie|итого|всего|сумма|toplam|tutar|الإجمالي|المجموع|المبلغ|कुल|राशि|tổng cộng|tổng|số tiền|thành tiền|jumlah|合计|总计|总额|金额|合計|總計|總額|金額|합계|총액|총계|totalt|belopp|celkem",
);

/** Sums that are only a part, or no sum at all. */
export const PARTIAL = phrases(
  "subtotal|sub-total|sub total|savings|saved|discount|items total|net|tax|vat|gst|before tax|shipping|delivery|tip|points|balance|limit|donation|total items|total weight|refund",
  "zwischensumme|netto|nettobetrag|nettosumme|mwst|mehrwertsteuer|rabatt|versand|ersparnis|steuer|ust",
  "sous-total|sous total|total ht|montant ht|remise|tva|frais de port|économie|livraison",
  "descuento|iva|base imponible|envío|ahorro|gastos de envío",
  "desconto|frete|economia|imposto",
  "subtotale|sconto|spedizione|imponibile|risparmio|totale parziale",
  "subtotaal|tussentotaal|korting|btw|verzendkosten|excl. btw",
  "wartość netto|suma częściowa|rabat|dostawa|kwota netto|razem netto|kwota vat",
  "подытог|промежуточный итог|скидка|доставка|ндс|сумма без ндс",
  "ara toplam|indirim|kargo|kdv|kargo ücreti",
  "المجموع الفرعي|الخصم|الشحن|ضريبة|ضريبة القيمة المضافة",
  "उप-योग|उपयोग राशि|छूट|कर|शिपिंग",
  "tạm tính|giảm giá|phí vận chuyển|phí giao hàng",
  "ongkos kirim|ongkir|diskon|biaya pengiriman|total harga barang",
  "小计|商品总额|商品金额|优惠|运费|税|折扣|節省|运费金额|小計|運費|折扣|優惠|送料|消費税|割引|値引|ポイント|手数料|税抜|소계|배송비|할인|상품금액|부가세",
);
