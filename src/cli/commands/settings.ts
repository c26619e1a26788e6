import type { Api } from "../../client/index.ts";
import { command } from "../command.ts";
import { storeProfile } from "../profile/profiles.ts";
import { CliError, EXIT } from "../exit.ts";
import { OPERATIONS } from "../operations.ts";
import { bodyFlags } from "../route-flags.ts";
import type { Column } from "../terminal/table.ts";
import { shownTime } from "../time.ts";

type Key = Api["listKeys"]["answer"]["keys"][number];
type Domain = Api["getDomain"]["answer"];
type Record_ = Domain["dns_records"]["mx"];

const keyBody = bodyFlags("createKey");
const pauseBody = bodyFlags("pauseMailbox");
const ID = (of: string) => ({ name: "id", about: `The id of ${of}.` });

const KEY_COLUMNS: readonly Column<Key>[] = [
  { title: "ID", of: ({ id }) => id, style: "dim" },
  { title: "SCOPE", of: ({ scope }) => scope },
  { title: "MADE", of: ({ created_at }) => shownTime(created_at) },
  { title: "USED", of: ({ last_used_at }) => shownTime(last_used_at ?? "") },
  { title: "UNTIL", of: ({ expires_at }) => shownTime(expires_at ?? "") },
];

const DOMAIN_COLUMNS: readonly Column<Domain>[] = [
  { title: "ID", of: ({ id }) => id, style: "dim" },
  { title: "DOMAIN", of: ({ domain }) => domain },
  { title: "STATUS", of: ({ status }) => status },
  { title: "", of: ({ message }) => message, flexible: true },
];

const recordLines = (domain: Domain): string[] =>
  Object.values(domain.dns_records).flatMap(({ type, host, value, priority, purpose }: Record_) => [
    `${host} ${type} ${priority === undefined ? "" : `${priority} `}${value}`,
    `    ${purpose}`,
  ]);

