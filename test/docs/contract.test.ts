import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { EVENT_KINDS, EventData } from "../../src/contract/event.ts";
import * as limits from "../../src/contract/limits.ts";
import { MessageStatus } from "../../src/contract/message.ts";
import { STATUS } from "../../src/contract/problem.ts";
import type { RouteSpec } from "../../src/contract/route.ts";
import { routes } from "../../src/contract/routes.ts";
import { DeliveryError, DeliveryState, WEBHOOK_KINDS } from "../../src/contract/webhook.ts";
import { webhookBody } from "../../src/webhooks/body.ts";
import { codeSpansOf, linksOf, page, PAGES, ROOT, type Block } from "./pages.ts";

const specs = Object.entries<RouteSpec>(routes).filter(([, { path }]) => path.startsWith("/v1/"));
const api = page("docs/api.md");

/** Explained once for all endpoints. */
const SHARED: ReadonlySet<string> = new Set(["mailbox", "limit", "cursor"]);

const Problem = z.strictObject({
  error: z.string(),
  code: z.enum(Object.keys(STATUS)).optional(),
  message: z.string().optional(),
  details: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
  fix: z.string().optional(),
  retryable: z.boolean().optional(),
});

const WebhookBody = EventData.extend({
  message_id: z.string(),
  attachment_count: z.int(),
  sender_verified: z.boolean(),
  event_id: z.string(),
  seq: z.int(),
});

/** The section that documents an endpoint: from its heading to the next. Throws if it has none. */
function sectionOf({ method, path }: RouteSpec): string {
  const { headings, lines } = api;
  const index = headings.findIndex(({ title }) => title === `\`${method} ${path}\``);
  const heading = headings[index];
  if (heading === undefined) throw new Error(`docs/api.md has no section for ${method} ${path}`);
  return lines.slice(heading.line, (headings[index + 1]?.line ?? lines.length + 1) - 1).join("\n");
}

/** Whether a text holds a name as code. */
function namesInCode(text: string, name: string): boolean {
  const spans = text.replaceAll(/```\w*\n([^`]*)```/g, "`$1`").matchAll(/`([^`]+)`/g);
  const code = [...spans].map(([, span]) => span).join("\n");
  return new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(code);
}

/** Names of the members of a schema, at any depth. */
function membersOf(shape: z.ZodType): Set<string> {
  const names = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      if (key === "properties" && typeof value === "object" && value !== null) {
        for (const name of Object.keys(value)) names.add(name);
      }
      visit(value);
    }
  };
  visit(z.toJSONSchema(shape, { unrepresentable: "any" }));
  return names;
}

/** The schema of what a JSON block shows, and null where the block shows nothing that is known. */
function schemaOf({ mark }: Block): z.ZodType | null {
  if (mark === "problem") return Problem;
  if (mark === "event data") return EventData;
  const [, id = "", status = ""] = /^answer: (\w+) (\d{3})$/.exec(mark) ?? [];
  const spec = specs.find(([name]) => name === id)?.[1];
  const response = spec?.responses[Number(status)];
  return response !== undefined && "json" in response ? response.json : null;
}

/** A JSON block as the service would send it: members that it does not know are dropped. */
function asSent(block: Block, shown: unknown): unknown {
  if (block.mark === "webhook body") {
    const { event_id, seq, ...data } = WebhookBody.parse(shown);
    return JSON.parse(webhookBody(data, { id: event_id, seq }));
  }
  const schema = schemaOf(block);
  if (schema === null) throw new Error(`"${block.mark}" is no answer of the API`);
  return schema.parse(shown);
}

