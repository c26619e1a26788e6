import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Email } from "../../../src/contract/message.ts";
import type { MailboxRules as Rules } from "../../../src/contract/rules.ts";
import { sendMail } from "../../served/smtp.ts";
import { bareEnvironment, Server } from "../../served/server.ts";
import { Target } from "../../served/target.ts";
import { run } from "../../../src/cli/run.ts";
import { linesOf, Program } from "../program.ts";
import { KeptStream } from "../streams.ts";

let server: Server;
let program: Program;
let target: Target;
let folder: string;
/** A permanent mailbox, stored as the profile "box". */
let mailbox: string;
let key: string;

beforeAll(async () => {
  [server, target, folder] = await Promise.all([
    Server.start({ env: { ALLOW_PRIVATE_WEBHOOKS: "true" } }),
    Target.start(),
    mkdtemp(path.join(tmpdir(), "mailkeep-files-")),
  ]);
  program = await Program.build({ MAILKEEP_URL: server.url });
  ({ mailbox, api_key: key } = await server.service.createMailbox());
  await program.json(["profiles", "add", "box", "--key-stdin"], { stdin: `${key}\n` });
}, 180_000);

afterAll(async () => {
  await server.stop();
  await target.stop();
  await program.remove();
  await rm(folder, { recursive: true, force: true });
});

const BOX = ["--profile", "box"];

/** Mail to the mailbox; resolves to the id of the email. */
async function receive(subject: string, text: string, more: Record<string, unknown> = {}): Promise<string> {
  await sendMail(server.smtpPort, { from: "Shop <login@shop.example>", to: mailbox, subject, text, ...more });
  const [newest] = await server.service.inbox(key);
  return String(newest?.id);
}

describe("rules", () => {
  it("are changed entry by entry; what they refuse is listed, released and deleted", async () => {
    const made = await server.service.createMailbox();
    const own = ["--profile", "ruled"];
    await program.json(["profiles", "add", "ruled", "--key-stdin"], { stdin: `${made.api_key}\n` });
    const rules = async (...words: string[]) =>
      (await program.json<Rules>(["rules", ...words, ...own]))[0]?.receive;
    await rules("mode", "verified");
    await rules("block", "Billing@Shop.Example", "*.ads.example");
    expect(await rules("allow", "billing@shop.example")).toEqual({
      mode: "verified",
      allow: [{ match: "billing@shop.example" }],
      block: [{ match: "*.ads.example" }],
    });
    expect(await rules("remove", "*.Ads.example")).toMatchObject({ block: [] });
    expect(await program.run(["rules", "mode", "some", ...own])).toMatchObject({ code: 2 });
    expect(await program.run(["rules", "allow", "no domain", ...own])).toMatchObject({ code: 2 });
    const mail = { from: "login@shop.example", to: made.mailbox, text: "Hello." };
    for (const subject of ["First", "Second"]) {
      await expect(sendMail(server.smtpPort, { ...mail, subject })).rejects.toThrow("550 5.7.1");
    }
    const refused = await program.json<{ id: string; subject: string }>(["refused", ...own]);
    expect(refused.map(({ subject }) => subject)).toEqual(["Second", "First"]);
    const [second, first] = refused.map(({ id }) => id);
    const [email] = await program.json<Email>(["refused", "release", first ?? "", ...own]);
    expect(email).toMatchObject({ subject: "First", status: "received" });
    await program.json(["refused", "delete", second ?? "", ...own]);
    expect(await program.json(["refused", ...own])).toEqual([]);
    expect((await program.json<Email>(["inbox", ...own])).map(({ subject }) => subject)).toEqual(["First"]);
    await program.json(["profiles", "remove", "ruled"]);
  });
});

