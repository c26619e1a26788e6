import { describe, expect, it } from "vitest";
import type { ExtractionOf } from "../../../src/contract/extraction.ts";
import { carrierName, carriersIn } from "../../../src/mail/extract/carriers.ts";
import { statusIn } from "../../../src/mail/extract/delivery-status.ts";
import { isoDay } from "../../../src/mail/extract/eras.ts";
import { extract, type ExtractMail } from "../../../src/mail/extract/extract.ts";
import { pairsIn } from "../../../src/mail/extract/form-pairs.ts";
import { finderOf } from "../../../src/mail/extract/labelled-values.ts";
import { mayBeWeekday, monthOf } from "../../../src/mail/extract/month-names.ts";
import { timesIn } from "../../../src/mail/extract/times.ts";

/** A Tuesday. */
const RECEIVED_AT = "2025-03-18T09:00:00.000Z";

const mailOf = (subject: string, text: string): ExtractMail => ({
  subject,
  text,
  html: "",
  from: { name: "Nordlicht", address: "post@nordlicht.example" },
  receivedAt: RECEIVED_AT,
  calendars: [],
});

function calendar(subject: string, text: string): Partial<ExtractionOf<"calendar">> {
  const found = extract(mailOf(subject, text), "calendar");
  if (found.type !== "calendar") throw new Error("Another type was read");
  const { title, date, time, location } = found;
  return { title, date, time, location };
}

function shipping(subject: string, text: string): Partial<ExtractionOf<"shipping">> {
  const found = extract(mailOf(subject, text), "shipping");
  if (found.type !== "shipping") throw new Error("Another type was read");
  const { tracking_number, carrier, eta, status } = found;
  return { tracking_number, carrier, eta, status };
}

const NO_APPOINTMENT = { title: null, date: null, time: null, location: null };

describe("a month", () => {
  it.each([
    ["marzec", 3],
    ["marca", 3],
    ["MÄRZ", 3],
    ["d'avril", 4],
    ["Mart'ta", 3],
    ["במרץ", 3],
    ["มี.ค", 3],
    ["كانون الثاني", 1],
    ["апреля", 4],
    ["aprillil", 4],
  ])("is known by the name %s", (name, month) => {
    expect(monthOf(name)).toEqual({ calendar: "gregory", month });
  });

  it("has the name that the language of the mail gives it", () => {
    expect(monthOf("listopada")?.month).toBe(11);
    expect(monthOf("listopada", true)?.month).toBe(10);
    const text = "Podsjećamo Vas na termin u utorak, 28. listopada 2025. u 17:30 sati. Dođite ranije.";
    expect(calendar("Termin", text)).toMatchObject({ date: "2025-10-28", time: "17:30" });
  });

  it("of Iran has its own calendar", () => {
    expect(monthOf("اسفند")).toEqual({ calendar: "persian", month: 12 });
    expect(isoDay({ calendar: "persian", year: 1403 }, 12, 30)).toBe("2025-03-20");
    expect(isoDay({ calendar: "persian", year: 1404 }, 1, 1)).toBe("2025-03-21");
    expect(isoDay({ calendar: "persian", year: 1404 }, 12, 30)).toBeNull();
  });
});

it("a weekday is known in any case", () => {
  for (const word of ["środę", "szombatra", "torsdagen", "ceturtdien", "среду", "teisipäeval"])
    expect([0, 1, 2, 3, 4, 5, 6].filter((day) => mayBeWeekday(word, day))).toHaveLength(1);
});

describe("a time of day", () => {
  it.each([
    ["4:30 بعد الظهر", "16:30"],
    ["5:30 μ.μ.", "17:30"],
    ["शाम 6:00 बजे", "18:00"],
    ["மாலை 4:15", "16:15"],
    ["3.30 petang", "15:30"],
    ["4:30 p. m.", "16:30"],
    ["10u20", "10:20"],
    ["오전 8시 40분", "08:40"],
  ])("has its half of the day from words beside it: %s", (line, expected) => {
    expect(timesIn(line)).toMatchObject([{ value: expected, isCertain: true }]);
  });

  it("with a point is no certain one, and no part of a longer number is one", () => {
    expect(timesIn("kl. 8.15")).toMatchObject([{ value: "08:15", isCertain: false }]);
    for (const line of ["100.30", "1.30.5", "25:10", "45 minutes", "98 50"])
      expect(timesIn(line)).toEqual([]);
  });
});

