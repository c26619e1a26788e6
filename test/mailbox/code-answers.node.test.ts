import { describe, expect, it } from "vitest";
import { CodeQuery } from "../../src/contract/routes/codes.ts";
import { codeAnswer, fits } from "../../src/mailbox/codes/rules.ts";
import type { CodeRow } from "../../src/mailbox/codes/rows.ts";

const LINK = "https://acme.example/verify/8f3kd93kf02kd93k";
const VIEW = { mailbox: "ann@mailkeep.test", tail: 1n, lastSeq: 1, mails: 0 };

const message = (confidence: number, linkConfidence: number): CodeRow => ({
  seq: 1_700_000_000_000_000,
  code: "482913",
  link: LINK,
  code_evidence: JSON.stringify({
    confidence,
    link_confidence: linkConfidence,
    alternatives: [{ code: "571946", confidence: 0.4 }],
    evidence: ["named: code", "link_token"],
  }),
  sender_folded: "no-reply@acme.example",
  listing: JSON.stringify({ from_address: "no-reply@acme.example", subject: "Your code" }),
});

const filters = (query: Record<string, string>) => CodeQuery.parse(query);

describe("a mail with a code and a link of which one is less sure than min_confidence", () => {
  it("is answered as the link alone where the code is, with nothing said of the code", () => {
    const asked = filters({ kind: "any", min_confidence: "0.9" });
    const row = message(0.75, 0.95);
    expect(fits(row, asked)).toBe(true);
    expect(codeAnswer(row, asked, VIEW)).toMatchObject({
      code: null,
      link: LINK,
      confidence: 0.95,
      link_confidence: 0.95,
      alternatives: [],
      evidence: ["link_token"],
    });
  });

  it("is answered as the code alone where the link is, with nothing said of the link", () => {
    const asked = filters({ kind: "any", min_confidence: "0.9" });
    expect(codeAnswer(message(0.95, 0.75), asked, VIEW)).toMatchObject({
      code: "482913",
      link: null,
      confidence: 0.95,
      link_confidence: null,
      alternatives: [{ code: "571946", confidence: 0.4 }],
      evidence: ["named: code"],
    });
  });

  it("is no answer to a call for that one", () => {
    expect(fits(message(0.75, 0.95), filters({ kind: "code", min_confidence: "0.9" }))).toBe(false);
    expect(fits(message(0.95, 0.75), filters({ kind: "link", min_confidence: "0.9" }))).toBe(false);
  });
});
