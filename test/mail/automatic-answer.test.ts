import { describe, expect, it } from "vitest";
import { automaticAnswerFault, isAutomatic } from "../../src/mail/automatic-answer.ts";
import { isOwnAddress } from "../../src/mail/outgoing.ts";

const isOwn = isOwnAddress("agent@mailkeep.test");
const faultOf = (headers: Record<string, string>, envelopeFrom = "ann@x.com") =>
  automaticAnswerFault({ headers, envelopeFrom }, isOwn);

describe("an automatic answer", () => {
  it("may go to a person", () => {
    expect(faultOf({ subject: "Hi", "auto-submitted": "no" })).toBeNull();
    expect(faultOf({ received: Array.from({ length: 49 }, () => "by x").join("\n") })).toBeNull();
    expect(faultOf({}, "norelation@x.com")).toBeNull();
  });

  it.each<[Record<string, string>, string]>([
    [{}, ""],
    [{}, "agent+tag@mailkeep.test"],
    [{}, "MAILER-DAEMON@x.com"],
    [{}, "no-reply@x.com"],
    [{}, "noreply+1@x.com"],
    [{}, "postmaster@x.com"],
    [{}, "owner-list@x.com"],
    [{}, "list-bounces@x.com"],
    [{}, "list-bounces+ann=x.com@lists.com"],
    [{ "auto-submitted": "auto-replied" }, "ann@x.com"],
    [{ "auto-submitted": "auto-generated; x=y" }, "ann@x.com"],
    [{ "auto-submitted": "" }, "ann@x.com"],
    [{ "list-id": "<l.x.com>" }, "ann@x.com"],
    [{ "list-unsubscribe": "<https://x.com>" }, "ann@x.com"],
    [{ precedence: "Bulk" }, "ann@x.com"],
    [{ precedence: "junk" }, "ann@x.com"],
    [{ "x-auto-response-suppress": "All" }, "ann@x.com"],
    [{ received: Array.from({ length: 50 }, () => "by x").join("\n") }, "ann@x.com"],
  ])("never goes to %j from %j", (headers, envelopeFrom) => {
    expect(faultOf(headers, envelopeFrom)).not.toBeNull();
  });

  it("is told by Auto-Submitted", () => {
    expect(["no", " No ; a=b", "no (human)", undefined].map(isAutomatic)).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(["auto-replied", "none", "x"].map(isAutomatic)).toEqual([true, true, true]);
  });
});
