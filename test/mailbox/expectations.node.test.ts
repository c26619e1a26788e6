import { beforeEach, describe, expect, it } from "vitest";
import { ExpectationBody, type Expectation } from "../../src/contract/expectation.ts";
import { CodeQuery } from "../../src/contract/routes/codes.ts";
import type { Answer } from "../../src/contract/problem.ts";
import type { MailboxRules } from "../../src/contract/rules.ts";
import { ADDRESS, NodeMailbox, OPERATOR } from "./node-mailbox.ts";

const GATEWAY = "border.mailkeep.test";
const CHECK = { kind: "reported", by: { kind: "border", authservId: GATEWAY }, own: null } as const;

let box: NodeMailbox;
let written = 0;

beforeEach(async () => {
  box = await NodeMailbox.create();
});

interface Sent {
  domain?: string;
  code?: string;
  link?: string;
  dmarc?: string;
  to?: readonly string[];
  /** Addresses in its To field; by default its envelope recipients. */
  named?: readonly string[];
  headers?: readonly string[];
}

/** A mail with a code and perhaps a link; its domain is proven unless `dmarc` says otherwise. Answers its id. */
function arrive({ domain = "brand.example", code = "482913", link, dmarc = "pass", ...sent }: Sent = {}) {
  const { to, named = to ?? [ADDRESS], headers = [] } = sent;
  written += 1;
  const lines = [
    `Authentication-Results: ${GATEWAY}; dmarc=${dmarc} header.from=${domain}`,
    `From: no-reply@${domain}`,
    ...(named.length === 0 ? [] : [`To: ${named.join(", ")}`]),
    ...headers,
    "Subject: Verify your account",
    `Message-ID: <${written}@${domain}>`,
    "",
    ...(code === "" ? [] : [`Your verification code is ${code}.`]),
    ...(link === undefined ? [] : [`Confirm your email address: ${link}`]),
  ];
  return box.receive(`${lines.join("\r\n")}\r\n`, { check: CHECK, ...(to === undefined ? {} : { to }) });
}

/** The newest of the mails that the rules refused. */
const refusedId = () =>
  box.rows<{ id: string }>("SELECT id FROM refused_mail ORDER BY position DESC")[0]?.id ?? "";

/** Releases the newest refused mail, as the service does. */
async function release() {
  const id = refusedId();
  const found = valueOf(box.life.refusedMails.refusedMail(OPERATOR, id));
  if (found.kind !== "kept" || found.bytes === null) throw new Error("Nothing is kept");
  const { authentication, metadata } = found.arrival;
  const check = { kind: "kept", authentication } as const;
  return box.receive(new Uint8Array(found.bytes), { to: [metadata.envelope_to], check, released: id });
}

type Asked = Partial<ExpectationBody>;

function valueOf<T>(answer: Answer<T>): T {
  if (!answer.ok) throw new Error(answer.error.error);
  return answer.value;
}

const tried = (asked: Asked) =>
  box.life.expectations.createExpectation(
    OPERATOR,
    ExpectationBody.parse({ from_domain: "brand.example", ...asked }),
  );
const made = (asked: Asked = {}): Expectation => valueOf(tried(asked));
/** Asks, and gets the answer unless the client hung up. */
const ask = async (
  { id }: Pick<Expectation, "id">,
  wait = 0,
  { isPeek = false, hangsUp = false } = {},
): Promise<Expectation> => {
  const call = `wait-${id}`;
  const answer = await box.life.expectations.expectation(OPERATOR, { id, wait, isPeek }, call);
  if (hangsUp) box.life.forgetWait(call);
  else box.life.delivered(call);
  return valueOf(answer);
};
const newestCode = async () =>
  valueOf(await box.life.codes.code(OPERATOR, CodeQuery.parse({ timeout: "1" }), "code")).code;

