import * as z from "zod";

/** Variables as a process or a worker is given them; other members are bindings. */
export type Environment = Readonly<Record<string, unknown>>;

/** A setting that is wrong. */
export interface Fault {
  variable: string;
  /** Completes the sentence that begins with the variable; never holds its value. */
  message: string;
  /** Whether the value helps the reader and is no secret. */
  showsValue: boolean;
}

/** Settings that are right one by one, but not together. */
export interface Rule {
  variable: string;
  /** Completes the sentence that begins with the variable. */
  message: string;
  isBroken: (env: Environment) => boolean;
}

/** Reads all settings of a table. `values` is null where any is wrong; the faults are all that there are. */
export function check<Shape extends z.core.$ZodShape>(
  table: Shape,
  rules: readonly Rule[],
  env: Environment,
): { values: z.output<z.ZodObject<Shape>> | null; faults: Fault[] } {
  const read = z.object(table).safeParse(env);
  const faults = (read.error?.issues ?? []).map((issue): Fault => ({
    variable: issue.path.join("."),
    message: issue.message,
    showsValue: issue.code === "custom" && issue.params?.showsValue === true,
  }));
  for (const { variable, message, isBroken } of rules) {
    if (isBroken(env)) faults.push({ variable, message, showsValue: false });
  }
  return { values: read.success && faults.length === 0 ? read.data : null, faults };
}

/** Whether a variable has a text; an empty one counts as missing. */
export function isSet(env: Environment, variable: string): boolean {
  const value = env[variable];
  return value !== undefined && value !== "";
}

const usesRelay = ({ OUTBOUND }: Environment): boolean => OUTBOUND === "smtp" || OUTBOUND === "worker-mailer";

/** A rule that two variables are set together or not at all. */
export function together(one: string, other: string): Rule {
  return {
    variable: one,
    message: `and ${other} must be set together`,
    isBroken: (env) => isSet(env, one) !== isSet(env, other),
  };
}

/** `npm start` has the binding where it asks DNS servers for the worker, which can send no UDP itself. */
export const RESOLVER_RULE: Rule = {
  variable: "RESOLVER",
  message:
    "must be a URL that answers application/dns-json: only npm start asks DNS servers by their addresses",
  isBroken: (env) =>
    isSet(env, "RESOLVER") && env.HOST_RESOLVER === undefined && !/^https?:/i.test(String(env.RESOLVER)),
};

/** Rules of the worker, wherever it runs. */
export const WORKER_RULES: readonly Rule[] = [
  RESOLVER_RULE,
  {
    variable: "SMTP_URL",
    message: "must be set if OUTBOUND is smtp or worker-mailer",
    isBroken: (env) => usesRelay(env) && !isSet(env, "SMTP_URL"),
  },
  {
    variable: "MTA_STS",
    message: "needs MTA_STS_MX or MAIL_HOST: senders must know the hosts that your MX records name",
    isBroken: (env) =>
      (env.MTA_STS === "testing" || env.MTA_STS === "enforce") &&
      !isSet(env, "MTA_STS_MX") &&
      !isSet(env, "MAIL_HOST"),
  },
  together("DKIM_PRIVATE_KEY", "DKIM_SELECTOR"),
  together("TURNSTILE_SITE_KEY", "TURNSTILE_SECRET_KEY"),
  {
    variable: "EMBEDDINGS_MODEL",
    message: "must be set if EMBEDDINGS_URL is",
    isBroken: (env) => isSet(env, "EMBEDDINGS_URL") && !isSet(env, "EMBEDDINGS_MODEL"),
  },
  {
    variable: "OUTBOUND",
    message: "is cloudflare, which needs a send_email binding called EMAIL: it exists on Cloudflare only",
    isBroken: (env) => env.OUTBOUND === "cloudflare" && env.EMAIL === undefined,
  },
  {
    variable: "EMBEDDINGS_MODEL",
    message: "needs EMBEDDINGS_URL, or a Workers AI binding called AI, which exists on Cloudflare only",
    isBroken: (env) =>
      isSet(env, "EMBEDDINGS_MODEL") && !isSet(env, "EMBEDDINGS_URL") && env.AI === undefined,
  },
];
