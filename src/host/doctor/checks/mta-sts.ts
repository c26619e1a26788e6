import { fine, quoted, wrong, type Finding } from "../finding.ts";
import { request, reasonOf } from "../ports/http.ts";
import type { World } from "../ports/world.ts";
import { bare, isName, listed, recordLine, tagsOf } from "../records.ts";
import { shellWord } from "../shell-word.ts";
import { mailHosts, type Check, type Machine } from "./check.ts";

const STS = /^v=STSv1\s*;/i;
const TLS_RPT = /^v=TLSRPTv1\s*;/i;
/** RFC 8461 §3.1. */
const POLICY_ID = /^[a-z0-9]{1,32}$/i;
const MAX_LINES = 200;

async function recordsAt({ dns }: World, name: string, form: RegExp): Promise<string[]> {
  return (await dns.look("TXT", name)).map((text) => text.trim()).filter((text) => form.test(text));
}

/** The MTA-STS policy (RFC 8461), if DNS announces one. */
export const mtaStsCheck: Check<Machine> = {
  topic: "mta-sts",
  async run(machine, world, signal) {
    const domain = machine.settings.worker.MAIL_DOMAIN;
    const [record, ...more] = await recordsAt(world, `_mta-sts.${domain}`, STS);
    if (record === undefined) return [];
    if (more.length > 0 || !POLICY_ID.test(tagsOf(record).get("id") ?? "")) {
      const id = new Date(world.now()).toISOString().replaceAll(/\D/g, "").slice(0, 14);
      const line = recordLine(`_mta-sts.${domain}`, "TXT", `v=STSv1; id=${id}`);
      return [
        wrong("mta-sts.record", `The MTA-STS record of ${domain} cannot be used: ${quoted(record)}`, line),
      ];
    }
    const url = new URL(`https://mta-sts.${domain}/.well-known/mta-sts.txt`);
    const policy = await fetched(world, url, signal);
    if ("finding" in policy) return [policy.finding];
    return [await judge(machine, world, { url, policy: policy.text })];
  },
};

const lookCommand = (url: URL): string => `curl -sSv ${shellWord(url.href)}`;

async function fetched(
  world: World,
  url: URL,
  signal: AbortSignal,
): Promise<{ text: string } | { finding: Finding }> {
  const no = (why: string) => ({
    finding: wrong("mta-sts.policy", `${url.href} cannot be fetched: ${why}`, lookCommand(url)),
  });
  try {
    const { status, body, fault } = await request(world, url, signal);
    if (fault !== null) return no(CERTIFICATE_WORDS[fault]);
    // A redirect must not be followed (RFC 8461 §3.3).
    return status === 200 ? { text: body } : no(`it answers ${status}`);
  } catch (error) {
    signal.throwIfAborted();
    return no(reasonOf(error));
  }
}

/** The faults of a certificate, in words. */
export const CERTIFICATE_WORDS = {
  expired: "its certificate is out of date",
  name: "its certificate is for another name",
  untrusted: "its certificate is signed by nobody whom clients know",
} as const;

/** A valid policy. */
interface Policy {
  mode: string;
  hosts: string[];
}

function policyOf(text: string): Policy | null {
  const lines = text.split(/\r?\n/).slice(0, MAX_LINES);
  const pairs = lines.map((line) => /^([a-z_]+)\s*:\s*(.*?)\s*$/i.exec(line) ?? []);
  const valuesOf = (name: string) => pairs.filter(([, key]) => key === name).map(([, , value = ""]) => value);
  const [mode = ""] = valuesOf("mode");
  const hosts = valuesOf("mx").map(bare);
  const isRight =
    valuesOf("version")[0] === "STSv1" &&
    ["enforce", "testing", "none"].includes(mode) &&
    /^\d{1,10}$/.test(valuesOf("max_age")[0] ?? "") &&
    (mode === "none" || hosts.length > 0);
  return isRight ? { mode, hosts } : null;
}

async function judge(
  machine: Machine,
  world: World,
  { url, policy: text }: { url: URL; policy: string },
): Promise<Finding> {
  const domain = machine.settings.worker.MAIL_DOMAIN;
  const policy = policyOf(text);
  if (policy === null) {
    return wrong(
      "mta-sts.syntax",
      `The policy at ${url.href} cannot be read: ${quoted(text)}`,
      lookCommand(url),
    );
  }
  const records = await world.dns.look("MX", domain);
  const exchanges = records.map(({ exchange }) => exchange).filter((host) => host !== "");
  const missing = exchanges.filter((host) => !policy.hosts.some((pattern) => covers(pattern, host)));
  if (policy.mode === "none" || missing.length === 0) {
    return fine("mta-sts", `The MTA-STS policy of ${domain} (${policy.mode}) names its mail hosts`);
  }
  const own = mailHosts(machine.settings).find((host) =>
    policy.hosts.some((pattern) => covers(pattern, host)),
  );
  const host = own ?? policy.hosts.find(isName);
  const line = host === undefined ? lookCommand(url) : recordLine(domain, "MX", `10 ${host}.`);
  const words = `The MTA-STS policy of ${domain} does not name ${listed(missing)}, to which its mail goes`;
  return wrong(policy.mode === "enforce" ? "mta-sts.mx" : "mta-sts.testing", words, line);
}

/** RFC 8461 §4.1: `*.` stands for one label. */
function covers(pattern: string, host: string): boolean {
  if (!pattern.startsWith("*.")) return pattern === host;
  const at = host.indexOf(".");
  return at > 0 && host.slice(at + 1) === pattern.slice(2);
}

/** The TLS-RPT record (RFC 8460), by which senders report failures of TLS. */
export const tlsRptCheck: Check<Machine> = {
  topic: "tls-rpt",
  async run({ settings }, world) {
    const domain = settings.worker.MAIL_DOMAIN;
    const name = `_smtp._tls.${domain}`;
    const line = recordLine(name, "TXT", `v=TLSRPTv1; rua=mailto:postmaster@${domain}`);
    const [record, ...more] = await recordsAt(world, name, TLS_RPT);
    if (record !== undefined) {
      const isRight = more.length === 0 && /^(?:mailto:|https:\/\/)\S/i.test(tagsOf(record).get("rua") ?? "");
      return isRight
        ? [fine("tls-rpt", `Senders report failures of TLS as ${name} says`)]
        : [wrong("tls-rpt.wrong", `The record at ${name} cannot be used: ${quoted(record)}`, line)];
    }
    const hasPolicy = (await recordsAt(world, `_mta-sts.${domain}`, STS)).length > 0;
    return hasPolicy ? [wrong("tls-rpt.missing", `There is no record at ${name}`, line)] : [];
  },
};
