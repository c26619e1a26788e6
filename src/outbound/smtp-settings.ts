import * as z from "zod";
import { done, refused, type Outcome } from "../lib/outcome.ts";

/** How the relay is reached, and how this server identifies itself. */
export interface SmtpSettings {
  host: string;
  port: number;
  /** `starttls`: the session is upgraded or ends. `tls`: encrypted from the first byte. `none`: in clear, credentials too. */
  security: "starttls" | "tls" | "none";
  /** Null: no login; the relay accepts this server's IP address. */
  auth: SmtpAuth | null;
  /** The name in EHLO; null = the mail domain. */
  name: string | null;
}

/** Credentials. A null method is chosen from those that the relay offers. */
export type SmtpAuth =
  | { kind: "password"; user: string; password: string; method: "PLAIN" | "LOGIN" | null }
  | { kind: "xoauth2"; user: string; accessToken: string | null; refresh: TokenRefresh | null };

/** How a new access token is requested (RFC 6749 §6). */
export interface TokenRefresh {
  accessUrl: string;
  clientId: string;
  clientSecret: string;
  refreshToken: string;
}

/** Ports of submission (RFC 6409 §3.1) and of submission over TLS (RFC 8314 §3.3). */
const DEFAULT_PORT = { "smtp:": 587, "smtps:": 465 } as const;

const HOST_NAME = /^[a-z0-9._:-]+$/i;
/** RFC 5321 §4.1.1.1: a domain or an address literal. */
const HELLO_NAME = /^(?:[a-z0-9.-]+|\[[a-z0-9.:]+\])$/i;

const flag = z.enum(["true", "false"]).transform((value) => value === "true");
/** Strict, so that a misspelled option is an error and not ignored. */
const optionsSchema = z.strictObject({
  ignoreTLS: flag.default(false),
  requireTLS: flag.default(false),
  authMethod: z
    .string()
    .toUpperCase()
    .pipe(z.enum(["PLAIN", "LOGIN", "XOAUTH2"]))
    .optional(),
  name: z.string().regex(HELLO_NAME).optional(),
  accessUrl: z.url().optional(),
  clientId: z.string().optional(),
  clientSecret: z.string().optional(),
  refreshToken: z.string().optional(),
});
type Options = z.output<typeof optionsSchema>;
/** All of these options, or none. */
const refreshSchema = z.object({
  accessUrl: z.string(),
  clientId: z.string(),
  clientSecret: z.string(),
  refreshToken: z.string(),
});

/**
 * Parses `SMTP_URL` in nodemailer's format: `smtp://user:pass@host:587`, `smtps://…`, `?ignoreTLS=true`,
 * `?authMethod=PLAIN|LOGIN|XOAUTH2` (with XOAUTH2 the password is an access token), `?name=` for EHLO. For XOAUTH2 tokens
 * that expire: `?clientId=&clientSecret=&refreshToken=&accessUrl=`. The error is a sentence for the operator and contains
 * no secret.
 */
export function smtpSettings(text: string): Outcome<SmtpSettings, string> {
  const url = URL.parse(text);
  if (url === null) return refused("SMTP_URL is no URL");
  const { protocol } = url;
  if (protocol !== "smtp:" && protocol !== "smtps:")
    return refused("SMTP_URL must begin with smtp: or smtps:");
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (!HOST_NAME.test(host)) return refused("SMTP_URL names no host");
  const options = optionsSchema.safeParse(Object.fromEntries(url.searchParams));
  if (!options.success)
    return refused(`SMTP_URL has an option that cannot be used: ${culprit(options.error)}`);
  const auth = authOf(url, options.data);
  if (!auth.ok) return auth;
  const clear = options.data.ignoreTLS && !options.data.requireTLS;
  return done({
    host,
    port: url.port === "" ? DEFAULT_PORT[protocol] : Number(url.port),
    security: protocol === "smtps:" ? "tls" : clear ? "none" : "starttls",
    auth: auth.value,
    name: options.data.name ?? null,
  });
}

/** The name of the invalid option, without its value, which may be a secret. */
function culprit(error: z.ZodError): string {
  const issue = error.issues[0];
  return issue?.code === "unrecognized_keys" ? issue.keys.join(", ") : String(issue?.path[0]);
}

function authOf(url: URL, options: Options): Outcome<SmtpAuth | null, string> {
  const user = decoded(url.username);
  const password = decoded(url.password);
  if (user === null || password === null)
    return refused("SMTP_URL has credentials that are not percent-encoded");
  const method = options.authMethod ?? null;
  if (method === "XOAUTH2") return tokenAuth(options, user, password);
  if (user === "" && password === "") return done(null);
  if (user === "" || password === "")
    return refused("SMTP_URL has a user without a password, or the reverse");
  return done({ kind: "password", user, password, method });
}

function tokenAuth(options: Options, user: string, password: string): Outcome<SmtpAuth, string> {
  const accessToken = password === "" ? null : password;
  const refresh = refreshSchema.safeParse(options).data ?? null;
  if (user === "" || (accessToken === null && refresh === null)) {
    return refused(
      "SMTP_URL with XOAUTH2 needs a user, and an access token as its password " +
        "or accessUrl, clientId, clientSecret and refreshToken to get one",
    );
  }
  return done({ kind: "xoauth2", user, accessToken, refresh });
}

/** Null if the text is not percent-encoded UTF-8. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