it("pairs of a form are two cells, the sides of a colon, or a label above its value", () => {
  const lines = [
    "Ort    Halle ٣",
    "Zeit: 10:30",
    "Wo:",
    "Hof",
    "Raum",
    "Saal",
    "Um 10:30 beginnt es",
    "a    b    c",
  ];
  const written = lines.map((line) => line);
  const plain = lines.map((line) => line.replace("٣", "3"));
  expect(pairsIn({ subject: "", lines: plain, written, raw: "" }, finderOf(["raum"]))).toEqual([
    { label: "ort", value: "Halle 3", written: "Halle ٣", at: 0 },
    { label: "zeit", value: "10:30", written: "10:30", at: 1 },
    { label: "wo", value: "Hof", written: "Hof", at: 2 },
    { label: "raum", value: "Saal", written: "Saal", at: 4 },
  ]);
});

describe("an appointment", () => {
  it("is read from a form whose labels nobody knows, by a day and a time that stand together", () => {
    expect(calendar("Xyzzy", "Foo: 28 March 2025\nBar: 16:30")).toMatchObject({
      date: "2025-03-28",
      time: "16:30",
    });
  });

  it("is read from labels that stand above their values", () => {
    expect(
      calendar("Terminerinnerung", "Datum\nFreitag, 28. März 2025\nUhrzeit\n16:30\nOrt\nHauptstr. 5, Ulm"),
    ).toEqual({
      title: null,
      date: "2025-03-28",
      time: "16:30",
      location: "Hauptstr. 5, Ulm",
    });
  });

  it("is read from running text with its weekday or a word for it, and the street that is named", () => {
    const text = "We look forward to seeing you on Friday, 28 March at 4:30 pm. Address: 12 Mill Lane, York.";
    expect(calendar("Annual boiler check", text)).toEqual({
      title: "Annual boiler check",
      date: "2025-03-28",
      time: "16:30",
      location: "12 Mill Lane, York",
    });
  });

  it("that was moved is the one with more said of it", () => {
    const text =
      "Ihr Termin vom 24. März um 9:00 Uhr entfällt. Neuer Termin: Freitag, 28. März 2025, 16:30 Uhr.";
    expect(calendar("Terminverschiebung", text)).toMatchObject({ date: "2025-03-28", time: "16:30" });
  });

  it.each([
    ["Ihr Termin", null],
    ["Reminder: your appointment", null],
    ["Reminder: eye test", "eye test"],
    ["Eye test – booking confirmed", "Eye test"],
    ["Termin bei Dr. Voss", "Termin bei Dr. Voss"],
  ])("has what its subject says beyond that it is one: %s", (subject, title) => {
    expect(calendar(subject, "When: 28 March 2025, 16:30")).toMatchObject({ title });
  });

  it.each([
    ["Your order 4711", "Order date: 28 March 2025, 16:30\nAddress: 4 Mill Lane"],
    ["Sale", "Only until Friday, 28 March 2025, 18:00."],
    ["New sign-in", "Time: 18 March 2025 09:20\nPlace: Berlin"],
    ["Programme", "Friday, 28 March, 19:00 Trio\nSaturday, 29 March, 20:00 Choir"],
    ["Maintenance", "The service is down on Sunday, 23 March 2025 from 02:00 to 05:00."],
    ["Photos", "We were there on Friday, 7 March at 16:30."],
  ])("is none of these: %s", (subject, text) => {
    expect(calendar(subject, text)).toEqual(NO_APPOINTMENT);
  });
});

describe("a parcel", () => {
  it("has the carrier that a label names, known or not", () => {
    const text = "Carrier: Greenvan Couriers\nTracking number: GRN-2025-44718\nExpected delivery: 20 March";
    expect(shipping("Your parcel is on its way", text)).toEqual({
      tracking_number: "GRN-2025-44718",
      carrier: "Greenvan Couriers",
      eta: "2025-03-20",
      status: "in_transit",
    });
  });

  it.each([
    ["пратката пътува с еконт", "Econt"],
    ["надіслано новою поштою", "Nova Poshta"],
    ["nadano pocztą polską", "Poczta Polska"],
    ["佐川急便でお届けします", "Sagawa"],
    ["تم تسليمها إلى أرامكس", "Aramex"],
    ["پاکستان پوسٹ", "Pakistan Post"],
  ])("has a carrier by its name in its script: %s", (lower, carrier) => {
    expect(carriersIn(lower)).toEqual([carrier]);
  });

  it("has the carrier's name as it is if nobody knows it", () => {
    expect(carrierName("Greenvan Couriers")).toBe("Greenvan Couriers");
  });

  it.each([
    ["your parcel is on its way and will be delivered on friday", "in_transit"],
    ["we will email you when your order has shipped", null],
    ["zásilka je na cestě, bude doručena zítra", "in_transit"],
    ["ihr paket wird morgen zugestellt", null],
    ["ihr paket wurde zugestellt", "delivered"],
  ])("has the status of what has happened, not of what is to come: %s", (lower, status) => {
    expect(statusIn(lower)).toBe(status);
  });

  it("arrives on the only day to come that its mail names, unless that is a deadline", () => {
    const text = (day: string) => `Hello,\nyour parcel ${day}.\nTracking number: GRN-2025-44718`;
    expect(shipping("On its way", text("comes on Thursday 20 March"))).toMatchObject({ eta: "2025-03-20" });
    expect(shipping("On its way", text("can be returned until 20 April"))).toMatchObject({ eta: null });
  });

  it("has no number that an error or an inquiry has", () => {
    expect(shipping("Ticket", "お問い合わせ番号：2503-11874")).toMatchObject({ tracking_number: null });
  });
});

