// Runs a command of `mailkeep-server` that needs no worker, in a process of its own: server-command.ts <command> <words>
import { runProcess } from "../../src/server/main.ts";

await runProcess(process.argv.slice(2), () => Promise.reject(new Error("this command starts no worker")));
