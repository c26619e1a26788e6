import { describe, expect, it, onTestFinished, vi } from "vitest";
import { BATCH_PATH, readBatchAnswer, writeBatch, type BatchItem } from "../../src/contract/hand-over.ts";
import {
  api,
  ask,
  createMailbox,
  DOMAIN,
  kill,
  OPERATOR,
  plainMessage,
  rowsOf,
  setVariables,
} from "../harness.ts";

interface Item {
  item: BatchItem;
  bytes: Uint8Array | null;
}

const question = (address: string): Item => ({ item: { lookUp: address }, bytes: null });

function mailFor(to: readonly string[], raw = plainMessage(), about: Partial<BatchItem> = {}): Item {
  const bytes = new TextEncoder().encode(raw);
  const item = {
    from: "ann@example.com",
    to: [...to],
    client: "192.0.2.7",
    helo: "mx.example.com",
    sender: null,
    bytes: bytes.length,
    ...about,
  };
  return { item, bytes };
}

function bodyOf(items: readonly Item[]): string {
  return writeBatch(items)
    .map((bytes) => new TextDecoder().decode(bytes))
    .join("");
}

const send = (items: readonly Item[], key: string | undefined = OPERATOR) =>
  api(BATCH_PATH, {
    key,
    body: bodyOf(items),
    headers: { "Content-Type": "application/octet-stream" },
  });

/** The outcomes of a batch by item, each item answered once. */
async function outcomesOf(items: readonly Item[]) {
  const response = await send(items);
  expect(response.status).toBe(200);
  const lines = (await response.text()).trimEnd().split("\n");
  const answers = lines.map((line) => readBatchAnswer(line));
  const byItem = new Map(answers.map((answer) => [answer?.item, answer?.outcomes]));
  expect([lines.length, byItem.size]).toEqual([items.length, items.length]);
  return items.map((_, index) => byItem.get(index) ?? []);
}

const subjects = async (key: string): Promise<string[]> => {
  const { body } = await ask<{ emails: { subject: string }[] }>("/v1/inbox", { key });
  return body.emails.map(({ subject }) => subject);
};

