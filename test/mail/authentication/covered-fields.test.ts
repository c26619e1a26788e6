import { describe, expect, it } from "vitest";
import { authenticate, reportedResults, reportedSpf } from "../../../src/mail/authentication/authenticate.ts";
import { checkedSenderOf } from "../../../src/mail/authentication/checked-sender.ts";
import { coveredBy } from "../../../src/mail/authentication/covered-fields.ts";
import { readFields } from "../../../src/mail/authentication/checks/header-fields.ts";
import { checkMessage } from "../../../src/mail/authentication/checks/message-check.ts";
import { readSignature } from "../../../src/mail/authentication/checks/signature.ts";
import { parseMail } from "../../../src/mail/mime/parse.ts";
import { prepareMail } from "../../../src/mail/prepare.ts";
import { dnsOf } from "../../signed-mail.ts";
import { keyRecord, signed } from "./checks/signer.ts";

const AGENT = "box@mailkeep.test";
const GATEWAY = "mx.mailkeep.test";
const ENVELOPE = { from: "", to: AGENT, via: "smtp", clientAddress: null, helo: null } as const;
const DNS = dnsOf({
  "rsa2048._domainkey.brand.example": keyRecord("rsa2048"),
  "rsa2048._domainkey.esp.example": keyRecord("rsa2048"),
  "_dmarc.brand.example": "v=DMARC1; p=reject",
});

/** The genuine mail that a stranger got, with what he added below its signature. */
function replayed(h: string, { fields = "To: eve@evil.example\r\n", added = "", d = "brand.example" } = {}) {
  const head = `From: Brand <no-reply@brand.example>\r\n${fields}Subject: 482913 is your code\r\n`;
  const text = signed(`${head}\r\nYour code is 482913.\r\n`, { key: "rsa2048", d, h });
  return text.replace("Subject:", `${added}Subject:`);
}

type Door = "listener" | "routing" | "gateway" | "gateway alone";

/** The mail as it is prepared at a door; `spf`: the domain for which the client may send. */
async function prepared(text: string, door: Door, spf = "evil.example") {
  const results = `dkim=pass header.d=brand.example header.s=rsa2048; spf=pass smtp.mailfrom=${spf}; dmarc=pass header.from=brand.example`;
  const by =
    door === "routing" ? { kind: "cloudflare" as const } : { kind: "border" as const, authservId: GATEWAY };
  const id = door === "routing" ? "mx.cloudflare.net" : GATEWAY;
  const raw = Buffer.from(
    door === "listener" ? text : `Authentication-Results: ${id}; ${results}\r\n${text}`,
  );
  const found =
    door === "listener" ? { result: "pass" as const, domain: spf } : reportedSpf(reportedResults(raw, by));
  const own = door === "gateway alone" ? null : await checkMessage(raw, { dns: DNS, spf: found });
  const check =
    door === "listener" && own !== null
      ? { kind: "self" as const, checked: checkedSenderOf(own) }
      : { kind: "reported" as const, by, own };
  return prepareMail(raw, await parseMail(raw), ENVELOPE, check);
}

const DOORS: readonly Door[] = ["listener", "routing", "gateway", "gateway alone"];

