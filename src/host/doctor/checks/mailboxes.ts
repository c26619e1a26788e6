import * as z from "zod";
import { secretsPath } from "../../secrets.ts";
import { fine, quoted, wrong, type Finding } from "../finding.ts";
import { readAs, serverApi, type ServerApi } from "../ports/server-api.ts";
import { setCommand } from "../setting-command.ts";
import { shellWord } from "../shell-word.ts";
import type { Check, Machine } from "./check.ts";

/** At most this many mailboxes are checked, because each check loads the mailbox, which takes some milliseconds. */
const MAX_MAILBOXES = 2_000;
const PAGE_SIZE = 100;
const AT_ONCE = 8;
/** At most this many findings of one kind are shown. */
const MAX_FINDINGS = 10;

const PAGE = z.object({
  mailboxes: z.array(z.object({ mailbox: z.string(), kind: z.string() })),
  next_cursor: z.string().nullish(),
});
const INFO = z.object({
  webhook_url: z.string().nullable(),
  webhook_status: z.string().nullable(),
  full: z.boolean().optional(),
});
const STATS = z.object({ sending_obstacle: z.object({ reply: z.string(), at: z.string() }).nullable() });

/** Mailboxes whose webhook failed, which are full, or whose mail the relay refuses. */
export const mailboxesCheck: Check<Machine> = {
  topic: "mailboxes",
  async run(machine, world, signal) {
    const api = serverApi(machine, world, signal);
    if (api === null) return [];
    const permanent = await permanentMailboxes(api);
    // If the server is down or refuses the key, other findings say so.
    if (permanent === null) return [];
    const queue = [...permanent.names];
    const found: Finding[] = [];
    const look = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        found.push(...(await judge(machine, api, next)));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, look));
    if (found.length > 0) return fewOfEach(found);
    const { names, isAll } = permanent;
    const which = `${isAll ? "" : "the first "}${names.length} permanent mailboxes`;
    return [fine("mailboxes", `Of ${which} none is full, and no webhook has failed`)];
  },
};

/** The first permanent mailboxes of the server, and whether these are all; null if it lists none to us. */
async function permanentMailboxes(api: ServerApi): Promise<{ names: string[]; isAll: boolean } | null> {
  const names: string[] = [];
  let cursor = "";
  for (let seen = 0; seen < MAX_MAILBOXES; seen += PAGE_SIZE) {
    const after = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page = readAs(await api(`/v1/mailboxes?limit=${PAGE_SIZE}${after}`), PAGE);
    if (page === null) return seen === 0 ? null : { names, isAll: false };
    names.push(...page.mailboxes.filter(({ kind }) => kind === "permanent").map(({ mailbox }) => mailbox));
    cursor = page.next_cursor ?? "";
    if (cursor === "") return { names, isAll: true };
  }
  return { names, isAll: false };
}

function fewOfEach(findings: readonly Finding[]): Finding[] {
  const counts = new Map<string, number>();
  return findings.filter(({ id }) => {
    const count = (counts.get(id) ?? 0) + 1;
    counts.set(id, count);
    // All mailboxes use the same relay, so one finding is enough.
    return count <= (id === "mailboxes.sending" ? 1 : MAX_FINDINGS);
  });
}

