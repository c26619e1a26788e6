import { NetworkCounts } from "../../lib/client-network.ts";

/** Each may hold 1 MiB of message in memory. */
const MAX_CONNECTIONS = 100;
/**
 * Connections of one IPv4 address or /64 of IPv6, of one /56 and of one /48. No client can fill the listener by itself, and a
 * client with a /64 of a shared /48 leaves places for its neighbors.
 */
const MAX_CONNECTIONS_PER_NETWORK = [50, 60, 75] as const;
/** When all places are taken, a client that was idle for this long is closed, and may connect again. */
const MIN_IDLE_MS = 10_000;
/** The next to be closed is the client that sent the fewest bytes of messages in this time. */
const RATE_WINDOW_MS = 30_000;
const RATE_SLOT_MS = 5_000;
/**
 * When all places are taken, a network with more connections than these keeps none of them from a network with fewer: else two
 * clients would keep all places by connecting anew before anything else closes them.
 */
const FAIR_SHARE = 10;

/** The work of a connection: commands or nothing, a message that comes in, or one that is complete and being stored. */
export type Phase = "commands" | "message" | "storing";

interface Connection {
  address: string;
  openedAtMs: number;
  /** When the client last connected, named a sender or a recipient, or began or ended a message. */
  activeAtMs: number;
  phase: Phase;
  /** Bytes of messages by slot of time, oldest first. */
  slots: { slot: number; bytes: number }[];
}

/** How the limit reads the time and closes connections. */
export interface ConnectionLimitOptions {
  /** Milliseconds since any fixed moment. */
  now(): number;
  /** Closes a connection. Its client may connect again. */
  close(id: string): void;
}

/** Counts connections, and closes one for a newcomer when all places are taken. */
export class ConnectionLimit {
  readonly #options: ConnectionLimitOptions;
  readonly #connections = new Map<string, Connection>();
  readonly #counts = new NetworkCounts(...MAX_CONNECTIONS_PER_NETWORK);

  constructor(options: ConnectionLimitOptions) {
    this.#options = options;
  }

  /** Admits a connection, if necessary in the place of another one; false if it must be refused. */
  admit(id: string, address: string): boolean {
    if (!this.#counts.add(address)) return false;
    if (this.#connections.size >= MAX_CONNECTIONS && !this.#makeRoom(address)) {
      this.#counts.remove(address);
      return false;
    }
    const nowMs = this.#options.now();
    this.#connections.set(id, {
      address,
      openedAtMs: nowMs,
      activeAtMs: nowMs,
      phase: "commands",
      slots: [],
    });
    return true;
  }

  /** Notes that the client did something, and what its connection does now. */
  active(id: string, phase: Phase = "commands"): void {
    const connection = this.#connections.get(id);
    if (connection) Object.assign(connection, { activeAtMs: this.#options.now(), phase });
  }

  /** Notes bytes of a message. */
  received(id: string, bytes: number): void {
    const slots = this.#connections.get(id)?.slots;
    if (slots === undefined) return;
    const slot = Math.floor(this.#options.now() / RATE_SLOT_MS);
    const last = slots.at(-1);
    if (last?.slot === slot) last.bytes += bytes;
    else slots.push({ slot, bytes });
    if (slots.length > RATE_WINDOW_MS / RATE_SLOT_MS) slots.shift();
  }

  remove(id: string): void {
    const connection = this.#connections.get(id);
    if (connection === undefined) return;
    this.#connections.delete(id);
    this.#counts.remove(connection.address);
  }

  #makeRoom(newcomer: string): boolean {
    const victim = this.#victim(newcomer);
    if (victim === undefined) return false;
    this.remove(victim);
    this.#options.close(victim);
    return true;
  }

  /**
   * The connection that is closed for a newcomer; undefined if none may be. Never one whose message is being stored: its sender
   * would repeat a message that is there.
   */
  #victim(newcomer: string): string | undefined {
    const nowMs = this.#options.now();
    const open = Array.from(this.#connections, ([id, one]) => ({
      ...one,
      id,
      neighbors: this.#counts.of(one.address),
      recentBytes: recentBytes(one, nowMs),
    })).filter(({ phase }) => phase !== "storing");
    const idle = open
      .filter(({ phase, activeAtMs }) => phase === "commands" && nowMs - activeAtMs >= MIN_IDLE_MS)
      .toSorted((one, two) => two.neighbors - one.neighbors || one.activeAtMs - two.activeAtMs);
    const slow = open
      .filter(({ openedAtMs }) => nowMs - openedAtMs >= RATE_WINDOW_MS)
      .toSorted((one, two) => one.recentBytes - two.recentBytes || two.neighbors - one.neighbors);
    const share = Math.max(FAIR_SHARE, this.#counts.of(newcomer));
    const beyondShare = open
      .filter(({ neighbors }) => neighbors > share)
      .toSorted((one, two) => two.neighbors - one.neighbors || one.openedAtMs - two.openedAtMs);
    return (idle[0] ?? slow[0] ?? beyondShare[0])?.id;
  }
}

function recentBytes({ slots }: Connection, nowMs: number): number {
  const first = Math.floor((nowMs - RATE_WINDOW_MS) / RATE_SLOT_MS);
  return slots.reduce((sum, { slot, bytes }) => (slot > first ? sum + bytes : sum), 0);
}