describe("the number of a parcel", () => {
  const numberIn = (text: string, subject = "Your parcel"): string | null | undefined =>
    shipping(subject, text).tracking_number;

  it.each([
    ["Localitzador de l'enviament: 28840117735502", "28840117735502"],
    ["AWB नंबर: 14482900371165", "14482900371165"],
    ["The parcel 4 1180 0927 of Maslinovo is in the van.", "411800927"],
    ["Paket s številko 08915510274418 (GLS) bo dostavljen jutri.", "08915510274418"],
    ["Посылка № 10055812345678 отправлена.", "10055812345678"],
    ["顺丰速运 SF1234567890123 预计3月20日送达", "SF1234567890123"],
    ["Tracking number: BRT 084512339902", "084512339902"],
    ["伝票番号 1234-5678-9012 3月20日", "123456789012"],
  ])("is read in: %s", (text, number) => {
    expect(numberIn(text)).toBe(number);
  });

  it.each([
    "Questions about your parcel? Call UPS 18007425877 or 0800 123 4567.",
    "Your parcel for order 771820499012 has shipped.",
    "Your parcel 2025-03-18 is here.",
    "Parcel 01806 345300",
  ])("is none in: %s", (text) => {
    expect(numberIn(text)).toBeNull();
  });
});

describe("the status of a parcel", () => {
  it("is that of the text where the subject only says that it is on its way", () => {
    const subject = "Your parcel is on its way";
    expect(shipping(subject, "It left our warehouse.").status).toBe("shipped");
    expect(shipping(subject, "Status: in transit").status).toBe("in_transit");
    expect(shipping("Your parcel was delivered", "It was shipped on Monday.").status).toBe("delivered");
  });

  it("is read with its day and its carrier where the number has a wrong check digit", () => {
    const text = "佐川急便にて発送しました。お問い合わせ番号:4012-3456-7894。3月20日到着予定です。";
    const fields = { tracking_number: null, carrier: "Sagawa", eta: "2025-03-20", status: "shipped" };
    expect(shipping("配送のお知らせ", text)).toEqual(fields);
  });

  it("is shipped where it was delivered to the carrier", () => {
    expect(statusIn("το δέμα παραδόθηκε στον μεταφορέα")).toBe("shipped");
    expect(statusIn("το δέμα παραδόθηκε")).toBe("delivered");
  });

  it("comes with the day of a line that speaks of arriving", () => {
    const subject = "Your parcel is on its way";
    expect(shipping(subject, "20 मार्च को पहुँचेगा").eta).toBe("2025-03-20");
    expect(shipping(subject, "The sale ends on 20 March.").eta).toBeNull();
  });
});

describe("the title of an appointment", () => {
  it("is the heading that the subject repeats", () => {
    const text = "Lịch hẹn nộp hồ sơ\n\nNgày: 08/04/2025\nGiờ: 10:15";
    expect(calendar("Xác nhận lịch hẹn nộp hồ sơ", text).title).toBe("Lịch hẹn nộp hồ sơ");
    expect(calendar("Your appointment", "Appointment\n\nDate: 08/04/2025\nTime: 10:15").title).toBeNull();
  });
});

describe("the place of an appointment", () => {
  it("has no directions in brackets", () => {
    const text = "When: 24 March 2025, 9:30\nWhere: 12 Hill Road, Leeds (entrance from the yard)";
    expect(calendar("Visit", text).location).toBe("12 Hill Road, Leeds");
    expect(calendar("Visit", text.replace("entrance from the yard", "3rd floor")).location).toBe(
      "12 Hill Road, Leeds (3rd floor)",
    );
  });
});
