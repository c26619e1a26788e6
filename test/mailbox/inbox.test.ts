import { afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  advance,
  api,
  ask,
  createMailbox,
  deliver,
  DOMAIN,
  evict,
  inject,
  message,
  OPERATOR,
  plainMessage,
  resetClock,
  setClock,
  type TestMailbox,
} from "../harness.ts";

interface Summary {
  id: string;
  subject: string;
  received_at: string;
  labels: string[];
}
interface Page {
  emails: Summary[];
  next_cursor: string | null;
}

afterEach(resetClock);

const page = async (key: string, query = "") => (await ask<Page>(`/v1/inbox?${query}`, { key })).body;
const subjects = async (key: string, query = "") =>
  (await page(key, query)).emails.map((email) => email.subject);

/** All subjects, page by page; `between` happens after each page. */
async function walk(
  key: string,
  query: string,
  between: (seen: Summary[]) => Promise<void> = async () => {},
) {
  const seen: Summary[] = [];
  for (let cursor: string | null = "", pages = 0; cursor !== null; pages += 1) {
    if (pages > 50) throw new Error("The cursor never ends");
    const { emails, next_cursor }: Page = await page(key, `${query}&cursor=${cursor}`);
    seen.push(...emails);
    cursor = next_cursor;
    await between(seen);
  }
  return seen;
}

const FILE = message(
  [
    "From: Bob Builder <bob@example.com>",
    "Subject: With a file",
    "Content-Type: multipart/mixed; boundary=x",
  ],
  '--x\nContent-Disposition: attachment; filename="plan.pdf"\n\nA\n--x--',
);

describe("a listed email", () => {
  it("has every documented field, none null except the code", async () => {
    const { mailbox, api_key } = await createMailbox();
    const now = Date.now();
    setClock(now);
    const { body } = await deliver(mailbox, message([], ""));
    expect((await page(api_key)).emails).toEqual([
      {
        id: body.id,
        mailbox,
        from_address: "sender@example.com",
        from_name: "",
        sender_verified: false,
        to_address: mailbox,
        subject: "",
        snippet: "",
        code: null,
        direction: "inbound",
        status: "received",
        received_at: new Date(now).toISOString(),
        has_attachments: false,
        attachment_count: 0,
        text_truncated: false,
        labels: ["personal"],
        thread_id: body.id,
      },
    ]);
  });

  it("comes before all older ones, even if the clock moves backwards", async () => {
    const { mailbox, api_key } = await createMailbox();
    await deliver(mailbox, plainMessage({ subject: "first" }));
    advance(-86_400_000);
    await deliver(mailbox, plainMessage({ subject: "second" }));
    resetClock();
    await deliver(mailbox, plainMessage({ subject: "third" }));
    expect(await subjects(api_key)).toEqual(["third", "second", "first"]);
  });

  it("is listed as soon as its receipt is acknowledged", async () => {
    const { mailbox, api_key } = await createMailbox();
    await inject(plainMessage({ subject: "now" }), "a@example.com", mailbox);
    expect(await subjects(api_key)).toEqual(["now"]);
  });
});

