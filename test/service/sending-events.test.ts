import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Domain } from "../../src/contract/domain.ts";
import type { Email } from "../../src/contract/message.ts";
import type { Sent } from "../../src/contract/sending.ts";
import { receiveSendingEvents } from "../../src/service/sending-events.ts";
import { Zone } from "../dns-zone.ts";
import { advance, ask, createMailbox, resetClock, type TestMailbox } from "../harness.ts";
import { endOutside, outside, withVariables } from "../webhook-target.ts";

const ANN = "ann@example.net";
const MINUTE = 60;

let zone: Zone;
let made = 0;

beforeEach(() => {
  zone = new Zone();
  outside(({ url }) => Response.json(zone.answer(new URL(url))));
});
afterEach(async () => {
  vi.restoreAllMocks();
  resetClock();
  await endOutside();
});

/** The platform's sending service as a binding: it takes everything and names each message. */
function platform(name: string) {
  return { send: () => Promise.resolve({ messageId: name }) };
}

/** A mailbox of a deployment that sends by the platform, which calls its messages `name`. */
async function sender(name: string): Promise<TestMailbox> {
  const box = await createMailbox();
  await withVariables(box, { OUTBOUND: "cloudflare", EMAIL: platform(name) });
  return box;
}

/** Makes a domain the mailbox's own. */
async function own(
  box: TestMailbox,
  domain = `q${(made += 1)}-${Math.random().toString(36).slice(2, 8)}.example.org`,
) {
  const { body } = await ask<Domain>("/v1/domains", { key: box.api_key, json: { domain } });
  zone.publish(body.dns_records);
  const checked = await ask(`/v1/domains/${body.id}/verify`, { key: box.api_key, method: "POST" });
  expect(checked.body).toMatchObject({ status: "verified" });
  return { id: body.id, domain };
}

const giveUp = (box: TestMailbox, id: string) =>
  ask(`/v1/domains/${id}`, { key: box.api_key, method: "DELETE" });

async function send(box: TestMailbox, from: string): Promise<string> {
  const { body } = await ask<Sent>("/v1/send?wait=10", {
    key: box.api_key,
    json: { from, to: ANN, subject: "Hello", text: "Hello." },
  });
  return body.id;
}

const statusOf = async (box: TestMailbox, id: string) =>
  (await ask<Email>(`/v1/emails/${id}`, { key: box.api_key })).body.status;

const event = (messageId: string, sentFrom: string, kind = "delivered") => ({
  type: `cf.email.sending.message.${kind}`,
  payload: { eventId: `e-${Math.random()}`, messageId, sender: sentFrom, recipient: ANN },
  metadata: { eventTimestamp: new Date().toISOString() },
});

/** The outcome of an event: `ack`, or the seconds until it comes again. */
type Fate = "ack" | number;

/** Hands a batch to the consumer as the platform does. `attempts` counts this time too. */
async function handOver(bodies: readonly unknown[], attempts = 1, bindings: object = {}): Promise<Fate[]> {
  const fates: (Fate | "nothing")[] = bodies.map(() => "nothing");
  const messages = bodies.map((body, index) => ({
    id: String(index),
    timestamp: new Date(),
    attempts,
    body,
    ack: () => void (fates[index] = "ack"),
    retry: (options?: QueueRetryOptions) => void (fates[index] = options?.delaySeconds ?? 0),
  }));
  const metadata = { metrics: { backlogCount: 0, backlogBytes: 0 } };
  const batch = { queue: "events", messages, metadata, ackAll: () => undefined, retryAll: () => undefined };
  await receiveSendingEvents(batch, { ...env, ...bindings });
  return fates.map((fate) => {
    if (fate === "nothing") throw new Error("An event was neither acknowledged nor asked for again");
    return fate;
  });
}

