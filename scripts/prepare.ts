// `npm install` in a clone, of a clone and from Git ends with this: afterwards the commands and the module are there.
import { buildPackages } from "./pack.ts";

// npx links the clone before it runs a command for the first time, which needs no types.
await buildPackages({ types: process.env["npm_command"] !== "exec" });
