import type { LoadClient } from "./load.ts";
import type { Sample } from "./measure.ts";
import type { Service } from "./service.ts";
import type { Box } from "./workbench.ts";

/** The means that all measurements share: servers, mailboxes and the client. */
export interface Stage {
  client: LoadClient;
  service: Service;
  floor: { port: number; pid: number };
  operatorKey: string;
  /** Mailboxes by how much they hold. */
  levels: { stored: number; box: Box }[];
  /** Sixty-four small mailboxes. */
  fleet: Box[];
  /** Empty at first: for receipt. */
  empty: Box;
}

/** One line of the table. */
export interface Row extends Sample {
  suite: "reads" | "receipt" | "sizes" | "mcp";
  connections: number;
  mailboxes: number;
  /** In each mailbox before the measurement; null for a floor. */
  stored: number | null;
  sizeBytes: number | null;
  /** The floor to compare with, and this row's p50 and rate as ratios to it. */
  floor: string | null;
  p50Ratio: number | null;
  rateRatio: number | null;
}

/** Compares a sample with the floor of its own group. */
export function compared(
  sample: Sample,
  floor: Sample | undefined,
): Pick<Row, "floor" | "p50Ratio" | "rateRatio"> {
  if (floor === undefined) return { floor: null, p50Ratio: null, rateRatio: null };
  return {
    floor: floor.name,
    p50Ratio: sample.p50Ms / floor.p50Ms,
    rateRatio: sample.perSecond / floor.perSecond,
  };
}

export const CONNECTIONS = [1, 16, 64] as const;
export const UNBOUNDED = 1_000_000;
export const PLAIN_BYTES = 2_048;