describe("an expectation", () => {
  it("is answered with the code of a proven mail, once and for 60 seconds more, and then never again", async () => {
    const expectation = made();
    expect(expectation).toMatchObject({ status: "waiting", address: ADDRESS, code: null, rejected: [] });
    const email_id = await arrive();
    expect(await ask(expectation)).toMatchObject({
      status: "matched",
      code: "482913",
      link: null,
      email_id,
      sender_verified: true,
    });
    box.advance(59_000);
    expect((await ask(expectation)).code).toBe("482913");
    box.advance(1_000);
    expect(await ask(expectation)).toMatchObject({ status: "matched", code: null, email_id });
    expect(box.rows("SELECT code FROM expectation")).toEqual([{ code: null }]);
    box.advance(-60_000);
    expect((await ask(expectation)).code).toBeNull();
  });

  it("keeps its code until somebody asks, also when the process dies before and after the answer", async () => {
    const expectation = made();
    await arrive();
    box.die();
    box.advance(30 * 60_000);
    expect((await ask(expectation)).code).toBe("482913");
    box.die();
    expect((await ask(expectation)).code).toBe("482913");
    box.advance(60_000);
    box.die();
    expect((await ask(expectation)).code).toBeNull();
  });

  it("keeps its code for as long as no answer with it has left, however often a client hung up", async () => {
    const expectation = made();
    const waiting = ask(expectation, 55, { hangsUp: true });
    await arrive();
    expect((await waiting).code).toBe("482913");
    for (let hour = 0; hour < 3; hour += 1) {
      box.advance(3_600_000);
      expect((await ask(expectation, 0, { hangsUp: true })).code).toBe("482913");
    }
    box.advance(3_600_000);
    expect((await ask(expectation)).code).toBe("482913");
    box.advance(60_000);
    expect((await ask(expectation)).code).toBeNull();
  });

  it("answers no code to HEAD, and does not count that as an answer", async () => {
    const expectation = made();
    await arrive();
    expect(await ask(expectation, 0, { isPeek: true })).toMatchObject({ status: "matched", code: null });
    box.advance(600_000);
    expect((await ask(expectation)).code).toBe("482913");
  });

  it("wakes the call that waits in the transaction that stores the mail, and no other", async () => {
    const [one, two] = [made({ exclusive: true }), made({ exclusive: true })];
    const waiting = ask(one, 55);
    const other = ask(two, 55);
    await arrive({ to: [one.address] });
    expect((await waiting).code).toBe("482913");
    box.life.forgetWait("wait-");
    expect(await other).toMatchObject({ status: "waiting", code: null });
  });

  it("ends a wait when it is cancelled, and releases nothing after that", async () => {
    const expectation = made();
    const waiting = ask(expectation, 55);
    expect(valueOf(box.life.expectations.cancelExpectation(OPERATOR, expectation.id)).status).toBe(
      "cancelled",
    );
    expect((await waiting).status).toBe("cancelled");
    await arrive();
    expect(await ask(expectation)).toMatchObject({ status: "cancelled", code: null, rejected: [] });
  });

  it("forgets its code when it is deleted after the match", async () => {
    const expectation = made();
    await arrive();
    const deleted = box.life.expectations.cancelExpectation(OPERATOR, expectation.id);
    expect(valueOf(deleted)).toMatchObject({ status: "matched", code: null });
    expect((await ask(expectation)).code).toBeNull();
  });

  it("stays expired once it was seen so, if the clock jumps back", async () => {
    const expectation = made({ within_seconds: 30 });
    box.advance(30_000);
    expect((await ask(expectation)).status).toBe("expired");
    box.advance(-30_000);
    await arrive();
    expect(await ask(expectation)).toMatchObject({ status: "expired", code: null });
  });

  it("counts a mail that came after it although the clock jumped back", async () => {
    const expectation = made();
    box.advance(-3_600_000);
    await arrive();
    expect((await ask(expectation)).code).toBe("482913");
  });

  it("gives its code to no call of GET /v1/code, before and after that waits", async () => {
    const expectation = made();
    const waiting = newestCode();
    await arrive();
    await arrive({ domain: "other.example", code: "571946" });
    expect(await waiting).toBe("571946");
    expect(await newestCode()).toBe("571946");
    expect((await ask(expectation)).code).toBe("482913");
  });

  it("lists what was not released, with its reason, each mail once", async () => {
    const early = await arrive();
    box.advance(1_000);
    const expectation = made();
    const unproven = await arrive({ dmarc: "none" });
    const forged = await arrive({ dmarc: "fail" });
    const other = await arrive({ domain: "brand.example.evil.example" });
    await arrive({ code: "" });
    await arrive();
    const second = await arrive({ code: "571946" });
    const { code, rejected } = await ask(expectation);
    expect(code).toBe("482913");
    expect(rejected.map(({ email_id, reason }) => [email_id, reason])).toEqual([
      [early, "too_early"],
      [unproven, "unverified_sender"],
      [forged, "unverified_sender"],
      [other, "other_domain"],
      [second, "second_code"],
    ]);
    expect(rejected[0]?.at).toBe("2026-11-01T12:00:00.000Z");
  });

  it("lists at most 20 mails of a reason, so that a flood hides no other reason", async () => {
    const expectation = made();
    for (let count = 0; count < 25; count += 1) await arrive({ domain: "evil.example" });
    await arrive({ dmarc: "none" });
    const { rejected } = await ask(expectation);
    expect(rejected).toHaveLength(21);
    expect(rejected.at(-1)?.reason).toBe("unverified_sender");
  });

  it("releases a link of the domain, and names the host of another one", async () => {
    const expectation = made({ kind: "link", siblings: ["brandmail.example"] });
    const elsewhere = await arrive({ code: "", link: "https://evil.example/verify/8f3kd93kf02kd93k" });
    await arrive({ code: "", link: "https://app.brandmail.example/verify/8f3kd93kf02kd93k" });
    expect(await ask(expectation)).toMatchObject({
      link: "https://app.brandmail.example/verify/8f3kd93kf02kd93k",
      code: null,
      rejected: [{ email_id: elsewhere, reason: "link_host", link_host: "evil.example" }],
    });
  });

  it("of any kind releases the code and holds the link to another host back", async () => {
    const expectation = made({ kind: "any" });
    await arrive({ link: "https://evil.example/verify/8f3kd93kf02kd93k" });
    const { code, link, rejected } = await ask(expectation);
    expect([code, link, rejected.map(({ reason }) => reason)]).toEqual(["482913", null, ["link_host"]]);
  });

  it("without proof compares the domain, says so, and takes no mail that is proven to be forged", async () => {
    const expectation = made({ strict: false });
    expect(expectation.hint).toMatch(/^strict is false/);
    await arrive({ domain: "evil.example", dmarc: "none" });
    await arrive({ dmarc: "fail" });
    await arrive({ dmarc: "none" });
    const { code, sender_verified, rejected } = await ask(expectation);
    expect([code, sender_verified]).toEqual(["482913", false]);
    expect(rejected.map(({ reason }) => reason)).toEqual(["other_domain", "unverified_sender"]);
  });
});

