/** Lines of the runtime that ask for nothing, each with the reason; whatever else it says is shown. */
const NOISE: readonly { line: RegExp; because: string }[] = [
  {
    line: /^e = \S+: failed: (?:connecting to|failed to lookup|TLS handshake|.*Connection (?:refused|reset))/,
    because: "A target could not be reached. The log of deliveries says so to whom it concerns.",
  },
  {
    line: /^NOSENTRY SQLite alarm handler canceled/,
    because: "An alarm was set anew while it was about to ring, and rings at its new time.",
  },
  {
    line: /^NOSENTRY SQLite alarm overdue, running despite AlarmManager mismatch/,
    because: "An alarm that is late, as after a stop, and is run by this very line.",
  },
  { line: /^NOSENTRY DEBUG_ALARM: /, because: "What the makers of workerd follow alarms by." },
  {
    line: /^(?:uncaught exception; )?exception = \S+: disconnected: /,
    because: "A client went away in the middle of an answer; it comes again if it wants the rest.",
  },
];

/** Whether a line of the runtime's log needs no action of the operator. */
export function isNoise(line: string): boolean {
  return NOISE.some((noise) => noise.line.test(line));
}
