/** One operation in a small mailbox and in a large one. */
export interface DepthRow {
  name: string;
  smallMs: number;
  largeMs: number;
  ratio: number;
  /** Of workerd. */
  cpuRatio: number;
  /** Why it takes longer in a large mailbox; null where it should not. */
  reason: string | null;
}

/** The cost of a large mailbox beside that of a small one. */
export interface DepthResults {
  small: number;
  large: number;
  fillSeconds: number;
  diskBytes: { small: number; large: number };
  rows: DepthRow[];
  /** The longest time of a receipt by another mailbox of the process, in ms: alone, and beside each kind of long work. */
  pauses: { name: string; ms: number }[];
}
