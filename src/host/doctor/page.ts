import { CATALOGUE, TOPICS, type Topic } from "./catalogue/catalogue.ts";
import type { Entry } from "./catalogue/entry.ts";
import { DOCTOR_EXIT } from "./finding.ts";

const { ok, warnings, broken, permission, transient } = DOCTOR_EXIT;

const EXITS: readonly [number, string][] = [
  [ok, "Nothing is wrong"],
  [warnings, "Warnings: it works, but not as it should, or not for long"],
  [broken, "Something is broken"],
  [permission, "A check needs more rights: run it as root or as the user of the server"],
  [transient, "A check got no answer: run it again"],
];

function exitTable(): string {
  const rows: readonly [string, string][] = EXITS.map(([code, words]) => [String(code), words]);
  const [first, second] = ["Exit code", "Meaning"];
  const width = Math.max(...rows.map(([, words]) => words.length));
  const line = ([one, other]: readonly [string, string]) =>
    `| ${one.padEnd(first.length)} | ${other.padEnd(width)} |\n`;
  const rule = `| ${"-".repeat(first.length)} | ${"-".repeat(width)} |\n`;
  return line([first, second]) + rule + rows.map(line).join("");
}

const INTRODUCTION = `<!-- Generated from src/host/doctor by \`npm run docs\`. Do not edit. -->

# Doctor

For operators: \`mailkeep-server doctor\` checks a deployment. For each fault it prints a **finding**: what is wrong, what it
costs, and the **fix**, one command or DNS record. This page explains every finding.

<!-- not run: it asks the DNS of the example's domain -->

\`\`\`sh
npm run -s server -- doctor --env-file /etc/mailkeep/mailkeep.env
mailkeep-server doctor --env-file /etc/mailkeep/mailkeep.env --json
\`\`\`

The first line is for a clone of the repository, the second for [the package](contributing.md#the-packages). The doctor reads
the settings as the server does: from the file of \`--env-file\` (the one that systemd reads), else from the environment. Run
it as root or as the user of the server, who may read the files with secrets.

A deployment on Cloudflare is examined by its domain, with the token that [\`up\`](deploy.md) uses:

<!-- not run: it needs a Cloudflare account -->

\`\`\`sh
CLOUDFLARE_API_TOKEN=<an API token> mailkeep-server doctor --cloudflare agents.example.org
\`\`\`

Without a domain it takes the deployment that \`up\` made from this machine. It asks Cloudflare, and the deployment itself
for its version.

- **It changes nothing** but with the two options below that say so. It reads files, asks DNS, fetches pages, and begins SMTP sessions with your mail host and your
  relay: it logs in there, but sends no message.
- **It asks nobody else.** DNS questions go where the server's go
  ([\`RESOLVER\`](configuration.md#resolver), else the resolver of the system), or to \`--resolver\`, such as
  \`--resolver 127.0.0.1:5353\`. The clock is compared with a server of yours, or with the
  one that \`--clock-url\` names.
- \`--address 203.0.113.5\` names an address at which others reach this machine, where a router or a proxy is in front of it.
  \`--outward mx.example.org:25\` asks whether this machine may connect there.
- \`--connect-to 203.0.113.5:25:127.0.0.1:2525\` connects to another address and port in the place of one, as curl does: to
  look at a machine before DNS leads to it.
- \`--probe\` sends a mail to the server's own SMTP listener, to a mailbox that is made for it and erased after, and says how
  long each leg took. It is the one check that writes, so it is off unless you ask for it.
- \`--report\` also sends the findings to the server, where the operator console and
  [\`GET /v1/doctor\`](api.md#get-v1doctor) show them. If the server does not take them, a line on stderr says why; the
  exit code stays that of the findings.
- A changed setting takes effect when the server starts again.
- A fix may hold a word in angle brackets, such as \`<password>\`, which only you know.

${exitTable()}
If several apply, the exit code is the first of ${[broken, permission, warnings, transient].join(", ")}.

## JSON

With \`--json\`, or if the output is not a terminal, it prints one object:

\`\`\`
{
  "version": 1,
  "findings": [
    {
      "id": "mx.missing",
      "level": "broken",
      "title": "agents.example.org has no MX record",
      "cost": "Mail from outside does not arrive: senders get it back.",
      "fix": "agents.example.org. 3600 IN MX 10 mail.example.org."
    },
    {
      "id": "clock",
      "level": "ok",
      "title": "This machine's clock agrees with that of mail.example.org",
      "cost": "",
      "fix": ""
    }
  ]
}
\`\`\`

\`level\` is \`ok\`, \`warning\` or \`broken\`. All ids of faults are listed below. An id never changes its meaning, and new ones
may be added. A check that found no fault has its topic as \`id\`, and an empty \`cost\` and \`fix\`. \`title\` and \`fix\` may hold
text that strangers wrote into DNS or into an answer; the doctor prints it without control characters, and \`fix\` quotes it
for the shell.
`;

const TITLES: Record<Topic, string> = {
  settings: "Settings",
  files: "Files with secrets",
  secrets: "Secrets of the server",
  data: "Data folder",
  disk: "Disk",
  clock: "Clock",
  server: "Server",
  resolver: "Resolver",
  domain: "Domain",
  ns: "Name servers",
  address: "Address of PUBLIC_URL",
  mx: "Where mail goes (MX)",
  ptr: "Reverse DNS",
  spf: "Who may send (SPF)",
  dkim: "Signatures (DKIM)",
  dmarc: "Policy for forgeries (DMARC)",
  "mta-sts": "Policy for TLS (MTA-STS)",
  "tls-rpt": "Reports about TLS",
  inbound: "Incoming mail (port 25)",
  https: "PUBLIC_URL",
  relay: "Relay",
  outward: "Outgoing connections",
  mailboxes: "Mailboxes",
  refusals: "Refused mail",
  probe: "Probe (a mail of the doctor)",
  token: "Cloudflare API token",
  zone: "Zone",
  routing: "Email Routing",
  worker: "Worker",
  bucket: "R2 bucket",
  sending: "Email Sending",
  queue: "Queue of events",
};

/** The text of docs/doctor.md. */
export function doctorPage(): string {
  const entries = Object.entries<Entry>(CATALOGUE);
  const general = entries.filter(([id]) => !id.includes("."));
  const topics = TOPICS.map((topic) => {
    const own = entries.filter(([id]) => id.startsWith(`${topic}.`));
    return section(TITLES[topic], own);
  });
  return `${INTRODUCTION}${section("Any check", general)}${topics.join("")}`;
}

function section(title: string, entries: readonly [string, Entry][]): string {
  return `\n## ${title}\n${entries.map(([id, entry]) => entryText(id, entry)).join("")}`;
}

function entryText(id: string, { level, kind, meaning, cost, fix }: Entry): string {
  const words = kind === "transient" ? "no result" : kind === "permission" ? "needs more rights" : level;
  return `\n### \`${id}\`\n\n${meaning} (${words})\n\n- What it costs: ${cost}\n- How to fix it: ${fix}\n`;
}
