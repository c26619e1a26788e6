import { createServer } from "node:http";
import { describe, expect, it } from "vitest";
import { EXTENSIONS, kinds, mail, ONE, useRelays, SMALL, TWO } from "./relays.ts";
import type { Recipe } from "./messages.ts";
import { bytesOf } from "./messages.ts";
import { relayFaults } from "./relay-faults.ts";
import { Rig } from "./rig.ts";
import { HURRIED_MS } from "./conformance.ts";
import { close, hang, inTurn, reset, say } from "./smtp-peer.ts";
import type { Act } from "./smtp-peer.ts";
import type { MailOrder, TransportChoice } from "./worker/order.ts";

const relays = useRelays("smtp");
const { start, send } = relays;

relayFaults(relays);

describe("a relay that is told in one go, in a stream", () => {
  it("DATA taken for nobody, by a relay that must not: the end goes nowhere and nothing counts as taken", async () => {
    const DATA: Act = (talk) => talk.take();
    const peer = await start({ on: { RCPT: say("550 5.1.1 unknown"), DATA }, offers: ["PIPELINING"] });
    const sent = await send(peer, { recipients: TWO });
    expect(kinds(sent)).toEqual(["refused", "refused"]);
    expect(sent.beforeEndCalls).toBe(0);
    expect(peer.taken.map(({ bytes }) => bytes.length)).toEqual([0]);
  });

  it("in the middle of the message, to refuse it", async () => {
    const peer = await start({ data: say("552 5.3.4 too large") });
    const sent = await send(peer, { message: { kind: "lines", sizeBytes: 20_000_000 } });
    expect(sent.results).toMatchObject([
      { result: { kind: "deferred" }, enhancedCode: "5.3.4", fault: "us" },
    ]);
    expect(sent.beforeEndCalls).toBe(0);
  });

  it("and reads nothing of a large message", async () => {
    const peer = await start({ data: (talk) => talk.socket.pause() });
    // In one piece, which the stream's own buffers take at once.
    const message: Recipe = { kind: "lines", sizeBytes: 30_000_000, chunkBytes: 30_000_000 };
    // The size gives it time, which this test does not have.
    const sent = await send(peer, { message, abortAfterMs: 1_500 });
    expect(kinds(sent)).toEqual(["deferred"]);
    expect(sent.beforeEndCalls).toBe(0);
  });
});

describe("login with a token", () => {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const offers = ["AUTH PLAIN LOGIN XOAUTH2"];

  it("by XOAUTH2 with a token", async () => {
    const peer = await start({ offers, on: { AUTH: say("235 ok") } });
    const url = { credentials: "me:token", query: "?ignoreTLS=true&authMethod=XOAUTH2" };
    expect(kinds(await send(peer, {}, { url }))).toEqual(["taken"]);
    expect(peer.commands[1]).toBe(`AUTH XOAUTH2 ${base64("user=me\u0001auth=Bearer token\u0001\u0001")}`);
  });

  it("by XOAUTH2 with a token that is asked for", async () => {
    const asked: string[] = [];
    const tokens = createServer((request, response) => {
      request.on("data", (part: Buffer) => asked.push(part.toString()));
      request.on("end", () => response.end(JSON.stringify({ access_token: "fresh", expires_in: 3_600 })));
    });
    await new Promise<void>((listening) => tokens.listen(0, "127.0.0.1", listening));
    const address = tokens.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    const query = new URLSearchParams({
      ignoreTLS: "true",
      authMethod: "XOAUTH2",
      accessUrl: `http://127.0.0.1:${address.port}/token`,
      clientId: "client",
      clientSecret: "secret",
      refreshToken: "refresh",
    });
    const peer = await start({ offers, on: { AUTH: say("235 ok") } });
    const sent = await send(peer, {}, { url: { credentials: "me", query: `?${query.toString()}` } });
    tokens.close();
    expect(kinds(sent)).toEqual(["taken"]);
    expect(asked.join("")).toContain("refresh_token=refresh");
    expect(peer.commands[1]).toBe(`AUTH XOAUTH2 ${base64("user=me\u0001auth=Bearer fresh\u0001\u0001")}`);
  });
});

describe("what a relay offers", () => {
  it("is used: reports, size, 8BITMIME, each recipient's original address", async () => {
    const peer = await start({ offers: EXTENSIONS });
    await send(peer, { recipients: TWO, envelopeId: "id+1=x" });
    expect(peer.commands.slice(1, 4)).toEqual([
      "MAIL FROM:<bounces@sender.example> BODY=8BITMIME SIZE=25 RET=HDRS ENVID=id+2B1+3Dx",
      "RCPT TO:<a@x.example> NOTIFY=FAILURE,DELAY ORCPT=rfc822;a@x.example",
      "RCPT TO:<b@y.example> NOTIFY=FAILURE,DELAY ORCPT=rfc822;b@y.example",
    ]);
  });

  it("and what it does not offer is not", async () => {
    const peer = await start();
    await send(peer, { returnPath: "" });
    expect(peer.commands).toEqual(["EHLO mailkeep.test", "MAIL FROM:<>", "RCPT TO:<a@x.example>", "DATA"]);
  });

  it("SMTPUTF8 for an address that needs it, or nothing is sent", async () => {
    const order = { recipients: ["ünï@x.example", "b@y.example"], needsSmtpUtf8: true };
    const able = await start({ offers: EXTENSIONS });
    expect(kinds(await send(able, order))).toEqual(["taken", "taken"]);
    expect(able.commands[1]).toContain(" SMTPUTF8");
    expect(able.commands[2]).toBe("RCPT TO:<ünï@x.example> NOTIFY=FAILURE,DELAY");
    const unable = await start();
    const sent = await send(unable, order);
    expect(kinds(sent)).toEqual(["impossible", "impossible"]);
    expect(sent.results[0]?.diagnostic).toContain("SMTPUTF8");
    await unable.idle();
    expect(unable.commands).not.toContain("DATA");
  });

  it("SIZE smaller than the message: it is not tried", async () => {
    const peer = await start({ offers: ["SIZE 24"] });
    const sent = await send(peer);
    expect(kinds(sent)).toEqual(["impossible"]);
    expect(sent.results[0]?.diagnostic).toBe("The message has 25 bytes, and the relay takes 24");
    expect(peer.commands.join()).not.toContain("MAIL");
  });
});

