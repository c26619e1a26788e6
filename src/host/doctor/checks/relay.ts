import { type SmtpSettings } from "../../../outbound/smtp-settings.ts";
import { fine, quoted, wrong, type Finding } from "../finding.ts";
import { reach, reasonOf, Unreachable } from "../ports/http.ts";
import { offerOf, replyText, SessionEnded, SmtpTalk, type Reply } from "../ports/smtp.ts";
import type { World } from "../ports/world.ts";
import { setCommand } from "../setting-command.ts";
import { shellWord } from "../shell-word.ts";
import type { Check, Machine } from "./check.ts";
import { CERTIFICATE_WORDS } from "./mta-sts.ts";
import { relayOf } from "./spf.ts";

/** A placeholder, because a command with the password would be stored in the history of the shell. */
const CREDENTIALS = "<user>:<password>";

/** Connects to the relay, begins TLS, and logs in. No message is sent. */
export const relayCheck: Check<Machine> = {
  topic: "relay",
  async run(machine, world, signal) {
    const relay = relayOf(machine);
    if (relay === null) return [];
    if ((await world.addresses(relay.host)).length === 0) {
      const words = `${relay.host}, the host of SMTP_URL, has no address`;
      return [wrong("relay.unknown-host", words, urlCommand(machine, { ...relay, host: "<relay>" }))];
    }
    let talk: SmtpTalk | null = null;
    try {
      talk = new SmtpTalk(await reach(world, relay, signal), signal);
      return [await converse(machine, world, { relay, talk })];
    } catch (error) {
      if (error instanceof Unreachable) {
        const words = `The relay ${relay.host} cannot be reached: ${error.message}`;
        return [
          wrong(
            "relay.unreachable",
            words,
            urlCommand(machine, { ...relay, port: 587, security: "starttls" }),
          ),
        ];
      }
      if (!(error instanceof SessionEnded)) throw error;
      return [
        wrong(
          "relay.refused",
          `The relay ${relay.host} begins no session: ${error.message}`,
          tryCommand(relay),
        ),
      ];
    } finally {
      talk?.close();
    }
  },
};

/** The command that sets SMTP_URL to another host, port or kind of encryption. The credentials are placeholders. */
function urlCommand({ envFile }: Machine, relay: SmtpSettings, query = ""): string {
  const scheme = relay.security === "tls" ? "smtps" : "smtp";
  const user = relay.auth === null ? "" : `${CREDENTIALS}@`;
  const host = relay.host.includes(":") ? `[${relay.host}]` : relay.host;
  return setCommand(envFile, "SMTP_URL", `${scheme}://${user}${host}:${relay.port}${query}`);
}

function tryCommand({ host, port, security }: SmtpSettings): string {
  const starttls = security === "tls" ? "" : "-starttls smtp ";
  return `openssl s_client ${starttls}-connect ${shellWord(`${host}:${port}`)}`;
}

/** An SMTP session with the relay. */
interface Session {
  relay: SmtpSettings;
  talk: SmtpTalk;
}

async function converse(machine: Machine, world: World, { relay, talk }: Session): Promise<Finding> {
  const name = relay.name ?? machine.settings.worker.MAIL_DOMAIN;
  if (relay.security === "tls") {
    const fault = await certificateOf(world, { relay, talk });
    if (fault !== null) return fault;
  }
  const greeting = await talk.reply();
  let hello = greeting.code === 220 ? await talk.say(`EHLO ${name}`) : greeting;
  if (hello.code !== 250) {
    const words = `The relay ${relay.host} begins no session: ${quoted(replyText(hello))}`;
    return wrong("relay.refused", words, tryCommand(relay));
  }
  if (relay.security === "starttls") {
    if (offerOf(hello, "STARTTLS") === null) {
      const fix = urlCommand(machine, { ...relay, port: 465, security: "tls" });
      return wrong("relay.no-tls", `The relay ${relay.host} does not offer STARTTLS`, fix);
    }
    const begun = await talk.say("STARTTLS");
    if (begun.code !== 220)
      return wrong(
        "relay.refused",
        `The relay refuses STARTTLS: ${quoted(replyText(begun))}`,
        tryCommand(relay),
      );
    const fault = await certificateOf(world, { relay, talk });
    if (fault !== null) return fault;
    hello = await talk.say(`EHLO ${name}`);
  }
  return logIn(machine, { relay, talk }, hello);
}

