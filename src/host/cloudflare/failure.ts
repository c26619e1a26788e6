import { tokenFormUrl, type Permission } from "./permissions.ts";

/** Why a call of Cloudflare's API failed. */
export type FailureKind =
  /** The token is wrong, expired, or of a kind that the API does not take. */
  | "token"
  /** The token lacks a permission, or does not include the account or the zone. */
  | "permission"
  | "not_found"
  /** Too many calls, also after pauses. */
  | "rate"
  /** Cloudflare did not answer, or failed itself. */
  | "transient"
  /** Cloudflare refused what was asked. */
  | "refused"
  /** The answer was not understood. */
  | "unexpected";

export interface FailureParts {
  kind: FailureKind;
  /** The action that was tried, such as "list the DNS records". */
  what: string;
  /** The HTTP status; null without an answer. */
  status: number | null;
  /** Cloudflare's error codes. */
  codes: readonly number[];
  /** Cloudflare's words, on one line without control characters; empty if nothing. */
  said: string;
  /** The permission that the call needs; null for none. */
  permission: Permission | null;
  /** The wait that Cloudflare asks for; null if it does not say. */
  retryAfterMs: number | null;
}

/** A call of Cloudflare's API that failed. Its message is one line. */
export class CloudflareFailure extends Error {
  override readonly name = "CloudflareFailure";
  readonly parts: FailureParts;

  constructor(parts: FailureParts, cause?: unknown) {
    super(sentenceOf(parts), { cause });
    this.parts = parts;
  }

  get kind(): FailureKind {
    return this.parts.kind;
  }

  /** Whether Cloudflare named one of these errors. */
  has(...codes: readonly number[]): boolean {
    return codes.some((code) => this.parts.codes.includes(code));
  }

  /** Whether the same call may succeed later. */
  get isTransient(): boolean {
    return this.kind === "transient" || this.kind === "rate";
  }
}

/** The failure of a list that is empty: Cloudflare lists nothing to a token that lacks the permission. */
export function lacksPermission(call: Pick<FailureParts, "what" | "permission">): CloudflareFailure {
  const answer = { status: 200, codes: [], said: "an empty list", retryAfterMs: null };
  return new CloudflareFailure({ ...call, ...answer, kind: "permission" });
}

/** A stop whose cause the operator can remove: one line that says what is wrong, and one command that fixes it. */
export class Stop extends Error {
  override readonly name = "Stop";
  /** The command, or the page of the dashboard where only that can fix it. */
  readonly next: string;

  constructor(wrong: string, next: string, cause?: unknown) {
    super(wrong, { cause });
    this.next = next;
  }
}

/** A stop that only another token removes. */
export class TokenStop extends Stop {}

/** The command again, with a token that has these permissions. */
export function withNewToken(needed: readonly Permission[], again: string): string {
  return `open '${tokenFormUrl(needed)}', then: CLOUDFLARE_API_TOKEN=<the new token> ${again}`;
}

/**
 * The stop for a failed call: what is wrong, and the command that fixes it. `again` is the command that was run; it is the fix
 * where nothing else is needed.
 */
export function stopOf(failure: CloudflareFailure, again: string): Stop {
  const { kind, permission } = failure.parts;
  if (kind === "token")
    return new Stop(failure.message, `CLOUDFLARE_API_TOKEN=<an API token> ${again}`, failure);
  if (kind === "permission" && permission !== null) {
    return new Stop(failure.message, withNewToken([permission], again), failure);
  }
  return new Stop(failure.message, again, failure);
}

/** Text of an answer on one line, without control characters and of bounded length. */
export function oneLine(text: string, maxChars = 300): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{C}\s]+/gu, " ")
    .trim();
  return line.length > maxChars ? `${line.slice(0, maxChars).toWellFormed()}…` : line;
}

function sentenceOf({ kind, what, status, codes, said, permission }: FailureParts): string {
  const numbers = codes.length > 0 ? ` (${codes.join(", ")})` : "";
  const reason = said === "" ? `status ${status ?? "none"}` : `${said}${numbers}`;
  switch (kind) {
    case "token":
      return `Cloudflare does not take the token: ${reason}. It must be an API token of your profile or your account, not a Global API Key and not the login of wrangler`;
    case "permission":
      return permission === null
        ? `The token may not ${what}: ${reason}`
        : `The token may not ${what}: it lacks the permission "${permission}", or does not include this account or zone (Cloudflare: ${reason})`;
    case "not_found":
      return `Cloudflare finds nothing there to ${what}: ${reason}`;
    case "rate":
      return `Cloudflare takes no more calls of this token for now, so it did not ${what}: try again in five minutes`;
    case "transient":
      return `Cloudflare could not be asked to ${what}: ${reason}. What was done stays, and the next run goes on from there`;
    case "refused":
      return `Cloudflare refused to ${what}: ${reason}`;
    case "unexpected":
      return `Cloudflare gave an answer that this version does not understand, when asked to ${what}: ${reason}`;
  }
}
