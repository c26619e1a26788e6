import { CLOUDFLARE } from "./cloudflare.ts";
import { DNS } from "./dns.ts";
import { MACHINE } from "./machine.ts";
import { MAIL } from "./mail.ts";
import { SERVICE } from "./service.ts";

/** Every kind of fault that the doctor finds, by id. Programs rely on the ids, so none may change its meaning. */
export const CATALOGUE = { ...MACHINE, ...DNS, ...MAIL, ...SERVICE, ...CLOUDFLARE } as const;

export type FindingId = keyof typeof CATALOGUE;

/** The topics of the checks. A finding without a fault has its topic as id; the id of a fault begins with its topic. */
export const TOPICS = [
  "settings",
  "files",
  "secrets",
  "data",
  "disk",
  "clock",
  "server",
  "resolver",
  "domain",
  "ns",
  "address",
  "mx",
  "ptr",
  "spf",
  "dkim",
  "dmarc",
  "mta-sts",
  "tls-rpt",
  "inbound",
  "https",
  "relay",
  "outward",
  "mailboxes",
  "refusals",
  "probe",
  "token",
  "zone",
  "routing",
  "worker",
  "bucket",
  "sending",
  "queue",
] as const;

export type Topic = (typeof TOPICS)[number];
