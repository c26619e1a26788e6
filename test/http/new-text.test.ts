import { beforeAll, describe, expect, it } from "vitest";
import { ask, createMailbox, deliver, plainMessage, type TestMailbox } from "../harness.ts";

interface Email {
  id: string;
  body_text: string;
  text_new: string;
  snippet: string;
}

let box: TestMailbox;

beforeAll(async () => {
  box = await createMailbox();
});

const QUOTED = "On Mon, 17 Mar 2025 at 09:12, Ann <ann@example.com> wrote:\n> Shall we meet on Monday?";
const ANSWER = `${QUOTED}\n\nMonday is "fine".\n\n-- \nBob`;

async function receive(body: string, subject = "Re: Monday"): Promise<Email> {
  const { id } = (await deliver(box.mailbox, plainMessage({ subject, body }))).body;
  return (await ask<Email>(`/v1/emails/${id}`, { key: box.api_key })).body;
}

describe("text_new", () => {
  it("is what is new in an email, beside the whole text", async () => {
    const email = await receive(ANSWER);
    expect(email.text_new).toBe('Monday is "fine".');
    expect(email.body_text).toContain("Shall we meet on Monday?");
    expect(email.snippet).toBe('Monday is "fine".');
  });

  it("is there when the body lies in the blob store", async () => {
    const lines = Array.from({ length: 20_000 }, () => "a line of a long answer");
    const email = await receive(`${QUOTED}\n\n${lines.join("\n")}`);
    expect(email.text_new).toBe(lines.join("\n"));
  });

  it("is the body of a forward", async () => {
    const { text_new, body_text } = await receive(`FYI\n\n${QUOTED}`, "Fwd: Monday");
    expect(text_new).toBe(body_text.trim());
  });

  it("is in the emails of a thread, and in those this mailbox sent", async () => {
    const json = { to: "ann@example.net", subject: "Re: Monday", text: ANSWER };
    const sent = await ask<{ id: string; thread_id: string }>("/v1/send", { key: box.api_key, json });
    const thread = await ask<{ emails: Email[] }>(`/v1/threads/${sent.body.thread_id}`, { key: box.api_key });
    expect(thread.body.emails.map(({ text_new }) => text_new)).toEqual(['Monday is "fine".']);
  });

  it("leaves a subject or header that looks like a member of the answer alone", async () => {
    const raw = plainMessage({
      subject: '","body_text":"x',
      body: "Hello.",
      headers: ['X-A: "text_new":"y"'],
    });
    const { id } = (await deliver(box.mailbox, raw)).body;
    const { body } = await ask<Email>(`/v1/emails/${id}`, { key: box.api_key });
    expect([body.text_new, body.body_text.trim()]).toEqual(["Hello.", "Hello."]);
  });
});
