import { describe, expect, it } from "vitest";
import type { Authentication } from "../../../src/contract/message.ts";
import {
  authenticate,
  reportedResults,
  reportedSpf,
  type Reporter,
} from "../../../src/mail/authentication/authenticate.ts";
import { checkedSenderOf } from "../../../src/mail/authentication/checked-sender.ts";
import { checkMessage } from "../../../src/mail/authentication/checks/message-check.ts";
import { parseMail } from "../../../src/mail/mime/parse.ts";
import { prepareMail } from "../../../src/mail/prepare.ts";
import { dnsOf, KEY_RECORD, signed } from "../../signed-mail.ts";
import { REPLAYS } from "./replays.ts";

const GATEWAY = "mx.mailkeep.test";
const BORDER: Reporter = { kind: "border", authservId: GATEWAY };
const ROUTING: Reporter = { kind: "cloudflare" };
const PASS =
  "dkim=pass header.d=bank.example; spf=pass smtp.mailfrom=bank.example; dmarc=pass header.from=bank.example";
const DNS = dnsOf({
  "s1._domainkey.bank.example": KEY_RECORD,
  "_dmarc.bank.example": "v=DMARC1; p=reject",
});
const GENUINE = await signed(
  "From: Boss <boss@bank.example>\r\nTo: box@mailkeep.test\r\nSubject: Pay\r\nMessage-ID: <1@bank.example>\r\n\r\nPay now.\r\n",
  "bank.example",
);

/** The results of each server that may stand in front, above a mail. */
const BY_ROUTING = `Received: by cloudflare-email.net\r\nAuthentication-Results: mx.cloudflare.net; ${PASS}\r\n`;
const BY_GATEWAY = `Authentication-Results: ${GATEWAY}; ${PASS}\r\n`;

/** The judgement of a mail at a door whose check says `pass`: also SPF speaks for the author, so nothing rests on a signature. */
async function judged(text: string, by: Reporter | "self", withOwn = true): Promise<Authentication | null> {
  const raw = Buffer.from(text);
  const mail = { raw, parsed: await parseMail(raw), via: "smtp" } as const;
  const believed = by === "self" ? undefined : reportedSpf(reportedResults(raw, by));
  const spf = believed ?? { result: "pass", domain: "bank.example" };
  const own = withOwn ? await checkMessage(raw, { dns: DNS, spf }) : null;
  if (by === "self") return authenticate(mail, own && { kind: "self", checked: checkedSenderOf(own) });
  return authenticate(mail, { kind: "reported", by, own });
}

/** The verdict at each door. */
async function verdicts(change: (text: string) => string): Promise<Record<string, string | undefined>> {
  const text = change(GENUINE);
  const inside = { raw: Buffer.from(text), parsed: await parseMail(Buffer.from(text)), via: "api" } as const;
  return {
    listener: (await judged(text, "self"))?.verdict,
    routing: (await judged(BY_ROUTING + text, ROUTING))?.verdict,
    "routing alone": (await judged(BY_ROUTING + text, ROUTING, false))?.verdict,
    gateway: (await judged(BY_GATEWAY + text, BORDER))?.verdict,
    "gateway alone": (await judged(BY_GATEWAY + text, BORDER, false))?.verdict,
    "between mailboxes": authenticate(inside, null)?.verdict,
  };
}

describe("a genuine mail that is sent again", () => {
  it("is believed at each door if it is unchanged, or changed where all programs read it alike", async () => {
    const harmless = [
      (text: string) => text,
      (text: string) => text.replaceAll("\r\n", "\n"),
      (text: string) => `Received: from a.example by b.example\r\n${text}`,
      (text: string) => `X-Note: \u00fc\r\nX-Note:\r\n\tfolded\r\nx-note : again\r\n${text}`,
    ];
    for (const change of harmless) {
      expect(Object.values(await verdicts(change))).toEqual(Array.from({ length: 6 }, () => "pass"));
    }
  });

  it.each(REPLAYS)("is believed at no door with %s", async (_name, change) => {
    const found = Object.values(await verdicts(change));
    expect(found.length).toBe(6);
    expect(found).not.toContain("pass");
  });

  it("is not believed with a continuation as its first line, unless a server put a field above it", async () => {
    for (const line of [" folded", " Subject: Eve", "\tFrom: eve@evil.example", " "]) {
      const { listener, "between mailboxes": inside } = await verdicts((text) => `${line}\r\n${text}`);
      expect([listener, inside]).toEqual(["fail", "fail"]);
    }
  });

  it.each(REPLAYS)("names no proven author to an expectation with %s", async (_name, change) => {
    const raw = Buffer.from(change(GENUINE));
    const own = await checkMessage(raw, { dns: DNS, spf: { result: "pass", domain: "bank.example" } });
    const envelope = {
      from: "",
      to: "box@mailkeep.test",
      via: "smtp",
      clientAddress: null,
      helo: null,
    } as const;
    const check = { kind: "self", checked: checkedSenderOf(own) } as const;
    const prepared = prepareMail(raw, await parseMail(raw), envelope, check);
    expect([prepared.authorDomain, prepared.authentication?.aligned_domain]).toEqual([null, null]);
  });
});
