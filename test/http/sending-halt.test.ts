import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it } from "vitest";
import type { Email } from "../../src/contract/message.ts";
import { HALTED_HINT, type SendingState } from "../../src/contract/sending-state.ts";
import type { Sent } from "../../src/contract/sending.ts";
import { callTool } from "../mcp.ts";
import { actorOf, ask, createMailbox, mail, OPERATOR, type Ask, type TestMailbox } from "../harness.ts";

const asOperator = (path: string, asked: Ask = {}) => ask<SendingState>(path, { key: OPERATOR, ...asked });
const halt = (json: unknown = {}) => asOperator("/v1/sending/halt", { method: "PATCH", json });
const resume = () => asOperator("/v1/sending/resume", { method: "PATCH" });
const state = async () => (await asOperator("/v1/sending")).body;

const ACTIVE = { status: "active", reason: null, halted_at: null };

afterEach(resume);

/** Sends a message from one mailbox to another of this deployment. */
async function sendTo(from: TestMailbox, to: TestMailbox, wait = 0): Promise<Sent> {
  const sent = await ask<Sent>(`/v1/send?wait=${wait}`, {
    key: from.api_key,
    json: { to: to.mailbox, subject: "Hello", text: "Hello." },
  });
  expect(sent.status).toBe(200);
  return sent.body;
}

const emailOf = async (box: TestMailbox, id: string) =>
  (await ask<Email>(`/v1/emails/${id}`, { key: box.api_key })).body;

/** The mailbox looks again, as its alarm makes it within a minute. */
function lookAgain(box: TestMailbox): Promise<void> {
  return runInDurableObject(actorOf(box.mailbox), (instance) => instance.onAlarm());
}

describe("the switch that halts all sending", () => {
  it("is off at first, and says since when and why it is on", async () => {
    expect(await state()).toEqual(ACTIVE);
    const halted = await halt({ reason: "A key leaked" });
    expect(halted).toMatchObject({
      status: 200,
      body: { status: "halted", reason: "A key leaked", halted_at: expect.stringMatching(/Z$/) },
    });
    expect(await state()).toEqual(halted.body);
    expect((await resume()).body).toEqual(ACTIVE);
    expect(await state()).toEqual(ACTIVE);
  });

  it("needs no reason, and changes nothing when it is turned to where it is", async () => {
    const halted = await halt();
    expect(halted.body).toMatchObject({ status: "halted", reason: null });
    expect((await halt({ reason: "Another" })).body).toEqual(halted.body);
    await resume();
    expect((await resume()).body).toEqual(ACTIVE);
  });

  it("takes a reason of 500 characters and no more", async () => {
    expect((await halt({ reason: "x".repeat(500) })).status).toBe(200);
    await resume();
    expect(await halt({ reason: "x".repeat(501) })).toMatchObject({
      status: 400,
      body: { error: "reason: must be at most 500 characters", code: "invalid" },
    });
    expect(await state()).toEqual(ACTIVE);
  });

  it.each(["GET /v1/sending", "PATCH /v1/sending/halt", "PATCH /v1/sending/resume"])(
    "is the operator's alone: %s",
    async (line) => {
      const [method = "", path = ""] = line.split(" ");
      const box = await createMailbox();
      expect((await ask(path, { method, key: box.api_key })).status).toBe(403);
      expect((await ask(path, { method })).status).toBe(401);
      expect(await state()).toEqual(ACTIVE);
    },
  );

  it("is a gauge of the metrics, and a member of the tool deployment_status", async () => {
    const shown = async () => (await mail(OPERATOR).deployment.metrics()).text();
    expect(await shown()).toMatch(/^mailkeep_sending_halted 0$/m);
    const tool = async () => (await callTool(OPERATOR, "deployment_status")).value;
    expect(await tool()).toMatchObject({ sending: "active" });
    await mail(OPERATOR).deployment.haltSending({ reason: null });
    expect(await shown()).toMatch(/^mailkeep_sending_halted 1$/m);
    expect(await tool()).toMatchObject({ sending: "halted" });
  });
});

describe("while sending is halted", () => {
  it("mail between two mailboxes is accepted and waits, and both answers say why", async () => {
    const [ann, bob] = [await createMailbox(), await createMailbox()];
    await halt({ reason: "A key leaked" });
    for (const wait of [0, 30]) {
      const sent = await sendTo(ann, bob, wait);
      expect(sent).toMatchObject({ status: "queued", delivery_status: "queued", hint: HALTED_HINT });
      expect((await emailOf(ann, sent.id)).delivery).toEqual([
        expect.objectContaining({ status: "queued", halted: true, next_attempt_at: null }),
      ]);
    }
    await lookAgain(ann);
    expect((await mail(bob.api_key).inbox.list()).emails).toEqual([]);
  });

  it("the reason is not told to those who send", async () => {
    const [ann, bob] = [await createMailbox(), await createMailbox()];
    await halt({ reason: "The key of bob leaked" });
    const sent = await sendTo(ann, bob);
    expect(JSON.stringify([sent, await emailOf(ann, sent.id)])).not.toContain("leaked");
  });

  it("mail still arrives, and a message that was erased is not sent later", async () => {
    const [ann, bob] = [await createMailbox(), await createMailbox()];
    await halt();
    const sent = await sendTo(ann, bob);
    await mail(ann.api_key).emails.delete(sent.id);
    await resume();
    await lookAgain(ann);
    expect((await sendTo(ann, bob, 30)).status).toBe("sent");
    expect((await mail(bob.api_key).inbox.list()).emails).toHaveLength(1);
  });
});
