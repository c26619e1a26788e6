import { createRecord, listRecords, sameContent, type DnsRecord, type NewRecord } from "../dns.ts";
import { enableSending, listSendingDomains, sendingRecords, type SendingDomain } from "../email-sending.ts";
import { oneLine, Stop } from "../failure.ts";
import type { Made } from "../journal.ts";
import { listQueues, listSubscriptions, SENDING_EVENTS, subscribe, type Subscription } from "../queues.ts";
import { stepOf, type Step, type StepContext } from "../step.ts";
import { namesOf } from "../wanted.ts";

/** Email Sending for the domain: the permission to send from it. */
export function sendingStep({ api, wanted, existing: { zone } }: StepContext): Step {
  const { domain, again } = wanted;
  return stepOf<SendingDomain | null>({
    id: "sending",
    title: "Email Sending",
    permission: "Email Sending: Edit",
    read: async () => (await listSendingDomains(api, zone.id)).find(({ name }) => name === domain) ?? null,
    decide: (found) =>
      found?.isEnabled === true
        ? { kind: "leave", words: `from ${domain}` }
        : { kind: "make", words: `from ${domain}` },
    act: () => enableSending(api, zone.id, domain),
    made: () => ({ kind: "sending", name: domain }),
    explain: (failure) =>
      failure.kind === "refused"
        ? new Stop(
            `${failure.message}. Without it the mailboxes receive, and send through a relay or not at all`,
            `${again} --sending none`,
            failure,
          )
        : null,
  });
}

/** The state that the step of the records has read; null while sending is off. */
type SeenRecords = { missing: NewRecord[]; kept: DnsRecord[] } | null;

/** The records of sending that Cloudflare did not add itself. Records of others stay as they are. */
export function sendingRecordsStep({ api, wanted, journal, existing: { zone } }: StepContext): Step {
  const { domain, again } = wanted;
  return stepOf<SeenRecords>({
    id: "sending records",
    title: "DKIM, SPF and DMARC of sending",
    permission: "DNS: Edit",
    read: async () => {
      const found = (await listSendingDomains(api, zone.id)).find(({ name }) => name === domain);
      if (found?.isEnabled !== true) return null;
      const seen: NonNullable<SeenRecords> = { missing: [], kept: [] };
      for (const record of await sendingRecords(api, zone.id, found.id)) {
        const records = await listRecords(api, zone.id, { name: record.name });
        if (records.some((one) => isSame(one, record))) continue;
        const inTheWay = records.find((one) => conflicts(one, record));
        if (inTheWay === undefined) seen.missing.push(record);
        else if (isDmarc(inTheWay)) seen.kept.push(inTheWay);
        else throw inTheWayOf(record, inTheWay, again);
      }
      return seen;
    },
    decide: (seen) => {
      if (seen === null) return { kind: "make", words: "Cloudflare names them when sending is on" };
      const kept = seen.kept.map(({ name }) => `; ${name} stays as you have it`).join("");
      return seen.missing.length === 0
        ? { kind: "leave", words: `all there${kept}` }
        : { kind: "make", words: seen.missing.map(({ type, name }) => `${type} ${name}`).join(", ") + kept };
    },
    act: async (seen) => {
      for (const record of seen?.missing ?? []) {
        const { type, name, content } = record;
        journal.add({ kind: "record", type, name, content });
        await createRecord(api, zone.id, record);
      }
    },
  });
}

function isSame(one: DnsRecord, record: NewRecord): boolean {
  return one.type === record.type && sameContent(one.content, record.content);
}

/** Whether two records cannot exist under the same name. */
function conflicts(one: DnsRecord, record: NewRecord): boolean {
  if (one.type === "CNAME" || record.type === "CNAME") return true;
  if (one.type !== record.type) return false;
  if (record.type === "MX") return one.priority === null || !/\.cloudflare\.net\.?$/i.test(one.content);
  const kind = /^"?v=(\w+)/i;
  return kind.exec(one.content)?.[1]?.toLowerCase() === kind.exec(record.content)?.[1]?.toLowerCase();
}

const isDmarc = ({ name, type }: DnsRecord): boolean => type === "TXT" && name.startsWith("_dmarc.");

function inTheWayOf({ type, name }: NewRecord, one: DnsRecord, again: string): Stop {
  return new Stop(
    `${name} has a ${one.type} record of yours (${oneLine(one.content, 80)}), where sending needs a ${type} record of its own`,
    `remove it at https://dash.cloudflare.com/?to=/:account/:zone/dns/records if nothing uses it, then: ${again}`,
  );
}

/** The state that the step of the subscription has read. */
interface SeenSubscription {
  queueId: string | null;
  found: Subscription | null;
}

/** The subscription that sends the events of sent mail to the queue. */
export function subscriptionStep({ api, wanted, existing: { account, zone } }: StepContext): Step {
  const { domain, again } = wanted;
  const names = namesOf(wanted);
  return stepOf<SeenSubscription>({
    id: "subscription",
    title: "Events of sending",
    permission: "Queues: Edit",
    read: async () => {
      const queue = (await listQueues(api, account.id)).find(({ name }) => name === names.events);
      const subscriptions = await listSubscriptions(api, account.id);
      const found = subscriptions.find(
        ({ sourceType, domain: source }) => sourceType === "email.sending" && source === domain,
      );
      return { queueId: queue?.id ?? null, found: found ?? null };
    },
    decide: ({ queueId, found }) => {
      const words = `${SENDING_EVENTS.length} kinds, to the queue ${names.events}`;
      if (found === null) return { kind: "make", words };
      if (found.queueId !== queueId) {
        throw new Stop(
          `The events of sending from ${domain} go to another queue (subscription "${oneLine(found.name, 80)}")`,
          `${again} --without-events`,
        );
      }
      return { kind: "leave", words: isWhole(found) ? words : `${words}; some kinds are left out by hand` };
    },
    act: async ({ queueId }) => {
      if (queueId === null) throw new Stop(`The queue ${names.events} is gone`, again);
      await subscribe(api, account.id, { name: names.subscription, queueId, zoneId: zone.id, domain });
    },
    made: (): Made => ({ kind: "subscription", name: names.subscription }),
    explain: (failure) =>
      failure.kind === "refused" ? new Stop(failure.message, `${again} --without-events`, failure) : null,
  });
}

function isWhole({ isEnabled, events }: Subscription): boolean {
  return isEnabled && SENDING_EVENTS.every((event) => events.includes(event));
}
