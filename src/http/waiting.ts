import { waitUntil } from "cloudflare:workers";
import type { Problem } from "../contract/problem.ts";
import { breath } from "../lib/breath.ts";
import type { Waiting } from "../service/wait.ts";
import { json } from "./answers.ts";
import { HeldBody, KEEP_ALIVE_MS } from "./held-body.ts";

/** Without it nginx buffers the blanks. */
const HELD_HEADERS = { "X-Accel-Buffering": "no" };

/**
 * The response of a call that may wait. One that takes long begins with blanks, by which it is noticed that the client is gone.
 * Its status is sent with the first of them, when the mailbox has admitted the caller and found nothing to refuse.
 */
export async function waitingResponse(
  waiting: Waiting,
  { status, refuse }: { status: number; refuse: (problem: Problem) => Promise<Response> },
): Promise<Response> {
  if (await isLong(waiting)) return heldResponse(waiting, status);
  const answer = await waiting.work;
  if (!answer.ok) return refuse(answer.error);
  return waiting.isHandOver ? handedOver(waiting, answer.value, status) : json(answer.value, status);
}

async function isLong({ wait, work }: Waiting): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(true), KEEP_ALIVE_MS);
  const early = work.then(() => false);
  const isLate = await Promise.race([early, late.promise]).finally(() => clearTimeout(timer));
  if (!isLate || !(await wait.isAdmitted())) return false;
  return Promise.race([early, breath().then(() => true)]);
}

function heldResponse(waiting: Waiting, status: number): Response {
  const body = new HeldBody(" ", () => waiting.wait.leave());
  body.write(" ");
  waitUntil(finish(body, waiting));
  return json(body.readable, status, HELD_HEADERS);
}

async function finish(body: HeldBody, waiting: Waiting): Promise<void> {
  try {
    const answer = await waiting.work;
    const value = answer.ok ? answer.value : answer.error.meanwhile;
    // A refusal must not be taken for an answer: both may have a `code`.
    if (value === undefined) body.breakOff(new Error("The call was refused while it waited"));
    else if (waiting.isHandOver) await body.handOver(textOf(value), [waiting.wait]);
    else body.end(textOf(value));
  } catch (error) {
    console.error("A call failed after its status was sent:", error);
    body.breakOff(new Error("The call failed while it waited"));
  }
}

function handedOver({ wait }: Waiting, value: unknown, status: number): Response {
  const text = textOf(value);
  const body = new HeldBody("", () => wait.leave());
  const { readable, writable } = new FixedLengthStream(Buffer.byteLength(text));
  // If the client is gone, `handOver` finds that out.
  waitUntil(body.readable.pipeTo(writable).catch(() => undefined));
  waitUntil(body.handOver(text, [wait]));
  return json(readable, status);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
