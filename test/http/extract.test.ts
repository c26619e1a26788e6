import { beforeAll, describe, expect, it, vi } from "vitest";
import type { ExtractAnswer, ExtractionType } from "../../src/contract/extraction.ts";
import {
  api,
  ask,
  bootstrap,
  createMailbox,
  deliver,
  message,
  OPERATOR,
  plainMessage,
  type TestMailbox,
} from "../harness.ts";

let box: TestMailbox;

beforeAll(async () => {
  box = await createMailbox();
});

const read = (email_id: string, type: ExtractionType, key = box.api_key) =>
  ask<ExtractAnswer>("/v1/extract", { key, json: { email_id, type } });

async function receive(raw: string): Promise<string> {
  return (await deliver(box.mailbox, raw)).body.id;
}

const ICS = [
  "BEGIN:VCALENDAR",
  "VERSION:2.0",
  "METHOD:REQUEST",
  "BEGIN:VEVENT",
  "UID:1@shop.example",
  "DTSTART;TZID=Europe/Berlin:20250702T093000",
  "DTEND;TZID=Europe/Berlin:20250702T100000",
  "SUMMARY:Review",
  "ATTENDEE:mailto:dana@example.net",
  "END:VEVENT",
  "END:VCALENDAR",
].join("\n");

/** An invitation beside `text`: a part of multipart/alternative, as calendars send it. */
const invitation = (text: string) =>
  message(
    [
      "From: Maya <maya@studio.example>",
      "Subject: Invitation",
      "MIME-Version: 1.0",
      "Content-Type: multipart/alternative; boundary=cut",
    ],
    `--cut\nContent-Type: text/plain\n\n${text}\n--cut\nContent-Type: text/calendar; method=REQUEST\n\n${ICS}\n--cut--`,
  );

const REVIEW = {
  type: "calendar",
  title: "Review",
  date: "2025-07-02",
  time: "09:30",
  location: null,
  attendees: ["dana@example.net"],
  start: "2025-07-02T09:30:00+02:00",
  end: "2025-07-02T10:00:00+02:00",
  uid: "1@shop.example",
  method: "REQUEST",
  source: "ics",
};

/** Lines that make a message too large for a row, after the part that is read. */
const FILLER = "filler line of a large message\n".repeat(20_000);

describe("POST /v1/extract", () => {
  it("reads an order out of the text, amounts as decimals and the currency by its code", async () => {
    const body = "Bestellnummer: 302-1192837\n2 x Stuhl    1.199,98 €\nGesamtsumme: 1.234,56 €";
    const id = await receive(
      plainMessage({ from: "Linde <shop@linde.example>", subject: "Bestellung", body }),
    );
    expect(await read(id, "order")).toMatchObject({
      status: 200,
      body: {
        email_id: id,
        extractor: 2,
        extraction: {
          type: "order",
          order_id: "302-1192837",
          total: "1234.56",
          currency: "EUR",
          merchant: "Linde",
          items: [{ name: "Stuhl", quantity: "2", price: "1199.98" }],
          source: "text",
        },
      },
    });
  });

  it("reads a parcel, with the year of its arrival taken from the date of the mail", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2035-12-29T12:00:00Z") });
    try {
      const body = "UPS tracking number: 1Z7A41F20364518294\nEstimated delivery: January 2";
      const own = await createMailbox();
      const raw = plainMessage({ subject: "Your order has shipped", body });
      const { id } = (await deliver(own.mailbox, raw)).body;
      expect((await read(id, "shipping", own.api_key)).body.extraction).toEqual({
        type: "shipping",
        tracking_number: "1Z7A41F20364518294",
        carrier: "UPS",
        eta: "2036-01-02",
        status: "shipped",
        source: "text",
        confidence: 0.95,
      });
    } finally {
      vi.useRealTimers();
    }
  });

  it("reads a receipt out of the JSON-LD of the HTML", async () => {
    const invoice = {
      "@context": "https://schema.org",
      "@type": "Invoice",
      provider: { "@type": "Organization", name: "Gridline" },
      totalPaymentDue: { "@type": "PriceSpecification", price: 70.15, priceCurrency: "USD" },
    };
    const html = `<html><head><script type="application/ld+json">${JSON.stringify(invoice)}</script></head><body>Bill</body></html>`;
    const id = await receive(
      message(["Subject: Bill", "MIME-Version: 1.0", "Content-Type: text/html"], html),
    );
    expect((await read(id, "receipt")).body.extraction).toMatchObject({
      merchant: "Gridline",
      amount: "70.15",
      currency: "USD",
      payment_method: null,
      source: "jsonld",
    });
  });

  it.each([
    ["a row", "See you."],
    ["the blob store", FILLER],
  ])("reads the iCalendar part of a message that lies in %s", async (_, text) => {
    expect((await read(await receive(invitation(text)), "calendar")).body.extraction).toMatchObject(REVIEW);
  });

  it("reads a body that lies in the blob store", async () => {
    const id = await receive(plainMessage({ body: `Order number: HB-2025-00391\n${FILLER}` }));
    expect((await read(id, "order")).body.extraction).toMatchObject({ order_id: "HB-2025-00391" });
  });

  it("reads a code as GET /v1/code does", async () => {
    const id = await receive(plainMessage({ subject: "Sign in", body: "Your verification code is 482913." }));
    expect((await read(id, "code")).body.extraction).toMatchObject({
      type: "code",
      code: "482913",
      link: null,
      source: "text",
    });
  });

  it("answers nulls, source null and confidence 0 where nothing is found", async () => {
    const id = await receive(plainMessage());
    for (const type of ["order", "shipping", "calendar", "receipt", "code"] as const) {
      const { status, body } = await read(id, type);
      expect(status).toBe(200);
      const { type: answered, confidence, source, ...values } = body.extraction;
      expect([answered, source, confidence]).toEqual([type, null, 0]);
      const lists = Object.values(values).filter((value) => Array.isArray(value));
      expect(lists.flat()).toEqual([]);
      expect(Object.values(values).every((value) => value === null || Array.isArray(value))).toBe(true);
    }
  });

  it("reads mail that this mailbox sent", async () => {
    const json = { to: "ann@example.net", subject: "Hi", text: "Order number: HB-2025-00391" };
    const { body } = await ask<{ id: string }>("/v1/send", { key: box.api_key, json });
    expect((await read(body.id, "order")).body.extraction).toMatchObject({ order_id: "HB-2025-00391" });
  });

  it("is open to every key of the mailbox and to the operator, and to nobody else", async () => {
    const temporary = await bootstrap();
    const raw = invitation("See you.");
    const { body } = await deliver(temporary.mailbox, raw);
    expect((await read(body.id, "calendar", temporary.api_key)).body.extraction).toMatchObject(REVIEW);
    const json = { email_id: body.id, type: "calendar" };
    const named = `/v1/extract?mailbox=${temporary.mailbox}`;
    expect((await api(named, { key: OPERATOR, json })).status).toBe(200);
    expect((await api("/v1/extract", { key: box.api_key, json })).status).toBe(404);
    expect((await api(named, { key: box.api_key, json })).status).toBe(403);
    expect((await api("/v1/extract", { json })).status).toBe(401);
  });

  it("answers 404 for an unknown email, and 400 for an unknown type", async () => {
    expect(await read("none", "order")).toMatchObject({ status: 404, body: { error: "Email not found" } });
    const id = await receive(plainMessage());
    for (const json of [{ email_id: id, type: "poem" }, { email_id: id }, { type: "order" }, {}]) {
      expect((await api("/v1/extract", { key: box.api_key, json })).status).toBe(400);
    }
  });
});