describe.each(DOORS)("a proven mail at the door %s", (door) => {
  it.each([
    ["an unsigned Cc", replayed("from:to:subject", { added: `Cc: ${AGENT}\r\n` })],
    ["an unsigned To", replayed("from:subject", { fields: "", added: `To: ${AGENT}\r\n` })],
    ["a To that was changed", replayed("from:subject", { fields: `To: ${AGENT}\r\n` })],
  ])("does not name the addresses of %s", async (_, text) => {
    const { authentication, named, unproven } = await prepared(text, door);
    expect([authentication?.verdict, named.includes(AGENT), unproven]).toEqual(["pass", false, [AGENT]]);
  });

  it.each([
    ["To", replayed("from:to:subject", { fields: `To: ${AGENT}\r\n` }), ["to"]],
    [
      "Cc",
      replayed("from:to:cc:subject", { fields: `To: ann@brand.example\r\nCc: ${AGENT}\r\n` }),
      ["to", "cc"],
    ],
    ["To, named twice", replayed("from:from:to:to:cc:subject", { fields: `To: ${AGENT}\r\n` }), ["to"]],
  ])("names the addresses of a signed %s", async (_, text, fields) => {
    const { authentication, named, unproven } = await prepared(text, door);
    expect(named).toContain(AGENT);
    expect([authentication?.proven_fields, unproven]).toEqual([fields, []]);
  });

  it("is broken by a Cc where the signature names one that was not there", async () => {
    const text = replayed("from:to:cc:subject", { added: `Cc: ${AGENT}\r\n` });
    const { authentication, named } = await prepared(text, door);
    // A gateway that is believed says that the signature is whole.
    expect([authentication?.verdict === "pass", named.includes(AGENT)]).toEqual(
      door === "gateway alone" ? [true, true] : [false, false],
    );
  });

  it.each([
    `Resent-To: ${AGENT}\r\nResent-Cc: ${AGENT}\r\n`,
    `Delivered-To: ${AGENT}\r\nReply-To: ${AGENT}\r\nApparently-To: ${AGENT}\r\n`,
  ])("does not name those of other fields", async (added) => {
    const { named, unproven } = await prepared(replayed("from:to:subject", { added }), door);
    expect([named, unproven]).toEqual([["eve@evil.example"], []]);
  });

  it("names all where SPF proves the domain, because then it comes from there", async () => {
    const text = replayed("from:subject", { fields: "", added: `To: ${AGENT}\r\n` });
    for (const domain of ["brand.example", "bounce.brand.example"]) {
      expect((await prepared(text, door, domain)).named).toEqual([AGENT]);
    }
  });
});

describe("a mail of which a gateway says only that DMARC passed", () => {
  const judged = async (text: string) => {
    const raw = Buffer.from(
      `Authentication-Results: ${GATEWAY}; dmarc=pass header.from=brand.example\r\n${text}`,
    );
    const mail = { raw, parsed: await parseMail(raw), via: "smtp" } as const;
    const check = { kind: "reported", by: { kind: "border", authservId: GATEWAY }, own: null } as const;
    return authenticate(mail, check)?.proven_fields;
  };

  it("proves what each aligned signature signs, whichever of them the gateway meant", async () => {
    const narrow = replayed("from:subject", { fields: `To: ${AGENT}\r\n` });
    const wide = replayed("from:to:subject", { fields: `To: ${AGENT}\r\n` });
    const [field = ""] = /^DKIM-Signature[^]*?\r\n(?=\S)/.exec(wide) ?? [];
    expect(await judged(wide)).toEqual(["to"]);
    expect(await judged(narrow)).toEqual([]);
    expect(await judged(field + narrow)).toEqual([]);
    expect(await judged(replayed("from:to:subject", { d: "esp.example" }))).toEqual(["to", "cc"]);
    expect(await judged(`${field.replace("h=from", "h=:from")}${wide}`)).toEqual([]);
  });
});

it("a signature covers a field that stands no more often than it names it", () => {
  const of = (header: string, h: string) => {
    const fields = readFields(
      `DKIM-Signature: v=1; a=rsa-sha256; d=a.example; s=s; h=${h}; bh=YQ==; b=YQ==\r\n${header}`,
    );
    const [own] = fields;
    return own === undefined ? null : coveredBy(readSignature(own), fields);
  };
  expect(of("From: a\r\nTo: b\r\n", "from:to")).toEqual(["to"]);
  expect(of("From: a\r\nTo: b\r\nto : c\r\n", "from:to")).toEqual([]);
  expect(of("From: a\r\nTo: b\r\nTo: c\r\n", "from:to:to")).toEqual(["to"]);
  expect(of("From: a\r\nCC: b\r\n", "from:to:cc")).toEqual(["cc"]);
  expect(of("From: a\r\n", "from:to:cc")).toEqual([]);
  expect(of("To: b\r\n", "to")).toEqual([]);
});