async function judge(machine: Machine, api: ServerApi, mailbox: string): Promise<Finding[]> {
  const name = encodeURIComponent(mailbox);
  const info = readAs(await api(`/v1/mailboxes/${name}`), INFO);
  const stats = readAs(await api(`/v1/stats?mailbox=${name}`), STATS);
  const found: Finding[] = [];
  if (info?.webhook_status === "failed") {
    const url = info.webhook_url ?? "";
    const words = `The webhook of ${quoted(mailbox)} failed and gets nothing more: ${quoted(url)}`;
    found.push(wrong("mailboxes.webhook-failed", words, webhookCommand(machine, name, url)));
  }
  if (info?.full === true) {
    const { envFile, settings } = machine;
    const bytes = settings.worker.MAILBOX_QUOTA_BYTES * 2;
    found.push(
      wrong(
        "mailboxes.full",
        `${quoted(mailbox)} is full`,
        setCommand(envFile, "MAILBOX_QUOTA_BYTES", String(bytes)),
      ),
    );
  }
  const obstacle = stats?.sending_obstacle ?? null;
  if (obstacle !== null) {
    const words = `The relay refuses mail, of ${quoted(mailbox)} at ${quoted(obstacle.at)}: ${quoted(obstacle.reply)}`;
    const url = "smtp://<user>:<password>@<relay>:587";
    found.push(wrong("mailboxes.sending", words, setCommand(machine.envFile, "SMTP_URL", url)));
  }
  return found;
}

/** The option of curl with the operator key. The shell reads the key from its file or variable, so that it is not printed. */
export function keyWords({ settings: { dataDir, worker } }: Machine): string {
  if (worker.AUTH_TOKEN !== null) return `-H "Authorization: Bearer $AUTH_TOKEN"`;
  const script = String.raw`s/.*"auth_token": *"\([^"]*\)".*/\1/p`;
  return `-H "Authorization: Bearer $(sed -n '${script}' ${shellWord(secretsPath(dataDir))})"`;
}

function webhookCommand(machine: Machine, name: string, url: string): string {
  const at = shellWord(new URL(`/v1/mailbox?mailbox=${name}`, machine.local).href);
  const body = shellWord(JSON.stringify({ webhook_url: url }));
  return `curl -sS -X PATCH ${at} ${keyWords(machine)} --json ${body}`;
}

const SENDING = z.object({ status: z.string(), halted_at: z.string().nullable() });

/** Whether the operator has halted all sending. */
export const sendingCheck: Check<Machine> = {
  topic: "mailboxes",
  async run(machine, world, signal) {
    const answer = await serverApi(machine, world, signal)?.("/v1/sending");
    // Earlier versions have no such switch.
    const state = answer === undefined ? null : readAs(answer, SENDING);
    if (state?.status !== "halted") return [];
    const at = shellWord(new URL("/v1/sending/resume", machine.local).href);
    const words = `The sending of all mailboxes is halted since ${quoted(state.halted_at ?? "")}`;
    return [wrong("mailboxes.halted", words, `curl -sS -X PATCH ${at} ${keyWords(machine)}`)];
  },
};

/** Reasons that lie with the server. The other reasons lie with the senders, such as unknown addresses. */
const OWN_REASONS: readonly string[] = [
  "internal",
  "unavailable",
  "misconfigured",
  "mailbox_full",
  "too_many_connections",
];
const REFUSAL =
  /^mailkeep_refusals_total\{door="(?:smtp|cloudflare)",reason="([a-z_]{1,40})"\} (\d{1,15})$/gm;

/** Mail that was refused since the server started, by reason, where the server counts it. */
export const refusalsCheck: Check<Machine> = {
  topic: "refusals",
  async run(machine, world, signal) {
    const answer = await serverApi(machine, world, signal)?.("/metrics");
    // Earlier versions have no metrics.
    if (answer?.status !== 200) return [];
    const counts = Array.from(answer.body.matchAll(REFUSAL), ([, reason = "", count = ""]) => ({
      reason,
      count,
    }));
    const some = counts.filter(({ count }) => Number(count) > 0);
    const own = some.filter(({ reason }) => OWN_REASONS.includes(reason));
    const listed = (list: typeof some): string =>
      list.map(({ reason, count }) => `${reason} ${count}`).join(", ");
    if (own.length > 0) {
      const words = `Since it started, the server refused mail for reasons of its own: ${listed(own)}`;
      return [wrong("refusals.own", words, "journalctl -u mailkeep --since -1d")];
    }
    const senders = some.length === 0 ? "none" : listed(some);
    return [fine("refusals", `Mail that the server refused since it started: ${senders}`)];
  },
};
