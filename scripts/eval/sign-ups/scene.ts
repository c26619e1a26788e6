import type { Expectation, ExpectationBody, Rejection } from "../../../src/contract/expectation.ts";
import { ExpectationBody as Body } from "../../../src/contract/expectation.ts";
import { ADDRESS, NodeMailbox, OPERATOR } from "../../../test/mailbox/node-mailbox.ts";
import { compose } from "../compose.ts";
import type { Fixture } from "../fixtures.ts";

/** The name under which the gateway of these scenes writes what it found. */
export const GATEWAY = "border.mailkeep.test";

/** A mail of a scene: a mail of the corpus under other header fields. */
export interface SceneMail {
  /** Text, code and link are those of this mail. */
  of: Fixture;
  /** Header lines in the place of its From field, as they go over the wire. */
  head: readonly string[];
  /** Results that the gateway found, such as `dmarc=pass header.from=brand.example`; null if it found none. */
  found: string | null;
  /** The envelope recipients; `tag` stands for the address of the expectation. */
  to?: readonly ("box" | "tag" | (string & {}))[];
  /** Lines in the place of its To field; `TAG` stands for the address of the expectation. By default it names the recipients. */
  addressed?: readonly string[];
}

/** One step of a scene. */
export type Step =
  | { do: "mail"; mail: SceneMail }
  | { do: "expect"; asked: Partial<ExpectationBody> & { from_domain: string } }
  | { do: "ask" }
  | { do: "cancel" }
  | { do: "wait"; ms: number }
  | { do: "die" };

/** A sign-up, or an attack on one. */
export interface Scene {
  name: string;
  steps: readonly Step[];
  /** Codes and links that may be released: those of the mail that was expected. */
  honest: readonly string[];
  /** Reasons of which an agent must be told one. None: the reader may find no code in the mail at all. */
  told?: readonly Rejection[] | undefined;
}

/** The outcome of a scene: what the agent got, and how the expectation stood at the end. */
export interface Played {
  released: string[];
  last: Expectation;
}

/** The To field of composed mail. */
const COMPOSED_TO = "To: agent@mailkeep.test\r\n";

/** The raw message of a mail, as the gateway hands it over. `addressed`: the lines in the place of its To field. */
export function rawOf({ of, head, found }: SceneMail, addressed: readonly string[]): Uint8Array {
  const whole = Buffer.from(compose(of));
  const start = endOfFrom(whole);
  if (!whole.subarray(start).toString("latin1").startsWith(COMPOSED_TO))
    throw new Error(`${of.id} has no To`);
  const rest = whole.subarray(start + COMPOSED_TO.length);
  const result =
    found === null ? [] : [`Authentication-Results: ${GATEWAY}${found === "" ? "" : `; ${found}`}`];
  const lines = [...result, ...head, ...addressed].map((line) => `${line}\r\n`).join("");
  return Buffer.concat([Buffer.from(lines), rest]);
}

/** Where the From field ends, which is the first of a composed mail. */
function endOfFrom(raw: Buffer): number {
  let end = raw.indexOf("\r\n") + 2;
  while (raw[end] === 0x20 || raw[end] === 0x09) end = raw.indexOf("\r\n", end) + 2;
  return end;
}

/** Plays a scene in a mailbox of its own: each mail is parsed, judged and stored as the service does it. */
export async function play({ steps }: Scene): Promise<Played> {
  const stage = new Stage(await NodeMailbox.create());
  for (const step of steps) await stage.take(step);
  return stage.end();
}

/** A mailbox, and the agent that expects mail in it. */
class Stage {
  readonly #mailbox: NodeMailbox;
  readonly #released: string[] = [];
  #last: Expectation | null = null;

  constructor(mailbox: NodeMailbox) {
    this.#mailbox = mailbox;
  }

  async take(step: Step): Promise<void> {
    const mailbox = this.#mailbox;
    mailbox.advance(1_000);
    switch (step.do) {
      case "mail":
        return this.#receive(step.mail);
      case "expect":
        return this.#expect(step.asked);
      case "ask":
        return void (await this.#ask());
      case "cancel":
        return void mailbox.life.expectations.cancelExpectation(OPERATOR, this.#last?.id ?? "");
      case "wait":
        return mailbox.advance(step.ms);
      case "die":
        return mailbox.die();
    }
  }

  async end(): Promise<Played> {
    return { last: await this.#ask(), released: this.#released };
  }

  #expect(asked: object): void {
    const made = this.#mailbox.life.expectations.createExpectation(OPERATOR, Body.parse(asked));
    if (!made.ok) throw new Error(`${JSON.stringify(asked)}: ${made.error.error}`);
    this.#last = made.value;
  }

  async #receive(mail: SceneMail): Promise<void> {
    const addresses: Record<string, string> = { tag: this.#last?.address ?? ADDRESS, box: ADDRESS };
    const to = (mail.to ?? ["tag"]).map((name) => addresses[name] ?? name);
    const by = { kind: "border", authservId: GATEWAY } as const;
    const tag = addresses["tag"] ?? "";
    const addressed = (mail.addressed ?? [`To: ${to.join(", ")}`]).map((line) => line.replace("TAG", tag));
    await this.#mailbox.receive(rawOf(mail, addressed), { to, check: { kind: "reported", by, own: null } });
  }

  async #ask(): Promise<Expectation> {
    if (this.#last === null) throw new Error("A scene must expect something before it asks");
    const asked = { id: this.#last.id, wait: 0, isPeek: false };
    const found = await this.#mailbox.life.expectations.expectation(OPERATOR, asked, "ask");
    if (!found.ok) throw new Error(found.error.error);
    const { code, link } = found.value;
    this.#released.push(...[code, link].filter((value) => value !== null));
    this.#last = found.value;
    return found.value;
  }
}
