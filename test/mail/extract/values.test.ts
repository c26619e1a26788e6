import { describe, expect, it } from "vitest";
import { amountsIn, decimal, priceOf } from "../../../src/mail/extract/amounts.ts";
import { moneyContext } from "../../../src/mail/extract/currency.ts";
import { datesIn } from "../../../src/mail/extract/dates.ts";
import { momentOf } from "../../../src/mail/extract/moment.ts";
import { readShipping } from "../../../src/mail/extract/shipping.ts";
import { timesIn } from "../../../src/mail/extract/times.ts";
import { paymentMethodIn } from "../../../src/mail/extract/payment-method.ts";
import { structuredData } from "../../../src/mail/extract/structured-data.ts";
import { textAt } from "../../../src/mail/extract/schema-org.ts";
import { carriersIn } from "../../../src/mail/extract/carriers.ts";
import { trackingIn } from "../../../src/mail/extract/tracking.ts";
import { judge } from "../../../src/mail/extract/tracking-number.ts";

const amounts = (line: string, from = "a@shop.example") =>
  amountsIn(line, moneyContext(line, from)).map(({ value, currency }) => `${value} ${currency}`);

describe("an amount", () => {
  it.each([
    ["1.234,56 €", "1234.56 EUR"],
    ["€ 1.234,56", "1234.56 EUR"],
    ["US$ 42.50", "42.50 USD"],
    ["$1,234,567.89 CAD", "1234567.89 CAD"],
    ["1 234,56 zł", "1234.56 PLN"],
    ["1\u00a0234,56 zł".replace("\u00a0", " "), "1234.56 PLN"],
    ["CHF 1'234.50", "1234.50 CHF"],
    ["R$ 1.234,56", "1234.56 BRL"],
    ["Rs. 1,23,456.00", "123456.00 INR"],
    ["NT$1,280", "1280 TWD"],
    ["1.250.000 ₫", "1250000 VND"],
    ["Rp87.500", "87500 IDR"],
    ["38,000원", "38000 KRW"],
    ["2 340,00 руб.", "2340.00 RUB"],
    ["412,80 TL", "412.80 TRY"],
    ["48.50 ر.س", "48.50 SAR"],
    ["KWD 1.250", "1.250 KWD"],
    ["0.500 €", "0.500 EUR"],
  ])("is read as its country writes it: %s", (line, expected) => {
    expect(amounts(line)).toEqual([expected]);
  });

  it("has the currency of the mail's country where several share a sign", () => {
    expect(amounts("合計：¥12,800の")).toEqual(["12800 JPY"]);
    expect(amounts("实付：¥298.00")).toEqual(["298.00 CNY"]);
    expect(amounts("$5.00", "shop@shop.com.au")).toEqual(["5.00 AUD"]);
    expect(amounts("$5.00", "shop@shop.co.uk")).toEqual(["5.00 USD"]);
    expect(amounts("$5.00", "shop@shop.co")).toEqual(["5.00 COP"]);
    expect(amounts("$5.00 (all prices in CAD)")).toEqual(["5.00 CAD"]);
    expect(amounts("99 kr", "butik@butik.dk")).toEqual(["99 DKK"]);
  });

  it.each(["10:30", "2025-03-18", "v1.2.3", "20 %", "A-1234", "192.168.0.1", "3rd", "#4711"])(
    "is not %s",
    (line) => {
      expect(amounts(line)).toEqual([]);
    },
  );

  it.each([
    ["1.234", "1234"],
    ["1.23", "1.23"],
    ["0,5", "0.5"],
    ["007", "7"],
    ["1'000'000.5", "1000000.5"],
  ])("%s is %s in decimals", (written, expected) => {
    expect(decimal(written)).toBe(expected);
  });
});

