import http from "node:http";
import type { AddressInfo } from "node:net";
import { writeCheckedSender } from "../../src/contract/checked-sender.ts";
import { BATCH_PATH, readBatch, type BatchItem } from "../../src/contract/hand-over.ts";

/** One message as the store was handed it. */
export interface Handed {
  query: URLSearchParams;
  /** Those of its request; for a message that shared one, what they would be. */
  headers: http.IncomingHttpHeaders;
  bytes: Buffer;
}

/** 503 that says why. */
export const FULL = 503.1;
/** 422 of a mailbox whose rules refuse the sender, and say why. */
export const BLOCKED = 422.1;
export const NOT_VERIFIED = 422.2;
export const NOT_CHECKED = 503.2;
/** Statuses that are about a request as a whole, whoever its recipients are. */
const OF_THE_WHOLE: readonly number[] = [400, 401, 413, 500];

/** A stand-in for the worker behind the SMTP listener: says what the test tells it to, and keeps what it is handed. */
export class FakeStore {
  readonly handed: Handed[] = [];
  /** Status of the look-up by address; 200 if not named. */
  readonly lookUps = new Map<string, number>();
  /** Addresses that were looked up, in order. */
  readonly lookedUp: string[] = [];
  /** Bodies of the look-up by address; an empty object if not named. */
  readonly boxes = new Map<string, string>();
  /** Statuses of the next hand-overs by recipient, then 202 again; `FULL` is what a full mailbox answers. */
  readonly refusals = new Map<string, number[]>();
  /** The answer to a hand-over for several recipients; null: the true outcome. */
  answerForSeveral: string | null = null;
  /** The answer to each request with several items; null: the true outcomes. */
  answerForBatch: string | null = null;
  /** How many items each of these requests had. */
  readonly batches: number[] = [];
  /** Recipients whose answers wait for `release`. */
  readonly held = new Set<string>();
  release: () => void = () => {};
  readonly #server: http.Server;

  private constructor() {
    this.#server = http.createServer(
      { maxHeaderSize: 128 * 1024 },
      (req, res) => void this.#answer(req, res),
    );
  }

  static async start(): Promise<FakeStore> {
    const store = new FakeStore();
    await new Promise<void>((resolve) => void store.#server.listen(0, "127.0.0.1", resolve));
    return store;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  /** Drops every idle connection, as workerd does after 5 s. */
  dropIdle(): void {
    this.#server.closeIdleConnections();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => void this.#server.close(resolve));
  }

  async #answer(req: http.IncomingMessage, res: http.ServerResponse): Promise<void> {
    const url = new URL(req.url ?? "/", "http://store");
    const chunks: Buffer[] = [];
    for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
    if (req.headers.authorization !== "Bearer operator-key") return void res.writeHead(401).end();
    if (url.pathname === BATCH_PATH) return this.#answerBatch(req, res, Buffer.concat(chunks));
    const answer = this.#handedOver({
      query: url.searchParams,
      headers: req.headers,
      bytes: Buffer.concat(chunks),
    });
    // The connection dies without an answer.
    if (answer === null) return void req.socket.destroy();
    res.writeHead(answer.status, { "Content-Type": "application/json" }).end(answer.body);
  }

  #answerBatch(req: http.IncomingMessage, res: http.ServerResponse, body: Buffer): void {
    const items = readBatch(body) ?? [];
    this.batches.push(items.length);
    const answers = items.map(({ item, bytes }, index) => {
      const outcomes = "lookUp" in item ? [this.#lookedUp(item.lookUp)] : this.#taken(item, bytes);
      return outcomes === null ? null : JSON.stringify({ item: index, outcomes });
    });
    // The connection dies without an answer.
    if (answers.includes(null)) return void req.socket.destroy();
    if (this.answerForBatch !== null) return void res.writeHead(200).end(this.answerForBatch);
    const isHeld = ({ item }: { item: BatchItem }): boolean =>
      "to" in item && item.to.some((to) => this.held.has(to));
    const lines = (held: boolean) =>
      answers.flatMap((line, index) =>
        items.slice(index, index + 1).some(isHeld) === held ? [`${line}\n`] : [],
      );
    res.writeHead(200).write(lines(false).join(""));
    const end = (): void => void res.end(lines(true).join(""));
    if (!items.some(isHeld)) return end();
    const others = this.release;
    this.release = () => {
      others();
      end();
    };
  }

  #lookedUp(address: string): object {
    this.lookedUp.push(address);
    const said = JSON.parse(this.boxes.get(address) ?? "{}") as object;
    return { ...said, status: this.lookUps.get(address) ?? 200 };
  }

  #taken(mail: Exclude<BatchItem, { lookUp: string }>, bytes: Uint8Array): object[] | null {
    const { from, client, helo, sender } = mail;
    const query = new URLSearchParams({ from, via: "smtp", client, helo });
    for (const to of mail.to) query.append("to", to);
    const headers = {
      "content-type": "message/rfc822",
      "content-length": String(bytes.length),
      "mailkeep-sender-check": writeCheckedSender(sender),
    };
    const answer = this.#handedOver({ query, headers, bytes: Buffer.from(bytes) });
    if (answer === null) return null;
    const told = JSON.parse(answer.body) as { recipients?: object[] };
    if (mail.to.length === 1) return [{ ...told, status: answer.status }];
    return answer.status === 202 ? (told.recipients ?? []) : mail.to.map(() => ({ status: answer.status }));
  }

  #handedOver(handed: Handed): { status: number; body: string } | null {
    const recipients = handed.query.getAll("to");
    const statuses = recipients.map((to) => this.refusals.get(to)?.shift() ?? 202);
    if (statuses.includes(0)) return null;
    const isSingle = recipients.length === 1;
    const [status = 202] = isSingle ? statuses : statuses.filter((one) => OF_THE_WHOLE.includes(one));
    if (status === 202 && statuses.includes(202)) this.handed.push(handed);
    const outcomes = recipients.map((to, index) => ({ to, ...this.#outcome(statuses[index] ?? 202) }));
    const several = this.answerForSeveral ?? JSON.stringify({ recipients: outcomes });
    return { status: Math.trunc(status), body: isSingle ? JSON.stringify(outcomes[0]) : several };
  }

  #outcome(status: number): object {
    if (status === 202) return { status, id: `id-${this.handed.length}`, duplicate: false };
    const codes: Record<number, string> = {
      [BLOCKED]: "sender_blocked",
      [NOT_VERIFIED]: "sender_not_verified",
      [NOT_CHECKED]: "sender_not_checked",
    };
    const code = codes[status];
    if (code !== undefined) return { status: Math.trunc(status), code };
    return status === FULL ? { status: 503, full: true } : { status };
  }
}
