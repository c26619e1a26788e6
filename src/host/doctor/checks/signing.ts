import { createPublicKey } from "node:crypto";
import { judgeRecord, recordsOf } from "../../../mail/address/domain-records.ts";
import { fine, quoted, wrong } from "../finding.ts";
import { recordLine, tagsOf } from "../records.ts";
import type { Check, Machine } from "./check.ts";
import { upwards } from "./domain.ts";
import { relayOf } from "./spf.ts";

/** Compares the public DKIM key in DNS with the private key of the settings. */
export const dkimCheck: Check<Machine> = {
  topic: "dkim",
  async run(machine, { dns }) {
    const { worker, workerVariables } = machine.settings;
    const key = workerVariables.DKIM_PRIVATE_KEY;
    if (key === undefined || worker.DKIM_SELECTOR === null) return [];
    const setup = {
      domain: worker.DKIM_DOMAIN ?? worker.MAIL_DOMAIN,
      mailHosts: [worker.MAIL_DOMAIN] as const,
      spfMechanisms: "",
      selector: worker.DKIM_SELECTOR,
      publicKey: createPublicKey(key).export({ type: "spki", format: "der" }).toString("base64"),
    };
    const { host, value } = recordsOf(setup).dkim;
    const line = recordLine(host, "TXT", value);
    const { result, found } = judgeRecord(setup, "dkim", await dns.look("TXT", host));
    if (result === "missing") return [wrong("dkim.missing", `There is no DKIM key at ${host}`, line)];
    // Receivers may use any of several records (RFC 6376 §3.6.2.2).
    return result === "found" && found.length === 1
      ? [fine("dkim", `The DKIM key at ${host} is the one that the server signs with`)]
      : [
          wrong(
            "dkim.wrong",
            `The DKIM record at ${host} is not the server's key alone: ${quoted(found.join(" | "))}`,
            line,
          ),
        ];
  },
};

const DMARC = /^v=DMARC1(?:\s*;|$)/i;
const POLICIES: readonly string[] = ["none", "quarantine", "reject"];

/** The DMARC record of the domain, or of a parent domain. */
export const dmarcCheck: Check<Machine> = {
  topic: "dmarc",
  async run(machine, { dns }) {
    if (relayOf(machine) === null) return [];
    const domain = machine.settings.worker.MAIL_DOMAIN;
    for (const name of upwards(domain)) {
      const texts = await dns.look("TXT", `_dmarc.${name}`);
      const records = texts.filter((text) => DMARC.test(text.trim()));
      const [record = "", ...more] = records;
      if (records.length === 0) continue;
      const policy = tagsOf(record).get("p") ?? "";
      const isRight = more.length === 0 && POLICIES.includes(policy.toLowerCase());
      if (isRight) return [fine("dmarc", `The DMARC policy of ${name} is ${policy}`)];
      const words = `The DMARC record at _dmarc.${name} cannot be used: ${quoted(records.join(" | "))}`;
      return [wrong("dmarc.wrong", words, recordLine(`_dmarc.${name}`, "TXT", "v=DMARC1; p=none"))];
    }
    const line = recordLine(`_dmarc.${domain}`, "TXT", "v=DMARC1; p=none");
    return [wrong("dmarc.missing", `There is no DMARC record at _dmarc.${domain}`, line)];
  },
};
