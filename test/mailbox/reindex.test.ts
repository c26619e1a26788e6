import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import type { Email, EmailSummary } from "../../src/contract/message.ts";
import { CODE_READER_VERSION } from "../../src/mail/code/find-code.ts";
import {
  actorOf,
  api,
  ask,
  createMailbox,
  deliver,
  message,
  OPERATOR,
  plainMessage,
  rowsOf,
  type TestMailbox,
} from "../harness.ts";

interface Page {
  emails: { id: string }[];
}

/** Everything that a client can read in a mailbox. */
async function everything({ api_key }: TestMailbox): Promise<unknown[]> {
  const inbox = await ask<Page>("/v1/inbox?limit=100", { key: api_key });
  const emails = await Promise.all(
    inbox.body.emails.map(({ id }) => ask(`/v1/emails/${id}`, { key: api_key })),
  );
  const reads = [
    "/v1/search?q=parcel",
    "/v1/search?q=label:done",
    "/v1/inbox?label=code",
    "/v1/threads",
    "/v1/stats",
  ];
  const others = await Promise.all(reads.map((path) => ask(path, { key: api_key })));
  return [inbox, ...emails, ...others].map(({ body }) => body);
}

async function reindexAll(address: string): Promise<number> {
  let total = 0;
  let cursor: string | null = "";
  while (cursor !== null) {
    const path: string = `/v1/mailboxes/${address}/reindex?limit=2&cursor=${cursor}`;
    const page = await ask<{ reindexed: number; next_cursor: string | null }>(path, {
      key: OPERATOR,
      method: "POST",
    });
    expect(page.status).toBe(200);
    total += page.body.reindexed;
    cursor = page.body.next_cursor;
  }
  return total;
}

function withAttachment(size: number): string {
  const content = "parcel papers ".repeat(size / 14);
  return message(
    [
      "From: Shop <shop@example.com>",
      "Subject: Papers",
      "MIME-Version: 1.0",
      "Content-Type: multipart/mixed; boundary=b",
    ],
    `--b\n\nYour parcel papers.\n--b\nContent-Type: text/csv; name=papers.csv\nContent-Disposition: attachment; filename=papers.csv\n\n${content}\n--b--`,
  );
}

