import { deliver } from "../../test/served/smtp.ts";
import { audit, AUDITED_HOURS, isSettled } from "./audit.ts";
import type { Box } from "./ledger.ts";
import type { Random } from "./random.ts";
import { ask, surely, type Stage } from "./stage.ts";

/** The service erases a temporary mailbox after 72 hours; some more pass until its alarm rings for certain. */
const GONE_MS = 80 * 3_600_000;

/** A mailbox as the API answers it. */
interface Made {
  mailbox: string;
  api_key: string;
}

/** Makes mailboxes and ends them, so that their number stays the same. */
export class Births {
  readonly #stage: Stage;
  readonly #listen: (box: Box) => void;
  readonly #expiring: { address: string; key: string; bornAtMs: number }[] = [];
  #made = 0;

  /** @param listen starts the listener of a new mailbox. */
  constructor(stage: Stage, listen: (box: Box) => void) {
    this.#stage = stage;
    this.#listen = listen;
  }

  /** Makes a mailbox; null if that failed, which is then noted as wrong. */
  async make(kind: Box["kind"], hasHook: boolean): Promise<Box | null> {
    const stage = this.#stage;
    const { ledger, clock } = stage;
    const made = await surely(stage, `making a ${kind} mailbox`, () => this.#attempt(kind));
    if (made === null) return null;
    this.#made += 1;
    const hook = hasHook ? `/hook-${this.#made}` : null;
    const { mailbox: address, api_key: key } = made;
    const box = ledger.add({ address, key, kind, hook, bornAtMs: clock.now() });
    // Nothing is sent to it before its webhook is set: it would not bring that.
    box.isRetired = true;
    if (hook !== null) {
      const json = { webhook_url: stage.webhookSink.url(hook) };
      const set = await surely(stage, "setting a webhook", () =>
        ask(stage, "/v1/mailbox", { box, method: "PATCH", json }),
      );
      if (set?.status !== 200) ledger.wrong(`setting a webhook answered ${set?.status}`);
    }
    box.isRetired = false;
    this.#listen(box);
    ledger.count("born");
    return box;
  }

  /** Makes a mailbox, retires the oldest of its kind, and ends what was retired. */
  async turn(random: Random): Promise<void> {
    const { ledger, options, ending } = this.#stage;
    await this.#checkExpired();
    const kind = random.chance(0.6) ? "temporary" : "permanent";
    await this.make(kind, kind === "permanent" && random.chance(0.5));
    const wanted = kind === "permanent" ? options.mailboxes : Math.ceil(options.mailboxes / 4);
    for (const box of ledger.open(kind).slice(0, -wanted)) box.isRetired = true;
    await this.#replaceUsedUp();
    for (const box of ledger.boxes.filter(({ isRetired }) => isRetired)) {
      if (ending.aborted) return;
      // Sends that were deferred are tried again after hours; the next turn looks again.
      if (box.underWay === 0 && (await isSettled(this.#stage, box))) await this.#end(box);
    }
  }

  /** Retires temporary mailboxes that will soon expire, and makes others. */
  async #replaceUsedUp(): Promise<void> {
    const { ledger } = this.#stage;
    const usable = ledger.open();
    const usedUp = ledger.boxes.filter(
      (box) => box.kind === "temporary" && !box.isRetired && !usable.includes(box),
    );
    for (const box of usedUp) {
      box.isRetired = true;
      await this.make("temporary", false);
    }
  }

  /** Checks once more that what was erased, or has expired, takes neither calls nor mail. */
  async checkGone(): Promise<void> {
    await this.#checkExpired();
    for (const one of this.#stage.ledger.gone) await this.#isGone(one, "erased");
  }

  async #attempt(kind: Box["kind"]): Promise<Made | null> {
    const stage = this.#stage;
    if (kind === "temporary") {
      // A repeat after a lost answer makes another one; nobody knows the first, which expires.
      const told = await ask<Made>(stage, "/v1/bootstrap", { method: "POST" });
      return told?.status === 201 ? told.body : null;
    }
    this.#made += 1;
    const name = `box-${this.#made}`;
    const told = await ask<Made>(stage, "/v1/mailboxes", { json: { name } });
    if (told?.status === 201) return told.body;
    // It may have been made although the answer was lost. Its key is, so it is erased.
    await surely(stage, "erasing a mailbox without a key", () =>
      ask(stage, `/v1/mailboxes/${name}@${stage.server.mailDomain}`, { method: "DELETE" }),
    );
    return null;
  }

  /** Ends a mailbox after an audit: a permanent one is erased, a temporary one is left to expire. */
  async #end(box: Box): Promise<void> {
    const stage = this.#stage;
    const { ledger } = stage;
    // Held, so that the clock waits: else a temporary mailbox may expire while it is compared.
    if (!ledger.isOlder(box, AUDITED_HOURS)) await ledger.holding([box], () => audit(stage, box));
    if (box.kind === "temporary") {
      ledger.remove(box);
      this.#expiring.push(box);
      return;
    }
    const told = await surely(stage, "erasing a mailbox", () =>
      ask(stage, "/v1/mailbox", { box, method: "DELETE" }),
    );
    // A repeat finds its key gone if the answer before it was lost.
    if (told !== null && told.status !== 200 && told.status !== 401) {
      ledger.wrong(`erasing ${box.address} answered ${told.status}`);
    }
    ledger.remove(box);
    ledger.gone.push({ address: box.address, key: box.key });
    await this.#isGone(box, "erased");
    ledger.count("erased");
  }

  async #checkExpired(): Promise<void> {
    const { clock, ledger } = this.#stage;
    while (clock.now() - (this.#expiring[0]?.bornAtMs ?? Infinity) > GONE_MS) {
      const one = this.#expiring.shift();
      if (one === undefined) return;
      await this.#isGone(one, "expired");
      ledger.gone.push(one);
      ledger.count("expired");
    }
  }

  async #isGone({ address, key }: { address: string; key: string }, why: string): Promise<void> {
    const stage = this.#stage;
    const { ledger, server } = stage;
    const box = { key };
    const told = await surely(stage, "asking with a key of an erased mailbox", () =>
      server.service.ask("/v1/me", box).then(
        (answer) => (answer.status >= 500 ? null : answer),
        () => null,
      ),
    );
    if (told !== null && told.status !== 401)
      ledger.wrong(`the key of ${address}, ${why}, answered ${told.status}`);
    const replies = await surely(stage, "offering mail to an erased mailbox", () =>
      deliver(server.smtpPort, {
        from: "late@soak.example",
        to: [address],
        bytes: Buffer.from("Subject: late\r\n\r\n"),
      }).then(
        ({ rcpt: [to], data }) => {
          // The listener may have known the recipient a moment ago: then the message itself is refused.
          const said = to?.startsWith("250") === true ? data : to;
          return said?.startsWith("4") === false ? said : null;
        },
        () => null,
      ),
    );
    if (replies !== null && !replies.startsWith("550"))
      ledger.wrong(`mail to ${address}, ${why}, was answered ${replies}`);
  }
}