describe("docs/api.md", () => {
  it.each(specs)("has a section for %s, with each of its parameters and members", (_, spec) => {
    const section = sectionOf(spec);
    const inQuery = Object.keys(spec.query.shape).filter((name) => !SHARED.has(name));
    const inBody = spec.body instanceof z.ZodObject ? Object.keys(spec.body.shape) : [];
    const missing = [...inQuery, ...inBody].filter((name) => !namesInCode(section, name));
    expect(missing).toEqual([]);
  });

  it("documents no endpoint that is not there", () => {
    const served = new Set(specs.map(([, { method, path }]) => `${method} ${path}`));
    const documented = api.headings.flatMap(({ title }) => /^`([A-Z]+ \/v1\/\S+)`$/.exec(title)?.[1] ?? []);
    expect(documented.filter((endpoint) => !served.has(endpoint))).toEqual([]);
    expect(documented.length).toBe(served.size);
  });

  it("names every member of every answer", () => {
    const shapes = specs
      .flatMap(([, { responses }]) => Object.values(responses))
      .filter((one) => "json" in one);
    const members = new Set(shapes.flatMap(({ json }) => [...membersOf(json)]));
    const examples = api.blocks.map(({ text }) => text).join("\n");
    const missing = [...members].filter(
      (name) => !namesInCode(api.prose, name) && !examples.includes(`"${name}":`),
    );
    expect(missing).toEqual([]);
  });

  it("lists every error code with its status, and no other", () => {
    const listed = [...api.prose.matchAll(/^\| `(\w+)`\s+\| (\d{3})\s+\|/gm)].map(([, code, status]) => [
      code,
      Number(status),
    ]);
    expect(Object.fromEntries(listed)).toEqual(STATUS);
  });
});

describe("the examples of the documentation", () => {
  const blocks = PAGES.flatMap(({ file, blocks: all }) =>
    all
      .filter(({ language, mark }) => language === "json" && !mark.startsWith("example: "))
      .map((block) => ({ ...block, file })),
  );

  it.each(blocks)("are what the service answers: $file:$line", (block) => {
    const shown: unknown = JSON.parse(block.text);
    // A member that is not known is dropped, and so missed here.
    expect(asSent(block, shown)).toEqual(shown);
  });
});

describe("the lists of the documentation", () => {
  it("have every kind of event, and say which webhooks deliver", () => {
    const rows = page("docs/events.md").lines.flatMap((line) => {
      const [, kind, , stream, webhooks] = line.split("|").map((cell) => cell.trim().replaceAll("`", ""));
      return kind?.startsWith("message.") === true ? [[kind, stream, webhooks]] : [];
    });
    expect(rows).toEqual(
      EVENT_KINDS.map((kind) => [kind, "yes", WEBHOOK_KINDS.includes(kind) ? "yes" : "no"]),
    );
  });

  it("have every state of a send, and every state and error of a delivery", () => {
    const states = MessageStatus.options.filter((state) => state !== "received");
    const rows = page("docs/sending.md").lines.flatMap((line) => /^\| `(\w+)`/.exec(line)?.[1] ?? []);
    expect(rows).toEqual(expect.arrayContaining(states));
    const deliveries = sectionOf(routes.webhookDeliveries);
    const missing = [...DeliveryState.options, ...DeliveryError.options].filter(
      (word) => !namesInCode(deliveries, word),
    );
    expect(missing).toEqual([]);
  });
});

describe("docs/testing-with-mailkeep.md", () => {
  const { blocks, prose } = page("docs/testing-with-mailkeep.md");

  it("explains each SMTP fault that a twin can make, as the types do", () => {
    const explained = (text: string, row: RegExp) => [...text.matchAll(row)].map(([, name]) => name);
    const types = readFileSync(path.join(ROOT, "src/twin/api.ts"), "utf8");
    const names = explained(types, /^ {2}\| "([a-z-]+)"/gm);
    expect(names.length).toBeGreaterThan(5);
    expect(explained(types, /^ \* - `([a-z-]+)`: /gm)).toEqual(names);
    expect(explained(prose, /^\| `([a-z-]+)` +\| (?:The connection|No reply|\d{3} )/gm)).toEqual(names);
  });

  it("shows the first test of the Playwright project that is installed and run", () => {
    const shown = blocks.find(({ text }) => text.includes("mailkeep-server/playwright"))?.text ?? "";
    const project = readFileSync(path.join(ROOT, "test/examples/playwright/sign-up.spec.ts"), "utf8");
    expect(shown).toContain("mail.smtp");
    expect(project).toContain(shown);
  });
});

