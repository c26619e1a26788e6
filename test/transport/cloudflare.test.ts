import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { conformance, HURRIED_MS } from "./conformance.ts";
import type { Behaviour, Bench } from "./conformance.ts";
import { SMALL } from "./relays.ts";
import { Rig } from "./rig.ts";
import type { SendAnswer } from "./rig.ts";
import type { Sent, TransportChoice } from "./worker/order.ts";

let rig: Rig;
beforeAll(async () => {
  rig = await Rig.start();
});
afterAll(() => rig.stop());

const choice = (limitMs?: number): TransportChoice => ({ kind: "cloudflare", platform: "test", limitMs });
const kinds = (sent: Sent): string[] => sent.results.map(({ result }) => result.kind);

function answerOf(behaviour: Behaviour, to: string): Promise<SendAnswer> {
  switch (behaviour) {
    case "takes":
      return Promise.resolve({ messageId: `cf-${to}` });
    case "refuses the second":
      return Promise.resolve(
        to.startsWith("second@")
          ? { code: "E_RECIPIENT_SUPPRESSED", message: "suppressed" }
          : { messageId: `cf-${to}` },
      );
    case "defers":
      return Promise.resolve({ code: "E_RATE_LIMIT_EXCEEDED", message: "slow down" });
    case "is lost after the end":
    case "is lost before the end":
      return Promise.resolve({ code: "E_INTERNAL_SERVER_ERROR", message: "oh" });
    case "hangs":
      return new Promise(() => undefined);
  }
}

conformance("cloudflare", {
  open(behaviour, { hurried = false } = {}): Promise<Bench> {
    const taken: { recipients: string[]; bytes: Buffer }[] = [];
    rig.onBeforeEnd = () => Promise.resolve();
    rig.onSend = async (_from, to, bytes) => {
      const answer = await answerOf(behaviour, to);
      if ("messageId" in answer) taken.push({ recipients: [to], bytes });
      return answer;
    };
    const actor = rig.actor();
    return Promise.resolve({
      send: (mail) => actor.send(choice(hurried ? HURRIED_MS : undefined), mail),
      taken: () => taken,
      lost: () => Promise.resolve(),
      onBeforeEnd(act) {
        rig.onBeforeEnd = act;
      },
    });
  },
  splits: true,
  streams: false,
  knowsRepeats: false,
  tooLarge: "impossible",
});

describe("the platform's sending service", () => {
  const order = { recipients: ["a@x.example"], message: SMALL };
  const codes: [string | undefined, string, string | null][] = [
    ["E_RATE_LIMIT_EXCEEDED", "deferred", "us"],
    ["E_DAILY_LIMIT_EXCEEDED", "deferred", "us"],
    ["E_DELIVERY_FAILED", "deferred", null],
    ["E_SENDER_NOT_VERIFIED", "deferred", "us"],
    ["E_SENDER_DOMAIN_NOT_AVAILABLE", "deferred", "us"],
    ["E_RECIPIENT_SUPPRESSED", "refused", "address"],
    ["E_RECIPIENT_NOT_ALLOWED", "impossible", null],
    ["E_CONTENT_TOO_LARGE", "impossible", null],
    ["E_VALIDATION_ERROR", "impossible", null],
    ["E_HEADER_NOT_ALLOWED", "impossible", null],
    ["E_INTERNAL_SERVER_ERROR", "unanswered", null],
    ["E_OF_A_LATER_YEAR", "unanswered", null],
    ["constructor", "unanswered", null],
    [undefined, "unanswered", null],
  ];
  it.each(codes)("says %s: %s", async (code, kind, fault) => {
    rig.onSend = () => Promise.resolve({ code, message: "words\r\nof it" });
    const sent = await rig.actor().send(choice(), order);
    expect(sent.results).toMatchObject([{ result: { kind }, fault, providerId: null }]);
    expect(sent.results[0]?.diagnostic).toBe(code === undefined ? "words of it" : `${code}: words of it`);
  });

  it("names the message, by which its events are known", async () => {
    rig.onSend = (_from, to) => Promise.resolve({ messageId: `cf-${to}` });
    const sent = await rig.actor().send(choice(), { ...order, recipients: ["a@x.example", "b@x.example"] });
    expect(sent.results.map(({ providerId }) => providerId)).toEqual(["cf-a@x.example", "cf-b@x.example"]);
  });

  it("is told the address of the From field, for its return path is its own", async () => {
    const senders: string[] = [];
    rig.onSend = (from) => {
      senders.push(from);
      return Promise.resolve({ messageId: "1" });
    };
    await rig
      .actor()
      .send(choice(), { ...order, fromAddress: "me@sender.example", returnPath: "b+token@sender.example" });
    expect(senders).toEqual(["me@sender.example"]);
  });

  it("that hangs at the second of three leaves that one open, and the third not tried", async () => {
    const asked: string[] = [];
    rig.onSend = (_from, to) => {
      asked.push(to);
      return asked.length === 2 ? new Promise(() => undefined) : Promise.resolve({ messageId: "1" });
    };
    const recipients = ["a@x.example", "b@x.example", "c@x.example"];
    const sent = await rig.actor().send(choice(HURRIED_MS), { ...order, recipients });
    expect(kinds(sent)).toEqual(["taken", "unanswered", "deferred"]);
    expect(asked).toEqual(recipients.slice(0, 2));
  });

  it.each([
    [5_242_880, "taken"],
    [5_242_881, "impossible"],
  ])("is given %d bytes: %s", async (sizeBytes, kind) => {
    rig.onSend = () => Promise.resolve({ messageId: "1" });
    const sent = await rig.actor().send(choice(), { ...order, message: { kind: "lines", sizeBytes } });
    expect(kinds(sent)).toEqual([kind]);
  });

  it("takes it through the binding itself", async () => {
    const text =
      "From: me@sender.example\r\nTo: a@x.example\r\nMessage-ID: <1@sender.example>\r\nSubject: hi\r\n\r\nhello\r\n";
    const transport: TransportChoice = { kind: "cloudflare", platform: "binding" };
    const order = {
      recipients: ["a@x.example"],
      fromAddress: "me@sender.example",
      message: { kind: "text" as const, text },
    };
    const sent = await rig.actor().send(transport, order);
    expect(kinds(sent)).toEqual(["taken"]);
    expect(sent.results[0]?.providerId).toMatch(/\S/);
  });
});
