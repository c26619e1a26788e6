import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { actorOf, api, ask, createMailbox, deliver, message, plainMessage } from "../harness.ts";

interface Listed {
  emails: { id: string; thread_id: string; subject: string }[];
}

/** Bytes of the largest row of a mailbox, its raw message included. */
async function largestRow(address: string): Promise<number> {
  return runInDurableObject(actorOf(address), (_mailbox, state) => {
    const sizes = `SELECT max(octet_length(detail) + octet_length(attachments) + ifnull(octet_length(body), 0)
      + ifnull(octet_length(raw), 0)) AS bytes FROM content`;
    return Number(state.storage.sql.exec(sizes).one().bytes);
  });
}

function manyParts(count: number): string {
  const long = "\u{1F4E6}".repeat(190);
  const part = (index: number) =>
    `--b\nContent-Type: application/octet-stream\nContent-ID: <${index}.${"i".repeat(300)}>\nContent-Disposition: attachment; filename="${index}${long}.bin"\n\nx\n`;
  const parts = Array.from({ length: count }, (_, index) => part(index)).join("");
  const head = ["From: a@example.com", "MIME-Version: 1.0", "Content-Type: multipart/mixed; boundary=b"];
  return message(head, `${parts}--b--`);
}

describe("A row of a mailbox", () => {
  it("stays under the platform's 2 MB whatever the headers of a thousand parts contain", async () => {
    const { mailbox, api_key } = await createMailbox();
    const sent = await deliver(mailbox, manyParts(400));
    expect(sent.status).toBe(202);
    await deliver(mailbox, manyParts(990));
    expect(await largestRow(mailbox)).toBeLessThan(2_000_000);
    const email = await ask<{ attachments: { filename: string }[] }>(`/v1/emails/${sent.body.id}`, {
      key: api_key,
    });
    expect(email.body.attachments).toHaveLength(400);
    expect(email.body.attachments[7]?.filename).toMatch(/^7\u{1F4E6}+\.bin$/u);
  });

  it("does not contain a body whose UTF-8 is too long; it is stored in other rows and read back completely", async () => {
    const { mailbox, api_key } = await createMailbox();
    for (const [characters, stored] of [
      [120_000, true],
      [130_000, false],
    ] as const) {
      const text = "é".repeat(characters);
      const { body } = await deliver(
        mailbox,
        plainMessage({ body: text, headers: ["Content-Type: text/plain; charset=utf-8"] }),
      );
      const isStored = await runInDurableObject(actorOf(mailbox), (_mailbox, state) => {
        return state.storage.sql
          .exec("SELECT body IS NOT NULL AS yes FROM content ORDER BY seq DESC LIMIT 1")
          .one().yes;
      });
      expect(Boolean(isStored)).toBe(stored);
      const email = await ask<{ body_text: string }>(`/v1/emails/${body.id}`, { key: api_key });
      expect(email.body.body_text.trim() === text).toBe(true);
    }
  });
});

