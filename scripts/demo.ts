// Creates a mailbox on the running server, sends it a mail and reads the code in it: `npm run demo`.
import { createTransport } from "nodemailer";
import { bracketed } from "../src/host/banner.ts";
import { Refusal } from "../src/host/refusal.ts";
import { readSettings } from "../src/host/settings.ts";

/** Seconds that the demo waits for the code. */
const CODE_WAIT_SECONDS = 30;

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
  const call = (path: string, init: RequestInit) => callAt(base, path, init);
  const code = String(Math.floor(100_000 + Math.random() * 900_000));

  const box = await step("Create a mailbox", () => call("/v1/bootstrap", { method: "POST" }));
  const mailbox = field(box, "mailbox");
  const key = field(box, "api_key");
  show(`${mailbox}`);

  // Asked before the mail is sent: the answer comes as soon as the mail is stored.
  const waiting = call(`/v1/code?timeout=${CODE_WAIT_SECONDS}`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  // Awaited below; until then a failure must not end the process.
  waiting.catch(() => {});
  const sentMs = performance.now();
  await step("Send a mail to it over SMTP", () => send({ smtpHost, smtpPort, mailbox, code }));
  const found = await waiting;
  line("Read the code, counted from the send", performance.now() - sentMs);
  if (field(found, "code") !== code)
    throw new Refusal(`expected the code ${code}, got ${field(found, "code")}`);
  show(`${code}, from ${field(found, "from")}: ${field(found, "subject")}`);
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

async function callAt(base: URL, path: string, init: RequestInit): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(new URL(path, base), init);
  } catch {
    // fetch reports a refused connection only as "fetch failed".
    throw new Refusal(`no server answers at ${base.origin}: start it with "npm start", or set MAILKEEP_URL`);
  }
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) throw new Refusal(`${path} answered ${response.status}: ${JSON.stringify(body)}`);
  return body;
}

async function step<T>(name: string, task: () => Promise<T>): Promise<T> {
  const startedMs = performance.now();
  const result = await task();
  line(name, performance.now() - startedMs);
  return result;
}

/** A string of a JSON answer. Throws a Refusal if it is missing. */
function field(body: unknown, name: string): string {
  const value: unknown = typeof body === "object" && body !== null ? Reflect.get(body, name) : undefined;
  if (typeof value !== "string") throw new Refusal(`the answer has no "${name}": ${JSON.stringify(body)}`);
  return value;
}

const line = (name: string, ms: number): void =>
  console.log(`${name.padEnd(38)}${ms.toFixed(0).padStart(6)} ms`);
const show = (text: string): void => console.log(`  ${text}`);
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

try {
  await demo();
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(`Demo failed: ${error.message}`);
  process.exit(1);
}
