import type { Tally } from "../../contract/directory.ts";
import type { StoredDiagnosis } from "../../contract/diagnosis.ts";
import type { SendingHalt } from "../../contract/sending-state.ts";
import type { Series } from "../../lib/metrics.ts";
import { findingsOf } from "./doctor.tsx";
import type { RefusalCount, Shown } from "./figures-data.ts";
import type { ConsoleLinks } from "./links.ts";
import { countText, durationText, momentText } from "./words.tsx";

/** Something that the operator should look at. */
export interface Trouble {
  isBad: boolean;
  title: string;
  detail: string;
  /** Where it is handled. */
  at: (links: ConsoleLinks) => string;
}

/** The facts that a deployment tells of itself. */
export interface Told {
  /** The figures of the last 24 hours. */
  day: Pick<Shown, "sends" | "refusals">;
  totals: Series;
  diagnosis: StoredDiagnosis | null;
  tally: Tally;
  /** The halt of all sending; null if there is none. */
  halt: SendingHalt | null;
  /** Why the deployment is not ready for traffic, in words. */
  unready: readonly string[];
}

/** The most findings of the doctor on the overview. */
const FINDINGS = 5;
/** Mail that has waited longer than this, in seconds, waits for more than a busy host. */
const LONG_WAIT_S = 3_600;
/** Refusals by which mail is lost or late although the sender did nothing wrong. */
const OUR_FAULTS: readonly RefusalCount["reason"][] = [
  "internal",
  "misconfigured",
  "unavailable",
  "mailbox_full",
  "too_many_connections",
  "sender_not_checked",
];

const doctor = (links: ConsoleLinks): string => links.doctor;

/** Everything that needs attention, the worst first. */
export function attention({ day, totals, diagnosis, tally, halt, unready }: Told): Trouble[] {
  return [
    ...haltTrouble(halt, totals),
    ...unready.map((detail) => ({ isBad: true, title: "Not ready for mail", detail, at: doctor })),
    ...brokenThings(diagnosis),
    ...mailboxTroubles(tally),
    ...refusalTroubles(day.refusals),
    ...sendTroubles(totals, day.sends),
    ...count(
      findingsOf(diagnosis, "warning").length,
      (warnings) => `The doctor has ${countText(warnings, "warning", "warnings")}`,
      { isBad: false, detail: "", at: doctor },
    ),
  ];
}

/** A trouble where there is something to count. */
function count(value: number, title: (value: number) => string, rest: Omit<Trouble, "title">): Trouble[] {
  return value > 0 ? [{ ...rest, title: title(value) }] : [];
}

function haltTrouble(halt: SendingHalt | null, totals: Series): Trouble[] {
  if (halt === null) return [];
  const since = `Since ${momentText(halt.at)}.`;
  const waiting = `${countText(waitingSends(totals), "message waits", "messages wait")}.`;
  return [
    {
      isBad: true,
      title: "All sending is halted",
      detail: [since, waiting, halt.reason === null ? [] : `Reason: ${halt.reason}`].flat().join(" "),
      at: (links) => links.halted(),
    },
  ];
}

/** Messages that wait for an attempt, in all mailboxes. */
export function waitingSends(totals: Series): number {
  return totals["mailkeep_queue_messages|sends"]?.[0] ?? 0;
}

function brokenThings(diagnosis: StoredDiagnosis | null): Trouble[] {
  const broken = findingsOf(diagnosis, "broken");
  return [
    ...broken.slice(0, FINDINGS).map(({ title, cost }) => ({ isBad: true, title, detail: cost, at: doctor })),
    ...count(
      broken.length - FINDINGS,
      (more) => `The doctor has ${countText(more, "more finding", "more findings")}`,
      { isBad: true, detail: "", at: doctor },
    ),
  ];
}

function mailboxTroubles({ cannotSend, failing }: Tally): Trouble[] {
  return [
    ...count(cannotSend, (value) => `${countText(value, "mailbox", "mailboxes")} cannot send`, {
      isBad: true,
      detail: "The relay does not take mail, or does not answer.",
      at: (links) => links.halted(),
    }),
    ...count(failing, (value) => `${countText(value, "mailbox has", "mailboxes have")} failing webhooks`, {
      isBad: true,
      detail: "Ten deliveries in a row failed.",
      at: (links) => links.webhooks(),
    }),
  ];
}

function refusalTroubles(refusals: readonly RefusalCount[]): Trouble[] {
  return refusals
    .filter(({ reason }) => OUR_FAULTS.includes(reason))
    .map(({ reason, door, count: refused }) => ({
      isBad: true,
      title: `${countText(refused, "refusal", "refusals")}: ${reason}`,
      detail: `In the last 24 hours, by ${door}.`,
      at: (links) => links.refusals({ range: "month" }),
    }));
}

function sendTroubles(totals: Series, sends: Shown["sends"]): Trouble[] {
  const waited = totals["mailkeep_queue_oldest_seconds|sends"]?.[0] ?? 0;
  const failed = sends.at(-1)?.values.reduce((sum, value) => sum + value, 0) ?? 0;
  return [
    ...count(
      waited > LONG_WAIT_S ? waited : 0,
      (seconds) => `Outgoing mail has waited for ${durationText(seconds)}`,
      { isBad: false, detail: "", at: (links) => links.halted() },
    ),
    ...count(failed, (value) => `${countText(value, "attempt", "attempts")} to send failed`, {
      isBad: false,
      detail: "In the last 24 hours.",
      at: (links) => links.outbox,
    }),
  ];
}
