import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { say, SmtpPeer } from "../transport/smtp-peer.ts";
import type { Plan } from "../transport/smtp-peer.ts";
import type { MailboxKey } from "./client.ts";
import { copies, send } from "./outgoing.ts";
import { Server } from "./server.ts";

const AUTHORITY = path.resolve(import.meta.dirname, "../transport/certificates/authority.pem");
const USER = "agents@relay.example";
const PASSWORD = "p:ä s/s";
const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** A relay that accepts mail only after a login over TLS. */
const GUARDED: Plan = {
  offers: ["STARTTLS"],
  offersSecured: ["AUTH PLAIN LOGIN"],
  certificate: "localhost",
  on: {
    AUTH: (talk, line) => {
      const [, method, response] = line.split(" ");
      if (method === "LOGIN") return talk.write("334 VXNlcm5hbWU6\r\n");
      const isRight = response === base64(`\0${USER}\0${PASSWORD}`);
      talk.write(isRight ? "235 2.7.0 welcome\r\n" : "535 5.7.8 wrong\r\n");
    },
    [base64(USER).toUpperCase()]: say("334 UGFzc3dvcmQ6"),
    [base64(PASSWORD).toUpperCase()]: say("235 2.7.0 welcome"),
  },
};

/** Texts that must never be sent in clear. */
const SECRETS = ["AUTH", "MAIL", "Hello.", base64(USER), base64(PASSWORD), base64(`\0${USER}\0${PASSWORD}`)];

interface Deployment {
  relay: SmtpPeer;
  server: Server;
  box: MailboxKey;
}

async function deploy(url: Parameters<SmtpPeer["url"]>[0]): Promise<Deployment> {
  const relay = await SmtpPeer.start();
  const credentials = `${encodeURIComponent(USER)}:${encodeURIComponent(PASSWORD)}`;
  const env = { SMTP_URL: relay.url({ credentials, query: "", ...url }), NODE_EXTRA_CA_CERTS: AUTHORITY };
  const server = await Server.start({ env });
  return { relay, server, box: await server.service.createMailbox() };
}

/** Sends one message to a relay with this plan; answers what the relay has received. */
async function sendTo({ relay, server, box }: Deployment, plan: Plan) {
  Object.assign(relay.plan, GUARDED, plan);
  relay.commands = [];
  relay.clear = [];
  const { body } = await send(server.service, box, { to: "x@elsewhere.example" }, { wait: 30 });
  const { delivery } = await server.service.email(box.api_key, body.id);
  // An open session would be reused for the next message.
  await relay.idle();
  return {
    delivery,
    commands: relay.commands,
    clear: Buffer.concat(relay.clear).toString("latin1"),
    copies: copies(relay, body.message_id).length,
  };
}

function expectNothingInClear(clear: string): void {
  expect(SECRETS.filter((secret) => clear.includes(secret))).toEqual([]);
}

describe.each([
  ["PLAIN", "", [`AUTH PLAIN ${base64(`\0${USER}\0${PASSWORD}`)}`]],
  ["LOGIN", "?authMethod=LOGIN", ["AUTH LOGIN", base64(USER), base64(PASSWORD)]],
])("a relay that demands STARTTLS and AUTH, by %s", (_, query, login) => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await deploy({ query });
  }, 120_000);
  afterAll(async () => {
    await deployment.server.stop();
    deployment.relay.stop();
  });

  it("gets both, and nothing in clear except the STARTTLS command", async () => {
    const { delivery, commands, clear, copies: taken } = await sendTo(deployment, {});
    expect(delivery).toMatchObject([{ status: "sent" }]);
    expect(taken).toBe(1);
    expect(commands.slice(2, 3 + login.length)).toEqual(["EHLO mailkeep.test", ...login]);
    expect(clear).toMatch(/^EHLO mailkeep\.test\r\nSTARTTLS\r\n/);
    expectNothingInClear(clear);
  });

  it.each<[string, Plan]>([
    ["shows a certificate of another name", { certificate: "other" }],
    ["shows one that has expired", { certificate: "expired" }],
    ["shows one of nobody we know", { certificate: "untrusted" }],
    ["has no STARTTLS", { offers: ["AUTH PLAIN LOGIN"], on: { ...GUARDED.on, STARTTLS: say("502 no") } }],
  ])("is told nothing when it %s, and the message waits", async (_case, plan) => {
    const { delivery, commands, clear, copies: taken } = await sendTo(deployment, plan);
    expect(delivery).toMatchObject([
      {
        status: "queued",
        next_attempt_at: expect.any(String) as string,
        diagnostic: expect.any(String) as string,
      },
    ]);
    expect(taken).toBe(0);
    expect(commands.filter((line) => !/^(?:EHLO|HELO|STARTTLS|QUIT)\b/.test(line))).toEqual([]);
    expectNothingInClear(clear);
  });

  it("defers the message if it refuses the login, and the password is shown nowhere", async () => {
    const echo: Plan = { on: { AUTH: (talk, line) => talk.write(`535 5.7.8 wrong: ${line}\r\n`) } };
    const { delivery, commands } = await sendTo(deployment, echo);
    expect(delivery).toMatchObject([{ status: "queued", next_attempt_at: expect.any(String) as string }]);
    expect(commands.join()).not.toContain("MAIL");
    const shown = JSON.stringify(delivery) + deployment.server.process.stderr;
    expect(
      [PASSWORD, base64(PASSWORD), base64(`\0${USER}\0${PASSWORD}`)].filter((one) => shown.includes(one)),
    ).toEqual([]);
  });
});

describe("a relay that is encrypted from the first byte", () => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await deploy({ scheme: "smtps" });
    Object.assign(deployment.relay.plan, { implicitTls: true, offers: ["AUTH PLAIN LOGIN"] });
  }, 120_000);
  afterAll(async () => {
    await deployment.server.stop();
    deployment.relay.stop();
  });
  const implicit: Plan = { implicitTls: true, offers: ["AUTH PLAIN LOGIN"] };

  it("gets no command in clear", async () => {
    const { delivery, clear, copies: taken } = await sendTo(deployment, implicit);
    expect(delivery).toMatchObject([{ status: "sent" }]);
    expect([taken, clear]).toEqual([1, ""]);
  });

  it("gets no command at all with a certificate for another name", async () => {
    const { delivery, commands } = await sendTo(deployment, { ...implicit, certificate: "other" });
    expect(delivery).toMatchObject([{ status: "queued", next_attempt_at: expect.any(String) as string }]);
    expect(commands).toEqual([]);
  });
});
