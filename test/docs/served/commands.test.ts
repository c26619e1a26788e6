import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { bundleCli } from "../../../scripts/bundle-cli.ts";
import { firstMinute, otherClients } from "../../../src/contract/first-minute.ts";
import { VERSION } from "../../../src/contract/product.ts";
import { banner } from "../../../src/host/banner.ts";
import { signatureHeaders } from "../../../src/webhooks/sign.ts";
import { bareEnvironment, Server } from "../../served/server.ts";
import { sendMail } from "../../served/smtp.ts";
import { page, PAGES, ROOT } from "../pages.ts";
import { findProgram } from "../../pages/find-program.ts";

const hasCurl = spawnSync("curl", ["--version"]).status === 0;
if (!hasCurl) console.warn("No curl here: the commands of the documentation are NOT run. Install it.");

/** Stops at the first command that fails; a refusal of the API is a failure. `mailkeep` is the command line of this repository. */
const PRELUDE = `set -eu
curl() { command curl --fail-with-body "$@"; }
mailkeep() { "$NODE" ./mailkeep.cjs "$@"; }
npx() { "$@"; }
`;

let server: Server;
let folder: string;

beforeAll(async () => {
  server = await Server.start();
  // The commands are pasted in the folder of the repository, where `npm start` keeps its data.
  folder = await mkdtemp(path.join(tmpdir(), "mailkeep-docs-"));
  await symlink(server.dataDir, path.join(folder, "data"));
  await bundleCli(path.join(folder, "mailkeep.cjs"));
}, 180_000);

afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The commands that a page lets its reader paste, in order, against the server of this test. */
function scriptOf(file: string): string {
  const run = page(file).blocks.filter(({ language, mark }) => language === "sh" && mark === "");
  return run
    .map(({ text }) => text)
    .join("\n")
    .replaceAll("http://127.0.0.1:8787", server.url)
    .replaceAll("127.0.0.1:2525", `127.0.0.1:${server.smtpPort}`);
}

const NO_OPENSSL = findProgram("OPENSSL", ["openssl"]) === null;

function paste(script: string): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const options = { cwd: folder, env: bareEnvironment({ HOME: folder, NODE: process.execPath }) };
    const child = execFile("sh", ["-c", PRELUDE + script], options, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

describe.skipIf(!hasCurl)("the commands of the documentation", () => {
  const files = PAGES.map(({ file }) => file).filter((file) => scriptable(file));

  it.for(files)("work when they are pasted one after the other: %s", async (file, { skip }) => {
    skip(NO_OPENSSL && /^openssl /m.test(scriptOf(file)), "openssl is not installed");
    const { code, stdout, stderr } = await paste(scriptOf(file));
    expect({ code, stdout, stderr }).toMatchObject({
      code: 0,
      stdout: expect.not.stringContaining('"error":"'),
    });
  });

  it("lead in a first minute to the code and to a mail that was delivered", async () => {
    const again = scriptOf("README.md").replaceAll('"name":"billing"', '"name":"billing-again"');
    const { stdout } = await paste(again);
    expect(stdout).toContain('"code":"482913"');
    expect(stdout).toContain('"delivery_status":"delivered"');
  });
});

function scriptable(file: string): boolean {
  return page(file).blocks.some(({ language, mark }) => language === "sh" && mark === "");
}

/** The module that a page shows, loaded. It lies in the repository for as long, where its imports are found. */
async function moduleOf(file: string, name: string): Promise<Record<string, unknown>> {
  const block = page(file).blocks.find(({ mark }) => mark === `module: ${name}`);
  if (block === undefined) throw new Error(`${file} shows no module ${name}`);
  const place = path.join(ROOT, "test/docs/served", `.${name}-${process.pid}.mjs`);
  await writeFile(place, block.text);
  onTestFinished(() => rm(place, { force: true }));
  return (await import(/* @vite-ignore */ pathToFileURL(place).href)) as Record<string, unknown>;
}

interface Heard {
  kind: string;
  data: { subject: string };
  id: string;
}

type Follow = (options: {
  url: string;
  key: string;
  last?: string;
  signal: AbortSignal;
  onEvent: (kind: string, data: Heard["data"], id: string) => void;
}) => Promise<void>;

/** An example as it is printed, for a shell or for Node, in the folder of the repository. */
interface Printed {
  name: string;
  language: string;
  /** `url` is that of the server. */
  text: (url: string) => string;
}

/** The client's line of the banner. */
const lineOf = (name: string, url: string): string =>
  otherClients(url, true).find((client) => client.name === name)?.text ?? "";

const PRINTED: readonly Printed[] = [
  { name: "command line of the banner", language: "sh", text: (url) => lineOf("Command line", url) },
  {
    name: "TypeScript of the banner",
    language: "ts",
    text: (url) => `${lineOf("TypeScript", url)} console.log(mail.address);`,
  },
  ...firstMinute("").map(({ id, title, language }) => ({
    name: `${title} of the start page`,
    language,
    text: (url: string) => firstMinute(url).find((example) => example.id === id)?.text ?? "",
  })),
  ...["README.md", "docs/agents.md"].flatMap((file) =>
    page(file)
      .blocks.filter(({ mark }) => /^example: (?:cli|typescript)$/.test(mark))
      .map(({ mark, language, text }) => ({
        name: `${mark} of ${file}`,
        language,
        text: (url: string) => text.replaceAll("http://127.0.0.1:8787", url),
      })),
  ),
];

/**
 * Runs an example in the repository, as a newcomer does, with a home folder of its own. When it has printed an address, a mail
 * with a code comes there.
 */
async function runPrinted({ language, text }: Printed): Promise<{ code: number | null; output: string }> {
  const [command, ...words] =
    language === "sh"
      ? ["sh", "-ec", text(server.url)]
      : [process.execPath, "--input-type=module", "--eval", text(server.url)];
  const child = spawn(command ?? "", words, {
    cwd: ROOT,
    // A command that is not in the repository must not come from a registry.
    env: bareEnvironment({ HOME: folder, npm_config_offline: "true" }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let isSent = false;
  const hear = (chunk: Buffer): void => {
    output += chunk.toString();
    const [address] = /agent-[0-9a-f]+@[\w.]+/.exec(output) ?? [];
    if (address === undefined || isSent) return;
    isSent = true;
    const mail = {
      from: "login@shop.example",
      to: address,
      subject: "Your code",
      text: "Your code is 482913.",
    };
    void sendMail(server.smtpPort, mail);
  };
  child.stdout.on("data", hear);
  child.stderr.on("data", hear);
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output };
}

describe("the first commands, as they are printed", () => {
  it.each(PRINTED)("work in the repository, where `npm start` was run: $name", async (printed) => {
    const { code, output } = await runPrinted(printed);
    const isForCode = /\bcodes?\b/.test(printed.text(""));
    const result = isForCode ? /agent-[0-9a-f]+@[^]*482913/ : /agent-[0-9a-f]+@/;
    expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(result) });
  });

  it("are those of the banner: a mailbox, a mail to it and its code, pasted as three lines", async () => {
    const screen = banner({
      http: server.url,
      publicUrl: null,
      host: "127.0.0.1",
      smtp: { host: "127.0.0.1", port: server.smtpPort, tls: false },
      metrics: null,
      mailDomain: "mailkeep.test",
      outbound: "local",
      dataDir: "data",
      keySource: "data/secrets.json",
      hasClient: true,
      workerdPid: null,
      startMs: 1,
    });
    const lines = screen.split("\n").filter((line) => /^(?:M=|printf|curl)/.test(line));
    expect(lines).toHaveLength(3);
    const { code, stdout } = await paste(lines.join("\n"));
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('"code":"482913"') });
  });

  it("start mailkeep-server too", async () => {
    const printed = { name: "", language: "sh", text: () => "npx --no-install mailkeep-server --version" };
    expect(await runPrinted(printed)).toMatchObject({ code: 0, output: expect.stringContaining(VERSION) });
  });
});

