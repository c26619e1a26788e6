import type { Api, Change } from "./api.ts";
import { Core, type CallOptions, type Fetch } from "./core.ts";
import { follow, newestSeq, type EventsOptions } from "./events.ts";
import { methodsOf, newKey, type Methods } from "./methods.ts";
import { routeLine } from "./routes.ts";
import {
  expectCode,
  waitForCode,
  waitForEmail,
  waitForReply,
  type CodeOptions,
  type Email,
  type EmailOptions,
  type ExpectedCode,
  type ExpectOptions,
  type FoundCode,
  type Sources,
  type WaitOptions,
} from "./waiting.ts";

/** Where a client finds the service, and who it is. */
export interface MailkeepOptions {
  /** Address of the deployment, such as `https://mail.example`; MAILKEEP_URL unless given. */
  url?: string;
  /** Key of a mailbox (`mk_…`) or of the operator; MAILKEEP_KEY unless given. Null for calls that need none. */
  key?: string | null;
  /** The mailbox that calls act on, with the operator's key; a call may name another. */
  mailbox?: string | null;
  /** Takes the place of the global `fetch`. */
  fetch?: Fetch;
  /** Time limit of calls that give none, in ms; otherwise as in {@link CallOptions}. */
  timeoutMs?: number;
  /** Repeats of calls that say nothing of them: 4 unless given. */
  retries?: number;
}

/** How a temporary mailbox is made. */
export type BootstrapOptions = Pick<MailkeepOptions, "url" | "fetch"> &
  CallOptions & {
    /** The same key gives the same mailbox again. It must not be guessable, such as a random UUID. */
    idempotencyKey?: string;
  };

/** The answer to a bootstrap: a temporary mailbox and its key. */
export type Bootstrapped = Api["bootstrap"]["answer"];

/** Verification codes: `get` polls once, `wait` as often as it takes. */
export interface Codes extends Methods<"codes"> {
  /** Waits for a code; null if none came in time. Without `since` the newest one counts, also if it came before the call. */
  wait(options?: CodeOptions): Promise<FoundCode | null>;
}

/** Expectations, which release the codes of one domain only: `create` before a sign-up, `get` after it. */
export interface Expectations extends Methods<"expectations"> {
  /**
   * Expects mail of a domain, runs `signUp` with the address to use, and waits; null if the mail did not come in time. The code is
   * that of a mail which came after the call and whose sender is proven.
   */
  during(
    options: ExpectOptions,
    signUp: (expectation: Api["createExpectation"]["answer"]) => unknown,
  ): Promise<ExpectedCode | null>;
}

/** Conversations. */
export interface Threads extends Methods<"threads"> {
  /** Waits for the first email of others after the last one that was sent in the thread; null if none came in time. */
  awaitReply(id: string, options?: WaitOptions): Promise<Email | null>;
}

/** Time limit of a bootstrap, in ms. */
const BOOTSTRAP_TIMEOUT_MS = 60_000;

/** A client of one mailbox, or of a deployment with the operator's key. */
export class Mailkeep {
  /** Address of the deployment, without a slash at its end. */
  readonly url: string;
  /** The answer by which `Mailkeep.bootstrap` made the mailbox; null for another client. */
  readonly bootstrapped: Bootstrapped | null;
  /** Who the key is, and what it may do. */
  readonly me: Methods<"">["me"];
  /** Sends an email. The client adds an Idempotency-Key, so that a repeat after a lost answer does not send twice. */
  readonly send: Methods<"">["send"];
  /** Reads an order, a parcel, an appointment, a receipt or a code out of an email. */
  readonly extract: Methods<"">["extract"];
  /** A page of the log after an entry. */
  readonly changes: Methods<"">["changes"];
  /** The live stream of events as the service sends it (Server-Sent Events). */
  readonly eventStream: Methods<"">["eventStream"];
  /** Hands a message over, as a mail server in front of the deployment does. Needs the operator's key. */
  readonly inbound: Methods<"">["inbound"];
  /** Lists and searches emails. */
  readonly inbox: Methods<"inbox">;
  /** Reads, labels, answers, forwards and erases an email. */
  readonly emails: Methods<"emails">;
  /** Verification codes. */
  readonly codes: Codes;
  /** Codes of one domain and no other. */
  readonly expectations: Expectations;
  /** One-time passwords of second factors. */
  readonly totp: Methods<"totp">;
  /** Conversations. */
  readonly threads: Threads;
  /** Files: uploads of those to be sent, downloads of those that came. */
  readonly attachments: Methods<"attachments">;
  /** Addresses that nothing is sent to, because they bounced or complained. */
  /** Exports and imports. */
  readonly archives: Methods<"archives">;
  readonly suppressions: Methods<"suppressions">;
  /** Who may write to the mailbox. */
  readonly rules: Methods<"rules">;
  /** Mail that the rules refused. */
  readonly refused: Methods<"refused">;
  /** The mailbox itself: state, settings, pause. */
  readonly mailbox: Methods<"mailbox">;
  /** Keys of the mailbox. */
  readonly keys: Methods<"keys">;
  /** Where events are delivered, and what became of each delivery. */
  readonly webhooks: Methods<"webhooks">;
  /** Domains of one's own. */
  readonly domains: Methods<"domains">;
  /** A permanent mailbox that a person approves. Needs no key. */
  readonly claim: Methods<"claim">;
  /** The guide for agents that the deployment writes. Needs no key. */
  readonly guide: Methods<"guide">;
  /** The mailboxes of the deployment. Needs the operator's key. */
  readonly mailboxes: Methods<"mailboxes">;
  /** How the deployment is doing. Needs the operator's key. */
  readonly deployment: Methods<"deployment">;
  readonly #core: Core;

