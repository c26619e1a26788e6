import { afterAll, afterEach, beforeAll, expect } from "vitest";
import type { Recipe } from "./messages.ts";
import { Rig } from "./rig.ts";
import type { Actor } from "./rig.ts";
import { SmtpPeer } from "./smtp-peer.ts";
import type { Act, Plan } from "./smtp-peer.ts";
import type { MailOrder, Sent, TransportChoice } from "./worker/order.ts";

export const SMALL: Recipe = { kind: "text", text: "Subject: hello\r\n\r\nworld\r\n" };
export const ONE = ["a@x.example"];
export const TWO = ["a@x.example", "b@y.example"];
export const EXTENSIONS = ["PIPELINING", "8BITMIME", "SIZE 200000000", "DSN", "SMTPUTF8"];

export const mail = (act: Act): Plan => ({ on: { MAIL: act } });
export const rcpt = (act: Act): Plan => ({ on: { RCPT: act } });
export const kinds = (sent: Sent): string[] => sent.results.map(({ result }) => result.kind);

type Protocol = "smtp" | "worker-mailer";

export interface SendOptions {
  url?: Parameters<SmtpPeer["url"]>[0];
  limitMs?: number;
  actor?: Actor;
}

/** Relays, and the transport under test that connects to them, for the tests of one file. */
export interface Relays {
  readonly kind: Protocol;
  rig: () => Rig;
  start: (plan?: Plan) => Promise<SmtpPeer>;
  /** Sends one message, with a new actor unless one is given. */
  send: (peer: SmtpPeer, order?: Partial<MailOrder>, options?: SendOptions) => Promise<Sent>;
  choose: (url: string, limitMs?: number) => TransportChoice;
}

/** Starts before the tests of a file and ends after them. */
export function useRelays(kind: Protocol): Relays {
  let started: Rig | null = null;
  const peers: SmtpPeer[] = [];
  beforeAll(async () => {
    started = await Rig.start();
  });
  afterAll(() => started?.stop());
  afterEach(() => {
    for (const peer of peers.splice(0)) peer.stop();
  });
  const rig = (): Rig => {
    if (started === null) throw new Error("not started");
    return started;
  };
  const choose = (url: string, limitMs?: number): TransportChoice => ({ kind, url, limitMs });
  return {
    kind,
    rig,
    choose,
    async start(plan = {}) {
      const peer = await SmtpPeer.start(plan);
      peers.push(peer);
      return peer;
    },
    async send(peer, order = {}, { url, limitMs, actor = rig().actor() } = {}) {
      const choice = choose(peer.url(url), limitMs);
      const sent = await actor.send(choice, { recipients: ONE, message: SMALL, ...order });
      expect(sent.rejected).toBe(null);
      return sent;
    },
  };
}
