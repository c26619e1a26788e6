import { readFileSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ALL_PERMISSIONS } from "../../src/host/cloudflare/permissions.ts";
import { Operator, type Ran } from "./operator.ts";

/** The two lines of a stop: what is wrong, and the command that fixes it. */
function stopIn({ err }: Ran): { wrong: string; next: string } {
  const [wrong = "", next = "", ...more] = err.trimEnd().split("\n");
  expect(more).toEqual([]);
  expect(wrong).toMatch(/^error: /);
  expect(next).toMatch(/^next: /);
  return { wrong: wrong.slice("error: ".length), next: next.slice("next: ".length) };
}

/** The words of a command that was printed. */
function wordsOf(next: string): string[] {
  const [, line = ""] = /npx --no-install mailkeep-server up (.*)$/.exec(next) ?? [];
  return line.split(" ");
}

const DOMAIN = ["--domain", "example.com"];

describe("mailkeep up", () => {
  it("shows the plan and changes nothing without a terminal", async () => {
    using operator = new Operator();
    const before = operator.cloudflare.visible;
    const { code, out } = await operator.up(...DOMAIN);
    expect(code).toBe(0);
    expect(out).toMatch(/make +R2 bucket for large messages +mailkeep-blobs +Workers R2 Storage: Edit/);
    expect(out).toMatch(/make +Catch-all rule .*Email Routing Rules: Edit/);
    expect(out).toMatch(/leave +Name under workers\.dev +example\.workers\.dev/);
    expect(out).toContain(
      "Nothing was changed. To do it: npx --no-install mailkeep-server up --domain example.com --yes",
    );
    expect(operator.cloudflare.visible).toEqual(before);
    expect(operator.cloudflare.calls.filter((call) => !call.startsWith("GET "))).toEqual([]);
  });

  it("prints after a dry run the command that does it", async () => {
    using operator = new Operator();
    const { code, out } = await operator.up(...DOMAIN, "--dry-run");
    expect(code).toBe(0);
    expect(out).toContain(
      "dry run. To do it: npx --no-install mailkeep-server up --domain example.com --yes\n",
    );
    const made = await operator.up(...DOMAIN, "--yes");
    expect(made.code).toBe(0);
    const { out: undone } = await operator.down("--dry-run");
    expect(undone).toContain("Nothing was changed. To do it: npx --no-install mailkeep-server down --yes\n");
  });

  it("outlines a deployment without a token in a dry run, with every permission that it needs, and asks nobody", async () => {
    using operator = new Operator();
    delete operator.env["CLOUDFLARE_API_TOKEN"];
    const { code, out, err } = await operator.up(...DOMAIN, "--dry-run");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/R2 bucket for large messages +Workers R2 Storage: Edit/);
    expect(out).toMatch(/Catch-all rule +Email Routing Rules: Edit/);
    for (const permission of ALL_PERMISSIONS) expect(out).toContain(permission);
    expect(out).toContain("without CLOUDFLARE_API_TOKEN, your account was not read");
    expect(out).toContain("permissionGroupKeys=");
    expect(operator.cloudflare.calls).toEqual([]);
    const relayed = await operator.up(...DOMAIN, "--dry-run", "--sending", "none", "--without-r2");
    expect(relayed.out).not.toMatch(/R2|Queue|Email Sending/);
  });

  it("makes a deployment that receives and sends, hears a mail from inside and from outside, and leaves no mailbox", async () => {
    using operator = new Operator();
    const { code, out, err } = await operator.up(...DOMAIN, "--yes");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain("a mail handed over, its code heard");
    expect(out).toContain("a mail from outside, its code heard");
    expect(out).toContain("https://mailkeep.example.workers.dev");
    expect(out).toContain("claude mcp add");
    expect(operator.deployment.mailboxes).toEqual([]);
    const { account, zone } = operator.cloudflare;
    expect(zone.catchAll).toMatchObject({
      enabled: true,
      actions: [{ type: "worker", value: ["mailkeep"] }],
    });
    expect(zone.records.map(({ type, name }) => `${type} ${name}`)).toEqual(
      expect.arrayContaining([
        "MX example.com",
        "TXT cf-bounce._domainkey.example.com",
        "TXT _dmarc.example.com",
      ]),
    );
    const bindings = account.scripts.get("mailkeep")?.bindings ?? [];
    expect(bindings).toEqual(
      expect.arrayContaining([
        { type: "plain_text", name: "MAIL_DOMAIN", text: "example.com" },
        { type: "plain_text", name: "OUTBOUND", text: "cloudflare" },
        { type: "plain_text", name: "MAIL_HOST", text: expect.stringContaining("route1.mx.cloudflare.net,") },
        { type: "send_email", name: "EMAIL" },
        { type: "r2_bucket", name: "BLOBS", bucket_name: "mailkeep-blobs" },
      ]),
    );
    expect(account.queues.map(({ queue_name: name, consumers }) => [name, consumers.length])).toEqual([
      ["mailkeep-events", 1],
      ["mailkeep-events-unused", 0],
    ]);
  });

  it("keeps the operator's key in a file of its owner, prints no secret, and rotates none", async () => {
    using operator = new Operator();
    const first = await operator.up(...DOMAIN, "--yes");
    const { secrets } = operator.cloudflare.account.scripts.get("mailkeep") ?? { secrets: new Map() };
    const values = new Map(secrets);
    expect([...values.keys()]).toEqual(["AUTH_TOKEN", "KEY_SECRET", "WEBHOOK_SECRET"]);
    const key = operator.files.find((name) => name.endsWith(".key")) ?? "";
    expect(readFileSync(operator.file(key), "utf8").trim()).toBe(values.get("AUTH_TOKEN"));
    for (const name of operator.files) expect(statSync(operator.file(name)).mode & 0o777).toBe(0o600);
    operator.setVersion("2");
    const second = await operator.up(...DOMAIN, "--yes");
    expect(new Map(secrets)).toEqual(values);
    for (const value of values.values()) expect(first.out + second.out).not.toContain(value);
    expect(first.out).toContain(key);
  });

  it("changes nothing in a second run, and only the worker in one of a new version", async () => {
    using operator = new Operator();
    await operator.up(...DOMAIN, "--yes");
    const before = operator.cloudflare.visible;
    const again = await operator.up(...DOMAIN, "--yes");
    expect(again.out).toContain("Everything is as it should be.");
    expect(operator.cloudflare.visible).toEqual(before);
    operator.setVersion("2");
    const { out } = await operator.up(...DOMAIN, "--dry-run");
    expect(out.split("\n").filter((line) => /^(?:make|change) /.test(line))).toEqual([
      expect.stringMatching(/^change +Worker/),
    ]);
  });

  it("sends through a relay without Email Sending, queues or R2, and keeps its password a secret", async () => {
    using operator = new Operator();
    const { account, token } = operator.cloudflare;
    for (const unneeded of ["Email Sending Write", "Queues Write", "Workers R2 Storage Write"]) {
      token.groups.delete(unneeded);
    }
    operator.env["SMTP_URL"] = "smtps://user:secret-of-the-relay@relay.example:465";
    const { code, out } = await operator.up(...DOMAIN, "--yes", "--sending", "relay", "--without-r2");
    expect(code).toBe(0);
    expect(out).not.toContain("secret-of-the-relay");
    const script = account.scripts.get("mailkeep");
    expect(script?.secrets.get("SMTP_URL")).toBe(operator.env["SMTP_URL"]);
    expect(script?.bindings).toContainEqual({ type: "plain_text", name: "OUTBOUND", text: "smtp" });
    expect([account.buckets.size, account.queues.length, operator.cloudflare.zone.sending.length]).toEqual([
      0, 0, 0,
    ]);
    // A second run needs no option to stay without a bucket.
    const again = await operator.up(...DOMAIN, "--yes", "--sending", "relay");
    expect(again.out).toContain("Everything is as it should be.");
  });

  it("takes a token of the account as well as one of a person", async () => {
    using operator = new Operator();
    const { account, token } = operator.cloudflare;
    token.value = `cfat_${token.value}`;
    operator.env["CLOUDFLARE_API_TOKEN"] = token.value;
    const { wrong, next } = stopIn(await operator.up(...DOMAIN));
    expect(wrong).toContain("The token belongs to an account");
    expect(next).toContain("--account <");
    expect((await operator.up(...DOMAIN, "--account", account.id)).code).toBe(0);
    expect(operator.cloudflare.calls).toContain(`GET /accounts/${account.id}/tokens/verify`);
  });

  it("refuses words that it does not know, and secrets in variables, before it asks anybody", async () => {
    using operator = new Operator();
    const refused = [
      [],
      ["--domain", "not a domain"],
      ["--domain", "example.com", "--sending", "pigeon"],
      ["--domain", "example.com", "--yes", "--dry-run"],
      ["--domain", "example.com", "--var", "AUTH_TOKEN=secret"],
      ["--domain", "example.com", "--var", "NO_SETTING=1"],
      ["--domain", "example.com", "--var", "RESOLVER=192.0.2.1"],
      ["--domain", "example.com", "--name", "../other"],
      ["--colour"],
    ];
    for (const words of refused) {
      const { code, err } = await operator.up(...words);
      expect([words, code, err]).toEqual([words, 2, expect.stringMatching(/\S/)]);
      expect(err).not.toContain("=secret");
    }
    expect(operator.cloudflare.calls).toEqual([]);
  });

  it("keeps variables that were set by hand", async () => {
    using operator = new Operator();
    await operator.up(...DOMAIN, "--yes", "--var", "POSTMASTER=admin@example.com");
    operator.setVersion("2");
    await operator.up(...DOMAIN, "--yes");
    expect(operator.cloudflare.account.scripts.get("mailkeep")?.bindings).toContainEqual({
      type: "plain_text",
      name: "POSTMASTER",
      text: "admin@example.com",
    });
  });

  it("leaves records of others alone, a DMARC record among them", async () => {
    using operator = new Operator();
    const own = { type: "TXT", name: "_dmarc.example.com", content: "v=DMARC1; p=none" };
    operator.cloudflare.addRecord(own);
    const { code, out } = await operator.up(...DOMAIN, "--yes");
    expect(code).toBe(0);
    expect(out).toContain("_dmarc.example.com stays as you have it");
    const dmarc = operator.cloudflare.zone.records.filter(({ name }) => name === own.name);
    expect(dmarc).toEqual([expect.objectContaining(own)]);
  });

  it("takes a name below an apex whose mail is elsewhere, and leaves that mail where it is", async () => {
    using operator = new Operator("agents.example.com", "example.com");
    const foreign = { type: "MX", name: "example.com", content: "aspmx.l.google.com", priority: 1 };
    operator.cloudflare.addRecord(foreign);
    const { code, out } = await operator.up("--domain", "agents.example.com", "--yes");
    expect(code).toBe(0);
    expect(out).toContain("WARNING: example.com keeps its mail at aspmx.l.google.com");
    const mx = operator.cloudflare.zone.records.filter(({ type }) => type === "MX");
    expect(mx.filter(({ name }) => name === "example.com")).toEqual([expect.objectContaining(foreign)]);
    expect(mx.filter(({ name }) => name === "agents.example.com")).toHaveLength(3);
  });

  it("warns before it takes the catch-all of a zone whose apex receives through Email Routing", async () => {
    using operator = new Operator("agents.example.com", "example.com");
    const { zone } = operator.cloudflare;
    operator.cloudflare.addRecord({
      type: "MX",
      name: "example.com",
      content: "route1.mx.cloudflare.net",
      priority: 10,
    });
    zone.routing = { enabled: true, status: "ready", names: ["example.com"] };
    const { out } = await operator.up("--domain", "agents.example.com", "--dry-run");
    expect(out).toMatch(/WARNING: example\.com receives mail through Email Routing\..*550 5\.1\.1/);
  });

  it("repeats what fails for a moment, as late as Cloudflare asks for", async () => {
    using operator = new Operator();
    operator.cloudflare.faults.push(
      {
        at: "GET /zones",
        status: 429,
        error: { code: 971, message: "Rate limited" },
        headers: { "Retry-After": "7" },
      },
      { at: "POST /accounts", status: 502 },
      // It was carried out, and its answer was lost: a repeat must not make a second one.
      {
        at: "POST /zones",
        status: 500,
        error: { code: 1, message: "Internal" },
        isCarriedOut: true,
        times: 2,
      },
    );
    using other = new Operator();
    expect((await operator.up(...DOMAIN, "--yes")).code).toBe(0);
    await other.up(...DOMAIN, "--yes");
    expect(operator.pauses).toContain(7_000);
    expect(operator.cloudflare.visible).toEqual(other.cloudflare.visible);
  });

  it("works from a second machine without changing a secret, and says which check it leaves out", async () => {
    using operator = new Operator();
    await operator.up(...DOMAIN, "--yes");
    const before = operator.cloudflare.visible;
    using other = new Operator();
    Object.assign(other, { cloudflare: operator.cloudflare });
    const { code, out } = await other.up(...DOMAIN, "--yes");
    expect(code).toBe(0);
    expect(out).toContain("no mail handed over: this machine does not have the operator's key");
    expect(operator.cloudflare.visible).toEqual(before);
  });
});