  /**
   * Throws TypeError if `url` is missing or is not an http address, or if `key` cannot be one.
   * @param bootstrapped the answer by which the mailbox was made, where it is known.
   */
  constructor(options: MailkeepOptions = {}, bootstrapped: Bootstrapped | null = null) {
    const core = coreOf(options);
    const { mailbox = null } = options;
    this.#core = core;
    this.url = core.url;
    this.bootstrapped = bootstrapped;
    const own = methodsOf(core, "", mailbox);
    this.me = own.me;
    this.send = own.send;
    this.extract = own.extract;
    this.changes = own.changes;
    this.eventStream = own.eventStream;
    this.inbound = own.inbound;
    this.inbox = methodsOf(core, "inbox", mailbox);
    this.emails = methodsOf(core, "emails", mailbox);
    const codes = methodsOf(core, "codes", mailbox);
    this.codes = { ...codes, wait: (wanted = {}) => waitForCode(codes.get, wanted) };
    const expectations = methodsOf(core, "expectations", mailbox);
    this.expectations = {
      ...expectations,
      during: (wanted, signUp) => expectCode(expectations, wanted, signUp),
    };
    this.totp = methodsOf(core, "totp", mailbox);
    const threads = methodsOf(core, "threads", mailbox);
    this.threads = {
      ...threads,
      awaitReply: (id, wanted = {}) => waitForReply(this.#sources(), id, wanted),
    };
    this.attachments = methodsOf(core, "attachments", mailbox);
    this.archives = methodsOf(core, "archives", mailbox);
    this.suppressions = methodsOf(core, "suppressions", mailbox);
    this.rules = methodsOf(core, "rules", mailbox);
    this.refused = methodsOf(core, "refused", mailbox);
    this.mailbox = methodsOf(core, "mailbox", mailbox);
    this.keys = methodsOf(core, "keys", mailbox);
    this.webhooks = methodsOf(core, "webhooks", mailbox);
    this.domains = methodsOf(core, "domains", mailbox);
    this.claim = methodsOf(core, "claim", mailbox);
    this.guide = methodsOf(core, "guide", mailbox);
    this.mailboxes = methodsOf(core, "mailboxes", mailbox);
    this.deployment = methodsOf(core, "deployment", mailbox);
  }

  /** Makes a temporary mailbox, without a credential, and a client of it. Keep its `key`: nobody else has it. */
  static async bootstrap(options: BootstrapOptions = {}): Promise<Mailkeep> {
    const { url, fetch, idempotencyKey = newKey(), ...rest } = options;
    const { method, path } = routeLine("bootstrap");
    const plan = {
      method,
      path,
      idempotencyKey,
      isRepeatable: true,
      defaultTimeoutMs: BOOTSTRAP_TIMEOUT_MS,
    };
    const born = await coreOf({ url, fetch, key: null }).json<Bootstrapped>(plan, rest);
    return new Mailkeep({ url, fetch, key: born.api_key }, born);
  }

  /** Waits for an email that fits all that is given; null if none came in time. */
  waitFor(options: EmailOptions = {}): Promise<Email | null> {
    return waitForEmail(this.#sources(), options);
  }

  /**
   * The events after `after`, each once, in order, without an end; without `after`, all from this call on. A lost connection is
   * made again, and a service that is away for a while is waited for. Throws GapError rather than skip an event. The iteration
   * ends when `signal` aborts.
   */
  events(options: EventsOptions = {}): AsyncGenerator<Change, void, undefined> {
    const { after } = options;
    const start = after === undefined ? newestSeq(this.changes, options) : Promise.resolve(after);
    // The iteration rejects with it; until then a failure must not end the process.
    start.catch(() => {});
    return follow(this.changes, start, options);
  }

  /** The key that the client sends; null without one. It is no member of its own, so that logs of the client do not show it. */
  get key(): string | null {
    return this.#core.key;
  }

  /** Address of the temporary mailbox; null for a client that `bootstrap` did not make. */
  get address(): string | null {
    return this.bootstrapped?.mailbox ?? null;
  }

  #sources(): Sources {
    const { changes, codes, emails, inbox, threads } = this;
    return { changes, code: codes.get, emails, inbox, thread: threads.get };
  }
}

function coreOf({ url, key, fetch: own, timeoutMs, retries }: MailkeepOptions): Core {
  const place = url ?? variable("MAILKEEP_URL");
  if (place === undefined) {
    throw new TypeError("Mailkeep needs `url`, the address of the deployment, or the variable MAILKEEP_URL");
  }
  const parsed = URL.canParse(place) ? new URL(place) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw new TypeError(`url: must be an http address, such as https://mail.example; it is ${place}`);
  }
  return new Core({
    url: parsed.origin + parsed.pathname.replace(/\/+$/, ""),
    key: checkedKey(key === undefined ? (variable("MAILKEEP_KEY") ?? null) : key),
    fetch: own ?? ((address, init) => fetch(address, init)),
    defaults: { timeoutMs, retries },
  });
}

/** A key without the blanks around it, as a file may have them. The error does not show it. */
function checkedKey(key: string | null): string | null {
  if (key === null) return null;
  const trimmed = key.trim();
  if (/^[\x21-\x7e]+$/.test(trimmed)) return trimmed;
  throw new TypeError("key: must be visible ASCII without blanks");
}

/** A variable of the environment, where the runtime has one; undefined if it is not set or empty. */
function variable(name: string): string | undefined {
  const environment: unknown = Reflect.get(globalThis, "process")?.env;
  if (typeof environment !== "object" || environment === null) return undefined;
  const value: unknown = Reflect.get(environment, name);
  return typeof value === "string" && value !== "" ? value : undefined;
}
