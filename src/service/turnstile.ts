import type { Problem } from "../contract/problem.ts";
import type { Config } from "../config/env.ts";

/** https://developers.cloudflare.com/turnstile/get-started/server-side-validation/ */
const VERIFY_URL = "https://challenges.cloudflare.com/turnstile/v0/siteverify";
const TIMEOUT_MS = 10_000;

const FAILED: Problem = {
  code: "challenge_failed",
  error: "The check that you are a person did not succeed; try it again",
};

/** The refusal of a request that did not pass the Turnstile check; null if it passed or the deployment asks for none. Fails closed. */
export async function failedChallenge(
  token: string | undefined,
  client: string | null,
  config: Config,
): Promise<Problem | null> {
  if (config.turnstile === null) return null;
  if (token === undefined) return FAILED;
  const form = new URLSearchParams({ secret: config.turnstile.secretKey, response: token });
  if (client !== null) form.set("remoteip", client);
  try {
    const response = await fetch(VERIFY_URL, {
      method: "POST",
      body: form,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const verdict = await response.json<{ success?: unknown }>();
    return verdict.success === true ? null : FAILED;
  } catch (error) {
    console.error("Turnstile could not be asked:", error);
    return { code: "unavailable", error: "The check that you are a person cannot be made now; try again" };
  }
}
