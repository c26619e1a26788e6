import { isIP } from "node:net";
import { isLoopbackHost, isSmtpReachable } from "../../exposure.ts";
import { fine, quoted, wrong, type Finding } from "../finding.ts";
import { reach, reasonOf, Unreachable } from "../ports/http.ts";
import { offerOf, replyText, SessionEnded, SmtpTalk } from "../ports/smtp.ts";
import type { World } from "../ports/world.ts";
import { isName } from "../records.ts";
import { setCommand } from "../setting-command.ts";
import { shellWord } from "../shell-word.ts";
import { certificateFinding, issueCommand } from "./certificate.ts";
import type { Check, Machine } from "./check.ts";

const MAX_HOSTS = 4;
const SMTP_PORT = 25;
/** Names that RFC 2606 reserves, so that nobody can be the sender or the recipient of the test. */
const FOREIGN_SENDER = "doctor@example.net";
const FOREIGN_RECIPIENT = "doctor@example.com";
/**
 * An address that does not exist. It is not postmaster, because RCPT TO for postmaster creates its mailbox. The right answer is
 * that the address is unknown (5.1.1); that relaying is denied (5.7.1) is a fault.
 */
const OWN_NAME = "mailkeep-doctor";
const FOREIGN_DOMAIN = /\b5\.7\.\d|relay|not local/i;

/** Asks the hosts of the MX records on port 25. */
export const inboundCheck: Check<Machine> = {
  topic: "inbound",
  async run(machine, world, signal) {
    const domain = machine.settings.worker.MAIL_DOMAIN;
    const records = await world.dns.look("MX", domain);
    const hosts = [...new Set(records.map(({ exchange }) => exchange))].filter(
      (host) => isName(host) && isIP(host) === 0,
    );
    const found = await Promise.all(
      hosts.slice(0, MAX_HOSTS).map((host) => visit(machine, world, { host, signal })),
    );
    return [...found.flat(), ...uncheckedSenders(machine)];
  },
};

/** A finding where strangers hand mail over and nobody checks who they are. */
function uncheckedSenders({ settings, envFile }: Machine): Finding[] {
  if (settings.senderChecks !== false || !isSmtpReachable(settings)) return [];
  const words = "SENDER_CHECKS is off, and others than this machine reach the SMTP listener";
  return [wrong("inbound.unchecked", words, setCommand(envFile, "SENDER_CHECKS", "on"))];
}

/** One SMTP session. */
interface Visit {
  host: string;
  signal: AbortSignal;
}

async function visit(machine: Machine, world: World, { host, signal }: Visit): Promise<Finding[]> {
  if ((await world.addresses(host)).length === 0) return [];
  let talk: SmtpTalk | null = null;
  try {
    talk = new SmtpTalk(await reach(world, { host, port: SMTP_PORT }, signal), signal);
    return await converse(machine, world, { host, talk });
  } catch (error) {
    if (error instanceof Unreachable) {
      return [
        wrong(
          "inbound.closed",
          `Nothing answers on port 25 of ${host}: ${error.message}`,
          openCommand(machine),
        ),
      ];
    }
    if (!(error instanceof SessionEnded)) throw error;
    return [
      wrong("inbound.refused", `${host} begins no session on port 25: ${error.message}`, tryCommand(host)),
    ];
  } finally {
    talk?.close();
  }
}

/** The command that most likely opens port 25. */
function openCommand({ settings, envFile }: Machine): string {
  if (settings.smtpPort !== SMTP_PORT) return setCommand(envFile, "SMTP_PORT", String(SMTP_PORT));
  if (isLoopbackHost(settings.smtpHost)) return setCommand(envFile, "SMTP_HOST", "0.0.0.0");
  return "ufw allow 25/tcp";
}

const tryCommand = (host: string): string =>
  `openssl s_client -starttls smtp -connect ${shellWord(`${host}:25`)}`;

async function converse(
  machine: Machine,
  world: World,
  { host, talk }: { host: string; talk: SmtpTalk },
): Promise<Finding[]> {
  const domain = machine.settings.worker.MAIL_DOMAIN;
  const greeting = await talk.reply();
  const hello = greeting.code === 220 ? await talk.say(`EHLO ${domain}`) : greeting;
  if (hello.code !== 250) {
    const words = `${host} begins no session on port 25: ${quoted(replyText(hello))}`;
    return [wrong("inbound.refused", words, tryCommand(host))];
  }
  const secured = await encryption(machine, world, {
    host,
    talk,
    isOffered: offerOf(hello, "STARTTLS") !== null,
  });
  // Without a session, nothing more can be checked.
  if (secured.some(({ id }) => id === "inbound.tls-failed")) return secured;
  const recipients = await askRecipients(machine, { host, talk });
  const found = [...secured, ...recipients];
  return found.length > 0
    ? found
    : [fine("inbound", `${host} takes mail for ${domain} on port 25, encrypted`)];
}

async function encryption(
  machine: Machine,
  world: World,
  { host, talk, isOffered }: { host: string; talk: SmtpTalk; isOffered: boolean },
): Promise<Finding[]> {
  if (!isOffered) {
    const command = issueCommand(host, machine.settings);
    const { envFile } = machine;
    const fix =
      machine.settings.tls === null
        ? `${command} && ${setCommand(envFile, "SMTP_TLS_CERT", `/etc/letsencrypt/live/${host}/fullchain.pem`)} && ${setCommand(envFile, "SMTP_TLS_KEY", `/etc/letsencrypt/live/${host}/privkey.pem`)}`
        : tryCommand(host);
    return [wrong("inbound.no-tls", `${host} does not offer STARTTLS`, fix)];
  }
  try {
    const { code, lines } = await talk.say("STARTTLS");
    if (code !== 220) throw new Error(replyText({ code, lines }));
    const { fault, endsAt } = await talk.secure(host, world.authorities);
    await talk.say(`EHLO ${machine.settings.worker.MAIL_DOMAIN}`);
    const finding = certificateFinding(
      "inbound",
      { host, settings: machine.settings, fault, endsAt },
      world.now(),
    );
    return finding === null ? [] : [finding];
  } catch (error) {
    return [
      wrong("inbound.tls-failed", `STARTTLS at ${host} fails: ${quoted(reasonOf(error))}`, tryCommand(host)),
    ];
  }
}

/** Asks by RCPT TO which recipients the host accepts; no message is sent. */
async function askRecipients(
  machine: Machine,
  { host, talk }: { host: string; talk: SmtpTalk },
): Promise<Finding[]> {
  const own = `${OWN_NAME}@${machine.settings.worker.MAIL_DOMAIN}`;
  await talk.say(`MAIL FROM:<${FOREIGN_SENDER}>`);
  const taken = await talk.say(`RCPT TO:<${own}>`);
  const foreign = await talk.say(`RCPT TO:<${FOREIGN_RECIPIENT}>`);
  await talk.say("RSET");
  const findings: Finding[] = [];
  if (taken.code >= 500 && FOREIGN_DOMAIN.test(replyText(taken))) {
    const command = `swaks --server ${shellWord(host)} --to ${shellWord(own)} --quit-after RCPT`;
    findings.push(
      wrong("inbound.recipient", `${host} refuses mail for ${own}: ${quoted(replyText(taken))}`, command),
    );
  }
  if (foreign.code >= 200 && foreign.code < 300) {
    const command =
      "postconf -e smtpd_relay_restrictions=permit_mynetworks,permit_sasl_authenticated,reject_unauth_destination";
    findings.push(
      wrong("inbound.open-relay", `${host} takes mail for ${FOREIGN_RECIPIENT} from strangers`, command),
    );
  }
  return findings;
}
