import { describe, expect, it } from "vitest";
import { cellsOf } from "../../../src/mail/extract/cells.ts";
import { moneyContext } from "../../../src/mail/extract/currency.ts";
import { extract } from "../../../src/mail/extract/extract.ts";
import { isSumOfBelow, sumsIn, type PriceRow } from "../../../src/mail/extract/money-sums.ts";
import { moneyText } from "../../../src/mail/extract/money-text.ts";
import { orderIdIn } from "../../../src/mail/extract/order-id.ts";
import { itemsIn } from "../../../src/mail/extract/order-items.ts";
import { paymentMethodIn } from "../../../src/mail/extract/payment-method.ts";
import { totalIn } from "../../../src/mail/extract/total.ts";

const money = (lines: readonly string[]) =>
  moneyText(lines, moneyContext(lines.join("\n"), "a@shop.example"));

const totalOf = (...lines: string[]): string | null => {
  const read = money(lines);
  const total = totalIn(read, itemsIn(read, lines));
  return total === null ? null : `${total.value} ${total.currency}`;
};

const itemsOf = (...lines: string[]): string[] =>
  itemsIn(money(lines), lines).map(({ item }) => `${item.quantity} x ${item.name} = ${item.price}`);

const orderId = (subject: string, ...lines: string[]): string | null =>
  orderIdIn({ subject, lines }, false, moneyContext("", "a@shop.example"))?.value ?? null;

const receipt = (subject: string, ...lines: string[]) =>
  extract(
    {
      subject,
      text: lines.join("\n"),
      html: "",
      from: { name: "Kiosk", address: "pay@kiosk.example" },
      receivedAt: "2025-03-18T09:00:00.000Z",
      calendars: [],
    },
    "receipt",
  );

describe("the cells of a line", () => {
  it("are two blanks or more apart, or at the ends of dots", () => {
    expect(cellsOf("Tea   2    4,00 €").map(({ text }) => text)).toEqual(["Tea", "2", "4,00 €"]);
    expect(cellsOf("Soup ........ 3,00").map(({ text }) => text)).toEqual(["Soup", "3,00"]);
    expect(cellsOf("one sentence. And another.")).toHaveLength(1);
  });
});

describe("sums", () => {
  const rows = (...values: number[]): PriceRow[] => values.map((value) => ({ value, quantity: 1 }));

  it("are found below their parts, with and without a subtotal, and with signs left out", () => {
    expect(sumsIn(rows(10, 20, 30))).toEqual([2]);
    expect(sumsIn(rows(10, 20, 30, 5, 35))).toEqual([2, 4]);
    expect(sumsIn(rows(10, 20, 30, 4, 26))).toEqual([2, 4]);
    expect(sumsIn(rows(10, 20, -3, 27))).toEqual([3]);
  });

  it("are found where a row shows the price of one piece", () => {
    expect(sumsIn([{ value: 10, quantity: 3 }, ...rows(5, 35)])).toEqual([2]);
  });

  it("are found above their parts", () => {
    expect(isSumOfBelow(rows(14, 12, 2))).toBe(true);
    expect(isSumOfBelow(rows(14, 12, 3))).toBe(false);
    expect(isSumOfBelow(rows(14, 14))).toBe(false);
  });

  it("are not made of what does not add up", () => {
    expect(sumsIn(rows(10, 20, 31))).toEqual([]);
  });
});

describe("the total", () => {
  it("is the row to which the others add up, whatever it is called", () => {
    expect(totalOf("Xoq   12,00 €", "Yuf   8,00 €", "Zab   3,00 €", "Wig   23,00 €")).toBe("23.00 EUR");
  });

  it("is no tax, delivery or balance", () => {
    expect(totalOf("Total: $50.00", "Tax included: $4.00", "New balance: $812.00")).toBe("50.00 USD");
    expect(totalOf("Summe 40,00 €", "darin MwSt. 6,39 €")).toBe("40.00 EUR");
  });

  it("stands in the heading of the column in its currency, too", () => {
    expect(totalOf("Vare   Antal   Pris (DKK)", "Te   1   90,00", "Fragt   10,00", "I alt   100,00")).toBe(
      "100.00 DKK",
    );
    expect(totalOf("Syrop   12,00", "Woda   3,00", "SUMA PLN   15,00")).toBe("15.00 PLN");
  });

  it("is the sum beside the card and not what another sentence offers", () => {
    expect(
      totalOf("We charged $29.00 to your Visa ending 4242. The annual plan at $290.00 saves you $58.00."),
    ).toBe("29.00 USD");
  });

  it("is not the amount in another currency that explains it", () => {
    expect(totalOf("Total 97,00 лв.", "Това са приблизително 49,60 €")).toBe("97.00 BGN");
    expect(totalOf("We charged €48.00 (about £40.50) to your Visa ending 4242.")).toBe("48.00 EUR");
  });

  it("is not told by one price among others", () => {
    expect(totalOf("Tea from 4,00 €, coffee from 5,00 €")).toBeNull();
  });
});