describe("mailkeep up --try", () => {
  it("says what a preview lacks, and makes none without a yes", async () => {
    using operator = new Operator("mailkeep.test");
    const { code, out } = await operator.up("--try");
    expect(code).toBe(0);
    expect(out).toContain("no mail from outside (only POST /v1/inbound)");
    expect(out).toContain("Nothing was made. To make it: npx --no-install mailkeep-server up --try --yes");
    expect(operator.cloudflare.account.scripts.size).toBe(0);
    const dry = await operator.up("--try", "--dry-run");
    expect(dry.out).toContain(
      "Nothing was made. To make it: npx --no-install mailkeep-server up --try --yes\n",
    );
  });

  it("needs no token, hears a mail that is handed over, and prints the address", async () => {
    using operator = new Operator("mailkeep.test");
    delete operator.env["CLOUDFLARE_API_TOKEN"];
    const { code, out, err } = await operator.up("--try", "--yes");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain("a mail handed over, its code heard");
    expect(out).toContain("https://mailkeep.example.workers.dev");
    const script = operator.cloudflare.account.scripts.get("mailkeep");
    expect(script?.bindings.filter(({ type }) => ["r2_bucket", "send_email"].includes(type))).toEqual([]);
    expect(readFileSync(operator.file("preview-mailkeep.key"), "utf8").trim()).toBe(
      script?.secrets.get("AUTH_TOKEN"),
    );
    expect(out).toContain("preview-mailkeep.key");
    expect(operator.cloudflare.calls).toEqual([]);
  });
});

