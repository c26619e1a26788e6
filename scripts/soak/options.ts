import { parseArgs } from "node:util";

/** How long and how hard to soak. */
export interface SoakOptions {
  minutes: number;
  /** Decides what is sent, deleted and killed, and when. */
  seed: string;
  /** Seconds between two kills, and between two rows of the table. */
  killSeconds: number;
  /** The clock moves by so many hours twice between two kills. */
  jumpHours: number;
  /** Permanent mailboxes at any time; a quarter as many temporary ones. */
  mailboxes: number;
  /** Multiplies how often everything happens. */
  rate: number;
  /** Largest mail, in bytes. */
  largestBytes: number;
  /** Whether the disk becomes full once. */
  fillsDisk: boolean;
  /** Whether backups are made. */
  backsUp: boolean;
  /** Whether the data folder is kept at the end. */
  keep: boolean;
}

export const DEFAULTS: SoakOptions = {
  minutes: 2,
  seed: "1",
  killSeconds: 60,
  jumpHours: 12,
  mailboxes: 12,
  rate: 1,
  largestBytes: 24_000_000,
  fillsDisk: true,
  backsUp: true,
  keep: false,
};

export const USAGE = `npm run soak -- [options]
  --minutes=${DEFAULTS.minutes}        how long
  --seed=${DEFAULTS.seed}           decides what happens, and when
  --kill-seconds=${DEFAULTS.killSeconds}  between two kills
  --jump-hours=${DEFAULTS.jumpHours}    by which the clock moves, twice between two kills
  --mailboxes=${DEFAULTS.mailboxes}     at any time
  --rate=${DEFAULTS.rate}           multiplies how often everything happens
  --no-full-disk     leaves the disk alone
  --keep             keeps the data folder`;

/** Reads the command line. Throws an error whose message names the option. */
export function readOptions(words: readonly string[]): SoakOptions {
  const { values } = parseArgs({
    args: [...words],
    strict: true,
    options: {
      minutes: { type: "string" },
      seed: { type: "string" },
      "kill-seconds": { type: "string" },
      "jump-hours": { type: "string" },
      mailboxes: { type: "string" },
      rate: { type: "string" },
      keep: { type: "boolean" },
      "no-full-disk": { type: "boolean" },
    },
  });
  return {
    ...DEFAULTS,
    minutes: positive("minutes", values.minutes, DEFAULTS.minutes),
    seed: values.seed ?? DEFAULTS.seed,
    killSeconds: positive("kill-seconds", values["kill-seconds"], DEFAULTS.killSeconds),
    jumpHours: positive("jump-hours", values["jump-hours"], DEFAULTS.jumpHours),
    mailboxes: Math.ceil(positive("mailboxes", values.mailboxes, DEFAULTS.mailboxes)),
    rate: positive("rate", values.rate, DEFAULTS.rate),
    keep: values.keep ?? false,
    fillsDisk: values["no-full-disk"] !== true,
  };
}

function positive(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const number = Number(text);
  if (!(number > 0 && number < Infinity)) throw new Error(`--${name}=${text}: must be a number above 0`);
  return number;
}
