import { describe, expect, it } from "vitest";
import { conformance, HURRIED_MS } from "./conformance.ts";
import { EXTENSIONS, kinds, ONE, openDesk, TWO } from "./desk.ts";
import { relayFaults } from "./relay-faults.ts";
import { smtpBench } from "./smtp-bench.ts";
import { say } from "./smtp-peer.ts";

const desk = openDesk("worker-mailer");
const { start, send } = desk;

relayFaults(desk);

conformance("worker-mailer", {
  open: (behaviour, { hurried = false } = {}) =>
    smtpBench(desk.rig(), behaviour, (url) => desk.choose(url, hurried ? HURRIED_MS : undefined)),
  splits: false,
  streams: true,
  knowsRepeats: false,
  tooLarge: "impossible",
});

describe("worker-mailer's commands", () => {
  it("are those of the standards: a name that is one, no space before a path, reports on failure and delay", async () => {
    const peer = await start({ offers: EXTENSIONS });
    await send(peer, { recipients: TWO, envelopeId: "id+1=x" });
    expect(peer.commands.slice(0, 5)).toEqual([
      "EHLO mailkeep.test",
      "MAIL FROM:<bounces@sender.example> RET=HDRS ENVID=id+2B1+3Dx",
      "RCPT TO:<a@x.example> NOTIFY=FAILURE,DELAY ORCPT=rfc822;a@x.example",
      "RCPT TO:<b@y.example> NOTIFY=FAILURE,DELAY ORCPT=rfc822;b@y.example",
      "DATA",
    ]);
  });

  it("ask for no reports where there are none", async () => {
    const peer = await start();
    await send(peer, { returnPath: "" });
    expect(peer.commands.slice(0, 4)).toEqual([
      "EHLO mailkeep.test",
      "MAIL FROM:<>",
      "RCPT TO:<a@x.example>",
      "DATA",
    ]);
    await peer.idle();
    expect(peer.commands.at(-1)).toBe("QUIT");
  });

  it("do without a login that is offered and not asked for", async () => {
    expect(kinds(await send(await start({ offers: ["AUTH PLAIN LOGIN"] })))).toEqual(["taken"]);
  });

  it("are not tried for what they cannot say", async () => {
    const peer = await start({ offers: EXTENSIONS });
    const order = { recipients: ["ünï@x.example"], needsSmtpUtf8: true };
    expect(kinds(await send(peer, order))).toEqual(["impossible"]);
    const url = { credentials: "me:token", query: "?ignoreTLS=true&authMethod=XOAUTH2" };
    expect(kinds(await send(peer, {}, { url }))).toEqual(["impossible"]);
    expect(peer.connections).toBe(0);
  });

  it("are not tried for a message that is larger than the relay takes", async () => {
    const peer = await start({ offers: ["SIZE 24"] });
    const sent = await send(peer);
    expect(kinds(sent)).toEqual(["impossible"]);
    expect(sent.results[0]?.diagnostic).toBe("The message has 25 bytes, and the relay takes 24");
  });

  it("leave the isolate answering when the relay closes in mid-session", async () => {
    const peer = await start({ on: { MAIL: (talk) => talk.socket.end() } });
    expect(kinds(await send(peer, { recipients: ONE }, { limitMs: HURRIED_MS }))).toEqual(["deferred"]);
    expect(await desk.rig().ping()).toBe("pong");
  });

  it("take one reply for one, when two come at once", async () => {
    const peer = await start({
      on: { MAIL: say("250 2.1.0 sender\r\n550 5.1.1 recipient"), RCPT: () => undefined },
    });
    const sent = await send(peer);
    expect(sent.results).toMatchObject([{ result: { kind: "refused" }, enhancedCode: "5.1.1" }]);
  });
});