describe("the trial at the end of up", () => {
  it("is left out where the deployment gives no temporary mailbox", async () => {
    using operator = new Operator();
    operator.deployment.bootstrapStatus = 404;
    const { code, out } = await operator.up(...DOMAIN, "--yes");
    expect(code).toBe(0);
    expect(out).toContain("left out: BOOTSTRAP is off");
  });

  it("ends in a stop where the deployment fails", async () => {
    using operator = new Operator();
    operator.deployment.bootstrapStatus = 403;
    const { wrong, next } = stopIn(await operator.up(...DOMAIN, "--yes"));
    expect(wrong).toMatch(/^The deployment gives no temporary mailbox: /);
    expect(next).toMatch(/^npx --no-install mailkeep-server up/);
  });
});

describe("a run that is killed between two steps", () => {
  it("is completed by the next to the same state as one run, at every change and on both sides of it", async () => {
    using whole = new Operator();
    await whole.up(...DOMAIN, "--yes");
    const initial = new Operator().cloudflare.visible;
    let points = 0;
    for (let change = 1; ; change += 1) {
      let isOver = false;
      for (const phase of ["before", "after"] as const) {
        using operator = new Operator();
        if (!(await operator.killed("up", [...DOMAIN, "--yes"], { change, phase }))) {
          isOver = true;
          break;
        }
        points += 1;
        const second = await operator.up(...DOMAIN, "--yes");
        expect({ change, phase, code: second.code, err: second.err }).toMatchObject({ code: 0, err: "" });
        expect(operator.cloudflare.visible).toEqual(whole.cloudflare.visible);
        if (phase === "before") continue;
        // It still knows everything that it made.
        expect((await operator.down("--yes", "--yes-erase-mail", "mailkeep")).code).toBe(0);
        expect(operator.cloudflare.visible).toEqual(initial);
      }
      if (isOver) break;
    }
    expect(points).toBeGreaterThan(25);
  });
});

