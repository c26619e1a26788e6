// A mailbox, a mail, its code, against the running server: `npm run demo`.
import { createTransport } from "nodemailer";
import { bracketed } from "../src/host/banner.ts";
import { Refusal } from "../src/host/refusal.ts";

// By the variables that `npm start` reads, so that both meet where the same ones are set.
const HTTP_PORT = process.env.PORT || "8787";
const BASE = process.env.MAILKEEP_URL || `http://${bracketed(process.env.HOST || "127.0.0.1")}:${HTTP_PORT}`;
const SMTP_PORT = Number(process.env.SMTP_PORT || 2525);
const SMTP_HOST = unbracketed(bracketed(process.env.SMTP_HOST || baseUrl().hostname));
/** The server's long-poll ends by itself before this. */
const CODE_WAIT_SECONDS = 30;

function baseUrl(): URL {
  const url = URL.parse(BASE);
  if (url !== null) return url;
  console.error(`Demo failed: "${BASE}" is no address of a server: set MAILKEEP_URL, or HOST and PORT`);
  process.exit(1);
}

/** An IPv6 address as a socket takes it. */
function unbracketed(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}

async function demo(): Promise<void> {
  const startedMs = performance.now();
  const code = String(Math.floor(100_000 + Math.random() * 900_000));

  const box = await step("A mailbox without a human", () => call("/v1/bootstrap", { method: "POST" }));
  const mailbox = field(box, "mailbox");
  const key = field(box, "api_key");
  show(`${mailbox}`);

  // Asked before the mail is sent: the answer comes the moment the mail is stored.
  const waiting = call(`/v1/code?timeout=${CODE_WAIT_SECONDS}`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  // Heard below; until then a failure must not end the process by itself.
  waiting.catch(() => {});
  const sentMs = performance.now();
  await step("A mail to it over SMTP", () => send(mailbox, code));
  const found = await waiting;
  line("The code, counted from the sending", performance.now() - sentMs);
  if (field(found, "code") !== code)
    throw new Refusal(`expected the code ${code}, got ${field(found, "code")}`);
  show(`${code}, from ${field(found, "from")}: ${field(found, "subject")}`);
  line("All together", performance.now() - startedMs);
}

async function send(mailbox: string, code: string): Promise<void> {
  const transport = createTransport({ host: SMTP_HOST, port: SMTP_PORT, ignoreTLS: true });
  try {
    await transport.sendMail({
      from: "Example Shop <login@shop.example>",
      to: mailbox,
      subject: "Your verification code",
      text: `Hello,\n\nyour verification code is ${code}. It is valid for 10 minutes.\n`,
    });
  } catch (error) {
    throw new Refusal(`the mail was not taken on ${SMTP_HOST}:${SMTP_PORT}: ${messageOf(error)}`);
  } finally {
    transport.close();
  }
}

async function call(path: string, init: RequestInit): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(new URL(path, BASE), init);
  } catch {
    // fetch tells a refused connection only as "fetch failed".
    throw new Refusal(`no server answers at ${BASE}: start it with "npm start", or set MAILKEEP_URL`);
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

/** A string of a JSON answer; what is not there fails the demo. */
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
