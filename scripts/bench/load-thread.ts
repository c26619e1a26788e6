import { parentPort } from "node:worker_threads";
import { HttpConnection } from "./http-connection.ts";
import type { HttpAnswer } from "./http-connection.ts";
import type { Bounds, Job, LoadReply, Mailing, Outcome } from "./load.ts";
import { composeMail } from "./mail.ts";
import { SmtpConnection } from "./smtp-connection.ts";

const SENDER = "bench@sender.example";
/** Time for a long-poll to reach its mailbox, in ms. */
const POLL_SETTLE_MS = 12;

const pools = new Map<number, HttpConnection[]>();

/** One operation over connection number `lane`; returns the bytes of its answer. */
type Operation = (lane: number, index: number) => Promise<number>;

async function runJob(job: Job): Promise<Outcome> {
  switch (job.kind) {
    case "get":
      return get(job);
    case "post":
      return post(job);
    case "smtp":
      return smtp(job);
    case "mcp":
      return callTools(job);
    case "send":
      return send(job);
    case "code":
      return waitForCodes(job);
  }
}

async function get(job: Extract<Job, { kind: "get" }>): Promise<Outcome> {
  const pool = await connections(job.port, job.connections);
  const heads = job.targets.map(({ path, key }) => headOf("GET", path, { port: job.port, key }));
  return drive(job, async (lane, index) => {
    const answer = await at(pool, lane).request(at(heads, index % heads.length));
    return expect(answer, 200).bodyBytes;
  });
}

async function post(job: Extract<Job, { kind: "post" }>): Promise<Outcome> {
  const pool = await connections(job.port, job.connections);
  return drive(job, async (lane, index) => {
    const { path, message } = mailOf(job.mailing, index);
    const head = headOf("POST", path, { port: job.port, key: job.key, bytes: message.length });
    const answer = await at(pool, lane).request(head, message);
    return expect(answer, path.startsWith("/v1/") ? 202 : 200).bodyBytes;
  });
}

/** The first revision without sessions: each message says who sends it. */
const STATELESS = "2026-07-28";

async function callTools(job: Extract<Job, { kind: "mcp" }>): Promise<Outcome> {
  const { port, key, revision } = job;
  const pool = await connections(port, job.connections);
  const isStateless = revision === STATELESS;
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const messages = job.calls.map((call) => {
    const params = isStateless ? { ...call, _meta } : call;
    const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));
    const own = isStateless ? `Mcp-Method: tools/call\r\nMcp-Name: ${call.name}\r\n` : "";
    const head = headOf("POST", "/mcp", { port, key, bytes: body.length })
      .replace("message/rfc822", "application/json")
      .replace(
        /\r\n$/,
        `Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: ${revision}\r\n${own}\r\n`,
      );
    return { head, body };
  });
  return drive(job, async (lane, index) => {
    const { head, body } = at(messages, index % messages.length);
    return expect(await at(pool, lane).request(head, body), 200).bodyBytes;
  });
}

async function send(job: Extract<Job, { kind: "send" }>): Promise<Outcome> {
  const pool = await connections(job.port, job.connections);
  const body = Buffer.from(
    JSON.stringify({
      to: "reader@elsewhere.example",
      subject: "Bench",
      text: "A line of text.\n".repeat(64),
    }),
  );
  const head = headOf("POST", "/v1/send", { port: job.port, key: job.key, bytes: body.length }).replace(
    "message/rfc822",
    "application/json",
  );
  return drive(job, async (lane) => expect(await at(pool, lane).request(head, body), 200).bodyBytes);
}

async function smtp(job: Extract<Job, { kind: "smtp" }>): Promise<Outcome> {
  const sessions = await Promise.all(
    Array.from({ length: job.connections }, (_, lane) => SmtpConnection.open(job.port, lane)),
  );
  try {
    return await drive(job, async (lane, index) => {
      const { address, message } = mailOf(job.mailing, index);
      await at(sessions, lane).send(SENDER, address, message);
      return 0;
    });
  } finally {
    for (const session of sessions) session.close();
  }
}