describe("a proven mail that was written to somebody else", () => {
  const STRANGER = "eve@evil.example";

  it.each([
    ["to a stranger", { named: [STRANGER] }],
    ["to a stranger whose name is the address", { named: [`"${ADDRESS}" <${STRANGER}>`] }],
    ["to a stranger whose name is the address without quotes", { named: [`${ADDRESS} <${STRANGER}>`] }],
    ["to a stranger with a quoted address", { named: [`"${ADDRESS}"@evil.example`] }],
    ["to a stranger below the domain", { named: [`${ADDRESS}.evil.example`] }],
    ["to a stranger with the address in a comment", { named: [`${STRANGER} (${ADDRESS})`] }],
    ["to nobody", { named: [] }],
    ["to a list", { named: ["undisclosed-recipients:;"] }],
    [
      "to the address in a field that is neither To nor Cc",
      { named: [], headers: [`Resent-To: ${ADDRESS}`] },
    ],
  ])("%s is not released", async (_, sent) => {
    const expectation = made();
    const email_id = await arrive(sent);
    const { status, rejected } = await ask(expectation);
    expect([status, rejected]).toEqual([
      "waiting",
      [
        {
          email_id,
          reason: "unverified_sender",
          detail: "other_recipient",
          at: expect.any(String) as string,
        },
      ],
    ]);
  });

  it("is not released where only a field names the mailbox that its signature does not cover", async () => {
    const expectation = made();
    const signature =
      "DKIM-Signature: v=1; a=rsa-sha256; d=brand.example; s=s1; h=from:to:subject; bh=YQ==; b=YQ==";
    const email_id = await arrive({ named: [STRANGER], headers: [`Cc: ${ADDRESS}`, signature] });
    expect(await ask(expectation)).toMatchObject({
      status: "waiting",
      rejected: [{ email_id, reason: "unverified_sender", detail: "unsigned_recipient" }],
    });
    await arrive({ headers: [signature] });
    expect((await ask(expectation)).code).toBe("482913");
  });

  it("is not released for a tag, where it names the mailbox alone", async () => {
    const expectation = made({ exclusive: true });
    await arrive({ to: [expectation.address], named: [ADDRESS] });
    expect(await ask(expectation)).toMatchObject({
      status: "waiting",
      rejected: [{ detail: "other_recipient" }],
    });
  });

  it("is released where nothing must be proven, because anybody can write To", async () => {
    const expectation = made({ strict: false });
    await arrive({ named: [STRANGER] });
    expect((await ask(expectation)).code).toBe("482913");
  });

  it.each([
    ["a tag of the mailbox", { named: ["Box <BOX+shop@Mailkeep.Test>"] }],
    ["the mailbox among others", { named: [STRANGER, ADDRESS] }],
    ["the mailbox in Cc", { named: [STRANGER], headers: [`Cc: ${ADDRESS}`] }],
    ["an address of its own domain that reached it", { to: ["hello@own.example"] }],
  ])("is none if it names %s", async (_, sent) => {
    const expectation = made();
    await arrive(sent);
    expect((await ask(expectation)).code).toBe("482913");
  });
});

