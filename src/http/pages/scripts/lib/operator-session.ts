const PLACE = "/operator/session";

/** Whether this browser is signed in. A page that a link of another site led to was asked for without the cookie. */
export async function isSignedIn(): Promise<boolean> {
  const response = await fetch(PLACE).catch(() => null);
  const body: unknown = response?.ok === true ? await response.json().catch(() => null) : null;
  return typeof body === "object" && body !== null && Reflect.get(body, "signed_in") === true;
}

/** Signs in with the operator's key; null where the server does not answer. */
export function signIn(key: string): Promise<Response | null> {
  const headers = { "Content-Type": "application/json" };
  return fetch(PLACE, { method: "POST", headers, body: JSON.stringify({ key }) }).catch(() => null);
}

/** Signs out in this browser. */
export async function signOut(): Promise<void> {
  await fetch(PLACE, { method: "DELETE" });
}