describe("Reindexing", () => {
  it("restores damaged and missing derived rows, so that every read answers as before", async () => {
    const box = await createMailbox();
    const first = await deliver(
      box.mailbox,
      plainMessage({ subject: "Parcel", body: "Your parcel is here." }),
    );
    await deliver(box.mailbox, plainMessage({ subject: "Code", body: "Your verification code is 482913." }));
    await deliver(box.mailbox, withAttachment(1_000));
    await deliver(box.mailbox, withAttachment(700_000));
    await ask(`/v1/emails/${first.body.id}`, {
      key: box.api_key,
      method: "PATCH",
      json: { add_labels: ["done"] },
    });
    const before = await everything(box);

    await runInDurableObject(actorOf(box.mailbox), (_mailbox, state) => {
      for (const damage of [
        "DROP TABLE search",
        "DROP TABLE message_label",
        "DELETE FROM known_id",
        "UPDATE message SET listing = '{}', sender_folded = 'x', code = NULL, attachment_count = 9",
        "UPDATE content SET body = '{}', attachments = '[]'",
      ]) {
        state.storage.sql.exec(damage);
      }
    });
    expect(await reindexAll(box.mailbox)).toBe(4);
    expect(await everything(box)).toEqual(before);
  });

  it("believes an earlier release about a sender only after a reindex, in the inbox, the search and the email", async () => {
    const box = await createMailbox();
    const headers = ["Authentication-Results: mx.mailkeep.test; spf=none; dkim=pass; dmarc=pass"];
    const { body } = await deliver(box.mailbox, plainMessage({ headers }));
    await deliver(box.mailbox, plainMessage({}));
    await runInDurableObject(actorOf(box.mailbox), (_mailbox, state) => {
      state.storage.sql.exec("UPDATE message SET listing = json_remove(listing, '$.sender_verified')");
      state.storage.sql.exec(`UPDATE content SET detail = json_object('message_id', detail ->> 'message_id',
        'authentication', json(iif(detail ->> '$.authentication.dmarc' IS NULL, 'null',
          '{"spf":"none","dkim":"pass","dmarc":"pass"}')), 'metadata', json(detail -> 'metadata'))`);
    });
    const shown = async () => {
      const page = await ask<{ emails: EmailSummary[] }>("/v1/inbox", { key: box.api_key });
      const found = await ask<{ emails: EmailSummary[] }>("/v1/search?q=hello", { key: box.api_key });
      const email = await ask<Email>(`/v1/emails/${body.id}`, { key: box.api_key });
      const { verdict, aligned_domain, checked_by, conflict } = email.body.authentication ?? {};
      return {
        inbox: page.body.emails.map(({ sender_verified }) => sender_verified),
        found: found.body.emails.filter(({ sender_verified }) => sender_verified).map(({ id }) => id),
        email: { verdict, aligned_domain, checked_by, conflict, verified: email.body.sender_verified },
      };
    };
    expect(await shown()).toEqual({
      inbox: [false, false],
      found: [],
      email: {
        verdict: "none",
        aligned_domain: null,
        checked_by: "border",
        conflict: false,
        verified: false,
      },
    });
    expect(await reindexAll(box.mailbox)).toBe(2);
    expect(await shown()).toEqual({
      inbox: [false, true],
      found: [body.id],
      email: {
        verdict: "pass",
        aligned_domain: "example.com",
        checked_by: "border",
        conflict: false,
        verified: true,
      },
    });
  });

  it("does not believe an earlier release about a mail with two From fields", async () => {
    const box = await createMailbox();
    const second = "From: Bank <security@bank.example>";
    const { body } = await deliver(box.mailbox, plainMessage({ headers: [second] }));
    await runInDurableObject(actorOf(box.mailbox), (_mailbox, state) => {
      state.storage.sql.exec("UPDATE message SET listing = json_remove(listing, '$.sender_verified')");
      state.storage.sql.exec(`UPDATE content SET detail = json_object('message_id', detail ->> 'message_id',
        'authentication', json('{"spf":"none","dkim":"pass","dmarc":"pass"}'), 'metadata', json(detail -> 'metadata'))`);
    });
    expect(await reindexAll(box.mailbox)).toBe(1);
    const email = await ask<Email>(`/v1/emails/${body.id}`, { key: box.api_key });
    expect([email.body.authentication?.verdict, email.body.sender_verified]).toEqual(["none", false]);
  });

  it("believes no result that a reindex finds and nobody believed when the mail arrived", async () => {
    const box = await createMailbox();
    const headers = ["Authentication-Results: mx.mailkeep.test; dmarc=pass"];
    const { body } = await deliver(box.mailbox, plainMessage({ headers }));
    await runInDurableObject(actorOf(box.mailbox), (_mailbox, state) => {
      state.storage.sql.exec("UPDATE content SET detail = json_set(detail, '$.authentication', NULL)");
    });
    expect(await reindexAll(box.mailbox)).toBe(1);
    const email = await ask<Email>(`/v1/emails/${body.id}`, { key: box.api_key });
    expect([email.body.authentication, email.body.sender_verified]).toEqual([null, false]);
  });

  it("reads codes from the raw message again, with the code of this release", async () => {
    const box = await createMailbox();
    await deliver(box.mailbox, plainMessage({ subject: "Code", body: "Your verification code is 482913." }));
    const fresh = await ask("/v1/code", { key: box.api_key });
    await runInDurableObject(actorOf(box.mailbox), (_mailbox, state) => {
      // The row of an older release that found no code.
      state.storage.sql.exec("UPDATE message SET code = NULL, code_evidence = NULL, code_reader = 1");
    });
    expect((await ask("/v1/code?timeout=1", { key: box.api_key })).body).toEqual({ code: null });
    await reindexAll(box.mailbox);
    expect((await ask("/v1/code", { key: box.api_key })).body).toEqual(fresh.body);
    expect(await rowsOf(box.mailbox, "SELECT code_reader FROM message")).toEqual([
      { code_reader: CODE_READER_VERSION },
    ]);
  });

  it("does not hand out a code a second time", async () => {
    const box = await createMailbox();
    await deliver(box.mailbox, plainMessage({ subject: "Code", body: "Your verification code is 482913." }));
    expect((await ask("/v1/code?consume=true", { key: box.api_key })).body.code).toBe("482913");
    await reindexAll(box.mailbox);
    expect((await ask("/v1/code?timeout=1", { key: box.api_key })).body).toEqual({ code: null });
  });

  it("restores the recognition of duplicates", async () => {
    const box = await createMailbox();
    const raw = plainMessage();
    await deliver(box.mailbox, raw);
    await runInDurableObject(actorOf(box.mailbox), (_mailbox, state) => {
      state.storage.sql.exec("DELETE FROM known_id");
    });
    await reindexAll(box.mailbox);
    expect((await deliver(box.mailbox, raw)).body.duplicate).toBe(true);
  });

  it("erases the blobs of the old attachments, and the new attachments can be read", async () => {
    const box = await createMailbox();
    const { body } = await deliver(box.mailbox, withAttachment(700_000));
    await reindexAll(box.mailbox);
    const erasures = await runInDurableObject(actorOf(box.mailbox), async (mailbox, state) => {
      await mailbox.onAlarm();
      return state.storage.sql.exec("SELECT count(*) AS n FROM blob_to_erase").one().n;
    });
    expect(erasures).toBe(0);
    const email = await ask<{ attachments: { id: string; size_bytes: number }[] }>(`/v1/emails/${body.id}`, {
      key: box.api_key,
    });
    const [attachment] = email.body.attachments;
    const download = await api(`/v1/attachments/${attachment?.id}`, { key: box.api_key });
    expect((await download.arrayBuffer()).byteLength).toBe(attachment?.size_bytes);
  });
});
