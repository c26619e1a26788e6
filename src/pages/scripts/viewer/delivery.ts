import type { Delivery, MessageStatus } from "../../../contract/message.ts";
import type { z } from "zod";
import { make } from "../lib/dom.ts";
import { duration, exactTime, line, secondsUntil } from "../lib/words.ts";

type DeliveryShape = z.infer<typeof Delivery>;
type Status = z.infer<typeof MessageStatus>;

/** Each state as a word, what it means, and how good it is. */
const STATES: Readonly<Record<Status, { word: string; means: string; kind: string }>> = {
  received: { word: "received", means: "", kind: "" },
  queued: { word: "queued", means: "Not taken yet: it is tried now, or again later.", kind: "info" },
  sent: { word: "sent", means: "The next host took it.", kind: "good" },
  delivered: { word: "delivered", means: "It lies in the recipient's mailbox.", kind: "good" },
  bounced: { word: "bounced", means: "Refused for good.", kind: "bad" },
  complained: { word: "complained", means: "The recipient called it spam.", kind: "bad" },
  failed: { word: "failed", means: "Given up.", kind: "bad" },
  unknown: {
    word: "unknown",
    means: "The connection ended before the answer: it may have arrived, or not.",
    kind: "warn",
  },
};

/** What stands for `sent` where nothing leaves the deployment. */
const KEPT = { word: "kept here", means: "Not sent: this deployment has no relay.", kind: "warn" };

/** A state and whether the mail was kept here instead of sent, as lists and mails say it. */
interface Shown {
  status: Status;
  kept_here?: true | undefined;
}

function stateOf({ status, kept_here }: Shown): { word: string; means: string; kind: string } {
  return status === "sent" && kept_here === true ? KEPT : STATES[status];
}

export function statusBadge(shown: Shown): HTMLElement {
  const { word, kind } = stateOf(shown);
  return make("span", { class: `badge ${kind}`.trim() }, word);
}

/** Whether more is still to come by itself. */
export function isUnderWay(delivery: readonly DeliveryShape[]): boolean {
  return delivery.some(({ status }) => status === "queued");
}

/** What became of a mail for each of its recipients. */
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
