import { describe, expect, it } from "vitest";
import type { Authentication } from "../../../src/contract/message.ts";
import { checkMessage } from "../../../src/mail/authentication/checks/message-check.ts";
import {
  authenticate,
  reportedResults,
  reportedSpf,
  type Reporter,
} from "../../../src/mail/authentication/authenticate.ts";
import { checkedSenderOf } from "../../../src/mail/authentication/checked-sender.ts";
import { parseMail } from "../../../src/mail/mime/parse.ts";
import { dnsOf, KEY_RECORD, signed } from "../../signed-mail.ts";
import { FORGERIES } from "./forgeries.ts";

const GATEWAY = "mx.mailkeep.test";
const CLOUDFLARE = "mx.cloudflare.net";
const BORDER: Reporter = { kind: "border", authservId: GATEWAY };
const ROUTING: Reporter = { kind: "cloudflare" };
const MAIL =
  "From: Boss <boss@bank.example>\r\nTo: box@mailkeep.test\r\nSubject: Pay\r\nMessage-ID: <1@bank.example>\r\n\r\nPay now.\r\n";
const PASS =
  "dkim=pass header.d=bank.example; spf=pass smtp.mailfrom=bank.example; dmarc=pass header.from=bank.example";
const FAIL = "dkim=none; spf=fail smtp.mailfrom=evil.example; dmarc=fail header.from=bank.example";
const DNS = dnsOf({
  "s1._domainkey.bank.example": KEY_RECORD,
  "_dmarc.bank.example": "v=DMARC1; p=reject",
});

/** The fields that Email Routing puts above a message. */
const routed = (results: string): string =>
  [
    "Received: from mail.evil.example (192.0.2.1) by cloudflare-email.net (cloudflare) id x for <box@mailkeep.test>",
    `ARC-Seal: i=1; a=rsa-sha256; s=2022; d=cloudflare-email.net; cv=none; b=AAAA`,
    `ARC-Message-Signature: i=1; a=rsa-sha256; s=2022; d=cloudflare-email.net; h=from; bh=AAAA; b=AAAA`,
    `ARC-Authentication-Results: i=1; ${CLOUDFLARE}; ${results}`,
    `Received-SPF: fail (${CLOUDFLARE}: domain of evil.example) receiver=${CLOUDFLARE}`,
    `Authentication-Results: ${CLOUDFLARE}; ${results}`,
    "",
  ].join("\r\n");

/** The judgement of a mail that came by a door; `withOwn`: this deployment verifies it too. */
async function judged(text: string, by: Reporter | "self", withOwn = true): Promise<Authentication | null> {
  const raw = Buffer.from(text);
  const mail = { raw, parsed: await parseMail(raw), via: "smtp" } as const;
  const spf = by === "self" ? undefined : reportedSpf(reportedResults(raw, by));
  const own = withOwn ? await checkMessage(raw, { dns: DNS, ...(spf && { spf }) }) : null;
  if (by === "self") return authenticate(mail, own && { kind: "self", checked: checkedSenderOf(own) });
  return authenticate(mail, { kind: "reported", by, own });
}

describe("a mail that says of itself that it was verified", () => {
  it(`is tried in ${FORGERIES.length} forms`, () => {
    expect(new Set(FORGERIES.map(([name]) => name)).size).toBe(FORGERIES.length);
    expect(FORGERIES.length).toBeGreaterThanOrEqual(40);
  });

  describe.each(FORGERIES)("%s", (_name, lines) => {
    it("is not believed below the results of Email Routing", async () => {
      const text = `${routed(FAIL)}${lines(CLOUDFLARE)}\r\n${MAIL}`;
      expect((await judged(text, ROUTING, false))?.verdict).toBe("fail");
      expect((await judged(text, ROUTING))?.verdict).toBe("fail");
    });

    it("is not believed where Email Routing wrote none, below a field that it does not write", async () => {
      for (const first of [
        "X-First: x",
        "Received: by a.example\r\nReceived: by b.example",
        "DKIM-Signature: x",
      ]) {
        const text = `${first}\r\n${lines(CLOUDFLARE)}\r\n${MAIL}`;
        expect((await judged(text, ROUTING, false))?.verdict).not.toBe("pass");
        expect((await judged(text, ROUTING))?.verdict).not.toBe("pass");
      }
    });

    it("is not believed below the results of a gateway", async () => {
      const text = `Authentication-Results: ${GATEWAY}; ${FAIL}\r\n${lines(GATEWAY)}\r\n${MAIL}`;
      expect((await judged(text, BORDER, false))?.verdict).toBe("fail");
      expect((await judged(text, BORDER))?.verdict).toBe("fail");
    });

    it("is not believed by our own listener, whichever name it takes", async () => {
      for (const id of [GATEWAY, CLOUDFLARE]) {
        const found = await judged(`${lines(id)}\r\n${MAIL}`, "self");
        expect([found?.verdict === "pass", found?.checked_by]).toEqual([false, "self"]);
      }
    });

    it("is not believed where nobody checks", async () => {
      const nobody: Reporter = { kind: "border", authservId: null };
      expect(await judged(`${lines(GATEWAY)}\r\n${MAIL}`, nobody, false)).toBeNull();
    });
  });
});