describe("mailkeep down", () => {
  it("takes back what up made, but no mail unless its name is typed", async () => {
    using operator = new Operator();
    operator.cloudflare.zone.catchAll = {
      ...operator.cloudflare.zone.catchAll,
      name: "mine",
      actions: [{ type: "drop" }],
    };
    operator.cloudflare.addRecord({ type: "A", name: "example.com", content: "192.0.2.1" });
    const before = operator.cloudflare.visible;
    await operator.up(...DOMAIN, "--yes");
    const dry = await operator.down();
    expect(dry.out).toContain("leave      the worker mailkeep with every mailbox in it");
    expect(dry.out).toContain("Nothing was changed.");
    const { code, out } = await operator.down("--yes");
    expect(code).toBe(0);
    expect(out).toContain(
      "To erase them: npx --no-install mailkeep-server down --yes --yes-erase-mail mailkeep",
    );
    expect([...operator.cloudflare.account.scripts.keys()]).toEqual(["mailkeep"]);
    expect([...operator.cloudflare.account.buckets.keys()]).toEqual(["mailkeep-blobs"]);
    operator.cloudflare.account.buckets.get("mailkeep-blobs")?.add("a/1").add("b");
    const wrong = await operator.down("--yes", "--yes-erase-mail", "other");
    expect(stopIn(wrong).wrong).toContain("is not the name of the worker");
    expect((await operator.down("--yes", "--yes-erase-mail", "mailkeep")).code).toBe(0);
    expect(operator.cloudflare.visible).toEqual(before);
    expect(operator.files).toEqual([]);
  });

  it("leaves what was there before, and what somebody changed since", async () => {
    using operator = new Operator();
    const { account, zone } = operator.cloudflare;
    account.buckets.set("mailkeep-blobs", new Set());
    await operator.up(...DOMAIN, "--yes");
    zone.catchAll.actions = [{ type: "forward", value: ["me@example.org"] }];
    const { out } = await operator.down("--yes", "--yes-erase-mail", "mailkeep");
    expect(out).toContain("it was changed since, so it stays");
    expect(out).toContain("other rules use it, so it stays");
    expect(zone.catchAll.actions).toEqual([{ type: "forward", value: ["me@example.org"] }]);
    expect(zone.routing?.enabled).toBe(true);
    expect([...account.buckets.keys()]).toEqual(["mailkeep-blobs"]);
  });

  it("gives the catch-all rule back as it was when up took it last", async () => {
    using operator = new Operator();
    const { zone } = operator.cloudflare;
    await operator.up(...DOMAIN, "--yes");
    zone.catchAll.actions = [{ type: "forward", value: ["me@example.org"] }];
    expect((await operator.up(...DOMAIN, "--yes", "--take-catch-all")).code).toBe(0);
    zone.catchAll.enabled = false;
    expect((await operator.up(...DOMAIN, "--yes")).code).toBe(0);
    await operator.down("--yes");
    expect(zone.catchAll).toMatchObject({
      enabled: true,
      actions: [{ type: "forward", value: ["me@example.org"] }],
    });
  });

  it("leaves an SPF record of Email Routing that somebody merged with another", async () => {
    using operator = new Operator();
    const name = "in.example.com";
    operator.cloudflare.zone.routing = { enabled: true, status: "ready", names: [] };
    await operator.up("--domain", name, "--yes", "--take-catch-all");
    const spf = operator.cloudflare.zone.records.find(
      (record) => record.name === name && record.type === "TXT",
    );
    if (spf === undefined) throw new Error("Email Routing adds an SPF record");
    spf.content = "v=spf1 include:_spf.mx.cloudflare.net include:relay.example ~all";
    const { out } = await operator.down("--yes");
    expect(out).toContain(`the SPF record of ${name} has other senders too, so it stays`);
    expect(operator.cloudflare.zone.records.filter((record) => record.name === name)).toEqual([spf]);
  });

  it("is completed by a second run after a kill at any change", async () => {
    const before = new Operator().cloudflare.visible;
    const words = ["--yes", "--yes-erase-mail", "mailkeep"];
    for (let change = 1; ; change += 1) {
      using operator = new Operator();
      await operator.up(...DOMAIN, "--yes");
      if (!(await operator.killed("down", words, { change, phase: "after" }))) break;
      expect((await operator.down(...words)).code).toBe(0);
      expect(operator.cloudflare.visible).toEqual(before);
    }
  });

  it("does nothing on a machine that has no record of the deployment", async () => {
    using operator = new Operator();
    const { wrong } = stopIn(await operator.down("--yes"));
    expect(wrong).toContain("no record of a deployment mailkeep");
  });
});

