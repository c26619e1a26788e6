import http from "node:http";
import type { URL } from "node:url";
import { readBatchAnswer, writeBatch, type BatchItem, type BatchOutcome } from "../../contract/hand-over.ts";
import { callHeaders, LOOK_UP_TIMEOUT_MS, HAND_OVER_TIMEOUT_MS, StaleSocket } from "./worker-call.ts";

/** An item of a batch, with the bytes of its message; null for a look-up. */
export interface BatchEntry {
  item: BatchItem;
  bytes: Uint8Array | null;
}

/** Called with the outcomes of the item at this place of the batch; null if it gets no answer. */
export type Answered = (index: number, outcomes: BatchOutcome[] | null) => void;

/** Characters of one line of the answer: a hundred recipients with an id each take some 10,000. */
const MAX_LINE_CHARS = 64 * 1024;

/** The worker, as batches are sent to it. */
export interface BatchPlace {
  agent: http.Agent;
  url: URL;
  token: string;
}

/**
 * Sends a batch in one request. Calls `answered` as the worker answers its items, and for look-ups that wait too long. Rejects
 * if the exchange failed: items that were not answered by then get no answer.
 */
export async function callBatch(
  place: BatchPlace,
  entries: readonly BatchEntry[],
  answered: Answered,
): Promise<void> {
  const giveUp = setTimeout(() => {
    for (const [index, { bytes }] of entries.entries()) if (bytes === null) answered(index, null);
  }, LOOK_UP_TIMEOUT_MS);
  const body = Buffer.concat(writeBatch(entries));
  // When all look-ups are given up, nobody waits for the rest of the answer.
  const limitMs = entries.some(({ bytes }) => bytes !== null) ? HAND_OVER_TIMEOUT_MS : LOOK_UP_TIMEOUT_MS;
  try {
    await request(place, { body, limitMs }, answered);
  } catch (error) {
    // As for a message by itself: if the worker stored any of them, it recognizes the repeat as a duplicate.
    if (!(error instanceof StaleSocket)) throw error;
    await request(place, { body, limitMs }, answered);
  } finally {
    clearTimeout(giveUp);
  }
}

function request(
  { agent, url, token }: BatchPlace,
  { body, limitMs }: { body: Buffer; limitMs: number },
  answered: Answered,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...callHeaders(url, token),
      "Content-Type": "application/octet-stream",
      "Content-Length": body.byteLength,
    };
    const req = http.request(url, { agent, method: "POST", headers });
    const timer = setTimeout(() => req.destroy(new Error("no answer in time")), limitMs);
    req.on("close", () => clearTimeout(timer));
    req.on("response", (res) => void readAnswers(res, answered).then(resolve, reject));
    req.on("error", (error) => reject(StaleSocket.orSame(error, req)));
    req.end(body);
  });
}

/** Reads an answer line by line, as it comes. */
function readAnswers(res: http.IncomingMessage, answered: Answered): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string): void => {
      reject(new Error(reason));
      res.destroy();
    };
    if (res.statusCode !== 200) return fail(`it answered ${res.statusCode} to a batch`);
    let text = "";
    res.setEncoding("utf8");
    res.on("data", (chunk: string) => {
      const lines = (text + chunk).split("\n");
      text = lines.pop() ?? "";
      const answers = lines.map(readBatchAnswer);
      if (text.length > MAX_LINE_CHARS || answers.includes(null)) return fail("its answer is not understood");
      for (const answer of answers) if (answer !== null) answered(answer.item, answer.outcomes);
    });
    res.on("end", resolve);
    res.on("error", reject);
    res.on("aborted", () => reject(new Error("its answer ended early")));
  });
}