describe("docs/limits.md", () => {
  it("has the numbers of the contract", () => {
    const { prose } = page("docs/limits.md");
    const numbers: readonly (readonly [string, number])[] = [
      ["A message", limits.MAX_MESSAGE_BYTES],
      ["Recipients of one transaction", limits.MAX_INBOUND_RECIPIENTS],
      ["Text; HTML that is kept", limits.MAX_BODY_BYTES],
      ["Text of an attachment", limits.MAX_ATTACHMENT_TEXT_BYTES],
      ["An upload", limits.MAX_ATTACHMENT_BYTES],
    ];
    for (const [what, number] of numbers) {
      const row = prose.split("\n").find((line) => line.startsWith(`| ${what}`));
      expect([what, row]).toEqual([what, expect.stringContaining(number.toLocaleString("en"))]);
    }
  });
});

// The page is generated from the settings; before it is there, nothing can be held against it.
const configuration = PAGES.find(({ file }) => file === "docs/configuration.md");

describe.skipIf(configuration === undefined)("docs/configuration.md", () => {
  /** In backticks, in capitals, and no word of another standard. */
  const isSetting = (code: string): boolean => /^[A-Z][A-Z0-9_]{3,}$/.test(code) && !OTHERS.has(code);
  const OTHERS: ReadonlySet<string> = new Set(
    (
      "HEAD POST PATCH DELETE PLAIN LOGIN XOAUTH2 CANCEL EMAIL CHROMIUM FIREFOX DOMAIN ZONE_ID KINDS " +
      "EVENT_KINDS WEBHOOK_KINDS MAILKEEP_URL MAILKEEP_KEY MAILKEEP_IMAP_PASSWORD OUTBOUNDS SCHEMAS EARLIER INSERT ROUTE_LINES METHODS " +
      // Of the command line (docs/cli.md).
      "MAILKEEP_PROFILE MAILKEEP_WEBHOOK_SECRET NO_COLOR " +
      // Of the doctor, and of the backup unit of systemd.
      "DOCTOR_RESOLVER BACKUP_DIR BACKUP_RECIPIENT " +
      // Of wrangler, which `mailkeep-server up` reads too.
      "CLOUDFLARE_ACCOUNT_ID CLOUDFLARE_API_TOKEN CLOUDFLARE_API_BASE_URL " +
      // Of other commands of mailkeep-server, each explained where the command is.
      "BACKUP_DIR BACKUP_RECIPIENT DOCTOR_RESOLVER " +
      "MAILS_API_URL MAILS_API_KEY MAILS_AUTH_TOKEN MAILS_WORKER_TOKEN MAILS_MAILBOX"
    ).split(" "),
  );
  const settings = (configuration?.headings ?? []).flatMap(
    ({ title, anchor }) =>
      /^`([A-Z0-9_]+)`$/
        .exec(title)
        ?.slice(1)
        .map((name) => ({ name, anchor })) ?? [],
  );
  const others = PAGES.filter(({ file }) => !["docs/configuration.md", "docs/upgrading.md"].includes(file));

  it("explains every setting that another page names", () => {
    const known = new Set(settings.map(({ name }) => name));
    const unknown = others.flatMap((one) =>
      codeSpansOf(one).filter((code) => isSetting(code) && !known.has(code)),
    );
    expect(unknown).toEqual([]);
  });

  it("holds no setting that no other page links to", () => {
    const targets = others.flatMap(linksOf).join("\n");
    const linked = settings.filter(({ anchor }) => targets.includes(`configuration.md#${anchor}`));
    expect(linked).toEqual(settings);
    expect(settings.length).toBeGreaterThan(40);
  });
});
