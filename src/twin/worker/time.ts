// Loaded before the worker's script, in a twin only: a clock that can be moved, and random numbers from a seed.
import { env } from "cloudflare:workers";

/** The variable that a twin gives its worker, as JSON. */
export interface TwinVariables {
  /** Proves to the control that a call comes from the process that started the twin. */
  token: string;
  /** Where the clock starts, in ms since 1970; null: now. */
  startMs: number | null;
  /** True: the clock stands still until it is moved. */
  stands: boolean;
  /** Random numbers are derived from it; null: they are random. */
  seed: string | null;
}

const { TWIN }: { TWIN?: TwinVariables } = Object(env);
if (TWIN === undefined) throw new Error("Only mailkeep-server/testing starts this module");
export const variables: TwinVariables = TWIN;

const RealDate = Date;

/** The clock of the worker and of all actors. */
class TwinClock {
  #offsetMs = variables.startMs === null ? 0 : variables.startMs - RealDate.now();
  /** Where it stands, in ms since 1970; null: it runs. */
  #standsAtMs = variables.stands ? (variables.startMs ?? RealDate.now()) : null;

  now(): number {
    return this.#standsAtMs ?? RealDate.now() + this.#offsetMs;
  }

  /** Whether no time passes until the clock is moved. */
  get isStanding(): boolean {
    return this.#standsAtMs !== null;
  }

  /**
   * Stops the clock at `ms`, or where it is if that is later. Only a reset of the twin sets it back, because this runtime is then
   * started anew.
   */
  holdAt(ms: number): void {
    this.#standsAtMs = Math.max(this.now(), ms);
  }

  /** Lets the clock run on from where it stands, unless it is meant to stand. */
  release(): void {
    if (variables.stands || this.#standsAtMs === null) return;
    this.#offsetMs = this.#standsAtMs - RealDate.now();
    this.#standsAtMs = null;
  }

  /** The time of the machine at which the clock will show `ms`; null if it will not by itself. */
  realTimeOf(ms: number): number | null {
    if (ms <= this.now()) return RealDate.now();
    return this.#standsAtMs === null ? ms - this.#offsetMs : null;
  }
}

export const clock = new TwinClock();
/** The time of the machine, in ms since 1970. */
export const machineNow = (): number => RealDate.now();

const dateNow = (): number => clock.now();
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [clock.now()] : args, newTarget),
  apply: (target) => new target(clock.now()).toString(),
  get: (target, name) => (name === "now" ? dateNow : Reflect.get(target, name)),
});

if (variables.seed !== null) seedRandomness(variables.seed);

/** Replaces the source of random numbers, which `node:crypto` of this runtime uses too. */
function seedRandomness(seed: string): void {
  const next = numbersFrom(seed);
  const fill = <T extends ArrayBufferView>(view: T): T => {
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    for (let at = 0; at < bytes.length; at += 1) bytes[at] = next();
    return view;
  };
  const uuid = (): string => {
    const hex = Array.from(fill(new Uint8Array(16)), (byte, at) => {
      // RFC 9562 §5.4: version 4 and the variant.
      const marked = at === 6 ? (byte & 0x0f) | 0x40 : at === 8 ? (byte & 0x3f) | 0x80 : byte;
      return marked.toString(16).padStart(2, "0");
    }).join("");
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  };
  Object.defineProperty(crypto, "getRandomValues", { value: fill, configurable: true });
  Object.defineProperty(crypto, "randomUUID", { value: uuid, configurable: true });
}

/** Bytes from a text: its FNV-1a hash starts a generator (SplitMix32). Not for secrets. */
function numbersFrom(seed: string): () => number {
  let state = 0x811c9dc5;
  for (const character of seed) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) & 0xff;
  };
}