describe("getting a mailbox", () => {
  it("makes a temporary one at once, stores its key for its owner alone, and never shows it", async () => {
    const env = { XDG_CONFIG_HOME: path.join(folder, "fresh") };
    const { stdout, stderr, code } = await program.run(["signup"], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const [made] = linesOf<{ mailbox: string; profile: string }>(stdout);
    expect(made).toMatchObject({
      status: "complete",
      scope: "provisional",
      profile: "default",
      url: server.url,
    });
    expect(stdout).not.toContain("mk_");
    const file = path.join(folder, "fresh/mailkeep/config.json");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const [me] = await program.json(["whoami"], { env: { ...env, MAILKEEP_URL: undefined } });
    expect(me).toMatchObject({ mailbox: made?.mailbox, scope: "provisional", profile: "default" });
  });

  it("warns that MAILKEEP_KEY wins over the new one, also where its key is refused", async () => {
    const env = { XDG_CONFIG_HOME: path.join(folder, "hidden"), MAILKEEP_KEY: `mk_${"0".repeat(64)}` };
    const signedUp = await program.run(["signup"], { env });
    expect(signedUp).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^warning: MAILKEEP_KEY is set/),
    });
    const refused = await program.run(["inbox"], { env });
    expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining("next: unset MAILKEEP_KEY") });
    expect(await program.json(["whoami", "--profile", "default"], { env })).toMatchObject([
      { scope: "provisional" },
    ]);
  });

  it("asks a person for a permanent one, waits until it is approved, and stores its key", async () => {
    const env = { XDG_CONFIG_HOME: path.join(folder, "claimed") };
    const child = program.start(["signup", "claimed-here"], { env });
    child.stdin?.end();
    let printed = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => void (printed += text));
    await expect.poll(() => printed).toContain("\n");
    const [pending] = linesOf<{ device_code: string; verification_uri_complete: string }>(printed);
    expect(pending).toMatchObject({ status: "pending", mailbox: `claimed-here@${mailbox.split("@")[1]}` });
    const file = path.join(folder, "claimed/mailkeep/config.json");
    const { claims } = JSON.parse(await readFile(file, "utf8")) as {
      claims: Record<string, { session: string }>;
    };
    // Whoever has the session gets the key.
    expect(printed).not.toContain(Object.values(claims)[0]?.session);
    const approved = await server.service.ask("/v1/claim/confirm", {
      json: { device_code: pending?.device_code },
      headers: { Origin: server.url },
    });
    expect(approved.status).toBe(200);
    await new Promise((resolve) => void child.once("close", resolve));
    expect([child.exitCode, linesOf(printed)[1]]).toEqual([
      0,
      expect.objectContaining({ status: "complete", scope: "mailbox", profile: "default" }),
    ]);
    expect(printed).not.toContain("mk_");
    expect(await program.json(["whoami"], { env })).toMatchObject([{ scope: "mailbox", send: true }]);
  });
});

/** Runs a program with a terminal in front of it. */
const hasScript = spawnSync("script", ["--version"]).status === 0;
if (!hasScript) console.warn("No `script` here: questions to a person are NOT tested. Install bsdutils.");

it.skipIf(!hasScript)("asks a person at a terminal which mailbox is wanted", async () => {
  const env = { HOME: path.join(folder, "asked"), MAILKEEP_URL: server.url, NO_COLOR: "1" };
  const line = `stty cols 100 rows 30; '${process.execPath}' '${program.file}' signup`;
  const child = spawn("script", ["-qec", line, "/dev/null"], { env: bareEnvironment(env) });
  let screen = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (screen += text));
  const closed = new Promise<number | null>((resolve) => void child.once("close", resolve));
  await expect.poll(() => screen).toContain("Which mailbox?");
  // The question is on the screen before the program listens to the keyboard.
  const pressEnter = (): void => {
    if (child.exitCode === null && !screen.includes("Mailbox ")) child.stdin.write("\r");
  };
  pressEnter();
  const again = setInterval(pressEnter, 1_000);
  void closed.then(() => clearInterval(again));
  expect(await closed).toBe(0);
  expect(screen).toMatch(/Mailbox +agent-[0-9a-f]+@/);
});

