import type { Settings } from "../../settings.ts";
import type { FindingId } from "../catalogue/catalogue.ts";
import { wrong, type Finding } from "../finding.ts";
import type { CertificateFault } from "../ports/tls.ts";
import { isName } from "../records.ts";
import { shellWord } from "../shell-word.ts";

/** Certificates are renewed about a month before they expire. If fewer days than this are left, the renewal has failed. */
const ENDING_DAYS = 14;
const DAY_MS = 86_400_000;

/** The command that gets a certificate: while the server has port 80, certbot leaves its proof in a folder. */
export function issueCommand(name: string, { acmeWebroot }: Pick<Settings, "acmeWebroot">): string {
  const way = acmeWebroot === null ? "--standalone" : `--webroot -w ${shellWord(acmeWebroot)}`;
  return `certbot certonly ${way} -d ${shellWord(name)}`;
}

/** The certificate that a server presented. */
export interface Seen {
  host: string;
  settings: Settings;
  fault: CertificateFault | null;
  endsAt: number | null;
}

const IDS = {
  inbound: {
    expired: "inbound.certificate-expired",
    name: "inbound.certificate-name",
    untrusted: "inbound.certificate-untrusted",
    ending: "inbound.certificate-ending",
  },
  https: {
    expired: "https.certificate-expired",
    name: "https.certificate-name",
    untrusted: "https.certificate-untrusted",
    ending: "https.certificate-ending",
  },
} as const satisfies Record<string, Record<CertificateFault | "ending", FindingId>>;

/** The finding about a faulty certificate; null if it has no fault. */
export function certificateFinding(
  of: keyof typeof IDS,
  { host, settings, fault, endsAt }: Seen,
  now: number,
): Finding | null {
  const ids = IDS[of];
  const name = isName(host) ? host : "<host>";
  const renew = `certbot renew --cert-name ${shellWord(name)} --force-renewal`;
  const issue = issueCommand(name, settings);
  const end = endsAt === null ? "an unknown day" : new Date(endsAt).toISOString().slice(0, 10);
  switch (fault) {
    case "expired":
      return wrong(ids.expired, `The certificate of ${host} is valid until ${end} only`, renew);
    case "name":
      return wrong(ids.name, `The certificate that ${host} shows is for another name`, issue);
    case "untrusted":
      return wrong(ids.untrusted, `The certificate of ${host} is signed by nobody who is known`, issue);
    case null:
      return endsAt !== null && endsAt - now < ENDING_DAYS * DAY_MS
        ? wrong(ids.ending, `The certificate of ${host} ends on ${end}`, renew)
        : null;
  }
}
