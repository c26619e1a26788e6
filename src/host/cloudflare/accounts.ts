import * as z from "zod";
import { path, type CloudflareApi } from "./api.ts";
import { CloudflareFailure, lacksPermission } from "./failure.ts";

/** A token that works. */
export interface VerifiedToken {
  id: string;
  /** `active`, `disabled` or `expired`. */
  status: string;
  /** ISO 8601; null for one without an end. */
  expiresOn: string | null;
}

export interface Account {
  id: string;
  name: string;
}

const VERIFIED = z.object({ id: z.string(), status: z.string(), expires_on: z.string().nullish() });
const ACCOUNT = z.object({ id: z.string(), name: z.string() });
const TOKEN = z.object({
  policies: z.array(
    z.object({
      effect: z.string(),
      permission_groups: z.array(z.object({ name: z.string().optional() })),
    }),
  ),
});

/** Whether a token belongs to an account instead of a person. Such a token is verified by another call, which needs the account. */
export function isAccountToken(token: string): boolean {
  return token.startsWith("cfat_");
}

/** Says whether the token works. Rejects with a failure of kind `token` for one that does not. */
export async function verifyToken(
  api: CloudflareApi,
  { token, accountId }: { token: string; accountId: string | null },
): Promise<VerifiedToken> {
  const isOfAccount = isAccountToken(token) && accountId !== null;
  const place = isOfAccount ? path`/accounts/${accountId}/tokens/verify` : "/user/tokens/verify";
  try {
    const { id, status, expires_on } = await api.call({
      what: "verify the token",
      method: "GET",
      path: place,
      permission: null,
      answer: VERIFIED,
    });
    return { id, status, expiresOn: expires_on ?? null };
  } catch (error) {
    // Any refusal here means that the token is not valid, whatever its error code.
    if (!(error instanceof CloudflareFailure) || !["permission", "refused"].includes(error.kind)) throw error;
    throw new CloudflareFailure({ ...error.parts, kind: "token" }, error);
  }
}

/**
 * The names of the permission groups of a token; null where it may not read them, which needs the permission "API Tokens:
 * Read" on top.
 */
export async function permissionGroups(
  api: CloudflareApi,
  { token, tokenId, accountId }: { token: string; tokenId: string; accountId: string | null },
): Promise<ReadonlySet<string> | null> {
  const isOfAccount = isAccountToken(token) && accountId !== null;
  try {
    const { policies } = await api.call({
      what: "read the permissions of the token",
      method: "GET",
      path: isOfAccount ? path`/accounts/${accountId}/tokens/${tokenId}` : path`/user/tokens/${tokenId}`,
      permission: null,
      answer: TOKEN,
    });
    const allowed = policies.filter(({ effect }) => effect === "allow");
    return new Set(
      allowed.flatMap(({ permission_groups: groups }) => groups.flatMap(({ name }) => name ?? [])),
    );
  } catch (error) {
    if (error instanceof CloudflareFailure && !error.isTransient) return null;
    throw error;
  }
}

/** The accounts that the token may see, one at least. */
export async function listAccounts(api: CloudflareApi): Promise<Account[]> {
  const call = { what: "list the accounts", permission: "Account Settings: Read" } as const;
  const accounts = await api.list({ ...call, method: "GET", path: "/accounts", entry: ACCOUNT });
  if (accounts.length === 0) throw lacksPermission(call);
  return accounts;
}
