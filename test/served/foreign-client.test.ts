import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { bareEnvironment, npmEnvironment, Server } from "./server.ts";

const run = promisify(execFile);
const ROOT = path.resolve(import.meta.dirname, "../..");
/**
 * The manifest of the programs of others that read the OpenAPI description. They lie apart from the project's dependencies, as
 * nothing that runs needs them, and one of them needs an earlier TypeScript.
 */
const MANIFEST = path.join(ROOT, "test/foreign-client");
/** The folder where they are installed. */
const TOOLS = path.join(ROOT, "dist/foreign-client");
const program = (name: string) => path.join(TOOLS, "node_modules/.bin", name);

const HAS_TOOLS = await installed();
if (!HAS_TOOLS) {
  console.warn("The generator and Spectral could not be installed: no foreign client is tested here.");
}

/** Installs the programs once; false where the registry cannot be reached. No script of a package runs. */
async function installed(): Promise<boolean> {
  const locked = await readFile(path.join(MANIFEST, "package-lock.json"), "utf8");
  const before = await readFile(path.join(TOOLS, "package-lock.json"), "utf8").catch(() => "");
  if (locked === before && existsSync(program("openapi-ts"))) return true;
  await cp(MANIFEST, TOOLS, { recursive: true });
  const options = { cwd: TOOLS, env: npmEnvironment({}) };
  return run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], options).then(
    () => true,
    (error: Error) => {
      console.warn(error.message);
      return false;
    },
  );
}

/** The program of somebody who has the generated client: a mailbox, a mail to it, its code, and a send. */
const MAIN_JOB = `
import { createClient, createConfig } from "./mailkeep/client/index.js";
import { bootstrap, code, createMailbox, email, inbound, inbox, send } from "./mailkeep/sdk.gen.js";
import type { SendData } from "./mailkeep/types.gen.js";

const [baseUrl = "", operator = ""] = process.argv.slice(2);
const clientOf = (auth?: string) => createClient(createConfig({ baseUrl, ...(auth === undefined ? {} : { auth }) }));
const throwOnError = true as const;

const made = await bootstrap({ client: clientOf(), throwOnError });
const { mailbox, api_key } = made.data;
const raw = "From: Shop <login@shop.example>\\r\\nTo: " + mailbox +
  "\\r\\nSubject: Your verification code\\r\\n\\r\\nYour verification code is 482913.\\r\\n";
await inbound({
  client: clientOf(operator),
  query: { to: [mailbox], from: "login@shop.example" },
  body: new Blob([raw]),
  throwOnError,
});

const own = clientOf(api_key);
const found = await code({ client: own, query: { timeout: 30, from: "shop.example" }, throwOnError });
const id: string = found.data.id ?? "";
const read = await email({ client: own, path: { id }, throwOnError });
const listed = await inbox({ client: own, query: { limit: 5 }, throwOnError });

const permanent = await createMailbox({ client: clientOf(operator), body: { name: "generated" }, throwOnError });
const sent = await send({
  client: clientOf(permanent.data.api_key),
  // Typed: the description has the header fields that a route reads.
  headers: { "Idempotency-Key": "generated-1" } satisfies SendData["headers"],
  query: { wait: 10 },
  body: { to: mailbox, subject: "Hello", text: "Hello from a generated client." },
  throwOnError,
});
const status: "queued" | "sent" = sent.data.status;

const refused = await send({ client: own, body: { to: mailbox, subject: "Hello", text: "No." } });
const fix: string | undefined = refused.error?.fix;

console.log(JSON.stringify({
  code: found.data.code,
  subject: read.data.subject,
  emails: listed.data.emails.length,
  status,
  fix,
}));
`;

const COMPILER = {
  strict: true,
  noUncheckedIndexedAccess: true,
  target: "es2022",
  module: "nodenext",
  lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable"],
  types: ["node"],
  typeRoots: [path.join(ROOT, "node_modules/@types")],
  outDir: "dist",
};

describe.skipIf(!HAS_TOOLS)("the OpenAPI description, in the hands of others", () => {
  let server: Server;
  let folder: string;

  beforeAll(async () => {
    server = await Server.start();
    folder = await mkdtemp(path.join(tmpdir(), "mailkeep-foreign-"));
  }, 180_000);
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("becomes a client by @hey-api/openapi-ts that compiles in strict mode and does the main job", async () => {
    const options = { cwd: folder, env: bareEnvironment({}) };
    const input = `${server.url}/openapi.json`;
    // Its imports name files as Node resolves them.
    const config = {
      input,
      output: { path: "mailkeep", module: { extension: ".js" } },
      logs: { file: false },
    };
    await writeFile(
      path.join(folder, "openapi-ts.config.mjs"),
      `export default ${JSON.stringify(config)};\n`,
    );
    await run(program("openapi-ts"), ["--file", "openapi-ts.config.mjs"], options);
    await writeFile(path.join(folder, "package.json"), JSON.stringify({ type: "module", private: true }));
    await writeFile(path.join(folder, "main-job.ts"), MAIN_JOB);
    const tsconfig = { compilerOptions: COMPILER, include: ["main-job.ts", "mailkeep/**/*.ts"] };
    await writeFile(path.join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
    const faults = await run(path.join(ROOT, "node_modules/.bin/tsc"), ["--project", folder]).then(
      ({ stdout }) => stdout,
      (error: { stdout: string; message: string }) => error.stdout || error.message,
    );
    expect(faults).toBe("");
    const { stdout } = await run(process.execPath, ["dist/main-job.js", server.url, server.token], options);
    expect(JSON.parse(stdout)).toEqual({
      code: "482913",
      subject: "Your verification code",
      emails: 1,
      status: "sent",
      fix: expect.stringContaining("POST /v1/claim/start") as string,
    });
  });

  it("passes the recommended rules of Spectral, none left out", async () => {
    const load = createRequire(path.join(TOOLS, "package.json"));
    const { Spectral } = load("@stoplight/spectral-core") as {
      Spectral: new () => { setRuleset(rules: unknown): void; run(document: unknown): Promise<unknown[]> };
    };
    const { oas } = load("@stoplight/spectral-rulesets") as { oas: unknown };
    const spectral = new Spectral();
    spectral.setRuleset({ extends: [[oas, "recommended"]] });
    const { body } = await server.service.ask("/openapi.json");
    const Found = z.array(z.object({ code: z.unknown(), message: z.string(), path: z.array(z.unknown()) }));
    const found = Found.parse(await spectral.run(body));
    expect(found.map(({ code, message, path: place }) => [code, message, place.join(".")])).toEqual([]);
    // The rules are at work: they find what is missing.
    expect(await spectral.run({ ...body, info: { title: "No contact", version: "1" } })).not.toEqual([]);
  });
});