describe("the inbox filters by", () => {
  let box: TestMailbox;
  const times: number[] = [];

  beforeAll(async () => {
    box = await createMailbox();
    const [local = "", domain = ""] = box.mailbox.split("@");
    const mails: [string, string][] = [
      [box.mailbox, plainMessage({ subject: "Invoice 7", from: "Ann Archer <ann@shop.example>" })],
      [`${local}+shop@${domain}`, plainMessage({ subject: "Tagged", from: "ann@other.example" })],
      [box.mailbox, FILE],
      [box.mailbox, plainMessage({ subject: "Weekly", headers: ["List-Id: <weekly.example.com>"] })],
    ];
    const start = Date.now() - 10_000;
    for (const [index, [to, raw]] of mails.entries()) {
      setClock(start + index * 1_000);
      times.push(start + index * 1_000);
      await deliver(to, raw);
    }
    resetClock();
  });

  const at = (index: number) => new Date(times[index] ?? 0).toISOString();

  it.each<[string, () => string, string[]]>([
    ["nothing", () => "", ["Weekly", "With a file", "Tagged", "Invoice 7"]],
    ["the sender's address in part", () => "from=shop.example", ["Invoice 7"]],
    ["the sender's name in any case", () => "from=BOB", ["With a file"]],
    ["a sender's percent sign, which matches itself alone", () => "from=%25", []],
    ["the recipient's tag", () => "to=%2Bshop", ["Tagged"]],
    [
      "its own address, which filters nothing",
      () => `to=${box.mailbox}`,
      ["Weekly", "With a file", "Tagged", "Invoice 7"],
    ],
    [
      "its own address in capitals",
      () => `to=${box.mailbox.toUpperCase()}`,
      ["Weekly", "With a file", "Tagged", "Invoice 7"],
    ],
    ["the subject in part", () => "subject=voice", ["Invoice 7"]],
    ["a file", () => "has_attachment=true", ["With a file"]],
    ["no file", () => "has_attachment=0", ["Weekly", "Tagged", "Invoice 7"]],
    ["the direction in", () => "direction=inbound", ["Weekly", "With a file", "Tagged", "Invoice 7"]],
    ["the direction out", () => "direction=outbound", []],
    ["a label", () => "label=newsletter", ["Weekly"]],
    ["a label and a file", () => "label=personal&has_attachment=true", ["With a file"]],
    ["an unknown label", () => "label=nothing", []],
    ["since, that millisecond included", () => `since=${at(2)}`, ["Weekly", "With a file"]],
    ["until, that millisecond included", () => `until=${at(1)}`, ["Tagged", "Invoice 7"]],
    ["since and until", () => `since=${at(1)}&until=${at(2)}`, ["With a file", "Tagged"]],
    ["since and a label", () => `since=${at(3)}&label=personal`, []],
    ["several at once", () => "from=ann&subject=tag", ["Tagged"]],
  ])("%s", async (_, query, wanted) => {
    expect(await subjects(box.api_key, query())).toEqual(wanted);
  });

  it("since and until, both including mail of exactly that millisecond", async () => {
    const own = await createMailbox();
    const now = Date.now();
    for (const [ms, subject] of [
      [now - 1, "before"],
      [now, "one"],
      [now, "two"],
      [now, "three"],
      [now + 1, "after"],
    ] as const) {
      setClock(ms);
      await deliver(own.mailbox, plainMessage({ subject }));
    }
    const time = new Date(now).toISOString();
    expect(await subjects(own.api_key, `since=${time}&until=${time}`)).toEqual(["three", "two", "one"]);
    expect(await subjects(own.api_key, `until=${time}`)).toEqual(["three", "two", "one", "before"]);
  });

  it("the mailbox's own tagged address, exactly", async () => {
    const [local = "", domain = ""] = box.mailbox.split("@");
    expect(await subjects(box.api_key, `to=${local}%2Bshop@${domain}`)).toEqual(["Tagged"]);
  });

  it("query, which is a search", async () => {
    const { body } = await ask("/v1/inbox?query=invoice", { key: box.api_key });
    expect(body).toMatchObject({ emails: [{ subject: "Invoice 7" }], search_mode: "keyword" });
    expect(body).not.toHaveProperty("hint");
    const semantic = await ask("/v1/inbox?query=invoice&mode=semantic", { key: box.api_key });
    expect(semantic.body).toMatchObject({ search_mode: "keyword", hint: expect.any(String) as string });
  });

  it("a text of wildcard characters, literally", async () => {
    for (const name of ["from", "to", "subject"]) {
      for (const value of ["%", "_", "*", "'", '"', "\\", "\u0000"]) {
        expect(await subjects(box.api_key, `${name}=${encodeURIComponent(value)}`)).toEqual([]);
      }
    }
  });
});

