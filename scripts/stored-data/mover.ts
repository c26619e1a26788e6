import type { ImportProgress, StartedImport } from "../../src/contract/moving.ts";
import type { MailboxKey } from "../../test/served/client.ts";
import { create, must, until, type Stage } from "./stage.ts";

/** The mailbox that took over all mail of another one by an export and an import. */
export async function fillMover(stage: Stage, from: MailboxKey): Promise<void> {
  const { url, service } = stage.server;
  const box = await create(stage, "mover");
  const archive = await fetch(`${url}/v1/export`, { headers: { Authorization: `Bearer ${from.api_key}` } });
  const body = Buffer.from(await archive.arrayBuffer());
  const { status, body: started } = await service.ask<StartedImport>("/v1/import", {
    key: box.api_key,
    body,
  });
  if (status !== 202) throw new Error(`The import was refused: ${JSON.stringify(started)}`);
  await until("a finished import", async () => {
    const now = await must<ImportProgress>(stage, box.api_key, `GET /v1/import/${started.id}`);
    if (now.failed > 0 || now.error !== null) throw new Error(`The import failed: ${JSON.stringify(now)}`);
    return now.status === "done";
  });
}
