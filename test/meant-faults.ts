import { isHarmless } from "../src/host/log-filter.ts";

/** Lines that workerd logs about errors which tests cause on purpose, with the reason. */
const MEANT: readonly { line: RegExp; because: string }[] = [
  { line: /broken\.outputGateBroken; jsg\.Error: killed by a test/, because: "`kill` of the harness" },
  {
    line: /jsg\.Error: Application called abortAllDurableObjects\(\)/,
    because: "objects end with their test",
  },
  {
    line: /^uncaught exception; source = Uncaught \(in promise\); stack = Error: (?:disk is full|died|poison: SQLITE_CONSTRAINT)\b/,
    because: "a write that a trigger or a stub of a test makes fail",
  },
  {
    line: /^uncaught exception; source = Uncaught \(in promise\); stack = Error: (?:More mail comes than can be stored|The blob of a message is no longer reserved|The client reads too slowly|Network connection lost\.)/,
    because:
      "a refusal that the caller in the test expects; workerd reports it once more where it leaves the object",
  },
  {
    line: /^uncaught exception; .*jsg\.Error: The data was written by |^uncaught exception; .*stack = Error: The data was written by /,
    because: "a mailbox whose data a newer version wrote",
  },
  {
    line: /^console warning; message = Called \.text\(\) on an HTTP body/,
    because: "messages and files are compared as text",
  },
  {
    line: /^A header value for "(?:Content-Disposition|Idempotency-Key)" contains non-ASCII/,
    because: "names and keys that are not ASCII",
  },
];

/** Whether a line of workerd is only about an error that a test caused on purpose. */
export function isMeant(line: string): boolean {
  return isHarmless(line) || MEANT.some((fault) => fault.line.test(line));
}

/**
 * Removes such lines from the output of the tests: vitest's pool writes each message of workerd to the outputs of this
 * process and has no filter. Failures still show in the failed test.
 */
export function muteMeantFaults(): void {
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (...parts: unknown[]) => boolean;
    stream.write = (...parts: unknown[]): boolean =>
      typeof parts[0] === "string" && isMeant(parts[0]) ? true : write(...parts);
  }
}
