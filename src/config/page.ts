import { ALL_SETTINGS, defaultText } from "./fault-lines.ts";
import { MACHINE_SETTINGS } from "./machine-settings.ts";
import { DESCRIPTIONS, GROUPS, type Described } from "./setting.ts";

const INTRODUCTION = `<!-- Generated from src/config by \`npm run docs\`. Do not edit. -->

# Configuration

For operators: every setting of Mailkeep, its values and its default.

- **\`npm start\`** reads environment variables. It checks all of them before it opens a port or touches the data folder. If any is
  wrong, it prints one line for each and exits with 1.
- **Cloudflare** reads \`vars\` of \`wrangler.jsonc\`, and secrets set with \`npx wrangler secret put NAME\`. Secrets do not belong in
  \`wrangler.jsonc\`. Each setting below says which it is. \`npm run deploy\` checks the \`vars\`; if a setting is wrong after all, the worker answers 503 and names it.
- An empty variable counts as not set. \`npm start\` refuses an empty secret, and a secret that is not printable ASCII.
- No page, log or error shows the value of a secret. The operator console shows secrets only as set or not set.

\`npm start\` also prints a line \`Warning: …\` for each variable that looks like a misspelt setting, and for each setting that opens
something to strangers. \`npm run deploy\` does the same for \`wrangler.jsonc\`.

## When others can reach the server

A server of your own that others reach has a certificate (\`TLS_CERT\`), or stands behind a TLS proxy. Let a proxy **set**
\`CF-Connecting-IP\` to the address of the client, overwriting what the client sent, and set \`TRUST_CLIENT_ADDRESS=true\`.

\`npm start\` assumes that others can reach the server if any of these is true: \`HOST\` is not a loopback address, \`PUBLIC_URL\` does
not name this machine, \`PROXY_PROTOCOL_FROM\` is set, or \`TRUST_CLIENT_ADDRESS\` or \`ALLOW_HTTP\` is \`true\`. It assumes that mail leaves the server if \`SMTP_URL\` is
set or \`OUTBOUND\` sends. Some defaults depend on this, and say so below. A value that you set always wins.
`;

/** The text of docs/configuration.md. */
export function configurationPage(): string {
  return `${INTRODUCTION}${GROUPS.map(groupText).join("")}`;
}

function groupText(group: string): string {
  const entries = Object.entries(ALL_SETTINGS).flatMap(([name, schema]) => {
    const described = DESCRIPTIONS.get(schema);
    return described?.group === group ? [entryText(name, described)] : [];
  });
  return `\n## ${group}\n${entries.join("")}`;
}

function entryText(name: string, described: Described): string {
  const facts = [
    `Value: ${described.values}`,
    ...defaultLines(name, described),
    `On Cloudflare: ${placeOnCloudflare(name, described)}`,
  ];
  return `\n### \`${name}\`\n\n${described.meaning}\n\n${facts.map((fact) => `- ${fact}\n`).join("")}`;
}

function defaultLines(name: string, described: Described): string[] {
  const { defaultWords } = described;
  if (typeof defaultWords === "object") {
    return [
      `Default with \`npm start\`: ${defaultWords.machine}`,
      `Default on Cloudflare: ${defaultWords.cloudflare}`,
    ];
  }
  const text = defaultText(described);
  return [`Default: ${defaultWords ?? (text === null ? "none" : `\`${text}\``)}`];
}

function placeOnCloudflare(name: string, { secret }: Described): string {
  if (name in MACHINE_SETTINGS) return "not used";
  return secret ? "secret" : "var";
}
