import { describe, expect, it } from "vitest";
import { conformance, HURRIED_MS } from "./conformance.ts";
import { EXTENSIONS, kinds, ONE, useRelays, TWO } from "./relays.ts";
import { relayFaults } from "./relay-faults.ts";
import { smtpFarSide } from "./smtp-far-side.ts";
import { say } from "./smtp-peer.ts";

const relays = useRelays("worker-mailer");
const { start, send } = relays;

relayFaults(relays);

conformance("worker-mailer", {
  open: (behaviour, { hurried = false } = {}) =>
    smtpFarSide(relays.rig(), behaviour, (url) => relays.choose(url, hurried ? HURRIED_MS : undefined)),
  splits: false,
  streams: true,
  knowsRepeats: false,
  tooLarge: "impossible",
});

describe("worker-mailer's commands", () => {
  it("follow the standards: a valid EHLO name, no space before a path, reports on failure and delay", async () => {
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

  it("ask for no reports if the relay offers none", async () => {
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

  it("use no login that is offered but not configured", async () => {
    expect(kinds(await send(await start({ offers: ["AUTH PLAIN LOGIN"] })))).toEqual(["taken"]);
  });

  it("are not sent for an address that SMTP cannot carry", async () => {
    const peer = await start({ offers: EXTENSIONS });
    const order = { recipients: ["ünï@x.example"], needsSmtpUtf8: true };
    expect(kinds(await send(peer, order))).toEqual(["impossible"]);
    const url = { credentials: "me:token", query: "?ignoreTLS=true&authMethod=XOAUTH2" };
    expect(kinds(await send(peer, {}, { url }))).toEqual(["impossible"]);
    expect(peer.connections).toBe(0);
  });

  it("are not sent for a message that is larger than the relay takes", async () => {
    const peer = await start({ offers: ["SIZE 24"] });
    const sent = await send(peer);
    expect(kinds(sent)).toEqual(["impossible"]);
    expect(sent.results[0]?.diagnostic).toBe("The message has 25 bytes, and the relay takes 24");
  });

  it("leave the isolate answering when the relay closes in mid-session", async () => {
    const peer = await start({ on: { MAIL: (talk) => talk.socket.end() } });
    expect(kinds(await send(peer, { recipients: ONE }, { limitMs: HURRIED_MS }))).toEqual(["deferred"]);
    expect(await relays.rig().ping()).toBe("pong");
  });

  it("use each of two replies that arrive at once for its own command", async () => {
    const peer = await start({
      on: { MAIL: say("250 2.1.0 sender\r\n550 5.1.1 recipient"), RCPT: () => undefined },
    });
    const sent = await send(peer);
    expect(sent.results).toMatchObject([{ result: { kind: "refused" }, enhancedCode: "5.1.1" }]);
  });
});