describe("an amount with a shared or rare sign", () => {
  it.each([
    ["Summe 420:- och tack för din betalning", "420 SEK"],
    ["Jumla KSh 3,450", "3450 KES"],
    ["Ukupno 45,00 KM", "45.00 BAM"],
    ["Итого 18 370 ₸", "18370 KZT"],
    ["جمع کل ۹٬۶۵۰٬۰۰۰ ریال", "9650000 IRR"],
    ["Total $61.470 – RUT 76.543.210-K, Santiago", "61470 CLP"],
    ["Total : 218,45 $ (TPS et TVQ comprises)", "218.45 CAD"],
  ])("%s", (line, expected) => {
    const [plain] = [line.replace(/[۰-۹]/g, (digit) => String(digit.charCodeAt(0) - 0x6f0))];
    expect(totalOf(plain)).toBe(expected);
  });
});

describe("the items of an order", () => {
  it("have their quantity in a column of any place, or beside the name", () => {
    const expected = ["2 x Green tea = 8.00"];
    expect(itemsOf("Green tea   2   8,00 €")).toEqual(expected);
    expect(itemsOf("2   Green tea   8,00 €")).toEqual(expected);
    expect(itemsOf("1   2 pcs   Green tea   4,00 €   8,00 €")).toEqual(expected);
    expect(itemsOf("Green tea × 2 … 8,00 €")).toEqual(expected);
    expect(itemsOf("2 ks Green tea – 8,00 €")).toEqual(expected);
    expect(itemsOf("Green tea, 2 шт. — 8,00 €")).toEqual(expected);
    expect(itemsOf("Green tea", "Qty: 2   8,00 €")).toEqual(expected);
  });

  it("are named in the characters of the mail", () => {
    const read = money(["Saffron 5 g   2   8,00 €"]);
    expect(itemsIn(read, ["Saffron ۵ g   2   8,00 €"]).map(({ item }) => item.name)).toEqual(["Saffron ۵ g"]);
  });

  it("are no deliveries, sums or rows without a quantity", () => {
    expect(itemsOf("1 x Shipping   5,00 €", "Voucher   1   -5,00 €", "Bag 250 g   9,00 €")).toEqual([]);
  });
});

describe("the number of an order", () => {
  it.each([
    ["Bestellung 600418 eingegangen", "600418"],
    ["Поръчка № 5521 е приета", "5521"],
    ["1004-7725 numaralı siparişiniz", "1004-7725"],
    ["Comanda cu numărul 77120 e în pregătire", "77120"],
    ["Your order (Nr. VH-118204) is here", "VH-118204"],
  ])("stands beside a word for an order: %s", (line, expected) => {
    expect(orderId("", line)).toBe(expected);
  });

  it("is known without a word beside it when subject and text share it", () => {
    expect(orderId("AB-4711", "Thanks for the order.", "AB-4711")).toBe("AB-4711");
  });

  it.each([
    "Your order of 2025 is on its way",
    "Order today, from 500 EUR",
    "Order date: 17.03.2025",
    "Thank you for your order. Customer number 330917",
  ])("is not told by: %s", (line) => {
    expect(orderId("", line)).toBeNull();
  });
});

describe("a card or a wallet", () => {
  it.each([
    ["Card   Visa x4417", "Visa 4417"],
    ["Charged to Amex -1005 on 15 Mar 2025", "American Express 1005"],
    ["Mastercard XXXX XXXX XXXX 9921   238 Kč", "Mastercard 9921"],
    ["2025年3月15日に、末尾8821のVisaカードより引き落としました", "Visa 8821"],
    ["On 12 March 2025 your Visa (5512) paid 62,00 €", "Visa 5512"],
    ["Zahlung   TWINT", "TWINT"],
    ["Paid by iDEAL", "iDEAL"],
    ["결제수단   카카오페이", "카카오페이"],
    ["An ideal day to swish along", null],
    ["Pay with PayPal, Klarna or Apple Pay", null],
  ])("%s", (line, expected) => {
    expect(paymentMethodIn([line])).toBe(expected);
  });
});

