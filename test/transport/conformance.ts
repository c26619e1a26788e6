import { describe, expect, it } from "vitest";
import { bytesOf } from "./messages.ts";
import type { Recipe } from "./messages.ts";
import type { MailOrder, Sent } from "./worker/order.ts";

/** Time limit of a try in tests of timeouts. */
export const HURRIED_MS = 500;

/** How the far side of a transport behaves in a test. */
export type Behaviour =
  | "takes"
  /** Refuses `second@…` for good and takes the others. */
  | "refuses the second"
  /** Defers everybody. */
  | "defers"
  /** Ends the connection after the end of the message, without an answer. */
  | "is lost after the end"
  /** Ends the connection in the middle of the message. */
  | "is lost before the end"
  /** Reads everything and answers nothing. */
  | "hangs";

/** A message that the far side took. */
export interface Taken {
  recipients: string[];
  bytes: Buffer;
}

/** The far side of a transport, and a way to send to it. */
export interface Bench {
  send(mail: MailOrder): Promise<Sent>;
  /** The complete messages that the far side took: recipients and bytes. */
  taken(): Taken[] | Promise<Taken[]>;
  /** Resolves when no connection is open. */
  lost(): Promise<void>;
  /** The action of the next `beforeEnd: "ask"`. */
  onBeforeEnd(act: () => Promise<void>): void;
}

export interface Subject {
  /** Starts a far side with this behaviour, and a transport that connects to it; if hurried, a try has little time. */
  open(behaviour: Behaviour, options?: { hurried?: boolean }): Promise<Bench>;
  /** Each recipient is a message of its own on the way out. */
  splits: boolean;
  /** The message leaves as a stream, whose far end can be lost in the middle. */
  streams: boolean;
  /**
   * The far side recognizes duplicates by Message-ID and content. So `beforeEnd` is not called, and a try whose answer was
   * lost is repeated.
   */
  knowsRepeats: boolean;
  /** The fate of a message that is larger than the far side takes: no mail for this transport, or refused by the far side's word. */
  tooLarge: "impossible" | "refused";
}

const SMALL: Recipe = { kind: "text", text: "Subject: hello\r\n\r\nworld\r\n" };
const KNOWN_AGAIN: Recipe = { kind: "text", text: "Message-ID: <1@x.example>\r\n\r\nworld\r\n" };
const THREE = ["first@a.example", "second@b.example", "third@c.example"];

/** Characters that SMTP must escape, at every position relative to the end of a chunk and inside of lines. */
const AWKWARD: [string, Recipe][] = [
  ["dots at the start of lines", { kind: "text", text: "A: b\r\n\r\n.\r\n..\r\n.x\r\n\r\n.\r\n" }],
  ["a dot as its first octet", { kind: "text", text: ".\r\n" }],
  [
    "an end of data followed by commands",
    { kind: "text", text: "A: b\r\n\r\n.\r\nMAIL FROM:<x@x.example>\r\n" },
  ],
  ["a line of 100,000 octets", { kind: "text", text: `A: b\r\n\r\n${"x".repeat(100_000)}\r\n` }],
  [
    "octets that are neither ASCII nor UTF-8, in chunks of one",
    { kind: "lines", sizeBytes: 3_000, chunkBytes: 1 },
  ],
  ["5 MB", { kind: "lines", sizeBytes: 5_000_000 }],
];

const HOSTILE = [
  "x@y.example>\r\nRCPT TO:<z@q.example",
  "x@y.example\r\nDATA",
  "x@y.example> ORCPT=rfc822;z@q.example",
  "x@y.example\n",
  '"a\r\nRSET\r\n"@y.example',
  '"a>b"@y.example',
  "<x@y.example>",
  "x y@z.example",
  "x@y.example\0",
  "x@y.example\u2028QUIT",
  "",
  "no-domain",
  `${"x".repeat(250)}@y.example`,
];