describe("an automatic answer", () => {
  it.each([
    "Auto-Submitted: auto-replied",
    "Auto-Submitted: auto-replied; x=1",
    `Auto-Submitted: no; x=${"x".repeat(1_100)}\r\nAuto-Submitted: auto-replied`,
    "Auto-Submitted: (on vacation) auto-replied",
    "X-Autoreply: yes",
  ])("is not released, because it may quote a stranger: %s", async (field) => {
    const expectation = made();
    await arrive({ headers: [field] });
    expect(await ask(expectation)).toMatchObject({
      status: "waiting",
      rejected: [{ reason: "unverified_sender", detail: "automatic_answer" }],
    });
  });

  it.each(["Auto-Submitted: auto-generated", "Auto-Submitted: no"])("is no mail with %s", async (field) => {
    const expectation = made();
    await arrive({ headers: [field] });
    expect((await ask(expectation)).code).toBe("482913");
  });
});

describe("the rules of the mailbox", () => {
  const rule = (receive: Pick<MailboxRules["receive"], "mode"> & Partial<MailboxRules["receive"]>) =>
    valueOf(box.life.receiveRules.putRules(OPERATOR, receive));

  it("let the proven mail of a domain in that an expectation waits for, and no other", async () => {
    rule({ mode: "listed" });
    await expect(arrive()).rejects.toThrow("accepts no mail");
    box.advance(1);
    const expectation = made();
    await expect(arrive({ dmarc: "none" })).rejects.toThrow("accepts no mail");
    await expect(arrive({ domain: "evil.example" })).rejects.toThrow("accepts no mail");
    await arrive();
    expect((await ask(expectation)).code).toBe("482913");
    await expect(arrive({ code: "571946" })).rejects.toThrow("accepts no mail");
  });

  it.each([
    ["is not strict", { strict: false }, 0],
    ["is over", {}, 600_000],
    ["is for another address", { exclusive: true }, 0],
  ])("do not let it in for an expectation that %s", async (_, asked, laterMs) => {
    rule({ mode: "listed" });
    made(asked);
    box.advance(laterMs);
    await expect(arrive()).rejects.toThrow("accepts no mail");
  });

  it.each(["brand.example", "no-reply@brand.example", "*.example"])(
    "refuse a mail of %s, which they block, whatever is expected",
    async (match) => {
      rule({ mode: "listed", block: [{ match }] });
      const expectation = made();
      await expect(arrive()).rejects.toThrow("accepts no mail");
      expect((await ask(expectation)).status).toBe("waiting");
    },
  );

  it("release nothing to an expectation that was made after the refused mail came", async () => {
    rule({ mode: "listed" });
    await expect(arrive()).rejects.toThrow("accepts no mail");
    box.advance(60_000);
    const expectation = made();
    const email_id = await release();
    expect(await ask(expectation)).toMatchObject({
      status: "waiting",
      rejected: [{ email_id, reason: "too_early" }],
    });
  });

  it("let a refused mail that came after the expectation match when it is released", async () => {
    rule({ mode: "everyone", block: [{ match: "brand.example" }] });
    const expectation = made();
    box.advance(1_000);
    await expect(arrive()).rejects.toThrow("accepts no mail");
    await release();
    expect((await ask(expectation)).code).toBe("482913");
  });
});