describe("a receipt", () => {
  it("has the day of payment and neither that of the invoice, a period, nor what is to come", () => {
    const found = receipt(
      "Receipt",
      "Invoice date: 2025-02-28",
      "Payment date: 2025-03-09",
      "Period: 2025-02-01 - 2025-02-28",
      "Total paid: €60.50",
      "Next payment: 2025-04-09",
    );
    expect(found).toMatchObject({ amount: "60.50", date: "2025-03-09" });
  });

  it("is read from one sentence", () => {
    expect(
      receipt("Thank you", "On 10 March 2025 we charged 55,00 € to your Visa ending 4242 for March."),
    ).toMatchObject({ amount: "55.00", currency: "EUR", date: "2025-03-10", payment_method: "Visa 4242" });
  });

  it.each([
    [["Your plan renews on 1 April 2025. We'll charge $12.99 to your Visa ending 4242."]],
    [["The total budget is $12,400.00. I'd like your invoice template."]],
    [["Ihre Rechnung über 84,20 € ist offen. Bitte überweisen Sie bis zum 25.03.2025."]],
  ])("is no announcement of a payment: %s", (lines) => {
    expect(receipt("Soon", ...lines)).toMatchObject({ amount: null, source: null });
  });
});

describe("a payment in running text", () => {
  it.each([
    [
      "On 17 March 2025 we received 86.40 € incl. VAT (72.00 € + 14.40 € VAT) by Mastercard ending in 2281.",
      { amount: "86.40", date: "2025-03-17", payment_method: "Mastercard 2281" },
    ],
    [
      "Потвърждаваме, че на 17 март 2025 г. получихме 86,40 лв. с ДДС (72,00 лв. + 14,40 лв. ДДС) с карта Mastercard, завършваща на 2281.",
      { amount: "86.40", currency: "BGN", payment_method: "Mastercard 2281" },
    ],
    [
      "You paid 186.00 € VAT (24.26 €) on 17 March 2025 with your Visa card ending 2208.",
      { amount: "186.00", payment_method: "Visa 2208" },
    ],
    [
      "12 Mart 2025 tarihinde Visa 4410 kartınızdan KDV dahil 680,00 TL tahsil ettik.",
      { amount: "680.00", payment_method: "Visa 4410" },
    ],
    [
      "Vi har fått din betalning på 1 250,00 kr via Swish den 9 mars 2025.",
      { amount: "1250.00", date: "2025-03-09", payment_method: "Swish" },
    ],
    [
      "Vastaanotimme maaliskuun 17. päivänä 2025 lahjoituksesi, 50,00 euroa.",
      { amount: "50.00", date: "2025-03-17" },
    ],
  ])("is read: %s", (text, fields) => {
    expect(receipt("Thank you", text)).toMatchObject(fields);
  });

  it.each([
    ["Du har betalat 300 kr den 12 mars 2025 med Swish.", "Swish"],
    ["Kami terima RM85.00 melalui Boost pada 12 Mac 2025.", "Boost"],
    ["Paid £20.00 on 12 March 2025. Boost your day!", null],
  ])("tells a way of paying whose name is a word: %s", (text, payment_method) => {
    expect(receipt("Receipt", text)).toMatchObject({ payment_method });
  });

  it("is none where the sum is still due", () => {
    expect(receipt("Bill", "Your payment of $45.00 is due on April 2, 2025.")).toMatchObject({
      amount: null,
    });
  });
});

describe("a row of an order", () => {
  it("may have a long name with a measure", () => {
    expect(
      itemsOf(
        "1 x Formatge de cabra curat de la muntanya 1 kg — 24,50 €",
        "2 x Mató — 11,80 €",
        "Total: 36,30 €",
      ),
    ).toEqual(["1 x Formatge de cabra curat de la muntanya 1 kg = 24.50", "2 x Mató = 11.80"]);
    expect(itemsOf("煎茶 100g × 2    1,600円", "急須 × 1    4,800円", "合計    6,400円")).toEqual([
      "2 x 煎茶 100g = 1600",
      "1 x 急須 = 4800",
    ]);
  });
});