describe("Work for one mail", () => {
  it("does not grow with the copies of its Message-ID", async () => {
    const { mailbox } = await createMailbox();
    const copy = (body: number) =>
      message(["From: a@example.com", "Message-ID: <same@example.com>"], `Body ${body}`);
    const actor = actorOf(mailbox);
    const reads: number[] = [];
    for (let index = 0; index < 60; index += 1) {
      await actor.takeRowCost();
      await deliver(mailbox, copy(index));
      reads.push((await actor.takeRowCost()).read);
    }
    expect(reads.at(-1)).toBeLessThanOrEqual(Math.max(...reads.slice(1, 5)));
  });

  it("moves the smaller thread if it links two, and both ids still work", async () => {
    const { mailbox, api_key } = await createMailbox();
    const mail = (id: string, references: string[]) =>
      message(
        ["From: a@example.com", `Message-ID: <${id}>`, ...references.map((to) => `References: <${to}>`)],
        id,
      );
    const old = await deliver(mailbox, mail("old@x", []));
    const root = await deliver(mailbox, mail("root@x", []));
    // More than a small mailbox holds: the indexes that come with growth are made before what is counted.
    for (let index = 0; index < 40; index += 1) await deliver(mailbox, mail(`r${index}@x`, ["root@x"]));
    const actor = actorOf(mailbox);
    await actor.takeRowCost();
    await deliver(
      mailbox,
      message(["From: a@example.com", "Message-ID: <link@x>", "References: <old@x> <root@x>"]),
    );
    expect((await actor.takeRowCost()).written).toBeLessThan(20);
    for (const id of [old.body.id, root.body.id]) {
      const thread = await ask<Listed & { thread_id: string }>(`/v1/threads/${id}`, { key: api_key });
      expect([thread.body.emails.length, thread.body.thread_id]).toEqual([43, root.body.id]);
    }
  });

  it("keeps and counts only the blobs it wrote", async () => {
    const { mailbox, api_key } = await createMailbox();
    await deliver(mailbox, plainMessage({ body: "line of text\n".repeat(50_000) }));
    const actor = actorOf(mailbox);
    const planned = await runInDurableObject(actor, async (_mailbox, state) => [
      state.storage.sql.exec("SELECT key FROM blob_to_erase").toArray().length,
      await state.storage.getAlarm(),
    ]);
    expect(planned[0]).toBe(0);
    const gone = await ask("/v1/mailbox", { key: api_key, method: "DELETE" });
    expect(gone.body).toMatchObject({ r2_blobs_deleted: 1 });
  });
});

describe("Filters", () => {
  it("ignore accents and case, both for stored mail and in waiting calls", async () => {
    const { mailbox, api_key: key } = await createMailbox();
    await deliver(
      mailbox,
      plainMessage({
        from: "ÄRZTE <praxis@example.com>",
        subject: "Über résumé 482913",
        body: "Your code is 482913",
      }),
    );
    for (const query of [
      "from=ärzte",
      "from=arzte",
      "subject=über",
      "subject=RESUME",
      "query=subject:über",
      "query=from:Ärzte",
    ]) {
      const found = await ask<Listed>(
        `/v1/inbox?${new URLSearchParams([query.split("=") as [string, string]]).toString()}`,
        { key },
      );
      expect([query, found.body.emails.length]).toEqual([query, 1]);
    }
    expect((await ask("/v1/code?timeout=1&from=%C3%A4rzte", { key })).body).toMatchObject({ code: "482913" });
  });

  it("refuse an offset together with a cursor", async () => {
    const { mailbox, api_key: key } = await createMailbox();
    await deliver(mailbox, plainMessage());
    await deliver(mailbox, plainMessage());
    const first = await ask<{ next_cursor: string }>("/v1/inbox?limit=1", { key });
    for (const path of ["/v1/inbox?", "/v1/search?q=hello&"]) {
      const cursor = path.includes("search") ? "1-1" : first.body.next_cursor;
      const refused = await ask(`${path}cursor=${cursor}&offset=1`, { key });
      expect([refused.status, refused.body.error]).toEqual([400, "offset: give either cursor or offset"]);
    }
  });
});

describe("Pages outside the table", () => {
  it.each(["/health", "/openapi.json", "/docs"])("name the method that %s accepts", async (path) => {
    const refused = await api(path, { method: "DELETE" });
    expect([refused.status, refused.headers.get("Allow")]).toEqual([405, "GET"]);
  });
});

describe("A deployment", () => {
  it("ignores headers with a client's address unless it is configured to trust them", async () => {
    expect(env.TRUST_CLIENT_ADDRESS).toBe("true");
    const vars = { TRUST_CLIENT_ADDRESS: "false", BOOTSTRAP_PER_HOUR: "0" };
    const from = (address: string) =>
      api("/v1/bootstrap", { method: "POST", headers: { "CF-Connecting-IP": address }, vars });
    expect((await from("192.0.2.1")).status).toBe(429);
    expect((await from("192.0.2.2")).status).toBe(429);
  });
});
