import { describe, expect, it } from "vitest";
import { sendingReport } from "../../src/outbound/cloudflare-events.ts";

/** An event as in the platform's documentation. */
function event(kind: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    type: `cf.email.sending.message.${kind}`,
    source: { type: "email.sending", zoneId: "023e", domain: "sender.example" },
    payload: {
      eventId: "0190d0c4-7e9a-7b3c-9f12-1a2b3c4d5e6f",
      messageId: "0101018f7d0c4d9a-msg",
      sender: "me@sender.example",
      recipient: "user@example.net",
      subject: "Welcome",
      terminal: true,
      ...more,
    },
    metadata: { accountId: "f9f7", eventSchemaVersion: 1, eventTimestamp: "2026-06-01T02:48:57.132Z" },
  };
}

const smtp = (
  smtpStatusCode: string,
  smtpEnhancedStatusCode: string,
  words: string,
): Record<string, unknown> => ({
  delivery: {
    smtpStatusCode,
    smtpEnhancedStatusCode,
    smtpResponse: `${smtpStatusCode} ${smtpEnhancedStatusCode} ${words}`,
  },
});

describe("an event of the platform", () => {
  it("is read as the result of a recipient, with an id by which repeats are recognized", () => {
    expect(sendingReport(event("delivered", smtp("250", "2.0.0", "OK")))).toEqual({
      eventId: "0190d0c4-7e9a-7b3c-9f12-1a2b3c4d5e6f",
      providerId: "0101018f7d0c4d9a-msg",
      sender: "me@sender.example",
      recipient: "user@example.net",
      report: "delivered",
      isHard: false,
      code: 250,
      enhancedCode: "2.0.0",
      diagnostic: "250 2.0.0 OK",
      at: "2026-06-01T02:48:57.132Z",
    });
  });

  it.each([
    ["deferred", { ...smtp("451", "4.2.0", "later"), bounce: { type: "soft" } }, "delayed", false],
    ["bounced", { ...smtp("550", "5.1.1", "unknown"), bounce: { type: "hard" } }, "bounced", true],
    ["bounced", { bounce: { type: "soft", reason: "gave up" } }, "bounced", false],
    ["failed", { failure: { reason: "delivery_failed" } }, "failed", false],
    ["rejected", { rejection: { reason: "suppressed", detail: "Recipient is suppressed" } }, "bounced", true],
    ["rejected", { rejection: { reason: "spam" } }, "failed", false],
    ["complained", { complaint: { type: "abuse" } }, "complained", true],
  ])("%s with %j is read as %s, and as permanent: %s", (kind, more, report, isHard) => {
    expect(sendingReport(event(kind, more))).toMatchObject({ report, isHard });
  });

  it("has its diagnostic shortened to one line", () => {
    const report = sendingReport(
      event("bounced", { bounce: { type: "hard", reason: `a\r\nb${"c".repeat(5_000)}` } }),
    );
    expect(report?.diagnostic.startsWith("a bccc")).toBe(true);
    expect(report?.diagnostic).toHaveLength(500);
  });

  it.each([
    ["nothing", null],
    ["a text", "delivered"],
    ["one of another product", { ...event("delivered"), type: "cf.r2.object.created" }],
    ["one of an unknown kind", event("opened")],
    ["one without its id", event("delivered", { eventId: undefined })],
    ["one without its recipient", event("delivered", { recipient: "" })],
    ["one with an invalid time", { ...event("delivered"), metadata: { eventTimestamp: "yesterday" } }],
  ])("is not recognized in %s", (_, body) => {
    expect(sendingReport(body)).toBe(null);
  });
});
