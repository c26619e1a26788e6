import type { RowCost } from "../../src/lib/sql.ts";
import { composeMail } from "./mail.ts";
import { PLAIN_BYTES } from "./stage.ts";
import { NEEDLES } from "./needles.ts";
import type { Box, Workbench } from "./workbench.ts";

/** Rows of SQLite that one operation reads and writes, as Cloudflare bills them. */
export type RowCosts = Record<string, RowCost>;

const PAGE = 20;

/** Counts the rows of each operation once, in a mailbox that holds `stored` messages. */
export async function countRows(bench: Workbench, box: Box): Promise<RowCosts> {
  const costs: RowCosts = {};
  const count = async (name: string, operation: () => Promise<unknown>): Promise<void> => {
    await bench.takeRowCost(box);
    await operation();
    costs[name] = await bench.takeRowCost(box);
  };
  const get = (path: string) => () => bench.request("GET", path, { key: box.key });
  const inbound = (body: string) => () =>
    bench.request("POST", `/v1/inbound?from=bench%40sender.example&to=${encodeURIComponent(box.address)}`, {
      body,
    });
  const mail = (serial: string, more: { code?: string; sizeBytes?: number } = {}): string =>
    composeMail({ to: box.address, serial, sizeBytes: PLAIN_BYTES, ...more });

  // The first call with a key notes the hour of its use.
  await get("/v1/inbox?limit=1")();
  await count("receive a plain email", inbound(mail("cost1")));
  await count("receive a reply", inbound(`In-Reply-To: <cost1@sender.example>\r\n${mail("cost2")}`));
  await count("receive a code", inbound(mail("cost3", { code: "482913" })));
  await count("receive 1 MB with an attachment", inbound(mail("cost4", { sizeBytes: 1_000_000 })));
  await count("receive a duplicate", inbound(mail("cost1")));
  await count(`inbox page of ${PAGE}`, get(`/v1/inbox?limit=${PAGE}`));
  await count("email by id", get(`/v1/emails/${box.ids[Math.floor(box.ids.length / 2)] ?? ""}`));
  await count("search, 1 % hits", get(`/v1/search?q=${NEEDLES[0]}&limit=${PAGE}`));
  await count("code, at once", get("/v1/code?timeout=1"));
  await count(`thread page of ${PAGE}`, get(`/v1/threads?limit=${PAGE}`));
  return costs;
}
