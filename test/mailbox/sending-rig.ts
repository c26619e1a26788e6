import type { SendingHalt } from "../../src/contract/sending-state.ts";
import type { Sent } from "../../src/contract/sending.ts";
import type { Reported, ReportNews } from "../../src/mail/report/report-news.ts";
import type { LoggedEvent } from "../../src/mailbox/log/rows.ts";
import { WAYS, type Outbox, type Way } from "../../src/mailbox/sending/outbox.ts";
import type { HandOver } from "../../src/outbound/ledger.ts";
import type { OutboundMail, RecipientResult, Transport } from "../../src/outbound/transport.ts";
import { SendingMemory, SendingSwitch } from "../../src/service/sending-switch.ts";
import { NodeMailbox, OPERATOR } from "./node-mailbox.ts";

const DRAFT = {
  from: [],
  cc: [],
  bcc: [],
  reply_to: [],
  subject: "Hi",
  text: "Hi.",
  html: "",
  headers: {},
};
export const INSIDE = ["a@mailkeep.test", "b@mailkeep.test"];
export const OUTSIDE = ["c@example.net", "d@example.net"];

/** An attempt that a transport has received and not answered. */
interface Held {
  mail: OutboundMail;
  answer: (kinds: readonly HandOver["kind"][]) => void;
}

/** A mailbox whose transports answer when the test says so. */
export class Rig {
  readonly held: Record<Way, Held[]> = { inside: [], outside: [] };
  mailbox!: NodeMailbox;
  /** The operator has halted all sending. */
  halt: SendingHalt | null = null;
  /** Whether nobody answers who asks for that. */
  isSilent = false;
  /** How often somebody asked for it. */
  asked = 0;

  static async start(): Promise<Rig> {
    const rig = new Rig();
    const outside = rig.#transport("outside");
    rig.mailbox = await NodeMailbox.create({
      inside: rig.#transport("inside"),
      outside: () => outside,
      // Read anew for each process: the memory of one that died is lost.
      get sendingSwitch() {
        return new SendingSwitch(new SendingMemory(), () => rig.#ask());
      },
    });
    return rig;
  }

  /** The operator halts all sending, or resumes it. */
  turnSending(action: "halt" | "resume"): void {
    const at = this.halt?.at ?? this.mailbox.nowMs;
    this.halt = action === "halt" ? { at, reason: null } : null;
  }

  #ask(): Promise<SendingHalt | null> {
    this.asked += 1;
    return this.isSilent ? Promise.reject(new Error("No answer")) : Promise.resolve(this.halt);
  }

  #transport(way: Way): Transport {
    return {
      name: "local",
      showsReturnPath: way === "outside",
      maxBytes: 1e9,
      send: (mail) =>
        new Promise((resolve) => {
          const answer: Held["answer"] = (kinds) => {
            this.held[way] = this.held[way].filter((one) => one.mail !== mail);
            resolve(mail.recipients.map((recipient, at) => resultOf(recipient, kinds[at] ?? "deferred")));
          };
          this.held[way].push({ mail, answer });
        }),
    };
  }

  get outbox(): Outbox {
    return this.mailbox.life.outbox;
  }

  get events(): LoggedEvent[] {
    return this.mailbox.life.log.after(0, 1_000);
  }

  get due(): number | null {
    const dues = this.mailbox.life.sendingJob.dues(this.mailbox.nowMs).filter((due) => due !== null);
    return dues.length === 0 ? null : Math.min(...dues);
  }

  /** Hands a message in as a client does, which waits some seconds for its first attempt. */
  async accept(to: readonly string[], seconds = 0): Promise<Sent> {
    const request = {
      draft: { ...DRAFT, to },
      files: [],
      ancestry: { inReplyTo: null, references: [] },
      answered: null,
      keyed: null,
    };
    const sent = await this.mailbox.life.sending.send(OPERATOR, request, { seconds, id: "wait" });
    if (!sent.ok) throw new Error(sent.error.error);
    return sent.value;
  }

  /** Accepts a message; it is not tried yet. */
  async send(to: readonly string[]): Promise<number> {
    await this.accept(to);
    // Without this, the mailbox itself would attempt it in a moment.
    this.mailbox.die();
    return this.mailbox.account.row.last_seq;
  }

  async pump(): Promise<void> {
    this.mailbox.life.sendingJob.pump(this.mailbox.nowMs);
    await this.settled();
  }

  /** Waits until each attempt is held by a transport, or has ended. */
  async settled(): Promise<void> {
    for (let turn = 0; turn < 20; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      const tried = this.mailbox.rows(TRIED).length;
      if (tried === this.held.inside.length + this.held.outside.length) return;
    }
  }

  /** The process dies and another one begins. */
  die(): void {
    this.mailbox.die();
    for (const way of WAYS) {
      // The old transports may still answer, but no process hears them.
      for (const { answer } of this.held[way]) answer(["taken", "taken"]);
    }
  }

  report(seq: number, address: string, reported: Reported): void {
    const { reports, context } = this.mailbox.life;
    const row = this.outbox.recipients(seq).find((one) => one.address === address);
    const news: ReportNews = {
      token: row?.token ?? "",
      recipients: [{ addresses: [address], reported, isFinal: false, diagnostic: "reported" }],
      queueIds: [],
    };
    context.commit(() => reports.apply(this.mailbox.account, news, context.now()));
  }

  status(seq: number): string {
    const [row] = this.mailbox.rows<{ status: string }>(`SELECT status FROM message WHERE seq = ${seq}`);
    return row?.status ?? "";
  }
}

const TRIED = "SELECT DISTINCT seq, inside FROM recipient WHERE state IN ('handing', 'ending')";

function resultOf(recipient: string, kind: HandOver["kind"]): RecipientResult {
  const said = { code: null, enhancedCode: null, diagnostic: kind, fault: null, providerId: null };
  const concernsAll = kind === "deferred" || kind === "unanswered";
  return { recipient, result: { kind }, concernsAll, ...said };
}
