// Writes the stored data of this version, which the tests of every later one open:
// `node scripts/run.mjs scripts/stored-data.ts <name>` makes test/fixtures/stored/<name> (see the README there).
//
// It serves an empty data folder and fills it through the public doors alone: HTTP, SMTP, a relay, a resolver, a model and
// a webhook target on this machine. Then it kills the server in the middle of what it does, and keeps the folder and what
// the API said of it. It ends with an error if a table of any actor is empty, so that a new table asks for data of its own.
import { execFileSync } from "node:child_process";
import { Refusal } from "../src/host/refusal.ts";
import { beginTakeOver, fillClaims, fillTemporary } from "./stored-data/claims.ts";
import { countTables, takeOverUnderWay, tidy } from "./stored-data/files.ts";
import { fillMover } from "./stored-data/mover.ts";
import { fillReader } from "./stored-data/reader.ts";
import { readDeployment, readMailbox } from "./stored-data/readings.ts";
import { fillRuled } from "./stored-data/ruled.ts";
import { fillKept, fillSender } from "./stored-data/sender.ts";
import { must, type Stage } from "./stored-data/stage.ts";
import { fillWaiting } from "./stored-data/waiting.ts";
import { endOrphan, makeDataDir, removeDataDir, Server } from "../test/served/server.ts";
import { pack } from "../test/served/stored/archive.ts";
import type { StoredData } from "../test/served/stored/stored-data.ts";
import { Surroundings } from "../test/served/stored/surroundings.ts";
import { Target } from "../test/served/target.ts";

/** Webhooks of the stored data lead here. Below the ports that a system gives out, so that nobody is there by chance. */
const HOOKS_PORT = 18_025;
/** All secrets are made up for tests. */
const SETTINGS = {
  AUTH_TOKEN: "test-only-operator-token-0123456789",
  WEBHOOK_SECRET: "whsec_dGVzdC1vbmx5LXdlYmhvb2stc2VjcmV0",
  KEY_SECRET: "test-only-key-secret-0123456789abcdef",
  MAIL_HOST: "mx.mailkeep.test",
  AUTHSERV_ID: "mx.mailkeep.test",
  CLAIM_APPROVAL: "open",
  ALLOW_PRIVATE_WEBHOOKS: "true",
  // The maximum, because the entries of the log are compared.
  EVENT_RETENTION_DAYS: "3650",
  EMBEDDINGS_MODEL: "model-of-the-tests",
};

const FINDING = {
  id: "dns.mx",
  level: "broken",
  title: "mx.mailkeep.test has no MX record",
  cost: "Mail from outside does not arrive.",
  fix: "mailkeep.test. 3600 IN MX 10 mx.mailkeep.test.",
};

async function main(): Promise<void> {
  const [name = ""] = process.argv.slice(2);
  if (!/^[\w.-]+$/.test(name)) throw new Refusal("usage: scripts/stored-data.ts <name of the version>");
  const dataDir = await makeDataDir();
  const around = await Surroundings.start();
  const hooks = await Target.start(HOOKS_PORT);
  try {
    const known = await fill(dataDir, around, hooks);
    const taken = takeOverUnderWay(dataDir);
    if (taken === null)
      throw new Refusal("All mail was taken over before the server was killed: run it again");
    const tables = countTables(dataDir);
    tidy(dataDir);
    const stored = { ...known, take_over: { ...known.take_over, taken }, tables } as StoredData;
    const bytes = pack(name, dataDir, stored);
    process.stdout.write(
      `${JSON.stringify(tables, null, 2)}\n${stored.reads.length} readings, ${bytes} bytes\n`,
    );
    refuseEmpty(tables);
  } finally {
    around.stop();
    await hooks.stop();
    await removeDataDir(dataDir);
  }
}

async function fill(dataDir: string, around: Surroundings, hooks: Target): Promise<Partial<StoredData>> {
  const known: Partial<StoredData> = {
    src_tree: committedSource(),
    stored_at: new Date().toISOString(),
    settings: SETTINGS,
  };
  const start = async (options = {}): Promise<Stage> => {
    const server = await Server.start({ dataDir, env: { ...SETTINGS, ...around.env(options) } });
    return { server, around, hooks, known };
  };
  const local = await start({ relay: false });
  const sender = await fillKept(local);
  await local.server.stop();

  const stage = await start();
  known.keys = { ...known.keys, operator: SETTINGS.AUTH_TOKEN };
  const reader = await fillReader(stage);
  await fillSender(stage, sender, reader.mailbox);
  await fillMover(stage, reader);
  await fillRuled(stage);
  await must(stage, SETTINGS.AUTH_TOKEN, "PUT /v1/doctor", { version: 1, findings: [FINDING] });
  await must(stage, SETTINGS.AUTH_TOKEN, "PATCH /v1/sending/halt", { reason: "A key leaked" });
  await must(stage, SETTINGS.AUTH_TOKEN, "PATCH /v1/sending/resume", {});
  await fillClaims(stage);
  await fillTemporary(stage);
  await fillWaiting(stage);
  known.reads = [
    ...(await readMailbox(stage, "reader")),
    ...(await readMailbox(stage, "sender")),
    ...(await readMailbox(stage, "mover")),
    ...(await readMailbox(stage, "claimed")),
    ...(await readDeployment(stage)),
  ];
  await beginTakeOver(stage);
  endOrphan(await stage.server.abandon());
  stage.server.service.close();
  return known;
}

/** The code that writes the data must be found again. */
function committedSource(): string {
  const git = (...args: string[]) => execFileSync("git", args, { encoding: "utf8" }).trim();
  if (git("status", "--porcelain", "--", "src") !== "") throw new Refusal("Commit the changes in src/ first");
  return git("rev-parse", "HEAD:src");
}

/** Has rows only while the bucket slowly stores a file of a mailbox that has ended. */
const MAY_BE_EMPTY = ["Mailbox.late_blob"];

function refuseEmpty(tables: Record<string, Record<string, number>>): void {
  const empty = Object.entries(tables).flatMap(([actor, counts]) =>
    Object.entries(counts).flatMap(([table, rows]) => (rows === 0 ? [`${actor}.${table}`] : [])),
  );
  const missing = empty.filter((table) => !MAY_BE_EMPTY.includes(table));
  if (missing.length > 0) throw new Refusal(`Tables without a row: ${missing.join(", ")}`);
}

try {
  await main();
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