describe("a cursor", () => {
  const fill = async (count: number) => {
    const box = await createMailbox();
    for (let n = 1; n <= count; n += 1) await deliver(box.mailbox, plainMessage({ subject: `m${n}` }));
    return box;
  };
  const names = (from: number, to: number) =>
    Array.from({ length: from - to + 1 }, (_, index) => `m${from - index}`);

  it("pages through all emails once and ends", async () => {
    const box = await fill(13);
    for (const limit of [1, 4, 13, 14]) {
      const seen = await walk(box.api_key, `limit=${limit}`);
      expect(seen.map((email) => email.subject)).toEqual(names(13, 1));
    }
  });

  it("is null on a last page that is exactly full", async () => {
    const box = await fill(4);
    expect((await page(box.api_key, "limit=4")).next_cursor).toBeNull();
    expect((await page(box.api_key, "limit=3")).next_cursor).not.toBeNull();
  });

  it("repeats and skips nothing while mail arrives", async () => {
    const box = await fill(12);
    const seen = await walk(box.api_key, "limit=3", async () => {
      for (let n = 0; n < 3; n += 1) await deliver(box.mailbox, plainMessage({ subject: "new" }));
    });
    expect(seen.map((email) => email.subject)).toEqual(names(12, 1));
  });

  it("repeats and skips nothing while emails are deleted, including the one it points to", async () => {
    const box = await fill(12);
    const seen = await walk(box.api_key, "limit=3", async (sofar) => {
      for (const email of sofar.slice(-3)) {
        await api(`/v1/emails/${email.id}`, { key: box.api_key, method: "DELETE" });
      }
    });
    expect(seen.map((email) => email.subject)).toEqual(names(12, 1));
    expect((await page(box.api_key)).emails).toEqual([]);
  });

  it("works with a filter, also on a label", async () => {
    const box = await createMailbox();
    for (let n = 1; n <= 10; n += 1) {
      const headers = n % 2 === 0 ? ["List-Id: <l.example>"] : [];
      await deliver(box.mailbox, plainMessage({ subject: `m${n}`, headers }));
    }
    const labelled = await walk(box.api_key, "limit=2&label=newsletter");
    expect(labelled.map((email) => email.subject)).toEqual(["m10", "m8", "m6", "m4", "m2"]);
    const named = await walk(box.api_key, "limit=2&subject=m1");
    expect(named.map((email) => email.subject)).toEqual(["m10", "m1"]);
  });

  it("of another mailbox shows nothing of that mailbox", async () => {
    const a = await fill(3);
    const b = await fill(3);
    const { next_cursor } = await page(a.api_key, "limit=1");
    const { emails } = await page(b.api_key, `cursor=${next_cursor}`);
    const own = (await page(b.api_key)).emails.map((email) => email.id);
    expect(emails.every((email) => own.includes(email.id))).toBe(true);
  });
});

describe("the operator's reading", () => {
  it("shows the mailbox that the request names, in any spelling", async () => {
    const { mailbox } = await createMailbox();
    await deliver(mailbox, plainMessage({ subject: "Seen" }));
    for (const name of [mailbox, mailbox.toUpperCase(), mailbox.replace("@", "%2Btag@")]) {
      expect(await subjects(OPERATOR, `mailbox=${name}`)).toEqual(["Seen"]);
    }
    expect((await api(`/v1/inbox?mailbox=none@${DOMAIN}`, { key: OPERATOR })).status).toBe(404);
  });
});

describe("The newest page", () => {
  it("is correct after every change, however often it was requested before", async () => {
    const box = await createMailbox();
    const page = async (limit = 20) =>
      (
        await ask<{ emails: { id: string; labels: string[]; thread_id: string }[] }>(
          `/v1/inbox?limit=${limit}`,
          { key: box.api_key },
        )
      ).body.emails;
    expect(await page()).toEqual([]);
    const first = await deliver(box.mailbox, plainMessage({ headers: ["References: <a@x>"] }));
    const second = await deliver(box.mailbox, plainMessage({ headers: ["References: <b@x>"] }));
    expect((await page()).map(({ id }) => id)).toEqual([second.body.id, first.body.id]);
    expect(await page()).toHaveLength(2);
    expect(await page(1)).toHaveLength(1);
    await ask(`/v1/emails/${first.body.id}`, {
      key: box.api_key,
      method: "PATCH",
      json: { add_labels: ["done"] },
    });
    expect((await page())[1]?.labels).toContain("done");
    await deliver(box.mailbox, plainMessage({ headers: ["References: <a@x> <b@x>"] }));
    expect(new Set((await page()).map(({ thread_id }) => thread_id)).size).toBe(1);
    await ask(`/v1/emails/${second.body.id}`, { key: box.api_key, method: "DELETE" });
    expect((await page()).map(({ id }) => id)).not.toContain(second.body.id);
    await evict(box.mailbox);
    expect(await page()).toHaveLength(2);
  });

  it("of a new mailbox shows nothing of an earlier one with the same address", async () => {
    const box = await createMailbox();
    await deliver(box.mailbox, plainMessage());
    expect((await ask("/v1/inbox", { key: box.api_key })).body).toMatchObject({ emails: [{}] });
    await ask("/v1/mailbox", { key: box.api_key, method: "DELETE" });
    const again = await createMailbox("permanent", box.mailbox.split("@")[0]);
    expect((await ask("/v1/inbox", { key: again.api_key })).body).toMatchObject({ emails: [] });
  });
});