/** One client waits, then the mail comes. Measures the time from the receipt's answer to the waiting client's. */
async function waitForCodes(job: Extract<Job, { kind: "code" }>): Promise<Outcome> {
  const [waiter, sender] = await connections(job.port, 2);
  if (waiter === undefined || sender === undefined) throw new Error("no connections");
  const latencies: number[] = [];
  const startedMs = performance.now();
  for (let index = 0; index < job.count; index += 1) {
    const code = String(100_000 + ((index * 7_919 + Date.now()) % 900_000));
    const since = encodeURIComponent(new Date().toISOString());
    const poll = headOf("GET", `/v1/code?timeout=20&since=${since}`, { port: job.port, key: job.key });
    const heard = waiter.request(poll).then((answer) => ({ answer, atMs: performance.now() }));
    // Awaited below; until then a rejection must not end the thread.
    heard.catch(() => {});
    await sender.open();
    await new Promise((resolve) => void setTimeout(resolve, POLL_SETTLE_MS));
    const serial = `${job.run}-${index}`;
    const message = Buffer.from(composeMail({ to: job.address, serial, sizeBytes: 2_048, code }), "latin1");
    const path = inboundPath(job.address);
    const head = headOf("POST", path, { port: job.port, key: job.operatorKey, bytes: message.length });
    expect(await sender.request(head, message), 202);
    const storedMs = performance.now();
    const { answer, atMs } = await heard;
    const text = expect(answer, 200).body.toString();
    if (!text.includes(code)) throw new Error(`expected the code ${code}: ${text}`);
    latencies.push(atMs - storedMs);
  }
  return outcomeOf(latencies, performance.now() - startedMs, 0);
}

const inboundPath = (address: string): string =>
  `/v1/inbound?from=${encodeURIComponent(SENDER)}&to=${encodeURIComponent(address)}`;

async function drive(bounds: Bounds, operation: Operation): Promise<Outcome> {
  const { pauseMs = 0 } = bounds;
  const latencies: number[] = [];
  let answerBytes = 0;
  let next = 0;
  const startedMs = performance.now();
  const endMs = startedMs + bounds.durationMs;
  const lane = async (number: number): Promise<void> => {
    while (next < bounds.maxCount) {
      const index = next;
      next += 1;
      if (pauseMs > 0) await new Promise((resolve) => void setTimeout(resolve, pauseMs));
      const fromMs = performance.now();
      if (fromMs >= endMs) return;
      const bytes = await operation(number, index);
      answerBytes += bytes;
      latencies.push(performance.now() - fromMs);
    }
  };
  await Promise.all(Array.from({ length: bounds.connections }, (_, number) => lane(number)));
  return outcomeOf(latencies, performance.now() - startedMs, answerBytes);
}

function outcomeOf(latencies: readonly number[], elapsedMs: number, answerBytes: number): Outcome {
  return {
    latenciesMs: Float64Array.from(latencies),
    elapsedMs,
    answerBytes: latencies.length === 0 ? 0 : answerBytes / latencies.length,
  };
}

async function connections(port: number, count: number): Promise<HttpConnection[]> {
  const pool = pools.get(port) ?? [];
  pools.set(port, pool);
  while (pool.length < count) pool.push(new HttpConnection(port));
  const used = pool.slice(0, count);
  await Promise.all(used.map((connection) => connection.open()));
  return used;
}

function mailOf(mailing: Mailing, index: number): { path: string; address: string; message: Buffer } {
  const target = at(mailing.targets, index % mailing.targets.length);
  const serial = `${mailing.run}-${index}`;
  const text = composeMail({ to: target.address, serial, sizeBytes: mailing.sizeBytes });
  return { ...target, message: Buffer.from(text, "latin1") };
}

function headOf(method: string, path: string, call: { port: number; key: string; bytes?: number }): string {
  const authorization = call.key === "" ? "" : `Authorization: Bearer ${call.key}\r\n`;
  const body =
    call.bytes === undefined ? "" : `Content-Type: message/rfc822\r\nContent-Length: ${call.bytes}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${call.port}\r\n${authorization}${body}\r\n`;
}

function expect(answer: HttpAnswer, status: number): HttpAnswer {
  if (answer.status === status) return answer;
  throw new Error(`expected ${status}, got ${answer.status}: ${answer.body.toString("utf8", 0, 500)}`);
}

function at<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new Error(`nothing at ${index}`);
  return item;
}

parentPort?.on("message", (job: Job) => {
  const answer = (reply: LoadReply): void => parentPort?.postMessage(reply);
  runJob(job).then(
    (outcome) => answer({ ok: true, outcome }),
    (error: unknown) =>
      answer({ ok: false, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
