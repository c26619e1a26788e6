// The command line `mailkeep`; in the repository `npm run -s cli -- …`.
import { run } from "./run.ts";

/** A command that does not end within this time after a signal is ended, in ms. */
const GRACE_MS = 2_000;

/** Exit codes of a process that a signal ended, as shells have them: 128 and the number of the signal. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

const ended = new AbortController();
let signalCode: number | null = null;
for (const [signal, code] of Object.entries(SIGNALS)) {
  process.once(signal, () => {
    signalCode = code;
    ended.abort();
    setTimeout(() => process.exit(code), GRACE_MS).unref();
  });
}
// Whoever reads the output has seen enough, as in `mailkeep inbox | head -n 1`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));

/** Runs the command that was typed. */
async function main(): Promise<void> {
  const { stdin, stdout, stderr, env } = process;
  try {
    const words = process.argv.slice(2);
    const exit = await run({ words, env, stdin, stdout, stderr, signal: ended.signal });
    process.exitCode = exit === 0 ? 0 : (signalCode ?? exit);
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  }
  // A terminal or a pipe that nobody closes would keep the process.
  stdin.destroy();
}

void main();
