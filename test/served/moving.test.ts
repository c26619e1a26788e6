import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import {
  createServer,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { run as runCli } from "../../src/cli/run.ts";
import type { Mailkeep } from "../../src/client/index.ts";
import { Mailkeep as Client } from "../../src/client/index.ts";
import { tarHeader } from "../../src/lib/archive/tar-writer.ts";
import { runCommand } from "../../src/server/main.ts";
import { KeptStream } from "../cli/streams.ts";
import { Dovecot, dovecotMissing } from "./dovecot.ts";
import { Server } from "./server.ts";

let server: Server;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "mailkeep-moving-"));
  server = await Server.start();
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const has = (program: string): boolean => {
  try {
    execFileSync("which", [program], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

interface Box {
  mail: Mailkeep;
  key: string;
}

let made = 0;

async function newBox(): Promise<Box> {
  const operator = new Client({ url: server.url, key: server.token });
  const { api_key: key } = await operator.mailboxes.create({ name: `moving-${(made += 1)}` });
  return { mail: new Client({ url: server.url, key }), key };
}

async function run(box: Box, words: readonly string[], env: Record<string, string> = {}) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const said = Promise.all([text(stdout), text(stderr)]);
  const code = await runCommand(["import", ...words], {
    env: { MAILKEEP_URL: server.url, MAILKEEP_KEY: box.key, HOME: folder, ...env },
    stdin: new PassThrough() as unknown as NodeJS.ReadStream,
    stdout: stdout as unknown as NodeJS.WriteStream,
    stderr: stderr as unknown as NodeJS.WriteStream,
    signal: new AbortController().signal,
    worker: () => Promise.reject(new Error("No worker is needed")),
  });
  stdout.end();
  stderr.end();
  const [out, err] = await said;
  return { code, out, err };
}

/** Runs a command of `mailkeep`, in a pipe. */
async function cli(words: readonly string[], key?: string) {
  const [stdout, stderr] = [new KeptStream(false), new KeptStream(false)];
  const code = await runCli({
    words,
    env: { MAILKEEP_URL: server.url, HOME: folder, ...(key === undefined ? {} : { MAILKEEP_KEY: key }) },
    stdin: new PassThrough(),
    stdout,
    stderr,
    signal: new AbortController().signal,
  });
  return { code, out: stdout.text, err: stderr.text };
}

/** Runs `mailkeep export -`. */
async function exportedTo(words: readonly string[], key: string) {
  const stdout = Object.assign(new PassThrough(), { isTTY: false });
  const stderr = new KeptStream(false);
  const bytes = buffer(stdout);
  const env = { MAILKEEP_URL: server.url, HOME: folder, MAILKEEP_KEY: key };
  const { signal } = new AbortController();
  const code = await runCli({ words, env, stdin: new PassThrough(), stdout, stderr, signal });
  stdout.end();
  return { code, bytes: await bytes, err: stderr.text };
}

/** A proxy that cuts each export off after some bytes, or changes a text in it. */
class CuttingFront {
  cuts = 0;
  lengthBytes: number;
  /** A text whose first byte is changed on the way. */
  change: string | null = null;
  readonly #server: HttpServer;
  readonly #to: string;

  private constructor(to: string, lengthBytes: number) {
    this.#to = to;
    this.lengthBytes = lengthBytes;
    this.#server = createServer((request, response) => void this.#pass(request, response));
  }

  static async start(to: string, lengthBytes: number): Promise<CuttingFront> {
    const front = new CuttingFront(to, lengthBytes);
    await new Promise<void>((resolve) => front.#server.listen(0, "127.0.0.1", resolve));
    return front;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #pass({ url = "", headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await fetch(this.#to + url, { headers: { authorization: headers.authorization ?? "" } });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const at = this.change === null ? -1 : bytes.indexOf(this.change);
    if (at >= 0) bytes[at] = (bytes[at] ?? 0) ^ 1;
    const own = Object.fromEntries(
      [...answer.headers].filter(([name]) => /^(content-type|mailkeep)/.test(name)),
    );
    response.writeHead(answer.status, own);
    if (!url.startsWith("/v1/export") || bytes.length <= this.lengthBytes) return void response.end(bytes);
    this.cuts += 1;
    response.write(bytes.subarray(0, this.lengthBytes), () => response.destroy());
  }

  stop(): void {
    this.#server.close();
  }
}

/** The fields that a mailbox shows of each email, and its bytes. */
async function contentsOf(mail: Mailkeep) {
  const { emails } = await mail.inbox.list({ limit: 100 });
  return Promise.all(
    emails.map(async ({ id, subject, labels, received_at, from_address, direction }) => {
      const raw = await (await mail.emails.raw(id)).text();
      return { subject, labels, received_at, from_address, direction, raw };
    }),
  );
}

const mailOf = (number: number, headers = "") =>
  `From: Ann <ann@example.com>\nSubject: Mail ${number}\nMessage-ID: <mail-${number}@example.com>\n${headers}\nHello ${number}.\n`;
const subjectsOf = async ({ mail }: Box) =>
  (await mail.inbox.list({ limit: 100 })).emails.map(({ subject }) => subject).toSorted();

describe("mailkeep-server import", () => {
  it("brings files of all kinds, and no second copy when it is run again", async () => {
    const box = await newBox();
    const maildir = path.join(folder, "Maildir");
    mkdirSync(path.join(maildir, "cur"), { recursive: true });
    mkdirSync(path.join(maildir, ".Work", "new"), { recursive: true });
    writeFileSync(path.join(maildir, "cur", "1:2,FS"), mailOf(1));
    writeFileSync(path.join(maildir, ".Work", "new", "2"), mailOf(2));
    const mbox = path.join(folder, "old.mbox");
    writeFileSync(mbox, [3, 4].map((n) => `From x Thu Nov 26 08:30:05 2020\n${mailOf(n)}\n`).join(""));
    const one = path.join(folder, "one.eml");
    writeFileSync(one, mailOf(5));
    expect(await run(box, [maildir, mbox, one])).toEqual({
      code: 0,
      out: "5 imported, 0 already there, 0 failed\n",
      err: "",
    });
    expect(await subjectsOf(box)).toEqual([1, 2, 3, 4, 5].map((n) => `Mail ${n}`));
    expect((await run(box, [maildir, mbox, one])).out).toBe("0 imported, 5 already there, 0 failed\n");
    const { emails } = await box.mail.inbox.list({ label: "Work" });
    expect(emails.map(({ subject }) => subject)).toEqual(["Mail 2"]);
    expect((await box.mail.inbox.list({ subject: "Mail 3" })).emails[0]?.received_at).toBe(
      "2020-11-26T08:30:05.000Z",
    );
  });

  it("refuses what it cannot do in one sentence: no file, a password in the arguments, no password", async () => {
    const box = await newBox();
    const [junk, cut] = ["junk.pdf", "cut.tar"].map((name) => path.join(folder, name)) as [string, string];
    writeFileSync(junk, "%PDF-1.7\n1 0 obj\n");
    writeFileSync(cut, tarHeader({ name: "cur/1", sizeBytes: 0, modifiedMs: 0 }));
    const refusals = [
      [[], "Name files"],
      [[junk], "junk.pdf is neither a tar, nor an mbox, nor one email"],
      [[cut], "cut.tar: The archive ends without its end mark"],
      [["none.mbox"], "none.mbox: no such file"],
      [["--imap", "imaps://ann:secret@example.com"], "others see the arguments"],
      [["--imap", "imaps://ann@example.com"], "The IMAP password is missing"],
      [["--imap", "ftp://ann:secret@example.com"], "must be of the form imaps://user@host"],
    ] as const;
    for (const [words, said] of refusals) {
      const { code, err } = await run(box, words);
      expect([code, err.includes(said), err.includes("secret")]).toEqual([2, true, false]);
    }
  });

  it("says Unauthorized and the next step for a wrong key, also while it sends megabytes", async () => {
    const large = path.join(folder, "large.eml");
    writeFileSync(large, `${mailOf(1)}${"x".repeat(76)}\n`.repeat(100_000));
    const wrong = { mail: new Client({ url: server.url, key: "mk_wrong" }), key: "mk_wrong" };
    for (let time = 0; time < 4; time += 1) {
      const said = "error: Unauthorized\nnext: unset MAILKEEP_KEY to use a stored mailbox";
      for (const { code, err } of [await run(wrong, [large]), await cli(["import", large], "mk_wrong")])
        expect([code, err]).toEqual([4, expect.stringContaining(said)]);
      const { code, err } = await cli(["attachments", "put", large], "mk_wrong");
      expect([code, err]).toEqual([4, expect.stringContaining(said)]);
    }
  });

  const missing = dovecotMissing();
  it.skipIf(missing !== null)(
    `pulls an IMAP account with its folders, flags and dates, and later only what is new${missing === null ? "" : ` (${missing})`}`,
    async () => {
      const box = await newBox();
      // Beside the folder of this file, which another user may not enter.
      const home = await mkdtemp(path.join(tmpdir(), "mailkeep-imap-"));
      const dovecot = await Dovecot.start(home, {
        "cur/1600000000.1.host:2,FS": mailOf(1),
        "cur/1600000001.2.host:2,": mailOf(2, "X-Note: näh\n"),
        ".Archive.2020/cur/1600000002.3.host:2,S": mailOf(3),
        ".Sent/cur/1600000003.4.host:2,RS": mailOf(4),
      });
      try {
        const words = ["--imap", `imap://ann@127.0.0.1:${dovecot.port}`];
        const env = { MAILKEEP_IMAP_PASSWORD: dovecot.password };
        expect(await run(box, words, env)).toEqual({
          code: 0,
          out: "4 imported, 0 already there, 0 failed\n",
          err: "",
        });
        const { emails } = await box.mail.inbox.list({ limit: 100 });
        const shown = emails.map(({ subject, labels, direction }) => [subject, direction, labels.slice(1)]);
        expect(Object.fromEntries(shown.map(([subject, ...rest]) => [subject, rest]))).toEqual({
          "Mail 1": ["inbound", ["flagged"]],
          "Mail 2": ["inbound", []],
          "Mail 3": ["inbound", ["Archive/2020"]],
          "Mail 4": ["outbound", ["Sent", "answered"]],
        });
        const second = emails.find(({ subject }) => subject === "Mail 2");
        const raw = await (await box.mail.emails.raw(second?.id ?? "")).text();
        expect(raw.replaceAll("\r\n", "\n")).toBe(mailOf(2, "X-Note: näh\n"));
        expect((await run(box, words, env)).out).toBe("0 imported, 0 already there, 0 failed\n");
        const state = ["--state", path.join(folder, "another-state.json")];
        expect((await run(box, [...words, ...state], env)).out).toBe(
          "0 imported, 4 already there, 0 failed\n",
        );
        const wrong = await run(box, [...words, ...state], { MAILKEEP_IMAP_PASSWORD: "wrong" });
        expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("127.0.0.1: no login as ann")]);
      } finally {
        await dovecot.stop();
        await rm(home, { recursive: true, force: true });
      }
    },
  );
});

describe("an export", () => {
  let box: Box;
  let archive: string;
  let exported: Awaited<ReturnType<typeof cli>>;
  let unpacked: string;
  let warned: string;

  beforeAll(async () => {
    box = await newBox();
    const mbox = Buffer.from(
      [1, 2, 3].map((n) => `From x Thu Nov 26 08:30:05 2020\n${mailOf(n)}\n`).join(""),
    );
    const { id } = await box.mail.archives.import(new Blob([mbox]));
    await vi.waitFor(async () => {
      const { status } = await box.mail.archives.progress(id);
      if (status !== "done") throw new Error(`The import is ${status}`);
    }, 20_000);
    unpacked = path.join(folder, "unpacked");
    mkdirSync(unpacked);
    archive = path.join(folder, "export.tar");
    const { emails } = await box.mail.inbox.list();
    await box.mail.emails.label(emails[0]?.id ?? "", { add_labels: ["flagged", "kept"] });
    exported = await cli(["export", archive], box.key);
    warned = spawnSync("tar", ["-xf", archive, "-C", unpacked], { encoding: "utf8" }).stderr;
  });

  it("is unpacked by tar, and checked by sha256sum, which names a changed file", () => {
    expect(warned).toBe("");
    const check = () =>
      spawnSync("sha256sum", ["--quiet", "-c", "sha256sums.txt"], { cwd: unpacked, encoding: "utf8" }).stdout;
    expect(check()).toBe("");
    const name = path.join("cur", readdirSync(path.join(unpacked, "cur"))[1] ?? "");
    const file = path.join(unpacked, name);
    const bytes = readFileSync(file);
    const flipped = Buffer.from(bytes);
    flipped[10] = (flipped[10] ?? 0) ^ 1;
    writeFileSync(file, flipped);
    expect(check()).toBe(`${name}: FAILED\n`);
    writeFileSync(file, bytes);
  });

  it("is written by `mailkeep export` for its owner alone, and verified with and without the deployment", async () => {
    expect(exported).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(exported.out)).toMatchObject({ file: archive, messages: 3, verified: true });
    expect(statSync(archive).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((name) => name.endsWith(".part"))).toEqual([]);
    expect(await cli(["export", "--verify", archive])).toMatchObject({ code: 0, err: "" });
    const keys = path.join(folder, "keys.json");
    writeFileSync(keys, JSON.stringify(await box.mail.archives.signingKeys()));
    const offline = ["export", "--verify", archive, "--keys", keys, "--url", "http://127.0.0.1:9"];
    expect(await cli(offline)).toMatchObject({ code: 0, err: "" });

    const flipped = readFileSync(archive);
    const at = flipped.indexOf("Hello 2.");
    flipped[at] = (flipped[at] ?? 0) ^ 1;
    const damaged = path.join(folder, "damaged.tar");
    writeFileSync(damaged, flipped);
    const refused = await cli(["export", "--verify", damaged, "--keys", keys]);
    const name = readdirSync(path.join(unpacked, "cur")).find((one) =>
      readFileSync(path.join(unpacked, "cur", one), "utf8").includes("Hello 2."),
    );
    expect(refused).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining(`changed: cur/${name}\n`),
    });
  });

  it("that goes to stdout is verified as it passes, and resumed where the connection was lost", async () => {
    const front = await CuttingFront.start(server.url, 4_000);
    try {
      const words = ["export", "-", "--url", front.url];
      const { code, bytes, err } = await exportedTo(words, box.key);
      expect([code, err, front.cuts > 1]).toEqual([0, "", true]);
      const passed = path.join(folder, "passed.tar");
      writeFileSync(passed, bytes);
      expect(await cli(["export", "--verify", passed])).toMatchObject({ code: 0 });

      front.change = "Hello 2.";
      front.lengthBytes = Infinity;
      const changed = await exportedTo(words, box.key);
      expect([changed.code, changed.err]).toEqual([
        1,
        expect.stringMatching(
          /not what the deployment signed: .*\nnext: discard it, and run the command again/,
        ),
      ]);
    } finally {
      front.stop();
    }
  });

  it("that is cut off is kept as far as it came, and the error says how to get the rest", async () => {
    const bytes = readFileSync(archive);
    const partBytes = () =>
      readdirSync(folder)
        .filter((name) => name.startsWith("rest.tar."))
        .map((name) => statSync(path.join(folder, name)).size)[0];
    const cut = createServer((_, response) => {
      const first = bytes.subarray(0, bytes.indexOf("Hello 3."));
      response.writeHead(200, { "Content-Type": "application/x-tar" });
      response.write(first);
      const written = vi.waitFor(() => {
        if (partBytes() !== first.length) throw new Error("Not all is written yet");
      });
      void written.finally(() => response.destroy());
    });
    const url = await new Promise<string>((resolve) =>
      cut.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(cut.address() as AddressInfo).port}`)),
    );
    try {
      const keys = path.join(folder, "keys.json");
      writeFileSync(keys, JSON.stringify(await box.mail.archives.signingKeys()));
      const file = path.join(folder, "rest.tar");
      const { code, err } = await cli(["export", file, "--keys", keys, "--url", url], box.key);
      const second = (await box.mail.inbox.list({ subject: "Mail 2" })).emails[0]?.id;
      expect([code, existsSync(file)]).toEqual([1, false]);
      expect(err).toContain(`next: mailkeep export --after ${second} `);
      const part = /cut off; (\S+) holds/.exec(err)?.[1] ?? "";
      expect(bytes.subarray(0, statSync(part).size).equals(readFileSync(part))).toBe(true);
      const rest = await cli(["export", file, "--after", String(second)], box.key);
      expect(JSON.parse(rest.out)).toMatchObject({ messages: 1, after: second, verified: true });
    } finally {
      cut.close();
    }
  });

  it("is brought to another deployment with every byte, label and time, and is not signed by that one", async () => {
    const other = await Server.start();
    try {
      const { api_key } = await new Client({ url: other.url, key: other.token }).mailboxes.create({
        name: "new",
      });
      const there = new Client({ url: other.url, key: api_key });
      const words = ["import", archive, "--url", other.url];
      const imported = { imported: 3, duplicates: 0, failed: 0 };
      expect(JSON.parse((await cli(words, api_key)).out)).toEqual(imported);
      expect(JSON.parse((await cli(words, api_key)).out)).toEqual({
        ...imported,
        imported: 0,
        duplicates: 3,
      });
      expect(await contentsOf(there)).toEqual(await contentsOf(box.mail));
      expect(await cli(["export", "--verify", archive, "--url", other.url])).toMatchObject({
        code: 2,
        err: expect.stringContaining("which is none of this deployment"),
      });
    } finally {
      await other.stop();
    }
  });

  const noMutt = !has("mutt") || !has("script");
  it.skipIf(noMutt)("is read by mutt (skipped where mutt is not installed)", () => {
    const [rc, read] = [path.join(folder, "muttrc"), path.join(folder, "read-by-mutt")];
    const settings = "set mbox_type=Maildir pipe_split=yes pipe_decode=no wait_key=no";
    // Without a folder of its own it would ask whether to make one.
    const folderSetting = `set folder=${unpacked}`;
    // It tags all messages, hands each to `cat`, and leaves.
    const keys = `<tag-pattern>~A<enter><tag-prefix><pipe-message>cat >> ${read}<enter><exit>`;
    writeFileSync(rc, `${settings}\n${folderSetting}\npush "${keys}"\n`);
    // `script` is the terminal that mutt needs.
    const command = `mutt -n -F '${rc}' -R -f '${unpacked}'`;
    const env = { ...process.env, TERM: "xterm", HOME: folder };
    spawnSync("script", ["-qec", command, "/dev/null"], { env, stdio: "ignore", timeout: 20_000 });
    const subjects = [...readFileSync(read, "utf8").matchAll(/^Subject: (.*)$/gm)].map(
      ([, subject]) => subject,
    );
    expect(new Set(subjects)).toEqual(new Set(["Mail 1", "Mail 2", "Mail 3"]));
  });

  it.skipIf(!has("mlist"))("is read by mblaze (skipped where mblaze is not installed)", () => {
    const listed = execFileSync("sh", ["-c", `mlist '${unpacked}' | mscan -f '%s'`], { encoding: "utf8" });
    for (const number of [1, 2, 3]) expect(listed).toContain(`Mail ${number}`);
  });

  it.skipIf(!has("notmuch"))("is read by notmuch (skipped where notmuch is not installed)", () => {
    const config = path.join(folder, "notmuch-config");
    writeFileSync(config, `[database]\npath=${unpacked}\n[user]\nname=x\nprimary_email=x@example.com\n`);
    const env = { ...process.env, NOTMUCH_CONFIG: config };
    execFileSync("notmuch", ["new"], { env, stdio: "pipe" });
    const found = execFileSync("notmuch", ["search", "--output=files", "subject:Mail"], {
      env,
      encoding: "utf8",
    });
    expect(found.trim().split("\n")).toHaveLength(3);
    expect(existsSync(path.join(unpacked, ".notmuch"))).toBe(true);
  });
});