/** Tests that every transport must pass. */
export function conformance(name: string, subject: Subject): void {
  describe(`${name}, as every transport`, () => {
    const kinds = (sent: Sent): string[] => sent.results.map(({ result }) => result.kind);

    it("hands a message over for all its recipients, in their order", async () => {
      const bench = await subject.open("takes");
      const sent = await bench.send({ recipients: THREE, message: SMALL });
      expect(sent.rejected).toBe(null);
      expect(sent.results.map(({ recipient }) => recipient)).toEqual(THREE);
      expect(kinds(sent)).toEqual(["taken", "taken", "taken"]);
      expect((await bench.taken()).flatMap(({ recipients }) => recipients)).toEqual(THREE);
      expect(await bench.taken()).toHaveLength(subject.splits ? 3 : 1);
      expect(sent.beforeEndCalls).toBe(subject.knowsRepeats ? 0 : 1);
    });

    it("refuses one recipient without failing the others", async () => {
      const bench = await subject.open("refuses the second");
      const sent = await bench.send({ recipients: THREE, message: SMALL });
      expect(kinds(sent)).toEqual(["taken", "refused", "taken"]);
      expect(sent.results.map(({ fault }) => fault)).toEqual([null, "address", null]);
      expect((await bench.taken()).flatMap(({ recipients }) => recipients)).toEqual([THREE[0], THREE[2]]);
    });

    it("does not call beforeEnd for a message that no recipient takes", async () => {
      const bench = await subject.open("refuses the second");
      const sent = await bench.send({ recipients: [THREE[1] ?? ""], message: SMALL });
      expect(kinds(sent)).toEqual(["refused"]);
      expect(await bench.taken()).toEqual([]);
    });

    it("defers recipients that are temporarily refused", async () => {
      const bench = await subject.open("defers");
      const sent = await bench.send({ recipients: THREE, message: SMALL });
      expect(kinds(sent)).toEqual(["deferred", "deferred", "deferred"]);
      expect(await bench.taken()).toEqual([]);
    });

    it.runIf(!subject.knowsRepeats)(
      "reports an unknown result if the end of a message was sent and not answered",
      async () => {
        const bench = await subject.open("is lost after the end");
        const sent = await bench.send({ recipients: [THREE[0] ?? ""], message: SMALL });
        expect(kinds(sent)).toEqual(["unanswered"]);
        expect(sent.beforeEndCalls).toBe(1);
      },
    );

    it.runIf(subject.knowsRepeats)(
      "repeats a try whose answer was lost, and the far side has one message",
      async () => {
        const bench = await subject.open("is lost after the end");
        const order = { recipients: [THREE[0] ?? ""], message: KNOWN_AGAIN };
        const sent = [await bench.send(order), await bench.send(order)];
        expect(sent.map(kinds)).toEqual([["deferred"], ["deferred"]]);
        expect(await bench.taken()).toHaveLength(1);
      },
    );

    it.runIf(subject.streams)(
      "reports that nothing was taken if the far side is lost during the message",
      async () => {
        const bench = await subject.open("is lost before the end");
        const large: Recipe = { kind: "lines", sizeBytes: 9_500_000 };
        const sent = await bench.send({ recipients: THREE, message: large });
        expect(kinds(sent)).toEqual(["deferred", "deferred", "deferred"]);
        expect(sent.beforeEndCalls).toBe(0);
        expect(await bench.taken()).toEqual([]);
      },
    );

    it.runIf(subject.streams)("reports the same if the far side is lost during beforeEnd", async () => {
      const bench = await subject.open("is lost before the end");
      bench.onBeforeEnd(() => bench.lost());
      const sent = await bench.send({ recipients: THREE, message: SMALL, beforeEnd: "ask" });
      expect(kinds(sent)).toEqual(["deferred", "deferred", "deferred"]);
      expect(await bench.taken()).toEqual([]);
    });

    it.runIf(!subject.knowsRepeats)(
      "does not end a message whose beforeEnd rejects, and nothing is taken",
      async () => {
        const bench = await subject.open("takes");
        bench.onBeforeEnd(() => Promise.reject(new Error("not now")));
        const sent = await bench.send({ recipients: THREE, message: SMALL, beforeEnd: "ask" });
        await bench.lost();
        expect(kinds(sent)).toEqual(["deferred", "deferred", "deferred"]);
        expect(await bench.taken()).toEqual([]);
      },
    );

    it.runIf(!subject.knowsRepeats)(
      "has sent nothing that could be an end when it calls beforeEnd",
      async () => {
        const bench = await subject.open("takes");
        let takenBefore = -1;
        bench.onBeforeEnd(async () => {
          await new Promise((resolve) => setTimeout(resolve, 50));
          takenBefore = (await bench.taken()).length;
        });
        const sent = await bench.send({ recipients: THREE, message: SMALL, beforeEnd: "ask" });
        expect(takenBefore).toBe(0);
        expect(kinds(sent)).toEqual(["taken", "taken", "taken"]);
      },
    );

    it("ends within its time when the far side hangs", async () => {
      const bench = await subject.open("hangs", { hurried: true });
      const sent = await bench.send({ recipients: THREE, message: SMALL });
      expect(sent.rejected).toBe(null);
      // Other tests check whether the transport knows that the end was sent before the far side hung.
      expect(new Set(kinds(sent))).not.toContain("taken");
      expect(sent.results).toHaveLength(3);
    });

    it("ends when its signal aborts", async () => {
      const bench = await subject.open("hangs");
      const sent = await bench.send({ recipients: THREE, message: SMALL, abortAfterMs: 200 });
      expect(sent.results).toHaveLength(3);
      expect(new Set(kinds(sent))).not.toContain("taken");
    });

    it("hands nothing over if its signal aborted before it began", async () => {
      const bench = await subject.open("takes");
      const sent = await bench.send({ recipients: THREE, message: SMALL, abortAfterMs: 0 });
      expect(kinds(sent)).toEqual(["deferred", "deferred", "deferred"]);
      expect(await bench.taken()).toEqual([]);
    });

    it.each(AWKWARD)("carries %s unchanged", async (_, message) => {
      const bench = await subject.open("takes");
      const sent = await bench.send({ recipients: [THREE[0] ?? ""], message });
      expect(kinds(sent)).toEqual(["taken"]);
      expect((await bench.taken()).map(({ bytes }) => bytes.equals(bytesOf(message)))).toEqual([true]);
    });

    it("never delivers a message whose source broke off", async () => {
      const bench = await subject.open("takes");
      const message: Recipe = { kind: "lines", sizeBytes: 300_000 };
      const short = await bench.send({ recipients: THREE, message, claimedBytes: 300_001 });
      const broken = await bench.send({ recipients: THREE, message, breaksAfterBytes: 150_000 });
      await bench.lost();
      expect(kinds(short)).toEqual(["deferred", "deferred", "deferred"]);
      expect(kinds(broken)).toEqual(["deferred", "deferred", "deferred"]);
      expect(await bench.taken()).toEqual([]);
    });

    it("refuses a hostile recipient, and continues with the others", async () => {
      const bench = await subject.open("takes");
      const recipients = [...HOSTILE, "good@y.example"];
      const sent = await bench.send({ recipients, message: SMALL });
      expect(sent.results.map(({ recipient }) => recipient)).toEqual(recipients);
      expect(kinds(sent)).toEqual([...HOSTILE.map(() => "impossible"), "taken"]);
      expect((await bench.taken()).map(({ recipients: heard }) => heard)).toEqual([["good@y.example"]]);
    });

    it.each(["x@y.example>\r\nRCPT TO:<z@q.example", "<>", " "])(
      "sends nothing under the return path %j",
      async (path) => {
        const bench = await subject.open("takes");
        const sent = await bench.send({ recipients: THREE, message: SMALL, returnPath: path });
        expect(kinds(sent)).toEqual(["impossible", "impossible", "impossible"]);
        expect(await bench.taken()).toEqual([]);
      },
    );

    it("refuses a message that is too large, before the attempt", async () => {
      const bench = await subject.open("takes");
      const sent = await bench.send({ recipients: THREE, message: SMALL, claimedBytes: 10_000_000_000 });
      expect(kinds(sent)).toEqual([subject.tooLarge, subject.tooLarge, subject.tooLarge]);
      expect(sent.beforeEndCalls).toBe(0);
    });
  });
}
