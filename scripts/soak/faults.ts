import type { SoakOptions } from "./options.ts";
import type { Random } from "./random.ts";
import type { Victim } from "./server.ts";

/** Something that happens to the server, `atMs` after the start. */
export type Fault =
  | { kind: "kill"; atMs: number; victim: Victim }
  | { kind: "jump"; atMs: number; byMs: number }
  | { kind: "full disk"; atMs: number; forMs: number };

const HOUR_MS = 3_600_000;
/** One period of so many has a step of the clock back, and forward again. */
const STEP_BACK_EVERY = 3;
/** The disk becomes full after this share of all periods. */
const FULL_AT = 0.4;

/**
 * What happens, in its order. Each period has two jumps of the clock forward, with time between them in which calls end, and
 * one kill at a random moment after the second; some have a step back between them. In one period the disk is full for a while.
 */
export function planFaults(options: SoakOptions, random: Random): Fault[] {
  const periodMs = options.killSeconds * 1_000;
  const periods = Math.max(1, Math.floor((options.minutes * 60_000) / periodMs));
  return Array.from({ length: periods }, (_, period): Fault[] => {
    const at = (share: number): number => (period + share) * periodMs;
    const jumpMs = options.jumpHours * HOUR_MS;
    const backMs = random.whole(1, 60) * 60_000;
    const kill = { kind: "kill" as const, atMs: at(0.7 + random.next() * 0.2), victim: victimOf(random) };
    const isFull = options.fillsDisk && period === Math.floor(periods * FULL_AT);
    const faults: Fault[] = [
      { kind: "jump", atMs: at(0.1), byMs: jumpMs },
      ...(isFull ? [{ kind: "full disk" as const, atMs: at(0.2), forMs: periodMs * 0.2 }] : []),
      { kind: "jump", atMs: at(0.6), byMs: jumpMs },
      kill,
    ];
    if (period % STEP_BACK_EVERY !== 1 || isFull) return faults;
    return [
      { kind: "jump", atMs: at(0.3), byMs: -backMs },
      { kind: "jump", atMs: at(0.45), byMs: backMs },
      ...faults,
    ];
  })
    .flat()
    .toSorted((one, other) => one.atMs - other.atMs);
}

const victimOf = (random: Random): Victim => (random.chance(0.5) ? "workerd" : "host");