describe("reading", () => {
  it("prints the code and nothing else, and tells by its exit code that none came", async () => {
    await receive("Your code", "Your verification code is 482913.");
    expect(await program.run(["code", "--wait", "60", ...BOX])).toEqual({
      code: 0,
      stdout: "482913\n",
      stderr: "",
    });
    expect(await program.json(["code", "--json", ...BOX])).toMatchObject([
      { code: "482913", from: "login@shop.example" },
    ]);
    const later = await program.run(["code", "--wait", "1", "--since", "now", ...BOX]);
    expect(later).toEqual({
      code: 3,
      stdout: "",
      stderr: "error: no code came in 1 s\nnext: mailkeep inbox\n",
    });
  });

  it("waits for a code that comes later", async () => {
    const waiting = program.run(["code", "--wait", "60", "--from", "later", ...BOX]);
    await receive("Later", "Your verification code is 775301.", { from: "later@shop.example" });
    expect(await waiting).toMatchObject({ code: 0, stdout: "775301\n" });
  });

  it("prints the code of the domain that is expected, and names why others are none", async () => {
    const [made] = await program.json(["expect", "brand.example", "--no-strict", ...BOX]);
    const { id } = made as { id: string };
    await receive("Verify", "Your verification code is 666666.", { from: "a@evil.example" });
    expect(await program.run(["expect", "wait", id, "--wait", "0", ...BOX])).toEqual({
      code: 3,
      stdout: "",
      stderr: `error: the expected mail did not come (waiting); other mail was rejected: other_domain\nnext: mailkeep expect wait ${id}\n`,
    });
    await receive("Verify", "Your verification code is 314159.", { from: "no-reply@brand.example" });
    expect(await program.run(["expect", "wait", id, "--wait", "60", ...BOX])).toEqual({
      code: 0,
      stdout: "314159\n",
      stderr: "",
    });
  });

  it("keeps the secret of a second factor from stdin, and prints its code", async () => {
    const secret = "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ\n";
    const [added] = await program.json(["totp", "add", "Brand", "--digits", "8", ...BOX], { stdin: secret });
    const { id } = added as { id: string };
    expect((await program.run(["totp", "code", id, ...BOX])).stdout).toMatch(/^\d{8}\n$/);
    expect(await program.json(["totp", ...BOX])).toMatchObject([{ id, label: "Brand", digits: 8 }]);
    expect(await program.run(["totp", "delete", id, ...BOX])).toMatchObject({ code: 0 });
  });

  it("waits for an email, and says when none came", async () => {
    const waiting = program.json<Email>(["wait", "--subject", "awaited", "--since", "10m", ...BOX]);
    await receive("The awaited one", "Here it is.");
    expect(await waiting).toMatchObject([{ subject: "The awaited one" }]);
    const none = await program.run(["wait", "--from", "nobody", "--timeout", "1", ...BOX]);
    expect(none).toMatchObject({ code: 3, stdout: "" });
  });

  it("lists, searches and shows emails as a JSON value a line, and the message byte for byte", async () => {
    const id = await receive("Parcel 77", "Your parcel 77 has shipped.\u2028It is \u001b]0;here\u0007.");
    const { stdout } = await program.run(["inbox", "--subject", "Parcel", ...BOX]);
    expect(linesOf<Email>(stdout).map((email) => email.id)).toEqual([id]);
    // One line each for every reader of lines, and nothing that a terminal obeys.
    expect(stdout).toMatch(/^[^\p{Cc}\p{Cf}\u2028\u2029]*\n$/u);
    expect(await program.json(["search", "parcel", ...BOX])).toMatchObject([{ id }]);
    const nothing = await program.run(["search", "w ".repeat(33), ...BOX]);
    expect(nothing).toMatchObject({ code: 0, stdout: "" });
    expect(nothing.stderr).toContain("Only the first 32 words");
    const [email] = await program.json<Email>(["read", id, ...BOX]);
    expect(email).toMatchObject({ id, subject: "Parcel 77" });
    const raw = await program.run(["raw", id, ...BOX]);
    expect(raw.stdout).toBe((await server.service.raw(key, id)).toString("utf8"));
    expect(await program.json(["thread", String(email?.thread_id), ...BOX])).toMatchObject([{ id }]);
    expect((await program.json(["thread", ...BOX])).length).toBeGreaterThan(1);
    const labelled = await program.json(["label", id, "--add-labels", "done", ...BOX]);
    expect(labelled).toMatchObject([{ labels: expect.arrayContaining(["done"]) }]);
    expect(await program.json(["extract", id, "--type", "shipping", ...BOX])).toMatchObject([
      { email_id: id },
    ]);
    expect(await program.json(["delete", id, ...BOX])).toEqual([{ id, deleted: true }]);
    const gone = await program.run(["read", id, ...BOX]);
    expect(gone).toEqual({
      code: 5,
      stdout: "",
      stderr: expect.stringMatching(/^error: Email not found\nnext: Take .* GET \/v1\/inbox/),
    });
  });

  it("follows the log, or ends at its end", async () => {
    const log = (...words: string[]) =>
      program.json<{ seq: number }>(["events", "--no-follow", ...words, ...BOX]);
    const all = await log("--after", "0");
    expect(all.length).toBeGreaterThan(3);
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, at) => at + 1));
    expect(await log("--since", "start", "--types", "message.received")).toEqual(all);
    expect(await log("--since", "now")).toEqual([]);
    const child = program.start(["events", ...BOX]);
    let printed = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => void (printed += text));
    // It counts from its own start, which nothing outside shows: mail until it hears of one.
    while (!printed.includes("\n")) await receive(`Heard ${Math.random()}`, "Hello");
    expect(linesOf(printed.slice(0, printed.indexOf("\n")))).toMatchObject([{ event: "message.received" }]);
    child.kill("SIGINT");
    expect(await new Promise((resolve) => void child.once("close", resolve))).toBe(0);
  });
});

