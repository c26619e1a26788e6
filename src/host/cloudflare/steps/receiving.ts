import { foreignMx, listRecords, type DnsRecord } from "../dns.ts";
import {
  enableRouting,
  enableRoutingFor,
  readCatchAll,
  routingSettings,
  writeCatchAll,
  type CatchAll,
  type RoutingSettings,
} from "../email-routing.ts";
import { oneLine, Stop } from "../failure.ts";
import { stepOf, type Step, type StepContext } from "../step.ts";

/** The state that the step of Email Routing has read. */
interface Seen {
  settings: RoutingSettings | null;
  mx: readonly DnsRecord[];
}

/** Email Routing with its MX and SPF records, for the apex or for the name below it alone. */
export function routingStep({ api, wanted, existing: { zone } }: StepContext): Step {
  const { domain, again } = wanted;
  const isApex = domain === zone.name;
  return stepOf<Seen>({
    id: "routing",
    title: "Email Routing",
    permission: "Zone Settings: Edit",
    read: async () => ({
      settings: await routingSettings(api, zone.id),
      mx: await listRecords(api, zone.id, { name: domain, type: "MX" }),
    }),
    decide: ({ settings, mx }) => {
      const words = `MX and SPF records of ${domain}`;
      const isOn = settings?.isEnabled === true;
      if (isOn && settings.status.startsWith("misconfigured"))
        throw misconfigured(domain, settings.status, again);
      const hasMx = mx.length > foreignMx(mx, domain).length;
      if (isApex ? isOn && hasMx : hasMx) return { kind: "leave", words };
      return { kind: "make", words };
    },
    act: () => (isApex ? enableRouting(api, zone.id) : enableRoutingFor(api, zone.id, domain)),
    made: ({ settings }) => ({ kind: "routing", name: domain, wasOn: settings?.isEnabled ?? false }),
  });
}

function misconfigured(domain: string, status: string, again: string): Stop {
  const wrong = status.endsWith("locked")
    ? "its DNS records are locked and are not what it needs"
    : "its DNS records were changed";
  return new Stop(
    `Email Routing of ${domain} is on, but ${wrong} (${oneLine(status)})`,
    `npx wrangler email routing dns get ${domain} shows the records that it needs; put them right, then: ${again}`,
  );
}

/** The catch-all rule of the zone, which brings every address to the worker. */
export function catchAllStep({ api, wanted, existing: { zone } }: StepContext): Step {
  const { worker, takesCatchAll, again } = wanted;
  const rule: CatchAll = {
    isEnabled: true,
    actions: [{ type: "worker", value: [worker] }],
    name: "mailkeep",
  };
  return stepOf<CatchAll | null>({
    id: "catch-all",
    title: "Catch-all rule",
    permission: "Email Routing Rules: Edit",
    read: () => readCatchAll(api, zone.id),
    decide: (now) => {
      const words = `mail to *@${zone.name} goes to the worker ${worker}`;
      if (now === null || !now.isEnabled) return { kind: "make", words };
      if (isOf(now, worker)) return { kind: "leave", words };
      const [action] = now.actions;
      if (action === undefined || action.type === "drop" || takesCatchAll) return { kind: "change", words };
      const target = oneLine(`${action.type} ${action.value?.join(", ") ?? ""}`.trim());
      throw new Stop(
        `The catch-all rule of ${zone.name} is in use (${target}), and a zone has one`,
        `${again} --take-catch-all`,
      );
    },
    act: () => writeCatchAll(api, zone.id, rule),
    made: (now) => ({
      kind: "catch_all",
      previous: {
        isEnabled: now?.isEnabled ?? false,
        actions: now === null || now.actions.length === 0 ? [{ type: "drop" }] : [...now.actions],
        name: now?.name ?? "",
      },
    }),
  });
}

/** Whether a catch-all rule brings mail to a worker. */
export function isOf({ isEnabled, actions }: CatchAll, worker: string): boolean {
  return (
    isEnabled && actions.some(({ type, value }) => type === "worker" && value?.includes(worker) === true)
  );
}
