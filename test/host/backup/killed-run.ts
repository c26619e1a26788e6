// Runs one backup and kills itself with SIGKILL before or after one of its writes:
// killed-run.ts <backup folder> <data folder> <number of the write> before|after
import { Repository } from "../../../src/host/backup/repository.ts";
import { backUpTo } from "./rig-run.ts";

const [, , dir = "", dataDir = "", count = "", moment = ""] = process.argv;
let writes = 0;

/** Calls the method of the class, and kills the process before or after one of the calls. */
const killing: ProxyHandler<Repository["write"]> = {
  async apply(write, repository, words) {
    // Writes overlap: each has its own number.
    writes += 1;
    const number = writes;
    if (number === Number(count) && moment === "before") process.kill(process.pid, "SIGKILL");
    await Reflect.apply(write, repository, words);
    if (number === Number(count)) process.kill(process.pid, "SIGKILL");
  },
};
const { value } = Object.getOwnPropertyDescriptor(Repository.prototype, "write") ?? {};
Object.defineProperty(Repository.prototype, "write", { value: new Proxy(value, killing) });
await backUpTo(dir, dataDir);