describe("an event about mail from a custom domain", () => {
  it("reaches the mailbox that holds the domain, whatever stands before the @", async () => {
    const box = await sender("of-a-domain");
    const { domain } = await own(box);
    const id = await send(box, `Shop <orders@${domain}>`);
    expect(await statusOf(box, id)).toBe("sent");
    expect(await handOver([event("of-a-domain", `orders@${domain}`)])).toEqual(["ack"]);
    expect(await statusOf(box, id)).toBe("delivered");
  });

  it("moves nothing in a mailbox that took the domain over, and is not acknowledged while it may be early", async () => {
    const [first, second] = [await sender("of-the-first"), await sender("of-the-second")];
    const { id: domainId, domain } = await own(first);
    const ofFirst = await send(first, `x@${domain}`);
    await giveUp(first, domainId);
    await own(second, domain);
    const ofSecond = await send(second, `x@${domain}`);
    const late = event("of-the-first", `x@${domain}`, "bounced");
    expect(await handOver([late, event("of-the-second", `x@${domain}`)])).toEqual([MINUTE, "ack"]);
    expect([await statusOf(first, ofFirst), await statusOf(second, ofSecond)]).toEqual(["sent", "delivered"]);
    advance(3_600_001);
    expect(await handOver([late], 4)).toEqual(["ack"]);
  });

  it("is done with where nobody holds the domain any more", async () => {
    const box = await sender("of-nobody");
    const { id: domainId, domain } = await own(box);
    const id = await send(box, `x@${domain}`);
    await giveUp(box, domainId);
    expect(await handOver([event("of-nobody", `x@${domain}`)])).toEqual(["ack"]);
    expect(await statusOf(box, id)).toBe("sent");
  });

  it("is done with where the mailbox that held it is erased", async () => {
    const box = await sender("of-the-erased");
    const { domain } = await own(box);
    await send(box, `x@${domain}`);
    await ask("/v1/mailbox", { key: box.api_key, method: "DELETE" });
    expect(
      await handOver([event("of-the-erased", `x@${domain}`), event("of-the-erased", box.mailbox)]),
    ).toEqual(["ack", "ack"]);
  });
});

describe("a batch of events", () => {
  it("is settled one by one: an event that meets a fault comes again, and the others are done with", async () => {
    const told = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const box = await sender("of-a-batch");
    const id = await send(box, box.mailbox);
    const getByName = (name: string) => {
      if (name === "faulty.example") throw new Error("The object is away");
      return env.DOMAIN.getByName(name);
    };
    const faulty = event("any", "x@faulty.example");
    const fates = await handOver([faulty, event("of-a-batch", box.mailbox), null, faulty], 2, {
      DOMAIN: { getByName },
    });
    expect(fates).toEqual([5 * MINUTE, "ack", "ack", 5 * MINUTE]);
    expect(await statusOf(box, id)).toBe("delivered");
    expect(told).toHaveBeenCalledTimes(2);
  });

  it("does not wait for an event whose object does not answer", async () => {
    const box = await sender("of-the-living");
    const id = await send(box, box.mailbox);
    const answer = Promise.withResolvers<null>();
    const getByName = () => ({ holder: () => answer.promise });
    const settled = handOver([event("any", "x@slow.example"), event("of-the-living", box.mailbox)], 1, {
      DOMAIN: { getByName },
    });
    await vi.waitFor(async () => expect(await statusOf(box, id)).toBe("delivered"));
    answer.resolve(null);
    expect(await settled).toEqual(["ack", "ack"]);
  });
});

describe("an event that came before our own record of the message", () => {
  it("is asked for again later each time, past the longest try even with the platform's three retries", async () => {
    const box = await createMailbox();
    const early = event("not-known-yet", box.mailbox);
    const waits: Fate[] = [];
    for (let attempt = 1; attempt <= 8; attempt += 1) waits.push(...(await handOver([early], attempt)));
    expect(waits).toEqual([60, 300, 1_500, 7_500, 37_500, 43_200, 43_200, 43_200]);
    // A try has a lease of 15 minutes.
    expect(60 + 300 + 1_500).toBeGreaterThan(15 * MINUTE);
  });

  it("moves the recipient once the record is there", async () => {
    const box = await createMailbox();
    const early = event("known-later", box.mailbox);
    expect(await handOver([early])).toEqual([MINUTE]);
    await withVariables(box, { OUTBOUND: "cloudflare", EMAIL: platform("known-later") });
    const id = await send(box, box.mailbox);
    expect(await handOver([early], 2)).toEqual(["ack"]);
    expect(await statusOf(box, id)).toBe("delivered");
  });
});
