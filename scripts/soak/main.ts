// A long mixed load with kills, jumps of the clock and a full disk against the real server: `npm run soak -- --minutes=60`.
import { buildWorker } from "../build-worker.ts";
import { readOptions, USAGE } from "./options.ts";
import { tableOf } from "./report.ts";
import { soak } from "./soak.ts";

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function optionsOrUsage() {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    say(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    process.exit(2);
  }
}

const options = optionsOrUsage();
await buildWorker();
const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  // A repeat changes nothing: Ctrl-C reaches this process twice, once from the terminal and once from npm.
  process.on(signal, () => stopping.abort(new Error(`Stopped by ${signal}`)));
}
const { samples, faults, remarks, ledger } = await soak(options, say, stopping.signal).catch(
  (error: unknown) => {
    if (!stopping.signal.aborted) throw error;
    say(String(error));
    // The load still has timers.
    process.exit(130);
  },
);
say(`\n${tableOf(samples)}\n`);
for (const remark of remarks) say(remark);
say(
  `${ledger.counted("received")} mails received, ${ledger.counted("sent")} sent, ${ledger.counted("heard")} events heard,`,
);
say(
  `${ledger.counted("read") + ledger.counted("searched")} reads, ${ledger.counted("codes")} codes, ${ledger.counted("exported")} exports, ${ledger.counted("backups")} backups.`,
);
for (const fault of faults) say(`WRONG: ${fault}`);
say(
  faults.length === 0
    ? "Passed: nothing was lost, and nothing was stored or sent twice."
    : `Wrong in ${faults.length} ways; seed ${options.seed}.`,
);
process.exitCode = faults.length === 0 ? 0 : 1;