/** A failure that users meet: how it comes about, and what is said. */
interface Failure {
  title: string;
  arrange: (operator: Operator) => void;
  words?: string[];
  wrong: RegExp;
  next: RegExp;
  exit?: number;
  /** Whether the printed command is run, and must succeed: as it is, or after the operator mended something. */
  mend?: (operator: Operator) => void;
  /** A word in the command that stands for the operator's choice. */
  choice?: [string, string];
}

const nothing = (): void => {};

const FAILURES: Failure[] = [
  {
    title: "the Global API Key is given for a token",
    arrange: ({ env }) => (env["CLOUDFLARE_API_TOKEN"] = "0123456789abcdef0123456789abcdef01234"),
    wrong:
      /does not take the token: Invalid request headers \(6003\)\. It must be an API token .* not a Global API Key/,
    next: /^CLOUDFLARE_API_TOKEN=<an API token> npx --no-install mailkeep-server up/,
    exit: 4,
  },
  {
    title: "the token is unknown",
    arrange: ({ env }) => (env["CLOUDFLARE_API_TOKEN"] = "unknown-token-0123456789"),
    wrong: /does not take the token: Invalid API Token \(1000\)/,
    next: /^CLOUDFLARE_API_TOKEN=<an API token> npx --no-install mailkeep-server up/,
    exit: 4,
  },
  {
    title: "the token is a login of wrangler, which may not turn Email Routing on",
    arrange: ({ cloudflare }) => (cloudflare.token.isLogin = true),
    wrong: /not allowed for the oauth_token authentication scheme.*not the login of wrangler/,
    next: /^CLOUDFLARE_API_TOKEN=<an API token>/,
    exit: 4,
  },
  {
    title: "the token has expired",
    arrange: ({ cloudflare }) => (cloudflare.token.status = "expired"),
    wrong: /^The token is expired$/,
    next: /^open 'https:\/\/dash\.cloudflare\.com\/profile\/api-tokens\?permissionGroupKeys=/,
    exit: 4,
  },
  {
    title: "the token may read its permissions, and lacks two",
    arrange: ({ cloudflare: { token } }) => {
      token.readsItself = true;
      token.groups.delete("Zone Settings Write");
      token.groups.delete("Queues Write");
    },
    wrong: /^The token lacks permissions: "Queues: Edit", "Zone Settings: Edit"$/,
    next: /^open 'https:\/\/dash\.cloudflare\.com.*CLOUDFLARE_API_TOKEN=<the new token>/,
    exit: 4,
  },
  {
    title: "the domain is in no zone",
    arrange: nothing,
    words: ["--domain", "elsewhere.org"],
    wrong: /^No zone of your Cloudflare account holds elsewhere\.org/,
    next: /add-site .* --domain elsewhere\.org/,
  },
  {
    title: "the registrar does not name Cloudflare's servers yet",
    arrange: ({ cloudflare }) => (cloudflare.zone.status = "pending"),
    wrong: /^example\.com is not active yet \(pending\)/,
    next: /set the name servers to ada\.ns\.cloudflare\.com and bob\.ns\.cloudflare\.com; when it is active: npx/,
    mend: ({ cloudflare }) => (cloudflare.zone.status = "active"),
  },
  {
    title: "the name servers were moved elsewhere",
    arrange: ({ cloudflare }) => (cloudflare.zone.status = "moved"),
    wrong: /^The name servers of example\.com are no longer Cloudflare's$/,
    next: /^at the registrar, set the name servers to ada/,
    mend: ({ cloudflare }) => (cloudflare.zone.status = "active"),
  },
  {
    title: "the zone is paused",
    arrange: ({ cloudflare }) => (cloudflare.zone.paused = true),
    wrong: /^example\.com is paused in Cloudflare$/,
    next: /^resume it at/,
    mend: ({ cloudflare }) => (cloudflare.zone.paused = false),
  },
  {
    title: "the account that was asked for does not have the zone",
    arrange: ({ cloudflare }) => {
      const other = cloudflare.addAccount("Other");
      cloudflare.token.accounts.add(other.id);
    },
    words: [...DOMAIN, "--account", "Other"],
    wrong: /^example\.com belongs to the account "Example Inc\." \(0+1\), not to "Other"/,
    next: /--account 0{31}1$/,
  },
  {
    title: "the account that was asked for is not in the token",
    arrange: nothing,
    words: [...DOMAIN, "--account", "Nobody"],
    wrong: /^The token sees no account "Nobody"; it sees "Example Inc\."/,
    next: /--account <one of these>$/,
  },
  {
    title: "the apex receives its mail elsewhere",
    arrange: ({ cloudflare }) =>
      cloudflare.addRecord({ type: "MX", name: "example.com", content: "aspmx.l.google.com", priority: 1 }),
    wrong:
      /^example\.com receives its mail at aspmx\.l\.google\.com: Email Routing would take that mail away$/,
    next: /^npx --no-install mailkeep-server up --domain agents\.example\.com/,
  },
  {
    title: "the name below the apex is a CNAME",
    arrange: ({ cloudflare }) =>
      cloudflare.addRecord({ type: "CNAME", name: "www.example.com", content: "host.example.net" }),
    words: ["--domain", "www.example.com"],
    wrong: /^www\.example\.com is a CNAME for host\.example\.net, so it can have no MX record$/,
    next: /--domain mail\.www\.example\.com/,
  },
  {
    title: "the domain has an SPF record already",
    arrange: ({ cloudflare }) =>
      cloudflare.addRecord({
        type: "TXT",
        name: "example.com",
        content: '"v=spf1 include:shop.example ~all"',
      }),
    wrong: /has an SPF record already \(v=spf1 include:shop\.example ~all\): a second one/,
    next: /^curl -X PATCH https:\/\/api\.cloudflare\.com\/client\/v4\/zones\/\w+\/dns_records\/\w+ .*v=spf1 include:_spf\.mx\.cloudflare\.net include:shop\.example ~all/,
  },
  {
    title: "a record of the operator stands where DKIM belongs",
    arrange: ({ cloudflare }) =>
      cloudflare.addRecord({
        type: "CNAME",
        name: "cf-bounce._domainkey.example.com",
        content: "dkim.other.example",
      }),
    wrong: /^cf-bounce\._domainkey\.example\.com has a CNAME record of yours \(dkim\.other\.example\)/,
    next: /^remove it at .* npx --no-install mailkeep-server up/,
    mend: ({ cloudflare: { zone } }) => (zone.records = zone.records.filter(({ type }) => type !== "CNAME")),
  },
  {
    title: "the worker's name belongs to another program",
    arrange: ({ cloudflare }) =>
      cloudflare.deploy({ name: "mailkeep", compatibility_date: "2026-01-01", vars: { A: "1" } }),
    wrong: /^The account has another worker with the name mailkeep$/,
    next: /--name mailkeep-mail$/,
  },
  {
    title: "the worker serves another domain",
    arrange: ({ cloudflare }) =>
      cloudflare.deploy({
        name: "mailkeep",
        compatibility_date: "2026-01-01",
        vars: { MAIL_DOMAIN: "other.example" },
        durable_objects: { bindings: [{ name: "MAILBOX", class_name: "Mailbox" }] },
      }),
    wrong: /^The worker mailkeep serves the domain other\.example already$/,
    next: /--name mailkeep-mail$/,
  },
  {
    title: "R2 is not turned on",
    arrange: ({ cloudflare }) => (cloudflare.account.hasR2 = false),
    wrong: /^The account has not turned R2 on, where large messages lie\./,
    next: /--without-r2$/,
    mend: nothing,
  },
  {
    title: "R2 is not turned on, in the words of an upload",
    arrange: ({ cloudflare }) => Object.assign(cloudflare.account, { hasR2: false, r2Code: 10136 }),
    wrong: /^The account has not turned R2 on, where large messages lie\./,
    next: /--without-r2$/,
    mend: nothing,
  },
  {
    title: "the account has no name under workers.dev",
    arrange: ({ cloudflare }) => (cloudflare.account.subdomain = null),
    wrong: /^The account has no name under workers\.dev yet/,
    next: /--workers-dev <a name that nobody has>$/,
    choice: ["<a name that nobody has>", "example"],
    mend: nothing,
  },
  {
    title: "the name under workers.dev is taken",
    arrange: ({ cloudflare }) => (cloudflare.account.subdomain = null),
    words: [...DOMAIN, "--yes", "--workers-dev", "taken"],
    wrong:
      /^Cloudflare refused to register the name taken under workers\.dev: The subdomain is unavailable\. \(10031\)$/,
    next: /--workers-dev <another name>$/,
    choice: ["<another name>", "example"],
    mend: nothing,
  },
  {
    title: "the plan has no queues",
    arrange: ({ cloudflare }) => (cloudflare.account.hasQueues = false),
    wrong:
      /^Cloudflare refused to make the queue mailkeep-events: Queues is unavailable on your current plan\. \(100129\)\./,
    next: /--without-events$/,
    mend: nothing,
  },
  {
    title: "the queue is read by another worker",
    arrange: ({ cloudflare: { account } }) =>
      account.queues.push({
        queue_id: "q",
        queue_name: "mailkeep-events",
        consumers: [{ consumer_id: "c", script: "other", settings: {}, dead_letter_queue: null }],
      }),
    wrong: /^The queue mailkeep-events is read by the worker other/,
    next: /^npx wrangler queues consumer remove mailkeep-events other, then: npx/,
    mend: ({ cloudflare: { account } }) => account.queues.splice(0),
  },
  {
    title: "Email Sending is not available",
    arrange: ({ cloudflare }) => (cloudflare.zone.allowsSending = false),
    wrong:
      /^Cloudflare refused to turn Email Sending on for example\.com: Email Sending is not available for this account\. \(2051\)/,
    next: /--sending none$/,
    mend: nothing,
  },
  {
    title: "the script is too large for the plan",
    arrange: ({ cloudflare }) => (cloudflare.account.maxScriptBytes = 10),
    wrong: /^The script is larger than the plan of the account allows/,
    next: /^install the released package/,
    mend: ({ cloudflare }) => (cloudflare.account.maxScriptBytes = 100_000),
  },
  {
    title: "Email Routing is on with wrong records",
    arrange: ({ cloudflare }) =>
      (cloudflare.zone.routing = { enabled: true, status: "misconfigured", names: ["example.com"] }),
    wrong: /^Email Routing of example\.com is on, but its DNS records were changed \(misconfigured\)$/,
    next: /^npx wrangler email routing dns get example\.com/,
    mend: ({ cloudflare }) => (cloudflare.zone.routing = null),
  },
  {
    title: "Email Routing is on with wrong records that are locked",
    arrange: ({ cloudflare }) =>
      (cloudflare.zone.routing = { enabled: true, status: "misconfigured/locked", names: ["example.com"] }),
    wrong: /its DNS records are locked and are not what it needs \(misconfigured\/locked\)$/,
    next: /^npx wrangler email routing dns get example\.com/,
    mend: ({ cloudflare }) => (cloudflare.zone.routing = null),
  },
  {
    title: "the catch-all rule belongs to another worker",
    arrange: ({ cloudflare: { zone } }) => {
      zone.catchAll = { ...zone.catchAll, enabled: true, actions: [{ type: "worker", value: ["other"] }] };
    },
    wrong: /^The catch-all rule of example\.com is in use \(worker other\), and a zone has one$/,
    next: /--take-catch-all$/,
    mend: nothing,
  },
  {
    title: "Cloudflare takes no more calls",
    arrange: ({ cloudflare }) =>
      cloudflare.faults.push({
        at: "GET /accounts",
        status: 429,
        error: { code: 971, message: "Please wait and consider throttling your request speed" },
        headers: { "Retry-After": "300" },
      }),
    wrong:
      /^Cloudflare takes no more calls of this token for now, so it did not list the accounts: try again in five minutes$/,
    next: /^npx --no-install mailkeep-server up/,
    exit: 1,
    mend: nothing,
  },
  {
    title: "Cloudflare fails in the middle",
    arrange: ({ cloudflare }) => cloudflare.faults.push({ at: "POST /zones", status: 503, times: 20 }),
    wrong: /^Cloudflare could not be asked to turn Email Sending on for example\.com: .*What was done stays/,
    next: /^npx --no-install mailkeep-server up/,
    exit: 1,
    mend: ({ cloudflare }) => cloudflare.faults.splice(0),
  },
];

