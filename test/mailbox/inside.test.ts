import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, vi } from "vitest";
import { configOf } from "../../src/config/env.ts";
import type { PreparedMail } from "../../src/mail/prepared-mail.ts";
import { insideTransport } from "../../src/service/inside-transport.ts";
import type { EmailPage } from "../../src/contract/message.ts";
import { conformance, HURRIED_MS } from "../transport/conformance.ts";
import type { Behaviour, Bench, Taken } from "../transport/conformance.ts";
import { carry } from "../transport/worker/carry.ts";
import { actorOf, api, ask, evict, OPERATOR } from "../harness.ts";

const ADDRESSES = ["first@a.example", "second@b.example", "third@c.example", "good@y.example"];
/** More than any quota. */
const FULL_BYTES = 1e12;

/** Creates the receiving mailboxes of a test, empty. */
async function mailboxes(behaviour: Behaviour): Promise<void> {
  for (const address of ADDRESSES) {
    await api(`/v1/mailboxes/${address}`, { key: OPERATOR, method: "DELETE" });
    if (behaviour === "refuses the second" && address.startsWith("second@")) continue;
    const key = { secretHash: address, scope: "mailbox" as const, expiresAt: null };
    await actorOf(address).create({ address, kind: "permanent", ...key, evenIfQuarantined: true });
    if (behaviour === "defers") await fill(address);
  }
}

async function fill(address: string): Promise<void> {
  await runInDurableObject(actorOf(address), (_, { storage }) => {
    storage.sql.exec("UPDATE account SET storage_bytes = ?", FULL_BYTES);
  });
  await evict(address);
}

/** The real actors, except that one dies or hangs if the behaviour says so. */
function actors(behaviour: Behaviour): Pick<typeof env.MAILBOX, "getByName"> {
  if (behaviour !== "is lost after the end" && behaviour !== "hangs") return env.MAILBOX;
  return {
    getByName(name) {
      const actor = env.MAILBOX.getByName(name);
      const receive = async (mail: PreparedMail) => {
        if (behaviour === "hangs") return new Promise(() => undefined);
        await actor.receive(mail);
        throw new Error("Network connection lost.");
      };
      return new Proxy(actor, {
        get: (target, property) => (property === "receive" ? receive : Reflect.get(target, property)),
      });
    },
  };
}

async function taken(): Promise<Taken[]> {
  const all: Taken[] = [];
  for (const address of ADDRESSES) {
    const query = `?mailbox=${address}`;
    const { status, body } = await ask<EmailPage>(`/v1/inbox${query}`, { key: OPERATOR });
    for (const { id, to_address } of status === 200 ? body.emails : []) {
      const raw = await api(`/v1/emails/${id}/raw${query}`, { key: OPERATOR });
      all.push({ recipients: [to_address], bytes: Buffer.from(await raw.arrayBuffer()) });
    }
  }
  return all;
}

beforeEach(() => {
  // Deliveries that are made to fail are told of, with their stacks.
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});

afterEach(() => {
  vi.restoreAllMocks();
});

conformance("delivery inside the deployment", {
  async open(behaviour, { hurried = false } = {}): Promise<Bench> {
    await mailboxes(behaviour);
    const bindings = { ...env, MAILBOX: actors(behaviour) } as typeof env;
    const transport = insideTransport(bindings, () => configOf(env), hurried ? HURRIED_MS : undefined);
    let leave = () => Promise.resolve();
    return {
      send: (mail) => carry(transport, mail, () => leave()),
      taken,
      lost: () => Promise.resolve(),
      onBeforeEnd(act) {
        leave = act;
      },
    };
  },
  splits: true,
  // The message is passed in one piece, so the far side cannot be lost in the middle of it.
  streams: false,
  // A mailbox recognizes duplicates by Message-ID and content, so an attempt whose answer was lost is repeated
  // without `beforeEnd`.
  knowsRepeats: true,
  // The limit of the mailbox, with the reply that the SMTP listener gives.
  tooLarge: "refused",
});
