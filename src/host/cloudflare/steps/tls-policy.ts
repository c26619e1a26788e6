// Steps that tell senders to deliver over TLS only (MTA-STS, RFC 8461), and to report where that fails (TLS-RPT, RFC 8460).
import { check } from "../../../config/check.ts";
import { mtaStsOf } from "../../../config/env.ts";
import { WORKER_SETTINGS } from "../../../config/worker-settings.ts";
import { MTA_STS_HOST_START, mtaStsRecord, type MtaSts } from "../../../mail/mta-sts.ts";
import { attachDomain, findCustomDomain, type CustomDomain } from "../custom-domains.ts";
import {
  createRecord,
  deleteRecord,
  listRecords,
  RECORD_COMMENT,
  sameContent,
  updateRecord,
  type DnsRecord,
  type NewRecord,
} from "../dns.ts";
import { oneLine, Stop } from "../failure.ts";
import { ownRecord, removeCustomDomain } from "../removal.ts";
import { stepOf, type Step, type StepContext } from "../step.ts";

/** The host name has a DNS record that the custom domain would replace. */
const HAS_RECORDS = 100117;
const DAY_SECONDS = 86_400;
const SETTINGS = ["MTA_STS", "MTA_STS_MX", "MTA_STS_MAX_AGE", "MAIL_HOST"];

/** The policy that a worker with these variables serves; null for none. */
export function policyOf(vars: Readonly<Record<string, string>>): MtaSts | null {
  const own = Object.fromEntries(Object.entries(vars).filter(([name]) => SETTINGS.includes(name)));
  const { values } = check(WORKER_SETTINGS, [], own);
  return values === null ? null : mtaStsOf(values);
}

/** The steps of the policy; none where the deployment serves none, or serves one that somebody set up by hand. */
export function policySteps(context: StepContext): Step[] {
  const { wanted, deployment, journal } = context;
  if (wanted.mtaSts === "off") return removalSteps(context);
  const policy = policyOf(deployment.vars);
  const isOurs = journal.contents.made.some(({ kind }) => kind === "custom_domain");
  if (policy === null || (wanted.mtaSts === null && !isOurs)) return [];
  const { domain } = wanted;
  return [
    hostStep(context, `${MTA_STS_HOST_START}${domain}`),
    textStep(context, {
      title: "Policy for TLS (MTA-STS)",
      start: "v=STSv1",
      record: { type: "TXT", name: `_mta-sts.${domain}`, content: mtaStsRecord(policy) },
    }),
    textStep(context, {
      title: "Reports about TLS",
      start: "v=TLSRPTv1",
      record: {
        type: "TXT",
        name: `_smtp._tls.${domain}`,
        content: `v=TLSRPTv1; rua=mailto:postmaster@${domain}`,
      },
      keepsOthers: true,
    }),
  ];
}

/**
 * The steps that remove a policy: what `up` made for it, as the journal says. Senders who remember the policy must have had the
 * time to learn that it is withdrawn (RFC 8461 §8.3).
 */
function removalSteps(context: StepContext): Step[] {
  const { api, journal, wanted, existing } = context;
  const hostname = `${MTA_STS_HOST_START}${wanted.domain}`;
  const names = [`_mta-sts.${wanted.domain}`, `_smtp._tls.${wanted.domain}`];
  const { made } = journal.contents;
  const records = made.flatMap((one) => (one.kind === "record" && names.includes(one.name) ? [one] : []));
  const hosts = made.flatMap((one) => (one.kind === "custom_domain" && one.name === hostname ? [one] : []));
  return [
    ...records.map((entry) =>
      stepOf<DnsRecord | null>({
        id: `record ${entry.name}`,
        title: entry.name === names[0] ? "Policy for TLS (MTA-STS)" : "Reports about TLS",
        permission: "DNS: Edit",
        read: async () => (await ownRecord(api, existing.zone.id, entry)) ?? null,
        decide: (found) => {
          if (found === null) return { kind: "leave", words: `${entry.name} is not there` };
          if (entry.name === names[0]) checkForgotten(context, found);
          return { kind: "remove", words: `${entry.type} ${entry.name}` };
        },
        act: async (found) => {
          if (found !== null) await deleteRecord(api, existing.zone.id, found.id);
          journal.remove(entry);
        },
      }),
    ),
    ...hosts.map((entry) =>
      stepOf<CustomDomain | null>({
        id: "policy host",
        title: "Host of the policy for TLS",
        permission: "Workers Scripts: Edit",
        read: () => findCustomDomain(api, existing.account.id, hostname),
        decide: (found) =>
          found?.worker === wanted.worker
            ? { kind: "remove", words: hostname }
            : { kind: "leave", words: `${hostname} does not lead to the worker` },
        act: async () => {
          await removeCustomDomain(context, hostname);
          journal.remove(entry);
        },
      }),
    ),
  ];
}

