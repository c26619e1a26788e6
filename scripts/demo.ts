// Creates a mailbox on the running server, sends it a mail and reads the code in it: `npm run demo`.
import { createTransport } from "nodemailer";
import { Mailkeep, MailkeepError } from "../src/client/index.ts";
import { bracketed } from "../src/host/banner.ts";
import { Refusal } from "../src/host/refusal.ts";
import { readSettings } from "../src/host/settings.ts";

/** How long the demo waits for the code. */
const CODE_WAIT_MS = 30_000;

/** Where the server is: by the variables that `npm start` reads, or by MAILKEEP_URL. */
function placeOf(env: NodeJS.ProcessEnv): { base: URL; smtpHost: string; smtpPort: number } {
  const { HOST, PORT, SMTP_HOST, SMTP_PORT, MAILKEEP_URL } = env;
  const { host, port, smtpPort } = readSettings({ HOST, PORT, SMTP_HOST, SMTP_PORT });
  const address = MAILKEEP_URL || `http://${bracketed(host)}:${port}`;
  const base = URL.parse(address);
  if (base === null) throw new Refusal(`"${address}" is no URL: set MAILKEEP_URL, or HOST and PORT`);
  return { base, smtpHost: unbracketed(bracketed(SMTP_HOST || base.hostname)), smtpPort };
}

/** An IPv6 address as a socket takes it. */
function unbracketed(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}

async function demo(): Promise<void> {
  const startedMs = performance.now();
  const { base, smtpHost, smtpPort } = placeOf(process.env);
  const code = String(Math.floor(100_000 + Math.random() * 900_000));

  const mail = await step("Create a mailbox", () => Mailkeep.bootstrap({ url: base.href, retries: 0 }));
  const mailbox = mail.address ?? "";
  show(mailbox);

  // Asked before the mail is sent: the answer comes as soon as the mail is stored.
  const waiting = mail.codes.wait({ timeoutMs: CODE_WAIT_MS });
  // Awaited below; until then a failure must not end the process.
  waiting.catch(() => {});
  const sentMs = performance.now();
  await step("Send a mail to it over SMTP", () => send({ smtpHost, smtpPort, mailbox, code }));
  const found = await waiting;
  line("Read the code, counted from the send", performance.now() - sentMs);
  if (found?.code !== code) throw new Refusal(`expected the code ${code}, got ${found?.code ?? "none"}`);
  show(`${code}, from ${found.from}: ${found.subject}`);
  line("Total", performance.now() - startedMs);
}

interface DemoMail {
  smtpHost: string;
  smtpPort: number;
  mailbox: string;
  code: string;
}

async function send({ smtpHost, smtpPort, mailbox, code }: DemoMail): Promise<void> {
  const transport = createTransport({ host: smtpHost, port: smtpPort, ignoreTLS: true });
  try {
    await transport.sendMail({
      from: "Example Shop <login@shop.example>",
      to: mailbox,
      subject: "Your verification code",
      text: `Hello,\n\nyour verification code is ${code}. It is valid for 10 minutes.\n`,
    });
  } catch (error) {
    throw new Refusal(`SMTP on ${smtpHost}:${smtpPort} did not accept the mail: ${messageOf(error)}`);
  } finally {
    transport.close();
  }
}

async function step<T>(name: string, task: () => Promise<T>): Promise<T> {
  const startedMs = performance.now();
  const result = await task();
  line(name, performance.now() - startedMs);
  return result;
}

const line = (name: string, ms: number): void =>
  console.log(`${name.padEnd(38)}${ms.toFixed(0).padStart(6)} ms`);
const show = (text: string): void => console.log(`  ${text}`);
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Says in one line why the demo failed; null for an error of the demo itself. */
function reasonOf(error: unknown): string | null {
  if (error instanceof Refusal) return error.message;
  if (!(error instanceof MailkeepError)) return null;
  if (error.code !== "unreachable") return [error.message, error.fix].filter(Boolean).join(". ");
  const { base } = placeOf(process.env);
  return `no server answers at ${base.origin}: start it with "npm start", or set MAILKEEP_URL`;
}

try {
  await demo();
} catch (error) {
  const reason = reasonOf(error);
  if (reason === null) throw error;
  console.error(`Demo failed: ${reason}`);
  process.exit(1);
}
