import { readFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod";

const dollars = z.number().min(0);

/**
 * The prices of Cloudflare's paid plan beyond what its monthly fee includes, in dollars, as its pages stated on the day `readOn`.
 */
const Prices = z.strictObject({
  readOn: z.iso.date(),
  sources: z.array(z.url()),
  dollars: z.strictObject({
    millionWorkerRequests: dollars,
    millionCpuMs: dollars,
    millionObjectRequests: dollars,
    /** Of duration: an object is billed while it runs, and while it waits and cannot hibernate. */
    millionGbSeconds: dollars,
    millionRowsRead: dollars,
    millionRowsWritten: dollars,
    gbMonth: dollars,
    thousandMailsSent: dollars,
  }),
  /** The memory that is billed for each object, whatever it uses. */
  objectGb: z.number(),
});
export type Prices = z.output<typeof Prices>;

/** The prices of `prices.json`. */
export const PRICES: Prices = Prices.parse(
  JSON.parse(readFileSync(path.join(import.meta.dirname, "prices.json"), "utf8")),
);