describe("a batch of the SMTP listener", () => {
  it("answers each look-up and each message as a request of its own would", async () => {
    const [one, other] = [await createMailbox(), await createMailbox()];
    const nobody = `nobody@${DOMAIN}`;
    const wrong = mailFor([one.mailbox], plainMessage({ subject: "too long" }), { helo: "h".repeat(256) });
    const outcomes = await outcomesOf([
      question(one.mailbox),
      question(nobody),
      question("no address"),
      mailFor([one.mailbox], plainMessage({ subject: "first" })),
      mailFor([one.mailbox, nobody, other.mailbox], plainMessage({ subject: "second" })),
      wrong,
      mailFor([nobody]),
      mailFor([one.mailbox.replace("@", "+tag@")], plainMessage({ subject: "third" })),
    ]);
    expect(outcomes.map((all) => all.map(({ status }) => status))).toEqual([
      [200],
      [404],
      [404],
      [202],
      [202, 404, 202],
      [400],
      [404],
      [202],
    ]);
    expect(outcomes[0]).toEqual([{ status: 200, full: false }]);
    expect((await subjects(one.api_key)).toSorted()).toEqual(["first", "second", "third"]);
    expect(await subjects(other.api_key)).toEqual(["second"]);
    const { body } = await ask(`/v1/emails/${outcomes[3]?.[0]?.id}`, { key: one.api_key });
    expect(body).toMatchObject({
      metadata: {
        envelope_from: "ann@example.com",
        received_via: "smtp",
        client_address: "192.0.2.7",
        helo: "mx.example.com",
      },
    });
  });

  it("stores a repeat once, also within one batch", async () => {
    const box = await createMailbox();
    const raw = plainMessage({ subject: "again" });
    const first = await outcomesOf([mailFor([box.mailbox], raw), mailFor([box.mailbox], raw)]);
    const again = await outcomesOf([mailFor([box.mailbox], raw)]);
    const ids = [...first, ...again].flat().map(({ id }) => id);
    expect([ids.length, new Set(ids).size]).toEqual([3, 1]);
    expect(await subjects(box.api_key)).toEqual(["again"]);
  });

  it("says of a mailbox that has no room that it is full, and stores the mail of others", async () => {
    const [full, other] = [await createMailbox(), await createMailbox()];
    await setVariables(full.mailbox, { MAILBOX_QUOTA_BYTES: "100" });
    await outcomesOf([mailFor([full.mailbox])]);
    const outcomes = await outcomesOf([
      mailFor([full.mailbox], plainMessage({ body: "x".repeat(200) })),
      mailFor([other.mailbox]),
    ]);
    expect(outcomes[0]).toEqual([expect.objectContaining({ status: 503, full: true })]);
    expect(outcomes[1]).toEqual([expect.objectContaining({ status: 202 })]);
  });

  it("says of each recipient no more than the listener reads", async () => {
    const box = await createMailbox();
    const to = [box.mailbox, ...Array.from({ length: 99 }, (_, index) => `nobody-${index}@${DOMAIN}`)];
    const line = await (await send([mailFor(to)])).text();
    const { outcomes } = JSON.parse(line) as { outcomes: Record<string, unknown>[] };
    expect(outcomes[0]).toEqual({ status: 202, id: expect.any(String) });
    expect(outcomes.slice(1)).toEqual(Array.from({ length: 99 }, () => ({ status: 404, code: "not_found" })));
  });

  it("stores the mail of other mailboxes, and answers for it, while one mailbox cannot store its own", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    onTestFinished(() => void vi.restoreAllMocks());
    const [broken, sound] = [await createMailbox(), await createMailbox()];
    await outcomesOf([mailFor([broken.mailbox])]);
    await rowsOf(broken.mailbox, "ALTER TABLE content RENAME TO hidden");
    const items = [
      mailFor([broken.mailbox], plainMessage({ subject: "lost" })),
      question(broken.mailbox),
      mailFor([sound.mailbox], plainMessage({ subject: "one" })),
      mailFor([sound.mailbox, broken.mailbox], plainMessage({ subject: "two" })),
    ];
    const statuses = (await outcomesOf(items)).map((all) => all.map(({ status }) => status));
    expect(statuses).toEqual([[503], [200], [202], [202, 503]]);
    expect((await subjects(sound.api_key)).toSorted()).toEqual(["one", "two"]);
    await rowsOf(broken.mailbox, "ALTER TABLE hidden RENAME TO content");
    await outcomesOf(items);
    expect((await subjects(broken.api_key)).toSorted()).toEqual(["Hello", "lost", "two"]);
    expect((await subjects(sound.api_key)).toSorted()).toEqual(["one", "two"]);
  });

  it("stores each message once if it is repeated after a mailbox died in the middle of it", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    onTestFinished(() => void vi.restoreAllMocks());
    const [dying, other] = [await createMailbox(), await createMailbox()];
    const wanted = Array.from({ length: 30 }, (_, index) => `mail ${index}`);
    const items = wanted.map((subject) => mailFor([dying.mailbox, other.mailbox], plainMessage({ subject })));
    const first = outcomesOf(items);
    await kill(dying.mailbox);
    for (const [ofDying, ofOther] of await first) {
      expect([202, 503]).toContain(ofDying?.status);
      expect(ofOther?.status).toBe(202);
    }
    expect((await outcomesOf(items)).flat().every(({ status }) => status === 202)).toBe(true);
    for (const { api_key: key } of [dying, other]) {
      const { body } = await ask<{ emails: { subject: string }[] }>("/v1/inbox?limit=100", { key });
      expect(body.emails.map(({ subject }) => subject).toSorted()).toEqual(wanted.toSorted());
    }
  });

  it("is taken from the operator alone, and as a whole or not at all", async () => {
    const box = await createMailbox();
    const items = [mailFor([box.mailbox])];
    expect((await send(items, "")).status).toBe(401);
    expect((await send(items, box.api_key)).status).toBe(404);
    const cut = bodyOf(items).slice(0, -1);
    for (const body of ["", "[]", "{}\n", cut, `${bodyOf(items)}x`])
      expect((await api(BATCH_PATH, { key: OPERATOR, body })).status).toBe(400);
    expect(await subjects(box.api_key)).toEqual([]);
  });
});