export const settingsCommands = [
  command({
    name: "stats",
    summary: "Show how much the mailbox is used",
    args: [],
    flags: {},
    examples: ["mailkeep stats"],
    run: async ({ mail, output, signal }) => {
      const stats = await mail.mailbox.stats({ signal });
      const shown = Object.entries(stats).filter(([, value]) => typeof value !== "object");
      await output.fields(stats, Object.fromEntries(shown) as Record<string, string | number>);
    },
  }),
  command({
    name: "pause",
    summary: OPERATIONS.pauseMailbox.summary,
    args: [],
    flags: pauseBody.flags,
    examples: ['mailkeep pause --reason "On holiday"'],
    run: async ({ mail, output, signal }, { flags }) => {
      const paused = await mail.mailbox.pause(pauseBody.read(flags), { signal });
      await output.fields(paused, { Mailbox: paused.mailbox, Status: paused.status, Reason: paused.reason });
    },
  }),
  command({
    name: "resume",
    summary: OPERATIONS.resumeMailbox.summary,
    args: [],
    flags: {},
    examples: ["mailkeep resume"],
    run: async ({ mail, output, signal }) => {
      const resumed = await mail.mailbox.resume({ signal });
      await output.fields(resumed, { Mailbox: resumed.mailbox, Status: resumed.status });
    },
  }),
  command({
    name: "keys",
    summary: OPERATIONS.listKeys.summary,
    args: [],
    flags: {},
    examples: ["mailkeep keys"],
    run: async ({ mail, output, signal }) => {
      const { keys } = await mail.keys.list({ signal });
      await output.rows(keys, KEY_COLUMNS, "No keys.");
    },
  }),
  command({
    name: "keys create",
    summary: "Make a key, and show it once or store it in a profile",
    args: [],
    flags: {
      ...keyBody.flags,
      save: {
        type: "text",
        about: "Store the key under this profile, and do not show it.",
        value: "profile",
      },
    },
    examples: ["mailkeep keys create --save ci", "mailkeep keys create --expires-at 2027-01-01"],
    run: async ({ mail, output, account, env, signal }, { flags }) => {
      const { api_key, ...made } = await mail.keys.create(keyBody.read(flags), { signal });
      const { save } = flags;
      if (typeof save !== "string") {
        return output.fields({ ...made, api_key }, { Id: made.id, Until: made.expires_at, Key: api_key });
      }
      await storeProfile(env, save, { url: account.url, key: api_key, mailbox: made.mailbox });
      await output.fields({ ...made, profile: save }, { Id: made.id, Until: made.expires_at, Profile: save });
    },
  }),
  command({
    name: "keys revoke",
    summary: OPERATIONS.revokeKey.summary,
    args: [ID("a key, as `mailkeep keys` shows it")],
    flags: {},
    examples: ["mailkeep keys revoke 01a202aa-8f50-7000-949b-74c43c6e0000"],
    run: async ({ mail, output, signal }, { words: [id = ""] }) => {
      await output.value({ id, ...(await mail.keys.revoke(id, { signal })) }, () => ["Revoked."]);
    },
  }),
  command({
    name: "domains",
    summary: OPERATIONS.listDomains.summary,
    args: [],
    flags: {},
    examples: ["mailkeep domains"],
    run: async ({ mail, output, signal }) => {
      const { domains } = await mail.domains.list({ signal });
      await output.rows(domains, DOMAIN_COLUMNS, "No domains.");
    },
  }),
  command({
    name: "domains add",
    summary: OPERATIONS.addDomain.summary,
    args: [{ name: "domain", about: "Such as example.org." }],
    flags: {},
    examples: ["mailkeep domains add agents.example.org"],
    run: async ({ mail, output, signal }, { words: [domain = ""] }) => {
      const added = await mail.domains.add({ domain }, { signal });
      await output.value(added, () => [
        added.message,
        ...recordLines(added),
        `Then: mailkeep domains verify ${added.id}`,
      ]);
    },
  }),
  command({
    name: "domains show",
    summary: OPERATIONS.getDomain.summary,
    args: [ID("a domain, as `mailkeep domains` shows it")],
    flags: {},
    examples: ["mailkeep domains show 01a202aa-8f50-7000-949b-74c43c6e0000"],
    run: async ({ mail, output, signal }, { words: [id = ""] }) => {
      const domain = await mail.domains.get(id, { signal });
      await output.value(domain, () => [
        `${domain.domain}: ${domain.status}`,
        domain.message,
        ...recordLines(domain),
      ]);
    },
  }),
  command({
    name: "domains verify",
    summary: OPERATIONS.verifyDomain.summary,
    args: [ID("a domain, as `mailkeep domains` shows it")],
    flags: {},
    about: ["Exit code 3 while the domain is not verified."],
    examples: ["mailkeep domains verify 01a202aa-8f50-7000-949b-74c43c6e0000"],
    run: async ({ mail, output, signal }, { words: [id = ""] }) => {
      const check = await mail.domains.verify(id, { signal });
      const columns: readonly Column<(typeof check.checked)[number]>[] = [
        { title: "RECORD", of: ({ record }) => record },
        { title: "RESULT", of: ({ result }) => result },
        { title: "HOST", of: ({ host }) => host },
        { title: "EXPECTED", of: ({ expected }) => expected, flexible: true },
      ];
      if (output.isJson) await output.value(check, () => []);
      else await output.rows(check.checked, columns, "");
      if (check.status === "verified") return EXIT.ok;
      throw new CliError(EXIT.nothing, check.message, `mailkeep domains verify ${id}`);
    },
  }),
  command({
    name: "domains remove",
    summary: OPERATIONS.deleteDomain.summary,
    args: [ID("a domain, as `mailkeep domains` shows it")],
    flags: {},
    examples: ["mailkeep domains remove 01a202aa-8f50-7000-949b-74c43c6e0000"],
    run: async ({ mail, output, signal }, { words: [id = ""] }) => {
      await output.value({ id, ...(await mail.domains.delete(id, { signal })) }, () => ["Removed."]);
    },
  }),
];