describe("several expectations of one mailbox", () => {
  it("get the mail to their own address each, and no other", async () => {
    const plain = made();
    const [one, two] = [made({ exclusive: true }), made({ exclusive: true })];
    expect(one.address).toMatch(/^box\+[0-9a-f]{10}@mailkeep\.test$/);
    await arrive({ code: "111222", to: [two.address] });
    await arrive({ code: "333444", to: [one.address] });
    await arrive({ code: "555666", to: [ADDRESS] });
    const codes = [plain, one, two].map(async (each) => {
      const { code, rejected } = await ask(each);
      return [code, rejected];
    });
    expect(await Promise.all(codes)).toEqual([
      ["555666", []],
      ["333444", []],
      ["111222", []],
    ]);
  });

  it("do not get a mail to the address of one that is over", async () => {
    const over = made({ exclusive: true });
    const open = made();
    box.life.expectations.cancelExpectation(OPERATOR, over.id);
    await arrive({ to: [over.address] });
    expect(await ask(open)).toMatchObject({ status: "waiting", rejected: [] });
  });

  it("share a mail to both of their addresses: the newest gets it", async () => {
    const [one, two] = [made({ exclusive: true }), made({ exclusive: true })];
    await arrive({ to: [one.address, two.address, ADDRESS] });
    expect([(await ask(one)).code, (await ask(two)).code]).toEqual([null, "482913"]);
  });

  it("for the same domain: the newest gets the mail, so that a repeated call loses nothing", async () => {
    const lost = made();
    const kept = made();
    await arrive();
    expect((await ask(kept)).code).toBe("482913");
    expect(await ask(lost)).toMatchObject({ status: "waiting", code: null, rejected: [] });
  });

  it("are at most 50 that wait, and 200 in all", () => {
    for (let count = 0; count < 50; count += 1) made();
    const tooMany = tried({});
    expect(tooMany.ok ? null : tooMany.error.code).toBe("conflict");
    for (let round = 0; round < 5; round += 1) {
      box.advance(600_000);
      for (let count = 0; count < 50; count += 1) made();
    }
    const [{ count } = { count: 0 }] = box.rows<{ count: number }>(
      "SELECT count(*) AS count FROM expectation",
    );
    expect(count).toBeLessThanOrEqual(200 + 50);
  });

  it("are erased a day after their time, when another one is made", async () => {
    const old = made();
    box.advance(86_400_000 + 601_000);
    made();
    const gone = await box.life.expectations.expectation(
      OPERATOR,
      { id: old.id, wait: 0, isPeek: false },
      "wait",
    );
    expect(gone.ok ? null : gone.error.error).toBe("Expectation not found");
  });
});

