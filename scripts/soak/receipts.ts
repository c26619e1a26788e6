import { SmtpConnection } from "../../test/served/smtp.ts";
import type { Box, Copy, Mail } from "./ledger.ts";
import { compose, sha256, type MailPlan } from "./mail.ts";
import type { Random } from "./random.ts";
import { ask, surely, type Stage } from "./stage.ts";

/** Latency is noted of mails up to this size, because larger ones take as long as their bytes. */
const MEASURED_BYTES = 65_536;
/** A sender's repeat is a duplicate for five days; clocks jump meanwhile. */
const REPEATED_MS = 4 * 86_400_000;
/** Mail is deleted after two days. While some is older than this, no new mail is sent. */
const BEHIND_HOURS = 78;
const CODE_WAIT_SECONDS = 30;

/** The sizes of mails, with how many of a hundred have each: text, file. */
const SIZES: readonly { share: number; text: [number, number]; file: [number, number] }[] = [
  { share: 80, text: [300, 6_000], file: [0, 0] },
  { share: 13, text: [300, 3_000], file: [5_000, 200_000] },
  { share: 4, text: [20_000, 200_000], file: [0, 0] },
  { share: 2.9, text: [300, 3_000], file: [600_000, 2_500_000] },
  { share: 0.1, text: [300, 3_000], file: [8_000_000, Infinity] },
];

function planOf({ options, ledger }: Stage, random: Random, to: readonly string[]): MailPlan {
  let at = random.next() * 100;
  const size = SIZES.find(({ share }) => (at -= share) < 0) ?? SIZES[0];
  const within = ([low, high]: [number, number] = [300, 300]): number =>
    random.whole(Math.min(low, options.largestBytes), Math.min(high, options.largestBytes));
  return {
    serial: ledger.newSerial("m"),
    from: `sender${random.whole(1, 50)}@soak.example`,
    to,
    textBytes: within(size?.text),
    fileBytes: within(size?.file),
    code: null,
  };
}

/** Sends mail as an MTA does: the same bytes again after a 4xx or a lost connection, until they are acknowledged. */
export class Sender {
  readonly #stage: Stage;
  #connection: SmtpConnection | null = null;
  /** When it was opened, by `performance.now()`. */
  #openedMs = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Sends a new mail to some mailboxes. */
  async receive(random: Random): Promise<void> {
    const { ledger } = this.#stage;
    // Else the disk of a slow machine would grow by what is not deleted in time.
    if (ledger.isBehind(BEHIND_HOURS)) return;
    const open = ledger.open();
    const boxes = new Set(Array.from({ length: random.whole(1, 3) }, () => random.pick(open)));
    const to = [...boxes].filter((box) => box !== undefined);
    if (to.length === 0) return;
    const plan = planOf(
      this.#stage,
      random,
      to.map(({ address }) => address),
    );
    await ledger.holding(to, () => this.deliver(plan, to));
    ledger.count("received");
  }

  /** Delivers a mail that the ledger does not know, and notes it there. */
  async deliver(plan: MailPlan, to: readonly Box[]): Promise<void> {
    const bytes = compose(plan);
    const mail: Mail = { plan, sha256: sha256(bytes), sizeBytes: bytes.length, acknowledgedAtMs: null };
    for (const box of to) box.copies.set(plan.serial, { mail, id: null, isDeleted: false });
    if (await this.#offer(plan, to, bytes)) mail.acknowledgedAtMs = this.#stage.clock.now();
  }

  /** Repeats a mail that was acknowledged some time ago, as a sender does that lost the answer. */
  async repeat(random: Random): Promise<void> {
    const { ledger, clock } = this.#stage;
    const box = random.pick(ledger.open());
    const isKnown = ({ mail }: Copy): boolean =>
      mail.sha256 !== "" &&
      mail.acknowledgedAtMs !== null &&
      clock.now() - mail.acknowledgedAtMs < REPEATED_MS;
    const copy = random.pick([...(box?.copies.values() ?? [])].filter(isKnown));
    if (box === undefined || copy === undefined) return;
    await ledger.holding([box], () => this.#offer(copy.mail.plan, [box], compose(copy.mail.plan)));
    ledger.count("repeated");
  }

  /** Waits for a code, sends a mail with one meanwhile, and compares. */
  async code(random: Random): Promise<void> {
    const stage = this.#stage;
    const { ledger } = stage;
    const box = random.pick(ledger.open());
    if (box === undefined) return;
    const serial = ledger.newSerial("m");
    const code = String(random.whole(100_000, 999_999));
    const from = `${serial}@codes.example`;
    const plan = { serial, from, to: [box.address], textBytes: 300, fileBytes: 0, code };
    const target = `/v1/code?${new URLSearchParams({ from, timeout: String(CODE_WAIT_SECONDS) }).toString()}`;
    await ledger.holding([box], async () => {
      const waited = surely(stage, "waiting for a code", async () => {
        const told = await ask<{ code: string | null }>(stage, target, { box });
        return told === null || (told.status === 200 && told.body.code === null) ? null : told;
      });
      await this.deliver(plan, [box]);
      const told = await waited;
      if (told !== null && told.body.code !== code)
        ledger.wrong(`a wait for the code ${code} answered ${JSON.stringify(told.body)}`);
    });
    ledger.count("codes");
  }

  close(): void {
    this.#connection?.drop();
    this.#connection = null;
  }

  async #open(): Promise<SmtpConnection> {
    this.#openedMs = performance.now();
    return SmtpConnection.open(this.#stage.server.smtpPort);
  }

  /** Offers a mail until it is acknowledged; false if that never happened, which is then noted as wrong. */
  async #offer(plan: MailPlan, to: readonly Box[], bytes: Buffer): Promise<boolean> {
    const taken = await surely(this.#stage, "handing over a mail", () => this.#attempt(plan, to, bytes));
    return taken === true;
  }

  /** True: acknowledged. False: refused for good, which is wrong. Null: to be repeated. */
  async #attempt({ from }: MailPlan, to: readonly Box[], bytes: Buffer): Promise<boolean | null> {
    const { server, ledger } = this.#stage;
    const startedMs = performance.now();
    let said: string;
    try {
      this.#connection ??= await this.#open();
      const { mail, rcpt, data } = await this.#connection.deliver({
        from,
        to: to.map(({ address }) => address),
        bytes,
      });
      said = [mail, ...rcpt, data ?? "no answer to DATA"].find((reply) => !reply.startsWith("250")) ?? "";
    } catch (error) {
      this.close();
      said = String(error);
    }
    if (said === "") {
      const isMeasured = bytes.length <= MEASURED_BYTES && server.isCalmSince(startedMs);
      if (isMeasured) ledger.noteLatency(performance.now() - startedMs);
      return true;
    }
    if (said.startsWith("5")) {
      ledger.wrong(`a mail was refused for good: ${said}`);
      return false;
    }
    // A connection from before a fault may break at its next use.
    const isCalm = server.isCalmSince(Math.min(startedMs, this.#openedMs));
    if (isCalm) ledger.wrong(`a mail was not taken although nothing was killed: ${said}`);
    return null;
  }
}
