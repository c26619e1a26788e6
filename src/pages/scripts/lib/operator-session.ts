const PLACE = "/operator/session";
const NAME = "operator-session";
const IN_PATH = /^\/operator\/([0-9a-f]{64})(?=\/|$)/;

/**
 * The page token of the operator's session. The session's cookie is useless without it. It is in local storage, which belongs
 * to this origin only (cookies are shared by all ports of a host) and which new tabs can read.
 */
export function pageToken(): string | null {
  return localStorage.getItem(NAME);
}

/** Stores the token in the path of this page, if there is one. */
export function keepTokenOfPath(): void {
  const token = IN_PATH.exec(location.pathname)?.[1];
  if (token !== undefined) localStorage.setItem(NAME, token);
}

/** Forgets a token that is no longer valid. Another tab may have signed in anew since: then its token stays. */
export function forgetToken(token: string): void {
  if (pageToken() === token) localStorage.removeItem(NAME);
}

/** Returns the headers that a request of the session needs besides the cookie. */
export function sessionHeaders(): Record<string, string> {
  const token = pageToken();
  return token === null ? {} : { "Mailkeep-Session": token };
}

/** Returns whether this browser is signed in; null if the server does not answer. */
export async function isSignedIn(): Promise<boolean | null> {
  if (pageToken() === null) return false;
  const response = await fetch(PLACE, { headers: sessionHeaders() }).catch(() => null);
  const body: unknown = response?.ok === true ? await response.json().catch(() => null) : null;
  return typeof body === "object" && body !== null ? Reflect.get(body, "signed_in") === true : null;
}

/** Signs in with the operator's key; null if the server does not answer. */
export async function signIn(key: string): Promise<Response | null> {
  const headers = { "Content-Type": "application/json" };
  const request = { method: "POST", headers, body: JSON.stringify({ key }) };
  const response = await fetch(PLACE, request).catch(() => null);
  const body: unknown = response?.ok === true ? await response.clone().json() : null;
  if (typeof body === "object" && body !== null)
    localStorage.setItem(NAME, String(Reflect.get(body, "token")));
  return response;
}
