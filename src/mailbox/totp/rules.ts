import { invalid, type Answer } from "../../contract/problem.ts";
import type { Totp, TotpBody } from "../../contract/totp.ts";
import { done, refused } from "../../lib/outcome.ts";
import { readKeyUri, readTotpSecret, USUAL_RULE, type KeyUri } from "../../lib/otpauth.ts";
import type { TotpRow } from "./rows.ts";

const MAX_LABEL_CHARS = 200;

/** Reads the secret of a body with its rule and label. */
export function readTotpBody(body: TotpBody): Answer<KeyUri> {
  const { secret, otpauth_uri: uri } = body;
  if (uri === undefined) {
    return secret === undefined
      ? refused(invalid("secret", "is required, or in its place otpauth_uri"))
      : ofSecret(secret, body);
  }
  if (secret !== undefined) return refused(invalid("secret", "must be left out where otpauth_uri is given"));
  for (const name of ["algorithm", "digits", "period"] as const)
    if (body[name] !== undefined)
      return refused(invalid(name, "must be left out: otpauth_uri says it, or means the usual"));
  const read = readKeyUri(uri);
  if (!read.ok) return refused(invalid("otpauth_uri", read.error));
  const label = body.label ?? oneLine(read.value.label);
  return label === ""
    ? refused(invalid("label", "is required: otpauth_uri has none"))
    : done({ ...read.value, label });
}

function ofSecret(written: string, { label, algorithm, digits, period }: TotpBody): Answer<KeyUri> {
  const secret = readTotpSecret(written);
  if (!secret.ok) return refused(invalid("secret", secret.error));
  if (label === undefined) return refused(invalid("label", "is required"));
  return done({
    label,
    secret: secret.value,
    algorithm: algorithm ?? USUAL_RULE.algorithm,
    digits: digits ?? USUAL_RULE.digits,
    period: period ?? USUAL_RULE.period,
  });
}

/** A label out of a URI, which anybody may have made. */
function oneLine(label: string): string {
  return label
    .replaceAll(/\p{Cc}/gu, "")
    .slice(0, MAX_LABEL_CHARS)
    .toWellFormed()
    .trim();
}

/** An entry as it is answered: without its secret. */
export function shownTotp({ id, label, algorithm, digits, period, created_at }: TotpRow): Totp {
  return { id, label, algorithm, digits, period, created_at: new Date(created_at).toISOString() };
}
