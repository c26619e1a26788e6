import type { Finding } from "./finding.ts";
import type { Check, Machine } from "./checks/check.ts";
import { clockCheck } from "./checks/clock.ts";
import { diskCheck } from "./checks/disk.ts";
import { addressCheck, mxCheck, nsCheck, ptrCheck } from "./checks/domain.ts";
import { dataCheck, filesCheck, secretsCheck } from "./checks/files.ts";
import { httpsCheck } from "./checks/https.ts";
import { inboundCheck } from "./checks/inbound.ts";
import { mailboxesCheck, refusalsCheck, sendingCheck } from "./checks/mailboxes.ts";
import { mtaStsCheck, tlsRptCheck } from "./checks/mta-sts.ts";
import { probeCheck } from "./checks/probe.ts";
import { outwardCheck, relayCheck } from "./checks/relay.ts";
import { askResolver } from "./checks/resolver.ts";
import { serverCheck } from "./checks/server.ts";
import { dkimCheck, dmarcCheck } from "./checks/signing.ts";
import { spfCheck } from "./checks/spf.ts";
import { runChecks, type RunOptions } from "./doctor.ts";
import { wrong } from "./finding.ts";
import type { World } from "./ports/world.ts";
import { setCommand } from "./setting-command.ts";

/** Checks of this machine itself. */
const OF_MACHINE: readonly Check<Machine>[] = [
  filesCheck,
  secretsCheck,
  dataCheck,
  diskCheck,
  serverCheck,
  relayCheck,
  outwardCheck,
];

/** Checks that call the server, once it is known to answer. */
const OF_SERVICE: readonly Check<Machine>[] = [mailboxesCheck, sendingCheck, refusalsCheck];

/** Checks that depend on the name of the domain, or on the public address. */
const OF_DOMAIN: readonly Check<Machine>[] = [
  nsCheck,
  addressCheck,
  mxCheck,
  ptrCheck,
  inboundCheck,
  httpsCheck,
  spfCheck,
  dkimCheck,
  dmarcCheck,
  mtaStsCheck,
  tlsRptCheck,
  clockCheck,
];

/** Suffixes that are not in the public DNS (RFC 6761, RFC 6762, RFC 8375, and `internal` by ICANN). */
const RESERVED = /(?:^|\.)(?:test|example|invalid|localhost|local|internal|home\.arpa)$/;

/** Examines a machine that runs the server. Nothing is changed. */
export async function examineMachine(
  machine: Machine,
  world: World,
  options: RunOptions,
): Promise<Finding[]> {
  const [own, ofDomain] = await Promise.all([
    examineServer(machine, world, options),
    examineDomain(machine, world, options),
  ]);
  return [...own, ...ofDomain];
}

async function examineServer(machine: Machine, world: World, options: RunOptions): Promise<Finding[]> {
  const own = await runChecks(OF_MACHINE, machine, world, options);
  const isServing = !own.some(({ id, level }) => id.startsWith("server.") && level === "broken");
  const checks = isServing ? [...OF_SERVICE, ...(machine.probe ? [probeCheck] : [])] : [];
  return [...own, ...(await runChecks(checks, machine, world, options))];
}

function reserved({ envFile }: Machine, domain: string): Finding {
  const words = `MAIL_DOMAIN is ${domain}, a name that no DNS knows: only programs that reach this server send mail to it`;
  return wrong("domain.reserved", words, setCommand(envFile, "MAIL_DOMAIN", "<your domain>"));
}

async function examineDomain(machine: Machine, world: World, options: RunOptions): Promise<Finding[]> {
  const domain = machine.settings.worker.MAIL_DOMAIN;
  const isReserved = RESERVED.test(domain);
  if (isReserved && machine.resolverFrom === null) return [reserved(machine, domain)];
  const resolver = await askResolver(world, machine);
  if (resolver.level !== "ok") return [resolver];
  if (isReserved && !(await isKnown(world, domain))) return [resolver, reserved(machine, domain)];
  return [resolver, ...(await runChecks(OF_DOMAIN, machine, world, options))];
}

/** Whether a resolver of the operator's own knows a name, so that mail can be sent to it. */
async function isKnown({ dns }: World, domain: string): Promise<boolean> {
  const looks = ["NS", "MX", "A"] as const;
  const found = await Promise.all(looks.map((type) => dns.look(type, domain).catch(() => [])));
  return found.some((records) => records.length > 0);
}
