import type { WebhookDelivery } from "../../../contract/webhook.ts";
import { make } from "../lib/dom.ts";
import { doing } from "../lib/form.ts";
import { Latest } from "../lib/latest.ts";
import { count, duration, exactTime, line, secondsUntil } from "../lib/words.ts";
import type { Context } from "./context.ts";
import { failureNotice } from "./failures.ts";

/** Deliveries on a page; older ones replace them. */
const PAGE_DELIVERIES = 20;
/** Milliseconds between reloads while a delivery is pending. */
const LOOK_MS = 1_500;

/** Which deliveries are shown. */
const STATES: readonly (readonly [state: WebhookDelivery["state"] | undefined, text: string])[] = [
  [undefined, "All"],
  ["pending", "Pending"],
  ["delivered", "Delivered"],
  ["failed", "Failed"],
  ["cancelled", "Cancelled"],
];

const KINDS: Readonly<Record<WebhookDelivery["state"], string>> = {
  pending: "info",
  delivered: "good",
  failed: "bad",
  cancelled: "",
};

/** The reason of a failed attempt in words. */
const ERRORS: Readonly<Record<NonNullable<WebhookDelivery["attempts"][number]["error"]>, string>> = {
  timeout: "no answer in time",
  connection: "no connection",
  not_public: "the host is not public",
  redirect: "a redirect, which is not followed",
  status: "not a 2xx",
  interrupted: "the service stopped in the middle of it",
  no_secret: "there is no secret to sign with",
  internal: "an internal error of the service",
};

/** The log of webhook deliveries, page by page, with a button to deliver each again. */
export class WebhookLog {
  readonly element = make("div", { class: "webhook-log" });
  readonly #context: Context;
  readonly #signal: AbortSignal;
  /** The deliveries to the URL of this label; null: of all. */
  readonly #label: string | null;
  readonly #state = make("select", { id: "delivery-state" });
  readonly #lines = make("ul", { class: "rows" });
  readonly #said = make("div");
  readonly #newest = doing("Newest", () => this.show(null));
  readonly #older = doing("Older", () => this.show(this.#next));
  #cursor: string | null = null;
  #next: string | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #latest = new Latest();

  constructor(context: Context, signal: AbortSignal, label: string | null = null) {
    this.#context = context;
    this.#label = label;
    // The page may show one log a label.
    if (label !== null) this.#state.id = `delivery-state-of-${label}`;
    this.#signal = signal;
    for (const [value = "", text] of STATES) this.#state.append(make("option", { value }, text));
    this.#state.addEventListener("change", () => void this.show(null));
    signal.addEventListener("abort", () => clearTimeout(this.#timer));
    const chosen = make(
      "div",
      { class: "field" },
      make("label", { for: this.#state.id }, "Show"),
      this.#state,
    );
    const pages = make("div", { class: "actions" }, this.#newest, this.#older);
    this.element.append(chosen, this.#said, this.#lines, pages);
  }

  /** Shows the page after `cursor`; null is the newest. Never rejects. */
  async show(cursor: string | null): Promise<void> {
    clearTimeout(this.#timer);
    const isLatest = this.#latest.ask();
    try {
      const query = {
        limit: PAGE_DELIVERIES,
        cursor: cursor ?? undefined,
        state: STATES[this.#state.selectedIndex]?.[0],
        label: this.#label ?? undefined,
      };
      const page = await this.#context.client.webhooks.deliveries(query, { signal: this.#signal });
      if (!isLatest()) return;
      this.#cursor = cursor;
      this.#next = page.next_cursor;
      this.#fill(page.deliveries);
    } catch (error) {
      if (isLatest()) this.#fail(error);
    }
  }

  #fill(deliveries: readonly WebhookDelivery[]): void {
    const open = new Set(
      [...this.#lines.querySelectorAll("details[open]")].map((one) => one.getAttribute("data-id")),
    );
    this.#said.replaceChildren(
      ...(deliveries.length === 0 ? [make("p", { class: "muted" }, "No deliveries here.")] : []),
    );
    this.#lines.replaceChildren(...deliveries.map((one) => this.#line(one, open.has(one.id))));
    this.#lines.hidden = deliveries.length === 0;
    this.#newest.hidden = this.#cursor === null;
    this.#older.hidden = this.#next === null;
    if (deliveries.some(({ state }) => state === "pending")) {
      this.#timer = setTimeout(() => void this.show(this.#cursor), LOOK_MS);
    }
  }

  #line(delivery: WebhookDelivery, isOpen: boolean): HTMLElement {
    const { id, event, state, created_at, seq, label } = delivery;
    const what = seq === 0 ? `${event} (test)` : event;
    const summary = make(
      "summary",
      {},
      make("span", { class: `badge ${KINDS[state]}`.trim() }, state),
      make("span", { class: "mono small break" }, ` ${what} `),
      make("time", { class: "muted small", datetime: created_at }, exactTime(created_at)),
    );
    const again = doing("Deliver again", () => this.#redeliver(id));
    const fold = make("details", { "data-id": id }, summary);
    fold.open = isOpen;
    fold.append(
      make("p", { class: "mono small break" }, line(delivery.webhook_url)),
      ...(label === null ? [] : [make("p", { class: "small" }, `For the label ${line(label)}`)]),
      ...attemptLines(delivery),
      make("div", { class: "actions" }, again),
    );
    return make("li", {}, fold);
  }

  async #redeliver(id: string): Promise<void> {
    try {
      await this.#context.client.webhooks.redeliver(id);
      this.#context.announce("It is delivered again.");
      await this.show(null);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    const notice = failureNotice(error);
    if (notice !== null) this.#said.replaceChildren(notice);
  }
}

function attemptLines({ attempts, next_attempt_at }: WebhookDelivery): HTMLElement[] {
  const lines = attempts.map(({ number, at, status, error, duration_ms, answer }) => {
    const outcome = [status === null ? null : String(status), error === null ? null : ERRORS[error]];
    const took = duration_ms === null ? "" : ` after ${duration_ms} ms`;
    const said = outcome.filter((one) => one !== null).join(", ");
    return make(
      "li",
      {},
      `Attempt ${number}, ${exactTime(at)}: ${said === "" ? "under way" : said}${took}`,
      ...(answer === "" ? [] : [make("pre", { tabindex: "0", "aria-label": "Answer" }, answer)]),
    );
  });
  const next =
    next_attempt_at === null
      ? []
      : [make("p", { class: "small" }, `Next in ${duration(secondsUntil(next_attempt_at))}.`)];
  const none =
    lines.length === 0 && next.length === 0 ? [make("p", { class: "small" }, count(0, "attempt"))] : [];
  return [make("ol", { class: "small attempts" }, ...lines), ...next, ...none];
}