describe("a deployment whose doors check senders, or do not", () => {
  const on = async (variables: Record<string, string>) => {
    box = await NodeMailbox.create({}, variables);
  };

  it.each<Record<string, string>>([{ SMTP_CHECKS: "off" }, { SMTP_CHECKS: "off", AUTHSERV_ID: "" }])(
    "refuses a strict expectation where none does, and names the call that works: %j",
    async (variables) => {
      await on(variables);
      const refusal = tried({});
      expect(refusal.ok ? null : refusal.error).toMatchObject({
        code: "conflict",
        error: expect.stringContaining("does not check who sent a mail") as string,
        fix: expect.stringContaining('"strict": false') as string,
      });
      expect(box.rows("SELECT id FROM expectation")).toEqual([]);
      const expectation = made({ strict: false });
      await arrive({ dmarc: "none" });
      expect((await ask(expectation)).code).toBe("482913");
    },
  );

  it("expects mail of its own domain even there: between mailboxes each sender is proven", async () => {
    await on({ SMTP_CHECKS: "off" });
    expect(made({ from_domain: "mailkeep.test" }).hint).toBeUndefined();
    expect(made({ siblings: ["mailkeep.test"] }).hint).toBeUndefined();
  });

  it.each([
    [{ SMTP_CHECKS: "on" }, "POST /v1/inbound"],
    [{ SMTP_CHECKS: "off", AUTHSERV_ID: GATEWAY }, "SMTP"],
    [{ SMTP_CHECKS: "off", DOH_URL: "https://doh.example/dns-query" }, "SMTP"],
  ])("hints where only some do: %j", async (variables, door) => {
    await on(variables);
    expect(made().hint).toBe(
      `This deployment does not check who sent mail that comes by ${door}, so such mail never matches.`,
    );
    expect(made({ from_domain: "gmail.com" }).hint).toMatch(/^Everybody can have .* never matches\.$/);
    expect(made({ strict: false }).hint).toMatch(/^strict is false[^.]*\.$/);
  });

  it.each<Record<string, string>>([{ SMTP_CHECKS: "on", AUTHSERV_ID: GATEWAY }, {}])(
    "says nothing where all do: %j",
    async (variables) => {
      await on(variables);
      expect(made().hint).toBeUndefined();
    },
  );
});

describe("from_domain", () => {
  it.each([
    ["com", /names below "com" belong to different owners/],
    ["co.uk", /names below "co\.uk"/],
    ["github.io", /names below "github\.io"/],
    ["localhost", /names below "localhost"/],
    ["ann@brand.example", /not an address/],
    ["https://brand.example/", /not a URL/],
    ["*.brand.example", /must be a domain such as github\.com/],
    ["brand..example", /must be a domain/],
    ["192.0.2.1", /must be a domain/],
    ["", /must be a domain/],
    [".", /must be a domain/],
    ["brand.example, evil.example", /must be a domain/],
  ])("%j is refused, and so it is as a sibling", (domain, rule) => {
    const both: [string, Asked][] = [
      ["from_domain", { from_domain: domain }],
      ["siblings", { siblings: ["ok.example", domain] }],
    ];
    for (const [field, asked] of both) {
      const refusal = tried(asked);
      const { code, error } = refusal.ok ? { code: null, error: "" } : refusal.error;
      expect([code, error]).toEqual(["invalid", expect.stringMatching(rule)]);
      expect(error.startsWith(`${field}: `)).toBe(true);
    }
  });

  it.each([
    ["Brand.Example.", "brand.example"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["alice.github.io", "alice.github.io"],
    ["brand.co.uk", "brand.co.uk"],
  ])("%s is %s", (written, canonical) => {
    expect(made({ from_domain: written }).from_domain).toBe(canonical);
  });

  it("is not the domain of those to whom its owner gave names", async () => {
    const expectation = made({ from_domain: "code.com" });
    await arrive({ domain: "a.builder.code.com" });
    await arrive({ domain: "b.a.builder.code.com", code: "111222" });
    expect(await ask(expectation)).toMatchObject({
      status: "waiting",
      rejected: [{ reason: "other_domain" }, { reason: "other_domain" }],
    });
    await arrive({ domain: "mail.code.com", code: "571946" });
    expect((await ask(expectation)).code).toBe("571946");
  });

  it("of a provider of free mail is allowed, with a hint", () => {
    expect(made({ from_domain: "gmail.com" }).hint).toMatch(/Everybody can have an address at gmail\.com/);
    expect(made().hint).toBeUndefined();
  });
});
