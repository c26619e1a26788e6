import { ANYONE } from "../../src/contract/scope.ts";
import { AlarmClock } from "../../src/lib/wake.ts";
import type { Access } from "../../src/mailbox/account/access.ts";
import type { Account } from "../../src/mailbox/account/account.ts";
import type { SenderCheck } from "../../src/mail/authentication/authenticate.ts";
import { parseMail } from "../../src/mail/mime/parse.ts";
import { prepareMail } from "../../src/mail/prepare.ts";
import type { PreparedMail } from "../../src/mail/prepared-mail.ts";
import { assemble, type Life, type Surroundings } from "../../src/mailbox/capabilities.ts";
import { Filing } from "../../src/mailbox/messages/filing.ts";
import type { Transport } from "../../src/outbound/transport.ts";
import { SendingMemory, SendingSwitch } from "../../src/service/sending-switch.ts";
import { NodeStorage } from "./node-storage.ts";

/** The address of the mailbox. */
export const ADDRESS = "box@mailkeep.test";

/** How a message is handed over: its recipients, and how it is known who sent it. */
interface Handed {
  to?: readonly string[];
  check?: SenderCheck | null;
  /** The id of the refused mail that is released. */
  released?: string | null;
}

/** The operator, who may do everything. */
export const OPERATOR: Access = {
  credential: { kind: "operator" },
  scopes: ANYONE,
  foreign: false,
  whilePaused: false,
  fault: null,
  upgradeUrl: "",
};

const VARIABLES = {
  MAIL_DOMAIN: "mailkeep.test",
  AUTH_TOKEN: "operator-token-for-tests-0123456789",
  KEY_SECRET: "key-secret-for-tests-0123456789-0123",
};

const nothing = (): never => {
  throw new Error("This mailbox has no such neighbour");
};

/**
 * The capabilities of a mailbox in Node, without an actor: their own SQL on a real SQLite, a clock that the test moves, and
 * neighbours that the test names. `die` ends the process in the middle of whatever it does, and another one begins.
 */
export class NodeMailbox {
  readonly storage: NodeStorage;
  /** ms since 1970. */
  nowMs = Date.parse("2026-11-01T12:00:00Z");
  life: Life;
  #clock: AlarmClock;
  /** Ends the process that runs. */
  #kill: () => void = () => undefined;
  readonly #around: Partial<Surroundings>;
  readonly #variables: Record<string, unknown>;

  private constructor(
    around: Partial<Surroundings>,
    variables: Record<string, unknown>,
    storage = new NodeStorage(),
  ) {
    this.storage = storage;
    this.#around = around;
    this.#variables = { ...VARIABLES, ...variables };
    [this.life, this.#clock] = this.#begin();
  }

  /** A mailbox that was just created. */
  static async create(
    around: Partial<Surroundings> = {},
    variables: Record<string, unknown> = {},
  ): Promise<NodeMailbox> {
    const mailbox = new NodeMailbox(around, variables);
    await mailbox.life.lifecycle.begin({
      address: ADDRESS,
      kind: "permanent",
      secretHash: "0".repeat(64),
      scope: "mailbox",
      expiresAt: null,
    });
    return mailbox;
  }

  /** The mailbox whose rows lie in a storage. */
  static open(storage: NodeStorage): NodeMailbox {
    return new NodeMailbox({}, {}, storage);
  }

  get account(): Account {
    const { account } = this.life.lifecycle;
    if (account === null) throw new Error("The mailbox is gone");
    return account;
  }

  advance(ms: number): void {
    this.nowMs += ms;
  }

  /** The process dies and another one begins, which knows what was stored. */
  die(): void {
    this.life.jobs.close();
    this.#kill();
    [this.life, this.#clock] = this.#begin();
    void this.life.context.arm();
  }

  /** The alarm rings, as it does in an actor. */
  async ring(): Promise<void> {
    this.storage.alarm = null;
    this.#clock.rang();
    const { jobs, context } = this.life;
    try {
      await jobs.pump(context.now());
    } finally {
      await context.arm();
    }
  }

  /** Receives a message as the service hands it over. Answers its id. */
  async receive(
    raw: string | Uint8Array,
    { to = [ADDRESS], check = null, released = null }: Handed = {},
  ): Promise<string> {
    const mail = await prepared(raw, to, check);
    const received = await this.life.receiving.receive(mail, null, released);
    if (!received.ok) throw new Error(received.error.error);
    return received.value.id;
  }

  /** Files a message as a report about an outgoing one, which came to the return path of that. */
  async receiveReport(raw: string): Promise<void> {
    const mail = await prepared(raw, [ADDRESS], null);
    const filing = new Filing(this.life.context, this.life);
    this.life.context.commit(() => filing.fileReport(this.account, mail, this.nowMs));
  }

  /** Replaces what was read out of a stored message by what another text says, as reindexing does. */
  async readAgain(id: string, raw: string): Promise<void> {
    const rewritten = await this.life.reindexing.rewrite(OPERATOR, id, await prepared(raw, [ADDRESS], null));
    if (!rewritten.ok) throw new Error(rewritten.error.error);
  }

  /** Rows of a statement of the test's own; none from tables that were never made. */
  rows<Row extends object>(text: string): Row[] {
    try {
      return this.life.context.db.all<Row, []>({ text });
    } catch (error) {
      if (error instanceof Error && error.message.startsWith("no such table")) return [];
      throw error;
    }
  }

  #begin(): [Life, AlarmClock] {
    const env = this.#variables as unknown as Env;
    let isDead = false;
    const kill = () => {
      isDead = true;
    };
    this.#kill = kill;
    const storage = this.storage.asSeenBy(() => isDead);
    const clock = new AlarmClock(storage);
    const life = assemble({
      storage,
      clock,
      env: () => env,
      now: () => this.nowMs,
      waitUntil: () => undefined,
      later: (work) => work(),
      directoryOf: () => ({ report: async () => undefined, remove: async () => undefined }),
      sendingSwitch: new SendingSwitch(new SendingMemory(), () => Promise.resolve(null)),
      inside: UNREACHED,
      outside: () => null,
      takeover: { sourceOf: nothing, receive: nothing },
      ended: kill,
      noteActivity: () => {},
      ...this.#around,
    });
    return [life, clock];
  }
}

const UNREACHED: Transport = { name: "local", showsReturnPath: false, maxBytes: 1e9, send: nothing };

/** A message as the service hands it over. */
async function prepared(
  raw: string | Uint8Array,
  to: readonly string[],
  check: SenderCheck | null,
): Promise<PreparedMail> {
  const bytes = Buffer.from(raw);
  const [first = ADDRESS, ...alsoTo] = to;
  const envelope = {
    from: "ann@example.com",
    to: first,
    alsoTo,
    via: "smtp" as const,
    clientAddress: null,
    helo: null,
  };
  const { largeBody: _, ...mail } = prepareMail(bytes, await parseMail(bytes), envelope, check);
  const stored = {
    raw: new Uint8Array(bytes).buffer,
    rawKey: null,
    bodyKey: null,
    bodyLayout: null,
  };
  return { ...mail, ...stored, unusedKeys: [] };
}