describe("a mistake that users make", () => {
  it.each(FAILURES)(
    "is one line, and one command that fixes it: $title",
    async ({ arrange, words = DOMAIN, wrong, next, exit = 2, mend, choice }) => {
      using operator = new Operator();
      arrange(operator);
      const ran = await operator.up(...new Set([...words, "--yes"]));
      const stop = stopIn(ran);
      expect(stop.wrong).toMatch(wrong);
      expect(stop.next).toMatch(next);
      expect(ran.code).toBe(exit);
      if (mend === undefined) return;
      mend(operator);
      const [placeholder, chosen] = choice ?? ["", ""];
      const mended = await operator.up(...wordsOf(stop.next.replace(placeholder, chosen)));
      expect({ code: mended.code, err: mended.err }).toEqual({ code: 0, err: "" });
    },
  );

  it("is a refusal where no token is set", async () => {
    using operator = new Operator();
    delete operator.env["CLOUDFLARE_API_TOKEN"];
    const { code, err } = await operator.up(...DOMAIN);
    expect(code).toBe(2);
    expect(err).toMatch(/^CLOUDFLARE_API_TOKEN is not set/);
  });

  const groups = [...new Operator().cloudflare.token.groups];
  it.each([
    ...groups.map((group) => ({ group, isRefusedLists: false })),
    { group: "Zone Read", isRefusedLists: true },
    { group: "Account Settings Read", isRefusedLists: true },
  ])("names the permission that is missing: $group (lists refused: $isRefusedLists)", async (token) => {
    using operator = new Operator();
    const { group } = token;
    operator.cloudflare.token.isRefusedLists = token.isRefusedLists;
    operator.cloudflare.token.groups.delete(group);
    const ran = await operator.up(...DOMAIN, "--yes");
    const { wrong, next } = stopIn(ran);
    const name = group.replace(" Write", ": Edit").replace(/ Read$/, ": Read");
    expect(wrong).toMatch(/^The token may not /);
    expect(wrong).toContain(`it lacks the permission "${name}"`);
    expect(next).toMatch(/^open 'https:\/\/dash\.cloudflare\.com\/profile\/api-tokens/);
    expect(ran.code).toBe(4);
    operator.cloudflare.token.groups.add(group);
    expect((await operator.up(...DOMAIN, "--yes")).code).toBe(0);
  });

  it("sends the token to no other address than an encrypted one or this machine", async () => {
    using operator = new Operator();
    operator.env["CLOUDFLARE_API_BASE_URL"] = "http://api.example/client/v4";
    const { code, err } = await operator.up(...DOMAIN);
    expect(code).toBe(2);
    expect(err).toContain("must be an https address");
  });
});
