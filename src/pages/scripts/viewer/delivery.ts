import type { Delivery, MessageStatus } from "../../../contract/message.ts";
import type { z } from "zod";
import { make } from "../lib/dom.ts";
import { duration, exactTime, line, secondsUntil } from "../lib/words.ts";

type DeliveryShape = z.infer<typeof Delivery>;
type Status = z.infer<typeof MessageStatus>;

/** Each state: its word, its meaning, and the kind of its badge. */
const STATES: Readonly<Record<Status, { word: string; means: string; kind: string }>> = {
  received: { word: "received", means: "", kind: "" },
  queued: { word: "queued", means: "Not accepted yet. It is tried now or again later.", kind: "info" },
  sent: { word: "sent", means: "Accepted by the next mail server.", kind: "good" },
  delivered: { word: "delivered", means: "Delivered to the recipient's mailbox.", kind: "good" },
  bounced: { word: "bounced", means: "Rejected permanently.", kind: "bad" },
  complained: { word: "complained", means: "The recipient reported it as spam.", kind: "bad" },
  failed: { word: "failed", means: "All attempts failed.", kind: "bad" },
  unknown: {
    word: "unknown",
    means: "The connection ended before the answer. It may or may not have arrived.",
    kind: "warn",
  },
};

/** Replaces `sent` for mail that the deployment stored because no relay is configured. */
const UNSENT = { word: "not sent", means: "Not sent: no relay is configured.", kind: "warn" };

/** Replaces `queued` while the operator has halted all sending. */
const HALTED = {
  word: "queued",
  means: "The operator has halted all sending. It is sent when sending is resumed.",
  kind: "warn",
};

/** A state, and whether the mail was stored instead of sent, as lists and mails have it; of one mail, whether it is halted. */
interface Shown {
  status: Status;
  kept_here?: true | undefined;
  halted?: true | undefined;
}

function stateOf({ status, kept_here, halted }: Shown): { word: string; means: string; kind: string } {
  if (halted === true) return HALTED;
  return status === "sent" && kept_here === true ? UNSENT : STATES[status];
}

/** The state as a word, and the kind of its badge. */
export function statusWord(shown: Shown): { text: string; kind: string } {
  const { word, kind } = stateOf(shown);
  return { text: word, kind };
}

function statusBadge(shown: Shown): HTMLElement {
  const { text, kind } = statusWord(shown);
  return make("span", { class: `badge ${kind}`.trim() }, text);
}

/** Returns whether a delivery is still being tried. */
export function isUnderWay(delivery: readonly DeliveryShape[]): boolean {
  return delivery.some(({ status }) => status === "queued");
}

/** Shows the delivery of a mail to each recipient. */
export function deliveryPart(delivery: readonly DeliveryShape[]): HTMLElement {
  const rows = delivery.map((one) =>
    make(
      "li",
      {},
      make(
        "div",
        { class: "spread" },
        make("span", { class: "break", dir: "auto" }, line(one.recipient)),
        statusBadge(one),
      ),
      make("p", { class: "muted small break" }, stateText(one)),
    ),
  );
  return make(
    "section",
    { class: "delivery", "aria-label": "Delivery" },
    make("h3", {}, "Delivery"),
    make("ul", { class: "rows" }, ...rows),
  );
}

function stateText(one: DeliveryShape): string {
  const { at, diagnostic, next_attempt_at } = one;
  const next = next_attempt_at === null ? [] : [`Next try in ${duration(secondsUntil(next_attempt_at))}.`];
  const answer = diagnostic === null ? [] : [`Answer: ${line(diagnostic)}`];
  return [stateOf(one).means, ...next, `${exactTime(at)}.`, ...answer].join(" ");
}
