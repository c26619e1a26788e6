import type { XOAuth2 } from "./nodemailer-internals.ts";
import type { TokenRefresh } from "./smtp-settings.ts";

/** Milliseconds that the token's server may take. */
const TIMEOUT_MS = 10_000;

type Answer = (error: Error | null, token?: string) => void;

/** Who logs in, and the token or the way to one. */
interface Login {
  user: string;
  accessToken: string | null;
  refresh: TokenRefresh | null;
}

/** The login by XOAUTH2 that nodemailer's connection asks for a token, and for another one where the relay refuses the first. */
export function xoauth2Login({ user, accessToken, refresh }: Login): XOAuth2 {
  const login = {
    getToken(isRetry: boolean, answer: Answer): void {
      if (accessToken !== null && (!isRetry || refresh === null)) answer(null, accessToken);
      else if (refresh === null) answer(new Error("No access token, and no way to ask for one"));
      else {
        requestToken(refresh).then(
          (token) => answer(null, token),
          (error: unknown) => answer(error instanceof Error ? error : new Error(String(error))),
        );
      }
    },
    buildXOAuth2Token: (token: string): string =>
      Buffer.from(`user=${user}\u0001auth=Bearer ${token}\u0001\u0001`).toString("base64"),
  };
  // Of nodemailer's class, its connection calls these two methods alone.
  return login as Partial<XOAuth2> as XOAuth2;
}

/** Asks for a new token (RFC 6749 §6). The error quotes nothing that was sent or answered. */
async function requestToken(refresh: TokenRefresh): Promise<string> {
  const response = await fetch(refresh.accessUrl, {
    method: "POST",
    body: new URLSearchParams({
      client_id: refresh.clientId,
      client_secret: refresh.clientSecret,
      refresh_token: refresh.refreshToken,
      grant_type: "refresh_token",
    }),
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const answered: unknown = await response.json().catch(() => null);
  const token: unknown =
    typeof answered === "object" && answered !== null ? Reflect.get(answered, "access_token") : null;
  if (response.ok && typeof token === "string" && token !== "") return token;
  throw new Error(`The server of accessUrl answered ${response.status} without a token`);
}