describe("sending", () => {
  it("sends, answers and forwards, with a text from stdin and with files", async () => {
    const file = path.join(folder, "report.txt");
    await writeFile(file, "All is well.");
    const to = ["--to", mailbox];
    const send = ["send", ...to, "--subject", "To myself", "--attach", file, "--wait", "10", ...BOX];
    expect(await program.json(send, { stdin: "Dear me,\nhello.\n" })).toMatchObject([{ status: "sent" }]);
    const inbox = ["inbox", "--direction", "inbound", "--subject", "To myself", ...BOX];
    const [received] = await program.json<Email>(inbox);
    const [email] = await program.json<Email>(["read", String(received?.id), ...BOX]);
    expect(email?.body_text).toContain("Dear me,");
    const attachment = String(email?.attachments[0]?.id);
    expect((await program.run(["attachments", "get", attachment, ...BOX])).stdout).toBe("All is well.");
    const copy = path.join(folder, "copy.txt");
    const got = await program.json(["attachments", "get", attachment, "-o", copy, ...BOX]);
    expect(got).toEqual([{ id: attachment, file: copy, size_bytes: 12 }]);
    expect(await readFile(copy, "utf8")).toBe("All is well.");
    const put = await program.json(["attachments", "put", file, "--type", "text/plain", ...BOX]);
    expect(put).toMatchObject([{ filename: "report.txt", size_bytes: 12 }]);
    const id = String(email?.id);
    const replied = await program.json(["reply", id, "--text", "Thanks", "--no-quote", ...BOX]);
    expect(replied).toMatchObject([{ thread_id: expect.stringMatching(/^[0-9a-f-]{36}$/) }]);
    expect(await program.json(["forward", id, ...to, "--text", "Look", ...BOX])).toHaveLength(1);
    const once = [
      "--subject",
      "Once",
      "--text",
      "x",
      "--idempotency-key",
      "0123456789abcdef0123456789abcdef",
    ];
    const [first] = await program.json<{ id: string }>(["send", ...to, ...once, ...BOX]);
    expect(await program.json(["send", ...to, ...once, ...BOX])).toMatchObject([{ id: first?.id }]);
  });

  it("tells what is missing before anything is sent", async () => {
    const missing = await program.run(["send", "--subject", "x", "--text", "y", ...BOX]);
    const stderr = "error: send needs --to and --subject\nnext: mailkeep help send\n";
    expect(missing).toEqual({ code: 2, stdout: "", stderr });
    const words = ["send", "--to", mailbox, "--subject", "x", "--text", "y", "--attach", "/no/such"];
    const noFile = await program.run([...words, ...BOX]);
    expect([noFile.code, noFile.stderr]).toEqual([2, expect.stringContaining("there is no file /no/such")]);
  });
});

