import { done, refused, type Outcome } from "../lib/outcome.ts";

/** How a relay is reached and what it is told of us. */
export interface SmtpSettings {
  host: string;
  port: number;
  /** `starttls`: the session is upgraded or ends. `tls`: encrypted from its first byte. `none`: in clear, credentials too. */
  security: "starttls" | "tls" | "none";
  /** Null: the relay knows us by our address. */
  auth: SmtpAuth | null;
  /** What EHLO says; null leaves it to the deployment. */
  name: string | null;
}

/** Credentials; a method that is null is chosen from what the relay offers. */
export type SmtpAuth =
  | { kind: "password"; user: string; password: string; method: "PLAIN" | "LOGIN" | null }
  | { kind: "xoauth2"; user: string; accessToken: string | null; refresh: TokenRefresh | null };

/** How a new access token is asked for (RFC 6749 §6). */
export interface TokenRefresh {
  accessUrl: string;
  clientId: string;
  clientSecret: string;
  refreshToken: string;
}

/** Submission (RFC 6409 §3.1), and submission within TLS (RFC 8314 §3.3). */
const DEFAULT_PORT = { "smtp:": 587, "smtps:": 465 } as const;

const OPTIONS: ReadonlySet<string> = new Set(
  "ignoreTLS requireTLS authMethod name accessUrl clientId clientSecret refreshToken".split(" "),
);
const HOST_NAME = /^[a-z0-9._:-]+$/i;
/** RFC 5321 §4.1.1.1: a domain or an address literal. */
const HELLO_NAME = /^(?:[a-z0-9.-]+|\[[a-z0-9.:]+\])$/i;

/**
 * Reads `SMTP_URL`, spelled as nodemailer spells it: `smtp://user:pass@host:587`, `smtps://…`, `?ignoreTLS=true`,
 * `?authMethod=PLAIN|LOGIN|XOAUTH2` (the password is then an access token), `?name=` for EHLO. For XOAUTH2 with tokens that
 * expire, `?clientId=&clientSecret=&refreshToken=&accessUrl=`. The error is a sentence for the operator and holds no secret.
 */
export function smtpSettings(text: string): Outcome<SmtpSettings, string> {
  const url = URL.parse(text);
  if (url === null) return refused("SMTP_URL is no URL");
  const { protocol } = url;
  if (protocol !== "smtp:" && protocol !== "smtps:")
    return refused("SMTP_URL must begin with smtp: or smtps:");
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (!HOST_NAME.test(host)) return refused("SMTP_URL names no host");
  const options = url.searchParams;
  const unknown = [...options.keys()].find((key) => !OPTIONS.has(key));
  if (unknown !== undefined) return refused(`SMTP_URL has an option that is not known here: ${unknown}`);
  const name = options.get("name");
  if (name !== null && !HELLO_NAME.test(name)) return refused("SMTP_URL has a name that EHLO cannot say");
  const auth = authOf(url);
  if (!auth.ok) return auth;
  const clear = options.get("ignoreTLS") === "true" && options.get("requireTLS") !== "true";
  return done({
    host,
    port: url.port === "" ? DEFAULT_PORT[protocol] : Number(url.port),
    security: protocol === "smtps:" ? "tls" : clear ? "none" : "starttls",
    auth: auth.value,
    name,
  });
}

function authOf(url: URL): Outcome<SmtpAuth | null, string> {
  const method = url.searchParams.get("authMethod")?.toUpperCase() ?? null;
  const user = decoded(url.username);
  const password = decoded(url.password);
  if (user === null || password === null)
    return refused("SMTP_URL has credentials that are not percent-encoded");
  if (method === "XOAUTH2") return tokenAuth(url.searchParams, user, password);
  if (method !== null && method !== "PLAIN" && method !== "LOGIN") {
    return refused("SMTP_URL has an authMethod other than PLAIN, LOGIN and XOAUTH2");
  }
  if (user === "" && password === "") return done(null);
  if (user === "" || password === "")
    return refused("SMTP_URL has a user without a password, or the reverse");
  return done({ kind: "password", user, password, method });
}

function tokenAuth(options: URLSearchParams, user: string, accessToken: string): Outcome<SmtpAuth, string> {
  const refresh = {
    accessUrl: options.get("accessUrl") ?? "",
    clientId: options.get("clientId") ?? "",
    clientSecret: options.get("clientSecret") ?? "",
    refreshToken: options.get("refreshToken") ?? "",
  };
  const given = Object.values(refresh).filter((value) => value !== "").length;
  if (given !== 0 && given !== 4) {
    return refused("SMTP_URL needs accessUrl, clientId, clientSecret and refreshToken, or none of them");
  }
  if (given === 4 && URL.parse(refresh.accessUrl) === null)
    return refused("SMTP_URL has an accessUrl that is no URL");
  if (user === "" || (accessToken === "" && given === 0)) {
    return refused("SMTP_URL with XOAUTH2 needs a user, and an access token or the means to get one");
  }
  return done({
    kind: "xoauth2",
    user,
    accessToken: accessToken === "" ? null : accessToken,
    refresh: given === 0 ? null : refresh,
  });
}

/** Null for text that is no percent-encoded UTF-8. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
