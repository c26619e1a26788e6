import fc from "fast-check";
import { afterEach, beforeEach, vi } from "vitest";
import type { PreparedMail } from "../../src/mail/prepared-mail.ts";
import type { NodeMailbox } from "./node-mailbox.ts";

/** ms since 1970. */
const START = Date.parse("2026-11-01T12:00:00Z");

/** Dates and timers move only when the test says so, and the faults that it makes are not printed. */
export function useTestClock(): void {
  beforeEach(() => {
    vi.useFakeTimers({ now: START, toFake: ["Date", "setTimeout", "clearTimeout"] });
    vi.spyOn(console, "error").mockImplementation(() => undefined);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });
}

/** The clock of the test, for a NodeMailbox. */
export const TEST_CLOCK = { now: () => Date.now() };

/** Everything that can go on without the clock has gone on. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

export async function wait(ms: number): Promise<void> {
  vi.advanceTimersByTime(ms);
  await settled();
}

/** Waits until the alarm rings; false if none is set. */
export async function ring(mailbox: NodeMailbox): Promise<boolean> {
  const { alarm } = mailbox.storage;
  if (alarm === null) return false;
  if (alarm > Date.now()) await wait(alarm - Date.now());
  await mailbox.ring();
  await settled();
  return true;
}

/** Runs a property over steps that are chosen by a seed: each failure can be repeated. */
export async function holdsForAll<Step>(
  step: fc.Arbitrary<Step>,
  check: (steps: readonly Step[]) => Promise<void>,
  numRuns = 30,
): Promise<void> {
  const steps = fc.array(step, { minLength: 1, maxLength: 25 });
  await fc.assert(fc.asyncProperty(steps, check), { numRuns, seed: 14 });
}

/** Does something that a fault of the test may make fail. */
export async function despiteFaults(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Error) || error.message !== "disk is full") throw error;
  }
}

/** A small email that arrives. */
export function mailOf(name: string, labels: string[] = []): PreparedMail {
  const listing = {
    sender_verified: false,
    text_truncated: false,
    from_address: "ann@example.net",
    from_name: "",
    to_address: "box@mailkeep.test",
    subject: name,
    snippet: name,
    code: null,
    direction: "inbound",
    has_attachments: false,
    attachment_count: 0,
  };
  return {
    listing: JSON.stringify(listing),
    toAddress: "box@mailkeep.test",
    senders: ["ann@example.net"],
    named: ["box@mailkeep.test"],
    unproven: [],
    isAutoReplied: false,
    senderFolded: "ann@example.net",
    subjectFolded: name,
    code: null,
    link: null,
    codeEvidence: null,
    codeReader: 0,
    labels,
    messageId: `<${name}@example.net>`,
    messageKey: name,
    ancestorKeys: [],
    digest: name,
    authentication: null,
    authorDomain: null,
    detail: '{"authentication":null}',
    body: JSON.stringify({ body_text: name, body_html: "", headers: {} }),
    bodyKey: null,
    bodyLayout: null,
    attachments: [],
    search: { subject: name, names: "", addresses: "", body: name, code: "", attachments: "" },
    sizeBytes: 100,
    report: null,
    parsed: true,
    raw: new ArrayBuffer(0),
    rawKey: null,
    unusedKeys: [],
  };
}
