// Runs a command of the installed package `mailkeep-server`.
import { readBuiltWorker } from "../host/built-worker.ts";
import { BUILT } from "./built.ts";
import { runProcess } from "./main.ts";

await runProcess(process.argv.slice(2), () => Promise.resolve(readBuiltWorker(BUILT)));