/** Throws a {@link Stop} while senders may still hold to the policy that `record` announced, or the one before it. */
function checkForgotten({ wanted, existing }: StepContext, { changedMs }: DnsRecord): void {
  const policy = policyOf(Object.fromEntries(existing.worker?.vars ?? []));
  if (policy === null) return;
  if (policy.mode !== "none") {
    const withdraw = wanted.again.replace(/(--mta-sts[ =])off\b/, "$1none");
    throw new Stop(
      `Senders remember the policy for TLS (${policy.mode}), and may deliver nothing once it is gone: it must be withdrawn first`,
      `${withdraw}; then wait ${policy.maxAgeSeconds / DAY_SECONDS} days`,
    );
  }
  const forgottenMs = (changedMs ?? 0) + policy.maxAgeSeconds * 1_000;
  if (forgottenMs <= Date.now()) return;
  const day = new Date(forgottenMs).toISOString().slice(0, 16);
  throw new Stop(
    `Some senders may remember the policy for TLS until ${day} UTC`,
    `after that: ${wanted.again}`,
  );
}

/** The host at which senders read the policy. */
function hostStep({ api, wanted, existing: { account, zone } }: StepContext, hostname: string): Step {
  const { worker, again } = wanted;
  return stepOf<CustomDomain | null>({
    id: "policy host",
    title: "Host of the policy for TLS",
    permission: "Workers Scripts: Edit",
    read: () => findCustomDomain(api, account.id, hostname),
    decide: (found) => {
      if (found === null) return { kind: "make", words: hostname };
      if (found.worker === worker) return { kind: "leave", words: hostname };
      throw new Stop(
        `${hostname} leads to the worker ${oneLine(found.worker, 80)}`,
        `take it from that worker at https://dash.cloudflare.com/?to=/:account/workers, then: ${again}`,
      );
    },
    act: () => attachDomain(api, account.id, { hostname, worker, zoneId: zone.id }),
    made: () => ({ kind: "custom_domain", name: hostname }),
    explain: (failure) =>
      failure.has(HAS_RECORDS)
        ? new Stop(
            `${hostname} has a DNS record of yours, where the worker must serve the policy`,
            `remove it at https://dash.cloudflare.com/?to=/:account/:zone/dns/records if nothing uses it, then: ${again}`,
            failure,
          )
        : null,
  });
}

interface TextOptions {
  title: string;
  /** The beginning of every record of this kind: a name has one at most. */
  start: string;
  record: NewRecord;
  /** Whether another record of the kind, which somebody else made, serves as well. */
  keepsOthers?: boolean;
}

/** A TXT record. One that `up` made is changed where the text is another one now. */
function textStep(context: StepContext, { title, start, record, keepsOthers = false }: TextOptions): Step {
  const { api, wanted, journal, existing } = context;
  const { type, name, content } = record;
  return stepOf<DnsRecord | null>({
    id: `record ${name}`,
    title,
    permission: "DNS: Edit",
    read: async () => {
      const records = await listRecords(api, existing.zone.id, { name, type });
      return records.find((one) => one.content.replace(/^"/, "").startsWith(start)) ?? null;
    },
    decide: (found) => {
      const words = `${type} ${name}`;
      if (found === null) return { kind: "make", words };
      if (sameContent(found.content, content)) return { kind: "leave", words };
      if (found.comment === RECORD_COMMENT)
        return { kind: "change", words: `${words}: the policy is another one` };
      if (keepsOthers) return { kind: "leave", words: `${name} stays as you have it` };
      throw new Stop(
        `${name} has a record of yours (${oneLine(found.content, 80)}), where the policy needs its own`,
        `remove it at https://dash.cloudflare.com/?to=/:account/:zone/dns/records, then: ${wanted.again}`,
      );
    },
    act: async (found) => {
      if (found === null) {
        await createRecord(api, existing.zone.id, record);
        return;
      }
      await updateRecord(api, existing.zone.id, { id: found.id, content });
      journal.remove({ kind: "record", type, name, content: found.content });
    },
    made: () => ({ kind: "record", type, name, content }),
  });
}
