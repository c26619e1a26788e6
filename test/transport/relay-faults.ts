import { describe, expect, it } from "vitest";
import { EXTENSIONS, kinds, mail, ONE, rcpt, SMALL, TWO } from "./relays.ts";
import type { Relays, SendOptions } from "./relays.ts";
import { bytesOf } from "./messages.ts";
import { HURRIED_MS } from "./conformance.ts";
import { close, hang, inTurn, reset, say, trickle } from "./smtp-peer.ts";
import type { Act, Plan } from "./smtp-peer.ts";

const GARBAGE = "\u0000\u0007 not SMTP at all";

/** Tests of the result for each recipient, for every fault of a relay. */
export function relayFaults(relays: Relays): void {
  const { start, send } = relays;

  describe("what a relay answers", () => {
    const table: [string, Plan, string, number | null, string][] = [
      ["421 at the banner", { greeting: say("421 4.3.2 too busy") }, "deferred", 421, "4.3.2"],
      ["554 at the banner", { greeting: say("554 5.7.1 not you") }, "deferred", 554, "5.7.1"],
      ["500 to EHLO and HELO", { on: { EHLO: say("500 no"), HELO: say("500 no") } }, "deferred", 500, ""],
      ["450 to MAIL", mail(say("450 4.7.0 later")), "deferred", 450, "4.7.0"],
      ["550 to MAIL", mail(say("550 5.7.1 sender refused")), "deferred", 550, "5.7.1"],
      ["552 to MAIL", mail(say("552 5.3.4 too large")), "deferred", 552, "5.3.4"],
      ["530 to MAIL", mail(say("530 5.7.0 log in first")), "deferred", 530, "5.7.0"],
      ["421 to MAIL", mail(say("421 4.4.2 bye")), "deferred", 421, "4.4.2"],
      ["450 to RCPT", rcpt(say("450 4.2.1 greylisted")), "deferred", 450, "4.2.1"],
      ["550 to RCPT", rcpt(say("550 5.1.1 no such user")), "refused", 550, "5.1.1"],
      ["421 to RCPT", rcpt(say("421 4.3.0 going down")), "deferred", 421, "4.3.0"],
      ["552 to RCPT without a word of why", rcpt(say("552 too many recipients")), "deferred", 552, ""],
      ["451 to DATA", { on: { DATA: say("451 4.3.0 disk") } }, "deferred", 451, "4.3.0"],
      ["554 to DATA", { on: { DATA: say("554 5.5.1 no") } }, "refused", 554, "5.5.1"],
      ["451 to the message", { end: say("451 4.7.1 try again") }, "deferred", 451, "4.7.1"],
      ["421 to the message", { end: say("421 4.3.2 shutting down") }, "deferred", 421, "4.3.2"],
      ["552 to the message", { end: say("552 5.3.4 too large") }, "deferred", 552, "5.3.4"],
      ["554 to the message", { end: say("554 5.6.0 spam") }, "refused", 554, "5.6.0"],
      ["garbage at the banner", { greeting: say(GARBAGE) }, "deferred", null, ""],
      ["garbage to MAIL", mail(say(GARBAGE)), "deferred", null, ""],
      ["garbage to RCPT", rcpt(say(GARBAGE)), "deferred", null, ""],
      ["garbage to the message", { end: say(GARBAGE) }, "unanswered", null, ""],
      ["half a code to the message", { end: say("2") }, "unanswered", null, ""],
      ["354 to the message", { end: say("354 more?") }, "unanswered", null, ""],
    ];
    it.each(table)("%s", async (...[, plan, kind, code, enhanced]) => {
      const sent = await send(await start(plan), { recipients: TWO });
      expect(kinds(sent)).toEqual([kind, kind]);
      for (const result of sent.results) {
        expect(result.code).toBe(code);
        expect(result.enhancedCode ?? "").toBe(enhanced);
        expect(result.diagnostic).not.toBe("");
      }
    });

    it.each([[[]], [["PIPELINING"]]])(
      "a mixture of 250, 450 and 550 to RCPT, offering %j",
      async (offers) => {
        const answers: Record<string, string> = {
          a: "250 2.1.5 ok",
          b: "450 4.2.1 greylisted",
          c: "550 5.1.1 unknown",
        };
        const RCPT: Act = (talk, line) => talk.write(`${answers[/<(.)/.exec(line)?.[1] ?? ""] ?? "500"}\r\n`);
        const peer = await start({ on: { RCPT }, offers });
        const sent = await send(peer, { recipients: ["c@x.example", "b@x.example", "a@x.example"] });
        expect(sent.results).toMatchObject([
          {
            recipient: "c@x.example",
            result: { kind: "refused" },
            code: 550,
            enhancedCode: "5.1.1",
            fault: "address",
          },
          { recipient: "b@x.example", result: { kind: "deferred" }, code: 450, fault: "passing" },
          { recipient: "a@x.example", result: { kind: "taken" }, code: 250, fault: null },
        ]);
        expect(peer.taken).toHaveLength(1);
      },
    );

    it("a recipient refused and then the message: each has the reply that concerns it", async () => {
      const RCPT: Act = (talk, line) =>
        talk.write(line.includes("<a@") ? "550 5.1.1 unknown\r\n" : "250 ok\r\n");
      const sent = await send(await start({ on: { RCPT }, end: say("451 4.3.0 disk") }), { recipients: TWO });
      expect(sent.results).toMatchObject([
        { result: { kind: "refused" }, enhancedCode: "5.1.1", fault: "address" },
        { result: { kind: "deferred" }, enhancedCode: "4.3.0", fault: "passing" },
      ]);
    });
  });

  describe("a session", () => {
    const RCPT: Act = (talk, line) =>
      talk.write(line.includes("<no@") ? "550 5.1.1 unknown\r\n" : "250 ok\r\n");
    const orders = ["a@x.example", "no@x.example", "b@x.example"].map((one) => ({
      recipients: [one],
      message: SMALL,
    }));

    it.each([[[]], [["PIPELINING"]]])(
      "goes on after a recipient was refused, offering %j",
      async (offers) => {
        const peer = await start({ on: { RCPT }, offers });
        const sent = await relays
          .rig()
          .actor()
          .order({ transport: relays.choose(peer.url()), mails: orders });
        expect(sent.flatMap(kinds)).toEqual(["taken", "refused", "taken"]);
        expect(peer.connections).toBe(1);
        expect(peer.taken).toHaveLength(2);
      },
    );

    it.each([
      ["is answered with 500", say("500 what?")],
      ["ends the connection", close],
    ])("is not used again where RSET %s", async (_, RSET) => {
      const peer = await start({ on: { RCPT, RSET } });
      const sent = await relays
        .rig()
        .actor()
        .order({ transport: relays.choose(peer.url()), mails: orders });
      expect(sent.flatMap(kinds)).toEqual(["taken", "refused", "taken"]);
      expect(peer.connections).toBe(2);
    });

    it.each([
      ["closed", close],
      ["ended with 421", say("421 4.7.0 too many messages")],
    ])("is replaced by another if it was %s between messages, and no message fails", async (_, act) => {
      const peer = await start(mail(inTurn(say("250 ok"), act, say("250 ok"))));
      const sent = await relays
        .rig()
        .actor()
        .order({
          transport: relays.choose(peer.url()),
          mails: [ONE, ONE].map((recipients) => ({ recipients, message: SMALL })),
        });
      expect(sent.flatMap(kinds)).toEqual(["taken", "taken"]);
      expect([peer.connections, peer.taken.length]).toEqual([2, 2]);
    });
  });

  describe("a relay that says nothing", () => {
    const phases: [string, Plan, string][] = [
      ["instead of a greeting", { greeting: hang }, "deferred"],
      ["to EHLO", { on: { EHLO: hang } }, "deferred"],
      ["to MAIL", mail(hang), "deferred"],
      ["to RCPT", rcpt(hang), "deferred"],
      ["to DATA", { on: { DATA: hang } }, "deferred"],
      ["to the message", { end: hang }, "unanswered"],
    ];
    it.each(phases)("%s", async (_, plan, kind) => {
      const peer = await start(plan);
      const sent = await send(peer, { recipients: TWO }, { limitMs: HURRIED_MS });
      expect(kinds(sent)).toEqual([kind, kind]);
      expect(sent.results[0]?.diagnostic).toBe("The time for this try is up");
      // Nothing remains that would keep the actor in memory.
      await peer.idle();
    });

    it("leaves the isolate answering", async () => {
      const sending = send(await start({ greeting: hang }), {}, { limitMs: 1_000 });
      expect(await relays.rig().ping()).toBe("pong");
      await sending;
    });
  });

  describe("a connection that ends", () => {
    const ends: [string, Plan, string][] = [
      ["before a greeting", { greeting: close }, "deferred"],
      ["at EHLO", { on: { EHLO: close } }, "deferred"],
      ["at MAIL", mail(close), "deferred"],
      ["at RCPT", rcpt(reset), "deferred"],
      ["at DATA", { on: { DATA: close } }, "deferred"],
      ["after the final dot", { end: close }, "unanswered"],
      ["after the final dot, by RST", { end: reset }, "unanswered"],
      [
        "after half an answer to the final dot",
        { end: (talk) => talk.socket.end("250 2.0.0 tak") },
        "unanswered",
      ],
      [
        "after an answer to the final dot that lacks its line end",
        { end: (talk) => talk.socket.end("554 5.7.1 no") },
        "refused",
      ],
    ];
    it.each(ends)("%s", async (_, plan, kind) => {
      const sent = await send(await start(plan), { recipients: TWO });
      expect(kinds(sent)).toEqual([kind, kind]);
    });

    it("in the middle of DATA, before anything was read", async () => {
      const peer = await start({ data: reset });
      relays.rig().onBeforeEnd = () => peer.idle();
      const sent = await send(peer, { beforeEnd: "ask" });
      expect(kinds(sent)).toEqual(["deferred"]);
    });

    it("because nothing listens", async () => {
      const peer = await start();
      peer.stop();
      const sent = await send(peer);
      expect(kinds(sent)).toEqual(["deferred"]);
    });

    it("because the name leads nowhere", async () => {
      const nowhere = relays.choose("smtp://nowhere.invalid:2525?ignoreTLS=true");
      const sent = await relays.rig().actor().send(nowhere, { recipients: ONE, message: SMALL });
      expect(kinds(sent)).toEqual(["deferred"]);
    });
  });

  describe("how a relay may talk", () => {
    it("in lines that come octet by octet", async () => {
      const peer = await start({
        greeting: trickle("220-hello\r\n220-this takes\r\n220 time"),
        end: trickle("250-2.0.0 well\r\n250 2.0.0 done"),
      });
      const sent = await send(peer);
      expect(sent.results).toMatchObject([{ result: { kind: "taken" }, diagnostic: "250-2.0.0 well done" }]);
    });

    const floods: [string, string, string][] = [
      ["a line of 10 MB", "x".repeat(10_000_000), "deferred"],
      ["a reply of 10 MB that never ends", "250-more\r\n".repeat(1_000_000), "deferred"],
      ["10 MB of empty lines", "\r\n".repeat(5_000_000), "deferred"],
      ["10 MB of replies to nothing", "250 ok\r\n".repeat(1_250_000), "deferred"],
      ["10 MB without a line end", "\0".repeat(10_000_000), "deferred"],
    ];
    it.each(floods)("%s instead of an answer to MAIL, and nobody reads it", async (_, text, kind) => {
      const peer = await start(mail(say(text)));
      const sent = await send(peer);
      expect(kinds(sent)).toEqual([kind]);
      for (const { diagnostic } of sent.results) expect(diagnostic.length).toBeLessThanOrEqual(500);
      await peer.idle();
    });

    it.each(floods)("%s after the message: what became of it is not known", async (_, text) => {
      const peer = await start({ end: say(text) });
      const sent = await send(peer);
      expect(["unanswered", "taken"]).toContain(kinds(sent)[0]);
      await peer.idle();
    });

    it("before it is asked: an early 250 does not count as taken", async () => {
      const peer = await start({ on: { DATA: say("354 go on\r\n250 2.0.0 taken") } });
      relays.rig().onBeforeEnd = () => peer.idle();
      const sent = await send(peer, { beforeEnd: "ask" });
      expect(kinds(sent)).toEqual(["deferred"]);
    });

    it("with a diagnostic that is cut to one line", async () => {
      const peer = await start({ end: say(`554-5.7.1 ${"long ".repeat(1_000)}\r\n554 5.7.1 \u001b[31mred`) });
      const sent = await send(peer);
      expect(sent.results).toMatchObject([{ result: { kind: "refused" }, enhancedCode: "5.7.1" }]);
      expect(sent.results[0]?.diagnostic).toMatch(/^554-5\.7\.1 (?:long )+/);
      expect(sent.results[0]?.diagnostic.length).toBeLessThanOrEqual(500);
    });
  });

  describe("encryption", () => {
    const starttls = { query: "" };
    const secret = Buffer.from("world");

    it.each([
      ["STARTTLS", { offers: ["STARTTLS"], offersSecured: EXTENSIONS }, starttls],
      ["TLS from the first byte", { implicitTls: true }, { scheme: "smtps" as const }],
    ])("by %s: nothing of the message is seen in clear", async (_, plan, url) => {
      const peer = await start(plan);
      expect(kinds(await send(peer, {}, { url }))).toEqual(["taken"]);
      expect(peer.taken[0]?.bytes.equals(bytesOf(SMALL))).toBe(true);
      expect(Buffer.concat(peer.clear).includes(secret)).toBe(false);
      expect(Buffer.concat(peer.clear).includes("MAIL")).toBe(false);
    });

    const refusals: [string, Plan][] = [
      ["STARTTLS is not offered, and refused", { on: { STARTTLS: say("502 5.5.1 what is that") } }],
      [
        "STARTTLS is answered with 454",
        { offers: ["STARTTLS"], on: { STARTTLS: say("454 4.7.0 no TLS now") } },
      ],
      ["EHLO is unknown and HELO taken", { on: { EHLO: say("502 no"), HELO: say("250 hi") } }],
      ["the certificate is of another name", { offers: ["STARTTLS"], certificate: "other" }],
      ["the certificate has expired", { offers: ["STARTTLS"], certificate: "expired" }],
      ["the certificate is nobody's we know", { offers: ["STARTTLS"], certificate: "untrusted" }],
      [
        "the handshake is garbage",
        { offers: ["STARTTLS"], on: { STARTTLS: (talk) => talk.socket.end("220 go\r\nno TLS") } },
      ],
    ];
    it.each(refusals)("fails when %s, and nothing but the request for it was said", async (_, plan) => {
      const peer = await start(plan);
      const sent = await send(peer, {}, { url: { ...starttls, credentials: "user:pass" }, limitMs: 3_000 });
      expect(kinds(sent)).toEqual(["deferred"]);
      await peer.idle();
      const said = peer.commands.map((line) => line.split(" ")[0]);
      expect(said.filter((verb) => verb !== "EHLO" && verb !== "HELO" && verb !== "STARTTLS")).toEqual([]);
      expect(peer.taken).toEqual([]);
    });

    it("ends within its time when the handshake hangs", async () => {
      const peer = await start({ offers: ["STARTTLS"], on: { STARTTLS: say("220 go ahead") } });
      const sent = await send(peer, {}, { url: starttls, limitMs: HURRIED_MS });
      expect(kinds(sent)).toEqual(["deferred"]);
    });

    it.each(["other", "expired", "untrusted"] as const)(
      "from the first byte fails with a certificate that is %s",
      async (certificate) => {
        const peer = await start({ implicitTls: true, certificate });
        const sent = await send(peer, {}, { url: { scheme: "smtps" }, limitMs: 3_000 });
        expect(kinds(sent)).toEqual(["deferred"]);
        expect(peer.commands).toEqual([]);
      },
    );

    it("uses only the extensions that are offered after encryption began", async () => {
      const inClear = ["STARTTLS", "AUTH PLAIN LOGIN", "DSN", "SIZE 1"];
      const peer = await start({ offers: inClear, offersSecured: ["8BITMIME"] });
      expect(kinds(await send(peer, {}, { url: starttls }))).toEqual(["taken"]);
      expect(peer.commands.join()).not.toContain("RET=");
      const sent = await send(peer, {}, { url: { ...starttls, credentials: "user:pass" } });
      expect(kinds(sent)).toEqual(["deferred"]);
      expect(peer.commands.join()).not.toContain("AUTH");
    });

    it("ignores what was sent in clear after the answer to STARTTLS (injection)", async () => {
      const STARTTLS: Act = (talk) => {
        talk.write("220 go ahead\r\n250-injected\r\n250 AUTH PLAIN\r\n");
        talk.secure();
      };
      const peer = await start({ offers: ["STARTTLS"], offersSecured: [], on: { STARTTLS } });
      const sent = await send(peer, {}, { url: { ...starttls, credentials: "user:pass" }, limitMs: 3_000 });
      // Either the handshake or the login fails; the injected text must never be used.
      expect(kinds(sent)).toEqual(["deferred"]);
      expect(peer.commands.join()).not.toContain("AUTH");
    });
  });

  describe("a setting that does not fit the relay", () => {
    const clear = "?ignoreTLS=true";
    const login = { credentials: "user:pass", query: clear };
    const table: [string, Plan, SendOptions["url"], string][] = [
      [
        "no STARTTLS",
        { on: { STARTTLS: say("500 5.5.1 Command not recognized") } },
        { query: "" },
        "ignoreTLS=true",
      ],
      [
        "no EHLO, so no STARTTLS",
        { on: { EHLO: say("502 no"), HELO: say("250 hi") } },
        { query: "" },
        "smtps://",
      ],
      ["no AUTH", {}, login, "has a user"],
      [
        "another password",
        { offers: ["AUTH PLAIN"], on: { AUTH: say("535 5.7.8 no") } },
        login,
        "the password",
      ],
      ["a login", mail(say("530 5.7.0 Authentication required")), { query: clear }, "smtp://user:password@"],
      [
        "encryption",
        mail(say("530 5.7.0 Must issue STARTTLS first")),
        { query: clear },
        "take ?ignoreTLS=true",
      ],
      [
        "a login at RCPT",
        rcpt(say("530 5.7.0 Authentication required")),
        { query: clear },
        "smtp://user:password@",
      ],
    ];
    it.each(table)("is named where it has or wants %s, and is retried", async (_, plan, url, setting) => {
      const sent = await send(await start(plan), { recipients: ONE }, { url });
      expect(sent.results).toMatchObject([{ result: { kind: "deferred" }, fault: "us" }]);
      expect(sent.results[0]?.diagnostic).toContain("SMTP_URL");
      expect(sent.results[0]?.diagnostic).toContain(setting);
    });
  });

  describe("login", () => {
    const base64 = (text: string): string => Buffer.from(text).toString("base64");
    const offers = ["AUTH PLAIN LOGIN XOAUTH2"];

    it("by PLAIN", async () => {
      const peer = await start({ offers, on: { AUTH: say("235 2.7.0 welcome") } });
      expect(
        kinds(
          await send(
            peer,
            {},
            { url: { credentials: "me%40x.example:p%C3%A4ss", query: "?ignoreTLS=true" } },
          ),
        ),
      ).toEqual(["taken"]);
      expect(peer.commands[1]).toBe(`AUTH PLAIN ${base64("\0me@x.example\0päss")}`);
    });

    it("by LOGIN", async () => {
      const peer = await start({
        offers,
        on: {
          AUTH: say("334 VXNlcm5hbWU6"),
          [base64("me").toUpperCase()]: say("334 UGFzc3dvcmQ6"),
          [base64("pass").toUpperCase()]: say("235 ok"),
        },
      });
      const url = { credentials: "me:pass", query: "?ignoreTLS=true&authMethod=LOGIN" };
      expect(kinds(await send(peer, {}, { url }))).toEqual(["taken"]);
      expect(peer.commands.slice(1, 4)).toEqual(["AUTH LOGIN", base64("me"), base64("pass")]);
    });

    const failures: [string, Plan, number | null][] = [
      ["535", { offers, on: { AUTH: say("535 5.7.8 wrong") } }, 535],
      ["454", { offers, on: { AUTH: say("454 4.7.0 later") } }, 454],
      ["no AUTH on offer", { offers: [] }, null],
      ["an end of the connection", { offers, on: { AUTH: close } }, null],
    ];
    it.each(failures)(
      "answered with %s waits for the operator to mend it: nobody is to blame",
      async (_, plan, code) => {
        const peer = await start(plan);
        const sent = await send(peer, {}, { url: { credentials: "me:pass", query: "?ignoreTLS=true" } });
        expect(sent.results).toMatchObject([{ result: { kind: "deferred" }, code, fault: "us" }]);
        expect(peer.commands.join()).not.toContain("MAIL");
      },
    );

    it("does not show the password in a diagnostic", async () => {
      const AUTH: Act = (talk, line) => talk.write(`535 5.7.8 wrong: ${line}\r\n`);
      const peer = await start({ offers, on: { AUTH } });
      const sent = await send(peer, {}, { url: { credentials: "me:hunter2", query: "?ignoreTLS=true" } });
      const told = JSON.stringify(sent);
      expect(told).not.toContain(base64("\0me\0hunter2"));
      expect(told).not.toContain("hunter2");
    });
  });
}