describe("the stream reader of docs/events.md", () => {
  it("hears named events with a key in a header, and resumes after the last one", async () => {
    const { follow } = (await moduleOf("docs/events.md", "follow")) as { follow: Follow };
    const box = await server.service.bootstrap();
    const send = (subject: string) =>
      sendMail(server.smtpPort, { from: "a@shop.example", to: box.mailbox, subject, text: "Hello" });
    await send("first");
    const heard: Heard[] = [];
    const end = new AbortController();
    const following = follow({
      url: server.url,
      key: box.api_key,
      last: "0",
      signal: end.signal,
      onEvent: (kind, data, id) => heard.push({ kind, data, id }),
    });
    await expect.poll(() => heard.length, { timeout: 10_000 }).toBe(1);
    await send("second");
    await expect
      .poll(() => heard.map(({ data }) => data.subject), { timeout: 10_000 })
      .toEqual(["first", "second"]);
    expect(heard.map(({ kind, id }) => [kind, id])).toEqual([
      ["message.received", "1"],
      ["message.received", "2"],
    ]);
    end.abort();
    await following;
  });

  it("gives up where to try again does not help", async () => {
    const { follow } = (await moduleOf("docs/events.md", "follow")) as { follow: Follow };
    const { signal } = new AbortController();
    const refused = follow({ url: server.url, key: `mk_${"0".repeat(64)}`, signal, onEvent: () => {} });
    await expect(refused).rejects.toThrow(/Unauthorized/);
  });
});

describe("the webhook receiver of docs/events.md", () => {
  it("takes what is signed with its secret and refuses what is not", async () => {
    const { receive } = (await moduleOf("docs/events.md", "receive")) as {
      receive: (request: Request) => Promise<Response>;
    };
    const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
    process.env["WEBHOOK_SECRET"] = secret;
    onTestFinished(() => void delete process.env["WEBHOOK_SECRET"]);
    const shown = page("docs/events.md").blocks.find(({ mark }) => mark === "webhook body")?.text ?? "";
    const message = {
      id: "evt_1",
      timestampSeconds: Math.floor(Date.now() / 1_000),
      event: "message.received",
      emailId: "1",
    };
    const requestSignedBy = (key: string) =>
      new Request("https://you.example/hook", {
        method: "POST",
        body: shown,
        headers: signatureHeaders(shown, message, { current: key, previous: [] }),
      });
    const taken = await receive(requestSignedBy(secret));
    expect([taken.status, taken.headers.get("X-Handled")]).toEqual([204, "message.received"]);
    const forged = await receive(requestSignedBy(`whsec_${Buffer.alloc(24, 8).toString("base64")}`));
    expect(forged.status).toBe(401);
  });
});
