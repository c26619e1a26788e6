import { linkSync, readdirSync, readlinkSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { mailboxFile } from "../../src/host/backup/data-folder.ts";
import { makeDataDir, removeDataDir, Server } from "./server.ts";

/** More than a file must have to be held. */
const FILLER_BYTES = 40_000_000;

/** The files that a process has open. */
function openFiles(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(path.join(folder, name))];
    } catch {
      // It was closed meanwhile.
      return [];
    }
  });
}

/** Makes the file of a mailbox large. */
function fill(file: string): void {
  const database = new DatabaseSync(file);
  database.exec(`CREATE TABLE filler (bytes BLOB); INSERT INTO filler VALUES (zeroblob(${FILLER_BYTES}))`);
  database.close();
}

it.runIf(process.platform === "linux")(
  "holds the file of a large mailbox in the process beside workerd while it is removed, and leaves no bytes of it",
  async () => {
    const dataDir = await makeDataDir();
    onTestFinished(() => removeDataDir(dataDir));
    let server = await Server.start({ dataDir });
    const { mailbox, api_key: key } = await server.service.createMailbox();
    await server.stop();
    const file = path.join(dataDir, mailboxFile(mailbox));
    fill(file);
    // With a second name the file counts as not removed, so that it is held until the server stops.
    linkSync(file, `${file}.second`);

    server = await Server.start({ dataDir });
    onTestFinished(() => void server.stop());
    const { status } = await server.service.call("/v1/mailbox", { method: "DELETE", key });
    expect(status).toBe(200);
    expect(openFiles(server.process.child.pid ?? 0)).toContain(`${file} (deleted)`);
    expect(openFiles(await server.workerdPid())).not.toContain(`${file} (deleted)`);
  },
  120_000,
);