describe("settings", () => {
  it("manages webhooks", async () => {
    const [hook, orders] = [target.url("/hook"), target.url("/orders")];
    await receive("An event to replay", "Hello");
    expect(await program.json(["webhooks", "set", hook, ...BOX])).toMatchObject([{ webhook_url: hook }]);
    const secret = { stdin: "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3\n" };
    const set = await program.json(["webhooks", "set", hook, "--secret-stdin", ...BOX], secret);
    expect(set).toMatchObject([{ webhook_status: "active" }]);
    expect(await program.json(["webhooks", "recovery", "on", ...BOX])).toMatchObject([
      { webhook_recovery: true },
    ]);
    await program.json(["webhooks", "set", orders, "--label", "orders", ...BOX]);
    expect(await program.json(["webhooks", ...BOX])).toEqual([
      { label: null, webhook_url: hook, status: "active" },
      { label: "orders", webhook_url: orders, status: "active" },
    ]);
    const [test] = await program.json<{ id: string }>(["webhooks", "test", "--label", "orders", ...BOX]);
    const deliveries = await program.json(["webhooks", "deliveries", "--label", "orders", ...BOX]);
    expect(deliveries).toMatchObject([{ id: test?.id }]);
    const replay = await program.json(["webhooks", "replay", "1", "1", ...BOX]);
    expect(replay).toMatchObject([{ from_seq: 1, to_seq: 1, deliveries: 1 }]);
    await target.heard("/hook", 1);
    const delivered = async () => {
      const rows = await program.json<{ id: string; seq: number }>([
        "webhooks",
        "deliveries",
        "--state",
        "delivered",
        ...BOX,
      ]);
      return rows.find(({ seq }) => seq === 1);
    };
    await expect.poll(delivered).toBeDefined();
    const again = await program.json(["webhooks", "redeliver", String((await delivered())?.id), ...BOX]);
    expect(again).toMatchObject([{ seq: 1, webhook_url: hook }]);
    await program.json(["webhooks", "remove", "--label", "orders", ...BOX]);
    await program.json(["webhooks", "remove", ...BOX]);
    expect(await program.json(["webhooks", ...BOX])).toEqual([]);
  });

  it("manages keys, and keeps a new one in a profile without showing it", async () => {
    const words = ["keys", "create", "--save", "second", "--expires-at", "2099-01-01", ...BOX];
    const [made] = await program.json<{ id: string; api_key?: string }>(words);
    expect(made).toMatchObject({ profile: "second", expires_at: "2099-01-01T00:00:00.000Z" });
    expect(made?.api_key).toBeUndefined();
    expect(await program.json(["whoami", "--profile", "second"])).toMatchObject([{ mailbox }]);
    const keys = await program.json<{ id: string }>(["keys", ...BOX]);
    expect(keys.map(({ id }) => id)).toContain(made?.id);
    await program.json(["keys", "revoke", String(made?.id), ...BOX]);
    const revoked = await program.run(["inbox", "--profile", "second"]);
    expect([revoked.code, revoked.stderr]).toEqual([
      4,
      expect.stringMatching(/^error: Unauthorized\nnext: mailkeep signup/),
    ]);
    expect(await program.json(["profiles"])).toMatchObject([
      { name: "box", current: false },
      { name: "second", current: true },
    ]);
    await program.json(["profiles", "remove", "second"]);
    expect(await program.json(["profiles"])).toMatchObject([{ name: "box", current: true }]);
  });

  it("manages domains", async () => {
    const [domain] = await program.json<{ id: string }>(["domains", "add", "agents.example.org", ...BOX]);
    const id = String(domain?.id);
    expect(await program.json(["domains", ...BOX])).toMatchObject([{ id, status: "pending" }]);
    expect(await program.json(["domains", "show", id, ...BOX])).toMatchObject([
      { domain: "agents.example.org" },
    ]);
    await program.json(["domains", "remove", id, ...BOX]);
    expect(await program.json(["domains", ...BOX])).toEqual([]);
  });

  it("pauses, names the way out, and resumes", async () => {
    await program.json(["pause", "--reason", "On holiday", ...BOX]);
    const paused = await program.run(["inbox", ...BOX]);
    expect(paused).toEqual({
      code: 4,
      stdout: "",
      stderr: "error: Mailbox is paused\nnext: mailkeep resume\n",
    });
    await program.json(["resume", ...BOX]);
    expect(await program.json(["stats", ...BOX])).toMatchObject([{ mailbox }]);
  });
});

describe("exit codes", () => {
  const WRONG = { MAILKEEP_KEY: `mk_${"0".repeat(64)}` };

  it.each([
    ["an unknown flag", 2, ["inbox", "--form", "x"], {}],
    ["a value that the service refuses", 2, ["inbox", "--limit", "0", ...BOX], {}],
    ["a wrong key", 4, ["whoami"], WRONG],
    ["no key", 4, ["inbox"], { XDG_CONFIG_HOME: "/nonexistent" }],
    ["an email that does not exist", 5, ["read", "01a202aa-8f50-7000-949b-74c43c6e0000", ...BOX], {}],
  ])("tell %s: %i", async (_, code, words, env) => {
    const ended = await program.run(words, { env });
    const stderr = expect.stringMatching(/^error: .+\nnext: .+\n$/);
    expect(ended).toMatchObject({ code, stdout: "", stderr });
  });

  it("tell a server that is not there: 1", async () => {
    const ended = await program.run(["whoami", "--url", "http://127.0.0.1:9"], { env: WRONG });
    expect(ended).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("No connection") });
  });

  it("refuse a temporary mailbox what only a permanent one may do, and name the command that gets one", async () => {
    const { api_key } = await server.service.bootstrap();
    const ended = await program.run(["keys"], { env: { MAILKEEP_KEY: api_key } });
    expect(ended).toMatchObject({ code: 4, stderr: expect.stringContaining("next: mailkeep signup <name>") });
  });
});