describe("a date", () => {
  const context = { today: "2025-12-20", isMonthFirst: true };
  const dates = (line: string, isMonthFirst = true) =>
    datesIn(line, { ...context, isMonthFirst }).map(({ value }) => value);

  it.each([
    ["2025-03-18", "2025-03-18"],
    ["18 March 2025", "2025-03-18"],
    ["March 18th, 2025", "2025-03-18"],
    ["18. März 2025", "2025-03-18"],
    ["18 de marzo de 2025", "2025-03-18"],
    ["1er août 2025", "2025-08-01"],
    ["18 марта 2025 г.", "2025-03-18"],
    ["18 Mart 2025", "2025-03-18"],
    ["١٨ مارس".replace("١٨", "18"), "2026-03-18"],
    ["18 मार्च 2025", "2025-03-18"],
    ["ngày 18 tháng 3 năm 2025", "2025-03-18"],
    ["2025年3月18日", "2025-03-18"],
    ["2025년 3월 18일", "2025-03-18"],
    ["18.03.25", "2025-03-18"],
    ["18/03/2025", "2025-03-18"],
    ["6 d'abril", "2026-04-06"],
    ["18/3-2025", "2025-03-18"],
    ["18-Mar-25", "2025-03-18"],
    ["令和7年3月18日", "2025-03-18"],
    ["民國114年3月18日", "2025-03-18"],
    ["114/03/18", "2025-03-18"],
    ["18/03/2568", "2025-03-18"],
    ["28/12/1403", "2025-03-18"],
    ["1403/12/30", "2025-03-20"],
    ["28 اسفند 1403", "2025-03-18"],
    ["18 آذار 2025", "2025-03-18"],
    ["27 كانون الثاني 2025", "2025-01-27"],
    ["18 آذار/مارس 2025", "2025-03-18"],
    ["2025. March 18.", "2025-03-18"],
    ["room 5 March 18, 2025", "2025-03-18"],
    ["January 2", "2026-01-02"],
    ["Dec 19", "2025-12-19"],
  ])("is read in its language: %s", (line, expected) => {
    expect(dates(line)).toEqual([expected]);
  });

  it("of a span is read twice, from the month that both have", () => {
    expect(dates("18-20 March 2025")).toEqual(["2025-03-18", "2025-03-20"]);
    expect(dates("March 18-20, 2025")).toEqual(["2025-03-18", "2025-03-20"]);
  });

  it("in numbers has the order that fits the weekday beside it", () => {
    expect(dates("Thursday 3/4/2025")).toEqual(["2025-04-03"]);
    expect(dates("Tue 3/4/2025", false)).toEqual(["2025-03-04"]);
  });

  it("is read month first for countries that write it so", () => {
    expect(dates("3/4/2025")).toEqual(["2025-03-04"]);
    expect(dates("3/4/2025", false)).toEqual(["2025-04-03"]);
  });

  it.each([
    "31 February 2025",
    "2025-13-01",
    "45.12.2025",
    "10 apples",
    "1.2.3",
    "192.168.0.1",
    "1446/09/18",
    "1403/12/31",
  ])("is not %s", (line) => {
    expect(dates(line, false)).toEqual([]);
  });

  it.each([
    ["3:00 PM", "15:00"],
    ["12:05 am", "00:05"],
    ["14h30", "14:30"],
    ["9.15 Uhr", "09:15"],
    ["19 Uhr", "19:00"],
    ["오후 2:00", "14:00"],
    ["下午3点", "15:00"],
    ["15時30分", "15:30"],
    ["5 p.m.", "17:00"],
  ])("has a time of day: %s", (line, expected) => {
    expect(timesIn(line).map(({ value }) => value)).toEqual([expected]);
  });
});

describe("the number of a parcel", () => {
  /** The number with its last digit changed. */
  const wrong = (number: string) =>
    number.replace(/(\d)([A-Z]*)$/, (_, digit: string, end: string) => `${(Number(digit) + 1) % 10}${end}`);

  it.each([
    ["1Z999AA10123456784", "UPS"],
    ["986578788855", "FedEx"],
    ["612927004183654", "FedEx"],
    ["9611804382719055628145", "FedEx"],
    ["9400111899562738451021", "USPS"],
    ["420902109400111899562738451021", "USPS"],
    ["03081440000671185327", "USPS"],
    ["RR473124599GB", "Royal Mail"],
    ["LX305711822CN", "China Post"],
    ["4827163051", "DHL"],
    ["00340434129081726538", "DHL"],
    ["382746195300", "Yamato"],
  ])("%s is one of %s by its check digit, and no other is", (number, carrier) => {
    expect(judge(number, [carrier])).toEqual({ carrier, isValid: true });
    expect(judge(wrong(number), [carrier])?.isValid).toBe(false);
  });

  const tracked = (...lines: string[]) =>
    trackingIn(
      { subject: "", lines, written: lines, raw: lines.join("\n") },
      carriersIn(lines.join("\n").toLowerCase()),
    );

  it("is refused with a wrong check digit, even behind a label", () => {
    expect(tracked("FedEx tracking number: 773049182650")).toMatchObject({ carrier: "FedEx", isValid: true });
    expect(tracked("FedEx tracking number: 773049182651")).toBeNull();
    expect(tracked("Your parcel: 1Z999AA10123456785")).toBeNull();
    expect(tracked("https://ups.example/?tracknum=1Z999AA10123456785")).toBeNull();
    expect(tracked("https://ups.example/?tracknum=1Z999AA10123456784")).toMatchObject({ carrier: "UPS" });
  });

  it("is taken without one where a label names it, and not otherwise", () => {
    expect(tracked("GLS", "Sendungsnummer:", "50348112907")).toEqual({
      number: "50348112907",
      carrier: "GLS",
      isValid: null,
    });
    expect(tracked("GLS", "50348112907")).toBeNull();
    expect(tracked("Tracking number: see below")).toBeNull();
  });

  it("of digits alone has no carrier unless the mail names one", () => {
    for (const number of ["986578788855", "4827163051", "612927004183654"])
      expect(judge(number, [])).toBeNull();
  });
});

