import { otherClients } from "../contract/first-minute.ts";

/** The facts that the operator sees when the server is ready. */
export interface Ready {
  /** URL at which this machine reaches it. */
  http: string;
  /** URL at which others reach it, which its certificate names; null: PUBLIC_URL is not set. */
  publicUrl: string | null;
  /** Address that HTTP listens on. */
  host: string;
  smtp: { host: string; port: number; tls: boolean };
  /** URL of the metrics that need no key; null: METRICS_PORT is not set. */
  metrics: string | null;
  mailDomain: string;
  /** How mail to other domains leaves: a value of OUTBOUND. */
  outbound: string;
  dataDir: string;
  /** Where the operator key is; never the key itself. */
  keySource: string;
  /** Whether the package `mailkeep` is in the folder of this process. */
  hasClient: boolean;
  workerdPid: number | null;
  startMs: number;
}

/** One line of JSON for programs. */
export function readyLine(ready: Ready): string {
  return JSON.stringify({
    ready: true,
    http: ready.http,
    smtp: { host: ready.smtp.host, port: ready.smtp.port },
    ...(ready.metrics === null ? {} : { metrics: ready.metrics }),
    mail_domain: ready.mailDomain,
    data_dir: ready.dataDir,
    pid: process.pid,
    workerd_pid: ready.workerdPid,
  });
}

/**
 * One screen for people, with three commands that work when pasted one after the other (sh, bash, zsh), and the same with
 * other clients.
 */
export function banner(ready: Ready): string {
  const smtpAt = `${bracketed(ready.smtp.host)}:${ready.smtp.port}`;
  const url = ready.publicUrl ?? ready.http;
  const clients = otherClients(url, ready.hasClient).map(({ name, text }) => `  ${name.padEnd(14)}${text}`);
  return `
Mailkeep is ready (${(ready.startMs / 1000).toFixed(1)} s). Ctrl-C stops it. PORT and SMTP_PORT set other ports.

  HTTP          ${ready.http}${everyAddress(ready.host)}${ready.publicUrl === null ? "" : `; for others: ${url}`}
  SMTP          ${smtpAt}${everyAddress(ready.smtp.host)}${ready.smtp.tls ? ", STARTTLS" : ""}
  Mail domain   ${ready.mailDomain}
  Mail out      ${mailOut(ready.outbound)}
  Data          ${ready.dataDir}
  Operator key  ${ready.keySource}

Try it in another terminal, in this folder:
# 1. Create a mailbox
M=$(curl -sX POST ${url}/v1/bootstrap); A=\${M#*'"mailbox":"'}; A=\${A%%'"'*}; K=\${M#*'"api_key":"'}; K=\${K%%'"'*}; echo "$A"
# 2. Send a mail to it over SMTP
printf 'From: shop@example.com\\nTo: %s\\nSubject: Your code\\n\\nYour verification code is 482913.\\n' "$A" | curl -s --crlf smtp://${smtpAt} --mail-from shop@example.com --mail-rcpt "$A" -T -
# 3. Read the code in that mail
curl -s -H "Authorization: Bearer $K" '${url}/v1/code?timeout=30'

${clients.join("\n")}
`;
}

function mailOut(outbound: string): string {
  if (outbound === "local")
    return "kept here, not sent to other domains (OUTBOUND=local); set SMTP_URL to send it";
  return outbound === "none"
    ? "sending is off (OUTBOUND=none)"
    : `through the relay of SMTP_URL (${outbound})`;
}

function everyAddress(host: string): string {
  return host === "0.0.0.0" || host === "::" ? ", and on every address of this machine" : "";
}

/** The form of a host in a URL. An address that means every interface becomes loopback, where this machine reaches it. */
export function bracketed(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}
