import type { MailPlan } from "./mail.ts";

/** A mail that was handed to the server. */
export interface Mail {
  plan: MailPlan;
  sha256: string;
  sizeBytes: number;
  /** By the virtual clock, when it was acknowledged; null before. */
  acknowledgedAtMs: number | null;
}

/** A mail, as one mailbox holds it. */
export interface Copy {
  mail: Mail;
  /** Known once its event was heard. */
  id: string | null;
  isDeleted: boolean;
}

/** A message that the server was told to send. */
export interface Send {
  serial: string;
  id: string;
  recipients: readonly string[];
  acceptedAtMs: number;
  /** Whether the repeats of the call under one Idempotency-Key lasted longer than the key is kept. */
  isExcused: boolean;
  isDeleted: boolean;
}

/** A mailbox. */
export interface Box {
  readonly address: string;
  readonly key: string;
  readonly kind: "permanent" | "temporary";
  /** By the virtual clock. */
  readonly bornAtMs: number;
  /** Path of its webhook at the sink; null: it has none. */
  readonly hook: string | null;
  /** By serial. */
  readonly copies: Map<string, Copy>;
  /** By serial. */
  readonly sends: Map<string, Send>;
  /** Number of the last event that its listener heard. */
  heardSeq: number;
  /** How many events of each kind were heard of an email, by `<kind> <email id>`. */
  readonly heard: Map<string, number>;
  /** The events that its listener heard and its webhook brings too: `<kind> <email id>` by the number of the event. */
  readonly hookable: Map<number, string>;
  /** Calls that act on it now. */
  underWay: number;
  /** True: nothing new is begun with it. */
  isRetired: boolean;
}

/** How many things happened. */
export type Counted =
  | "received"
  | "repeated"
  | "read"
  | "searched"
  | "codes"
  | "sent"
  | "deleted"
  | "heard"
  | "born"
  | "erased"
  | "expired"
  | "exported"
  | "backups";

const HOUR_MS = 3_600_000;
/** A temporary mailbox is used for so long; the service erases it after 72 hours. */
const USED_HOURS = 36;

/** Records what the server acknowledged, and the faults that were found. */
export class Ledger {
  readonly boxes: Box[] = [];
  /** Addresses of mailboxes that must be gone. */
  readonly gone: { address: string; key: string }[] = [];
  /** The faults, each once. */
  readonly faults = new Set<string>();
  readonly #counts = new Map<Counted, number>();
  readonly #say: (line: string) => void;
  readonly #now: () => number;
  readonly #underWay = new Set<{ atMs: number }>();
  #serial = 0;
  #latenciesMs: number[] = [];

  /** @param say prints a line at once. @param now the virtual clock, in ms since 1970. */
  constructor(say: (line: string) => void, now: () => number) {
    this.#say = say;
    this.#now = now;
  }

  wrong(fault: string): void {
    if (this.faults.has(fault)) return;
    this.faults.add(fault);
    this.#say(`WRONG: ${fault}`);
  }

  /** A serial that no mail of this run has. */
  newSerial(letter: string): string {
    this.#serial += 1;
    return `${letter}${this.#serial}`;
  }

  count(what: Counted): void {
    this.#counts.set(what, this.counted(what) + 1);
  }

  counted(what: Counted): number {
    return this.#counts.get(what) ?? 0;
  }

  /** Notes how long the server took for a receipt that no kill disturbed. */
  noteLatency(ms: number): void {
    this.#latenciesMs.push(ms);
  }

  /** The latencies since the last call. */
  takeLatencies(): number[] {
    const taken = this.#latenciesMs;
    this.#latenciesMs = [];
    return taken;
  }

  /** Mailboxes that something new may be begun with: temporary ones only while they are far from their end. */
  open(kind?: Box["kind"]): Box[] {
    return this.boxes.filter((box) => {
      const isUsable = !box.isRetired && !this.isOlder(box, USED_HOURS);
      return isUsable && (kind === undefined || box.kind === kind);
    });
  }

  /** Whether a mailbox is temporary and older than so many hours, by the virtual clock. */
  isOlder({ kind, bornAtMs }: Pick<Box, "kind" | "bornAtMs">, hours: number): boolean {
    return kind === "temporary" && this.#now() - bornAtMs > hours * HOUR_MS;
  }

  /** Acts on mailboxes so that they are not retired meanwhile, and so that not too much time passes. */
  async holding<Result>(boxes: readonly Box[], work: () => Promise<Result>): Promise<Result> {
    const begun = { atMs: this.#now() };
    this.#underWay.add(begun);
    for (const box of boxes) box.underWay += 1;
    try {
      return await work();
    } finally {
      for (const box of boxes) box.underWay -= 1;
      this.#underWay.delete(begun);
    }
  }

  /** Whether something is under way that began so many hours ago, by the virtual clock. */
  isSlow(hours: number): boolean {
    return [...this.#underWay].some(({ atMs }) => this.#now() - atMs > hours * HOUR_MS);
  }

  /** Whether a permanent mailbox holds mail that was acknowledged more than so many hours ago: deletions are behind. */
  isBehind(hours: number): boolean {
    const limitMs = this.#now() - hours * HOUR_MS;
    return this.open("permanent").some((box) =>
      box.copies.values().some((copy) => isStored(copy) && (copy.mail.acknowledgedAtMs ?? limitMs) < limitMs),
    );
  }

  /** Bytes of the mail that all mailboxes hold now, as it was sent. */
  heldBytes(): number {
    const held = this.boxes.flatMap((box) => stored(box));
    return held.reduce((sum, { mail }) => sum + mail.sizeBytes, 0);
  }

  add(box: Pick<Box, "address" | "key" | "kind" | "bornAtMs" | "hook">): Box {
    const made: Box = {
      ...box,
      copies: new Map(),
      sends: new Map(),
      heardSeq: 0,
      heard: new Map(),
      hookable: new Map(),
      underWay: 0,
      isRetired: false,
    };
    this.boxes.push(made);
    return made;
  }

  remove(box: Box): void {
    this.boxes.splice(this.boxes.indexOf(box), 1);
  }
}

/** Copies that are known to be stored and are not deleted. */
export function stored(box: Box): Copy[] {
  return [...box.copies.values()].filter(isStored);
}

const isStored = ({ id, isDeleted, mail }: Copy): boolean =>
  id !== null && !isDeleted && mail.acknowledgedAtMs !== null;