describe("on a terminal", () => {
  /** Runs a command of the mailbox in this process, with a terminal in front of it. */
  async function onTerminal(...words: string[]) {
    const [stdout, stderr] = [new KeptStream(true), new KeptStream(true)];
    const env = { HOME: program.home, MAILKEEP_KEY: key, MAILKEEP_URL: server.url, NO_COLOR: "1" };
    const stdin = Object.assign(new ReadableStream<Uint8Array>(), { isTTY: true });
    const { signal } = new AbortController();
    const code = await run({ words, env, stdin, stdout, stderr, signal });
    return { code, stdout: stdout.text, stderr: stderr.text };
  }

  const HOSTILE = "Invoice \u001b]0;owned\u0007\u202efdp \u009b2J";
  /** Characters of a stranger that no command prints. */
  const OBEYED = /(?!\n)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u;

  it("shows tables and texts in which no stranger's character does anything", async () => {
    const id = await receive(HOSTILE, `Text \u001b[31mred\u001b[0m\nsecond line`, {
      attachments: [{ filename: "in\u202evoice.pdf", content: "x" }],
    });
    const inbox = await onTerminal("inbox", "--subject", "Invoice");
    expect(inbox.stdout).toMatch(/^ID +RECEIVED +FROM +PROVEN +SUBJECT +CODE\n/);
    const read = await onTerminal("read", id);
    expect(read.stdout).toMatch(
      /From +Shop <login@shop.example>\n[^]*FILE +TYPE +BYTES +ID\n[^]*second line\n$/,
    );
    const { thread_id } = await server.service.email(key, id);
    const raw = await onTerminal("raw", id);
    expect(raw.stdout).toContain("Subject: ");
    const shown = [inbox, read, raw, await onTerminal("thread"), await onTerminal("thread", thread_id)];
    shown.push(
      await onTerminal("events", "--after", "0", "--no-follow"),
      await onTerminal("search", "invoice"),
    );
    for (const { code, stdout, stderr } of shown) {
      expect([code, OBEYED.exec(stdout + stderr)]).toEqual([0, null]);
      expect(stdout).not.toBe("");
    }
  });

  it.each([
    [["whoami"], /^Mailbox +box-/],
    [["stats"], /total_emails +\d+\n/],
    [["keys"], /^ID +SCOPE +MADE/],
    [["webhooks"], /^$/],
    [["domains"], /^$/],
    [["profiles"], /NAME +MAILBOX +DEPLOYMENT\n/],
    [["extract", "ID", "--type", "receipt"], /confidence/],
    [["open", "--print"], /^http:.*\/mailbox\n$/],
    [["--help"], /Exit codes: 0 ok/],
    [["help", "webhooks"], /Deliver events to a URL|List the URLs/],
    [["help", "attachments"], /attachments get/],
    [["--version"], /^mailkeep \d+\.\d+\.\d+\n$/],
  ])("shows people what they can read: %j", async (words, shown) => {
    const [email] = await server.service.inbox(key);
    const ended = await onTerminal(...words.map((word) => (word === "ID" ? String(email?.id) : word)));
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringMatching(shown) });
  });

  it("writes a stranger's file under a plain name of its own, and never over another", async () => {
    const id = await receive("A file", "Here", {
      attachments: [{ filename: "../../evil\u202e.txt", content: "evil" }],
    });
    const { attachments } = await server.service.email(key, id);
    const words = ["attachments", "get", String(attachments[0]?.id)];
    const before = process.cwd();
    process.chdir(folder);
    try {
      expect((await onTerminal(...words)).stdout).toMatch(/^File +evil_?\.txt\n/);
      const again = await onTerminal(...words);
      expect(again).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining("is there already"),
      });
    } finally {
      process.chdir(before);
    }
  });

  it("asks for no text that a person forgot", async () => {
    const ended = await onTerminal("send", "--to", mailbox, "--subject", "x");
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining("--text") });
  });
});