async function certificateOf({ authorities }: World, { relay, talk }: Session): Promise<Finding | null> {
  let words: string;
  try {
    const { fault } = await talk.secure(relay.host, authorities);
    if (fault === null) return null;
    words = CERTIFICATE_WORDS[fault];
  } catch (error) {
    words = `no encrypted session comes about (${reasonOf(error)})`;
  }
  return wrong(
    "relay.certificate",
    `The relay ${relay.host} is not to be trusted: ${words}`,
    tryCommand(relay),
  );
}

const base64 = (text: string): string => Buffer.from(text, "utf8").toString("base64");

async function logIn(machine: Machine, { relay, talk }: Session, hello: Reply): Promise<Finding> {
  const { auth, host } = relay;
  if (auth === null) return fine("relay", `The relay ${host} answers; it wants no login`);
  const offered = offerOf(hello, "AUTH") ?? [];
  const method = methodOf(auth, offered);
  if (method === undefined || !offered.includes(method)) {
    const offers = offered.length === 0 ? "no login" : `the logins ${quoted(offered.join(", "))}`;
    const words = `The relay ${host} offers ${offers}, and SMTP_URL has ${method ?? "a password"}`;
    const other = offered.includes("LOGIN") ? "LOGIN" : "PLAIN";
    return wrong("relay.no-login", words, urlCommand(machine, relay, `/?authMethod=${other}`));
  }
  return judgeLogin(machine, relay, await exchange(talk, auth, method));
}

type Auth = NonNullable<SmtpSettings["auth"]>;

/** The SASL mechanism: the one that SMTP_URL names, else one that the relay offers. */
function methodOf(auth: Auth, offered: readonly string[]): string | undefined {
  if (auth.kind === "xoauth2") return "XOAUTH2";
  return auth.method ?? ["PLAIN", "LOGIN"].find((one) => offered.includes(one));
}

function judgeLogin(machine: Machine, relay: SmtpSettings, reply: Reply | null): Finding {
  const { host } = relay;
  if (reply === null) {
    return fine("relay", `The relay ${host} answers; the login by a renewed token was not tried`);
  }
  if (reply.code === 235) return fine("relay", `The relay ${host} answers, and takes the login`);
  const words = quoted(replyText(reply));
  if (reply.code < 500) throw new Error(`The relay ${host} puts the login off: ${words}`);
  return wrong("relay.login", `The relay ${host} refuses the login: ${words}`, urlCommand(machine, relay));
}

/** Logs in and resolves to the reply; null if the token must be renewed first, which the doctor does not do. */
async function exchange(talk: SmtpTalk, auth: Auth, method: string): Promise<Reply | null> {
  if (auth.kind === "xoauth2") {
    if (auth.accessToken === null) return null;
    const token = base64(`user=${auth.user}\u0001auth=Bearer ${auth.accessToken}\u0001\u0001`);
    const reply = await talk.say(`AUTH XOAUTH2 ${token}`);
    // The error is in a challenge, which an empty line answers.
    return reply.code === 334 ? talk.say("") : reply;
  }
  if (method === "PLAIN") return talk.say(`AUTH PLAIN ${base64(`\u0000${auth.user}\u0000${auth.password}`)}`);
  const asked = await talk.say("AUTH LOGIN");
  if (asked.code !== 334) return asked;
  const named = await talk.say(base64(auth.user));
  return named.code === 334 ? talk.say(base64(auth.password)) : named;
}

/** Whether this machine can connect to the host and port of `--outward`. */
export const outwardCheck: Check<Machine> = {
  topic: "outward",
  async run({ outward }, world, signal) {
    if (outward === null) return [];
    const place = `${outward.host}:${outward.port}`;
    try {
      (await reach(world, outward, signal)).destroy();
      return [fine("outward", `This machine reaches ${place}`)];
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      const fix = `nc -vz ${shellWord(outward.host)} ${outward.port}`;
      return [wrong("outward.closed", `This machine does not reach ${place}: ${error.message}`, fix)];
    }
  },
};
