import { membersOf, type Members } from "../profile/json.ts";
import { mcpHeaders } from "./headers.ts";
import { linesOf, sseData } from "./sse-messages.ts";

/** The two ends that the bridge connects. */
export interface BridgeEnds {
  /** Messages of the host: one JSON-RPC message a line. */
  input: AsyncIterable<Uint8Array>;
  /** Writes one message to the host, with its line end. */
  write: (line: string) => Promise<void>;
  /** Sends one message to the deployment. Rejects if it cannot be reached. */
  post: (body: string, headers: Record<string, string>, signal: AbortSignal) => Promise<Response>;
  /** Ends everything that is under way. */
  signal: AbortSignal;
  /** Explains what went wrong to whoever reads stderr. */
  note: (text: string) => void;
}

/** JSON-RPC 2.0, section 5.1: the message was no JSON. */
const PARSE_ERROR = -32_700;
/** An error of the way to the server, in the range that JSON-RPC leaves to implementations. */
const TRANSPORT_ERROR = -32_000;

type Id = string | number;

/** The id of a request; null for a notification, and for an answer of the host. */
function idOf(message: Members): Id | null {
  const { id, method } = message;
  return typeof method === "string" && (typeof id === "string" || typeof id === "number") ? id : null;
}

/**
 * Passes JSON-RPC messages between a host on stdin and stdout and the deployment's `POST /mcp`, until stdin ends and every
 * answer is written. Requests run side by side. A cancelled request ends its call, which ends the wait at the service.
 */
export class Bridge {
  readonly #ends: BridgeEnds;
  readonly #calls = new Map<Id, AbortController>();
  #agreedVersion: string | null = null;

  constructor(ends: BridgeEnds) {
    this.#ends = ends;
  }

  /** Passes messages on until the host is done; rejects only if stdout breaks. */
  async run(): Promise<void> {
    const running = new Set<Promise<void>>();
    for await (const line of linesOf(this.#ends.input)) {
      if (line.trim() === "") continue;
      const passed = this.#pass(line).finally(() => running.delete(passed));
      running.add(passed);
      // What follows a handshake needs the version that it agreed on.
      if (this.#agreedVersion === null && running.size === 1 && line.includes('"initialize"')) await passed;
    }
    await Promise.all(running);
  }

  async #pass(line: string): Promise<void> {
    let message: Members;
    try {
      message = membersOf(JSON.parse(line));
    } catch {
      return this.#fail(null, PARSE_ERROR, "The message is not JSON");
    }
    const id = idOf(message);
    const call = new AbortController();
    if (id !== null) this.#calls.set(id, call);
    this.#cancelled(message)?.abort();
    const signal = AbortSignal.any([call.signal, this.#ends.signal]);
    try {
      await this.#exchange(message, line, signal);
    } catch (error) {
      // A cancelled request gets no answer.
      if (signal.aborted) return;
      const why = error instanceof Error ? error.message : String(error);
      this.#ends.note(why);
      if (id !== null) await this.#fail(id, TRANSPORT_ERROR, why);
    } finally {
      if (id !== null && this.#calls.get(id) === call) this.#calls.delete(id);
    }
  }

  /** The call that a notification cancels. */
  #cancelled({ method, params }: Members): AbortController | undefined {
    if (method !== "notifications/cancelled") return undefined;
    const { requestId } = membersOf(params);
    return typeof requestId === "string" || typeof requestId === "number"
      ? this.#calls.get(requestId)
      : undefined;
  }

  async #exchange(message: Members, line: string, signal: AbortSignal): Promise<void> {
    const response = await this.#ends.post(line, mcpHeaders(message, this.#agreedVersion), signal);
    const type = response.headers.get("Content-Type") ?? "";
    if (type.startsWith("text/event-stream")) {
      for await (const data of sseData(response.body ?? new Blob([]).stream()))
        await this.#answer(message, data);
      return;
    }
    const text = await response.text();
    const id = idOf(message);
    if (isMessage(text)) return this.#answer(message, text);
    if (response.ok || id === null) return;
    await this.#fail(id, TRANSPORT_ERROR, refusalOf(response, text));
  }

  /** Writes what the deployment said, on one line. */
  async #answer({ method }: Members, text: string): Promise<void> {
    const parsed: unknown = JSON.parse(text);
    const { protocolVersion } = membersOf(membersOf(parsed)["result"]);
    if (method === "initialize" && typeof protocolVersion === "string") this.#agreedVersion = protocolVersion;
    await this.#ends.write(`${JSON.stringify(parsed)}\n`);
  }

  async #fail(id: Id | null, code: number, message: string): Promise<void> {
    await this.#ends.write(`${JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })}\n`);
  }
}

/** Whether a body is a JSON-RPC message, or several; a refusal of the service is none. */
function isMessage(text: string): boolean {
  try {
    const parsed: unknown = JSON.parse(text);
    return (Array.isArray(parsed) ? parsed : [parsed]).every((one) => membersOf(one)["jsonrpc"] === "2.0");
  } catch {
    return false;
  }
}

/** One sentence of a refusal, with the next step. */
function refusalOf({ status, headers }: Response, text: string): string {
  let members: Members = {};
  try {
    members = membersOf(JSON.parse(text));
  } catch {
    // The answer of a proxy: its status says enough.
  }
  const { error, message, fix } = members;
  const what = [message, error].find((part) => typeof part === "string") ?? `The service answered ${status}`;
  const next =
    status === 401 ? "run `mailkeep signup`, or set MAILKEEP_KEY" : (fix ?? headers.get("Mailkeep-Fix"));
  return typeof next === "string" ? `${String(what)}. Next: ${next}` : String(what);
}
