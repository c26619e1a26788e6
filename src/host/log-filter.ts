/** Lines of workerd's log that need no action of the operator, each with the reason. All other lines are shown. */
const HARMLESS: readonly { line: RegExp; because: string }[] = [
  {
    line: /^e = \S+: failed: (?:connecting to|failed to lookup|TLS handshake|.*Connection (?:refused|reset))/,
    because: "A host could not be reached. The delivery log of the mailbox says so.",
  },
  {
    line: /^NOSENTRY SQLite alarm handler canceled/,
    because: "An alarm was set again just before it rang. It rings at its new time.",
  },
  {
    line: /^NOSENTRY SQLite alarm overdue, running despite AlarmManager mismatch/,
    because: "An alarm is late, for example after a stop. workerd runs it now.",
  },
  { line: /^NOSENTRY DEBUG_ALARM: /, because: "Debug output of the developers of workerd." },
  {
    line: /^(?:uncaught exception; )?exception = \S+: disconnected: /,
    because: "A client closed its connection in the middle of an answer.",
  },
];

/** Whether a line of workerd's log needs no action of the operator. */
export function isHarmless(line: string): boolean {
  return HARMLESS.some((known) => known.line.test(line));
}