describe("a way of paying", () => {
  it.each([
    ["Payment method: Visa ending in 4242", "Visa 4242"],
    ["MasterCard •••• 8871    $9.99", "Mastercard 8871"],
    ["Bezahlt mit PayPal", "PayPal"],
    ["支付方式：微信支付", "微信支付"],
    ["We accept Visa, Mastercard and PayPal.", null],
    ["Your visa application was received.", null],
  ])("%s", (line, expected) => {
    expect(paymentMethodIn([line])).toBe(expected);
  });
});

describe("data of schema.org", () => {
  it.each([
    ["a graph", '{"@context":"https://schema.org","@graph":[{"@type":"Order","orderNumber":"7"}]}'],
    ["an array", '[{"@type":["Order","Thing"],"orderNumber":7}]'],
    ["full addresses", '{"@type":"http://schema.org/Order","http://schema.org/orderNumber":{"@value":"7"}}'],
    ["a comment", '<!-- {"@type":"schema:Order","orderNumber":"7"} -->'],
  ])("is read from %s", (_, json) => {
    const [thing] = structuredData(`<script type="application/ld+json">${json}</script>`).jsonld;
    expect(thing?.types).toContain("Order");
    expect(textAt(thing, "orderNumber")).toBe("7");
  });

  it.each(["{", "null", "[]", "7", '{"@type":7}', '{"@graph":null}', "{{ order }}", "__proto__"])(
    "is nothing in broken JSON: %s",
    (json) => {
      const things = structuredData(`<script type="application/ld+json">${json}</script>`).jsonld;
      expect(things.flatMap(({ types }) => types)).toEqual([]);
    },
  );

  it("is read to a limited depth", () => {
    const deep = `${'{"@type":"A","a":['.repeat(5_000)}${"]}".repeat(5_000)}`;
    const html = `<script type="application/ld+json">${deep}</script>`;
    expect(structuredData(html).jsonld).toHaveLength(1);
  });

  it("keeps an item's properties apart from those of the items in it", () => {
    const html = `<div itemscope itemtype="https://schema.org/Order"><p itemprop="seller" itemscope><b itemprop="name">Shop</b></p>
      <b itemprop="name">Order <i>7</i></b><meta itemprop="a b" content="x"></div><b itemprop="name">outside</b>`;
    const [order, ...others] = structuredData(html).microdata;
    expect(others).toEqual([]);
    expect([textAt(order, "name"), textAt(order, "a"), textAt(order, "b")]).toEqual(["Order 7", "x", "x"]);
  });

  it("is read in linear time where one element names its property 100,000 times", () => {
    const html = `<div itemscope><meta itemprop="${"a ".repeat(100_000)}" content="x"></div>`;
    const before = process.cpuUsage();
    const [item] = structuredData(html).microdata;
    expect(item?.properties.get("a")).toEqual(["x"]);
    expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
  });

  it.each([
    ["2025-03-18", "2025-03-18"],
    ["2025-03-18T10:30:00+0530", "2025-03-18T10:30:00+05:30"],
    ["2025-02-31", null],
    ["2025-99-99T10:00Z", null],
    ["2025-03-18T25:00Z", null],
    ["2025-03-18T10:00+99:00", null],
  ])("has the time %s as %s", (written, instant) => {
    expect(momentOf(written)?.instant ?? null).toBe(instant);
  });

  it.each([
    ["70.15", "70.15"],
    ["$1,234.50", "1234.50"],
    ["-70.15", null],
    ["1e-7", null],
    ["0x10", null],
  ])("has the price %s as %s", (written, value) => {
    expect(priceOf(written, moneyContext("", ""))?.value ?? null).toBe(value);
  });

  it("tells no status and no day that does not exist", () => {
    const parcel = {
      "@type": "ParcelDelivery",
      trackingNumber: "X1",
      deliveryStatus: "constructor",
      expectedArrivalUntil: "2025-02-31",
    };
    const html = `<script type="application/ld+json">${JSON.stringify(parcel)}</script>`;
    const mail = {
      subject: "",
      text: "",
      from: { name: "", address: "" },
      receivedAt: "2025-03-18",
      calendars: [],
    };
    expect(readShipping({ ...mail, html })).toMatchObject({ tracking_number: "X1", status: null, eta: null });
  });
});