describe("a session", () => {
  const order = (count: number): MailOrder[] =>
    Array.from({ length: count }, () => ({ recipients: ONE, message: SMALL }));

  it("carries message after message", async () => {
    const peer = await start({ offers: EXTENSIONS });
    const sent = await relays
      .rig()
      .actor()
      .order({ transport: relays.choose(peer.url()), mails: order(20) });
    expect(sent.flatMap(kinds)).toEqual(Array.from({ length: 20 }, () => "taken"));
    expect(peer.taken).toHaveLength(20);
    expect(peer.connections).toBe(1);
  });

  it("is opened at most twice by messages that come all at once", async () => {
    const peer = await start();
    const sent = await relays
      .rig()
      .actor()
      .order({ transport: relays.choose(peer.url()), mails: order(20), parallel: true });
    expect(sent.flatMap(kinds)).toEqual(Array.from({ length: 20 }, () => "taken"));
    expect(peer.connections).toBe(2);
  });

  it("is not shared by actors, and ends when it is idle", async () => {
    const peer = await start();
    await send(peer);
    await send(peer);
    expect(peer.connections).toBe(2);
    await peer.idle();
    expect(peer.commands.filter((line) => line === "QUIT")).toHaveLength(2);
  });

  it.each([
    ["closed", close],
    ["reset", reset],
    ["ended with 421", say("421 4.7.0 too many messages")],
  ])("is replaced by another if it was %s between messages, and no message fails", async (_, act) => {
    const peer = await start(mail(inTurn(say("250 ok"), act, say("250 ok"))));
    const actor = relays.rig().actor();
    expect(kinds(await send(peer, {}, { actor }))).toEqual(["taken"]);
    expect(kinds(await send(peer, {}, { actor }))).toEqual(["taken"]);
    expect(peer.connections).toBe(2);
    expect(peer.taken).toHaveLength(2);
  });

  it("that ended after the end of the message is not replaced: the message may have been taken", async () => {
    const peer = await start({ end: inTurn(say("250 ok"), close, say("250 ok")) });
    const actor = relays.rig().actor();
    expect(kinds(await send(peer, {}, { actor }))).toEqual(["taken"]);
    expect(kinds(await send(peer, {}, { actor }))).toEqual(["unanswered"]);
    expect(peer.connections).toBe(1);
  });

  it("does not apply a message's refusal to the next", async () => {
    const peer = await start({ end: inTurn(say("554 5.6.0 no"), say("250 ok")) });
    const actor = relays.rig().actor();
    expect(kinds(await send(peer, {}, { actor }))).toEqual(["refused"]);
    expect(kinds(await send(peer, {}, { actor }))).toEqual(["taken"]);
  });

  it("carries a message in 10,000 pieces", async () => {
    const peer = await start();
    const message: Recipe = { kind: "lines", sizeBytes: 90_000_000, chunkBytes: 1_400 };
    expect(kinds(await send(peer, { message }))).toEqual(["taken"]);
    expect(peer.taken[0]?.bytes.equals(bytesOf(message))).toBe(true);
  });

  it("leaves the queue for a session when the time is up, and the queue continues", async () => {
    const peer = await start({ on: { MAIL: inTurn(hang, hang, say("250 ok")) } });
    const actor = relays.rig().actor();
    const transport = relays.choose(peer.url(), HURRIED_MS);
    const sent = await actor.order({ transport, mails: order(4), parallel: true });
    expect(sent.flatMap(kinds).slice(0, 2)).toEqual(["deferred", "deferred"]);
    const [after] = await actor.order({ transport, mails: order(1) });
    expect(after === undefined ? [] : kinds(after)).toEqual(["taken"]);
  });
});

describe("where webhooks leave through a worker", () => {
  it.each([
    ["in clear", {}, {}],
    ["by STARTTLS", { offers: ["STARTTLS"], offersSecured: EXTENSIONS }, { query: "" }],
    ["by TLS", { implicitTls: true }, { scheme: "smtps" as const }],
  ])("messages leave %s by a binding to a network", async (_, plan, url) => {
    const apart = await Rig.start({ fetchesApart: true });
    const peer = await start(plan);
    const transport: TransportChoice = { kind: "smtp", url: peer.url(url), throughBinding: true };
    const sent = await apart.actor().send(transport, { recipients: TWO, message: SMALL });
    await apart.stop();
    expect(kinds(sent)).toEqual(["taken", "taken"]);
  });
});