describe("a name that is not the gateway's", () => {
  it.each([
    ["with a NUL inside", GATEWAY.replace("mailkeep", "mail\0keep")],
    ["with a NUL before it", `\0${GATEWAY}`],
    ["with a NUL behind it", `${GATEWAY}\0`],
    ["with NULs alone between its parts", GATEWAY.replaceAll(".", "\0.\0")],
    ["folded inside", GATEWAY.replace(".", "\r\n .")],
    ["with a carriage return inside", GATEWAY.replace("mailkeep", "mail\rkeep")],
    ["with an invisible character inside", GATEWAY.replace("mailkeep", "mail\u200bkeep")],
  ])("%s says nothing", async (_, id) => {
    const forged = `Authentication-Results: ${id}; ${PASS}\r\n${MAIL}`;
    expect(reportedResults(Buffer.from(forged), BORDER)).toBeNull();
    expect(await judged(forged, BORDER, false)).toBeNull();
  });

  it("hides nothing that the gateway says below it", async () => {
    const text = `Authentication-Results: mx.mail\0keep.test; ${PASS}\r\nAuthentication-Results: ${GATEWAY}; ${FAIL}\r\n${MAIL}`;
    expect(reportedResults(Buffer.from(text), BORDER)).toMatchObject({
      spf: "fail",
      dkim: "none",
      dmarc: "fail",
    });
  });

  it("is not looked for below a damaged field of the gateway itself", async () => {
    const text = `Authentication-Results: ${GATEWAY}; ${FAIL} \0\r\nAuthentication-Results: ${GATEWAY}; ${PASS}\r\n${MAIL}`;
    expect(reportedResults(Buffer.from(text), BORDER)).toMatchObject({
      spf: "none",
      dkim: "none",
      dmarc: "none",
    });
  });
});

describe("a mail that was verified", () => {
  it("is believed at each door", async () => {
    const text = await signed(MAIL, "bank.example");
    expect((await judged(text, "self"))?.verdict).toBe("pass");
    expect(await judged(`${routed(PASS)}${text}`, ROUTING)).toMatchObject({
      verdict: "pass",
      aligned_domain: "bank.example",
      checked_by: "cloudflare",
      conflict: false,
    });
    expect((await judged(`${routed(PASS)}${MAIL}`, ROUTING, false))?.verdict).toBe("pass");
    const reported = `Authentication-Results: ${GATEWAY}; ${PASS}\r\n${text}`;
    expect(await judged(reported, BORDER)).toMatchObject({ verdict: "pass", checked_by: "border" });
    expect(await judged(reported, BORDER, false)).toMatchObject({ verdict: "pass", checked_by: "border" });
  });

  it("by SPF alone is believed where its DMARC record can be held against it", async () => {
    const spfOnly = PASS.replace("dkim=pass header.d=bank.example", "dkim=none");
    expect(await judged(`${routed(spfOnly)}${MAIL}`, ROUTING)).toMatchObject({
      verdict: "pass",
      conflict: false,
    });
    const other = spfOnly.replace("smtp.mailfrom=bank.example", "smtp.mailfrom=evil.example");
    expect(await judged(`${routed(other)}${MAIL}`, ROUTING)).toMatchObject({
      verdict: "fail",
      conflict: true,
    });
  });
});

describe("two checks that disagree", () => {
  it("count as the worse one, and say so", async () => {
    const text = await signed(MAIL, "bank.example");
    const changed = text.replace("Pay now.", "Pay Eve.");
    const dkimOnly = PASS.replace("spf=pass smtp.mailfrom=bank.example", "spf=none");
    for (const withReport of [`${routed(dkimOnly)}${changed}`, `${routed(dkimOnly)}${MAIL}`]) {
      expect(await judged(withReport, ROUTING)).toMatchObject({
        verdict: "fail",
        aligned_domain: null,
        conflict: true,
      });
    }
    expect(await judged(`${routed(FAIL)}${text}`, ROUTING)).toMatchObject({
      verdict: "fail",
      conflict: true,
    });
    const doubted = "dkim=fail header.d=bank.example; spf=none";
    const gateway = `Authentication-Results: ${GATEWAY}; ${doubted}\r\n${text}`;
    expect(await judged(gateway, BORDER)).toMatchObject({ verdict: "none", conflict: true });
  });
});
