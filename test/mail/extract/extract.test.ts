import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { corpusOf, measure } from "../../../scripts/eval/evaluation.ts";
import { EXTRACTION } from "../../../scripts/eval/extraction.ts";
import { HOSTILE, hostileText } from "../../../scripts/eval/hostile.ts";
import { shortfalls } from "../../../scripts/eval/report.ts";
import { Extraction, ExtractionType } from "../../../src/contract/extraction.ts";
import { extract, isCalendarFile, type ExtractMail } from "../../../src/mail/extract/extract.ts";

const TYPES = ExtractionType.options;

const mailOf = (parts: Partial<ExtractMail>): ExtractMail => ({
  subject: "",
  text: "",
  html: "",
  from: { name: "Shop", address: "shop@shop.example" },
  receivedAt: "2025-03-18T09:00:00.000Z",
  calendars: [],
  ...parts,
});

describe("the corpus of extraction", () => {
  const { developed, heldOut } = corpusOf(EXTRACTION);

  it("has mails and decoys of each type, and mails held out that are not among the others", () => {
    for (const type of ["order", "shipping", "calendar", "receipt"]) {
      const own = developed.filter((mail) => mail.language === type);
      expect(own.length).toBeGreaterThanOrEqual(24);
      expect(own.filter(({ expected }) => Object.keys(expected).length === 0).length).toBeGreaterThanOrEqual(
        5,
      );
      expect(heldOut.some((mail) => mail.language === type)).toBe(true);
      for (const mail of own) expect(mail.headers).toContain(`Asked: ${type}`);
    }
    const ids = new Set(developed.map(({ id }) => id));
    expect(heldOut.filter(({ id }) => ids.has(id))).toEqual([]);
  });

  it("is read at least as well as its floors demand", async () => {
    expect(shortfalls(EXTRACTION, await measure(EXTRACTION, developed))).toEqual([]);
  });
});

describe("an extractor", () => {
  it("that throws gives an empty answer", () => {
    const failing = () => {
      throw new Error("broken");
    };
    const all = { order: failing, shipping: failing, calendar: failing, receipt: failing, code: failing };
    for (const type of TYPES) {
      expect(extract(mailOf({}), type, all)).toMatchObject({ type, source: null, confidence: 0 });
    }
  });

  it("answers in the shape of the contract for any mail", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc
        .array(
          fc.constantFrom(
            ...HOSTILE,
            "Order number: A-1234\n",
            "Total: 1.234,56 €\n",
            "Tracking number: 1Z999AA10123456784\n",
            "Date: 31.02.2025 25:61\n",
            "<script type='application/ld+json'>",
            '{"@type":"Order","orderNumber":["1",{"@type":null}]}',
            "</script>",
            "<div itemscope itemtype='https://schema.org/Order'><b itemprop=orderNumber>",
            "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20259999T999999\n",
            "END:VEVENT\nEND:VCALENDAR\n",
          ),
          { maxLength: 30 },
        )
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(fc.constantFrom(...TYPES), text, text, (type, one, two) => {
        const mail = mailOf({ subject: two, text: one, html: two, calendars: [one, two] });
        const found = extract(mail, type);
        expect(Extraction.parse(found)).toEqual(found);
        expect(found.type).toBe(type);
        expect(found.confidence === 0).toBe(found.source === null);
      }),
      { numRuns: 300 },
    );
  });

  it("takes time linear in the mail", () => {
    const costOf = (unit: string, type: ExtractionType, chars: number): number => {
      const text = hostileText(unit, chars);
      const mail = mailOf({
        subject: text,
        text,
        html: text,
        from: { name: text, address: text },
        calendars: [text],
      });
      const tries = Array.from({ length: 2 }, () => {
        const before = process.cpuUsage();
        extract(mail, type);
        return process.cpuUsage(before).user;
      });
      return Math.min(...tries);
    };
    const units = [
      "$1,234 ",
      "1 234",
      "Total: ",
      "Order #",
      "RR 123 456 789 GB ",
      "1Z ",
      "March 1 ",
      "10:30 ",
      "3/4 ",
      "2 x aa  1.00\n",
      "Visa •••• 1234 ",
      "<b itemprop=a>",
      "<div itemscope>",
      "<script type='application/ld+json'>[",
      "BEGIN:VEVENT\n",
      'ATTENDEE;CN="',
      "\n ",
      " ",
    ];
    for (const type of ["order", "shipping", "calendar", "receipt"] as const) {
      for (const unit of units) {
        // Eight times the text is some eight times the work at most; what is quadratic would be sixty-four times.
        const small = Math.max(costOf(unit, type, 50_000), 8_000);
        expect([unit, costOf(unit, type, 400_000) < 24 * small]).toEqual([unit, true]);
      }
    }
  });
});

describe("the end of an appointment", () => {
  it("is on the next day where its time is before that of the beginning", () => {
    const text = "When: 30 April 2025, 23:00 - 01:00 EST\nWhere: 4 Mill Lane";
    expect(extract(mailOf({ subject: "Your appointment", text }), "calendar")).toMatchObject({
      start: "2025-04-30T23:00:00-05:00",
      end: "2025-05-01T01:00:00-05:00",
    });
  });

  it.each([
    ["2025-03-20T11:00Z", "2025-03-20T11:00:00+00:00"],
    ["2025-03-20", "2025-03-20"],
    ["2025-03-20T09:00Z", null],
    ["2025-03-19", null],
  ])("is %s in schema.org and %s in the answer, with a beginning at 2025-03-20T10:00Z", (endDate, end) => {
    const event = { "@type": "Event", name: "Talk", startDate: "2025-03-20T10:00Z", endDate };
    const html = `<script type="application/ld+json">${JSON.stringify(event)}</script>`;
    expect(extract(mailOf({ html }), "calendar")).toMatchObject({ title: "Talk", end });
  });
});

describe("an iCalendar file", () => {
  it.each([
    ["text/calendar; method=REQUEST", "invite", true],
    ["application/ics", "a", true],
    ["application/octet-stream", "Invite.ICS", true],
    ["text/plain", "ics.txt", false],
    ["text/calendarish", "a", false],
  ])("is known by its type or name: %s %s", (type, name, expected) => {
    expect(isCalendarFile(type, name)).toBe(expected);
  });
});
