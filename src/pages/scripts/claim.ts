// Approves or denies on the page of a claim, after signing in if need be, and then reloads the page, which shows the result.
import { find } from "./lib/dom.ts";
import { isSignedIn, keepTokenOfPath, sessionHeaders, signIn } from "./lib/operator-session.ts";
import { problemText } from "./lib/problem.ts";

const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
/** The claim was already decided, or it expired. */
const ENDED = [404, 409];

const decision = find("#decision", HTMLElement);
const problem = find("#problem", HTMLElement);
const buttons = find("#buttons", HTMLElement);
const needsSignIn = decision.dataset.signIn === "needed";

function tell(text: string): void {
  problem.textContent = text;
  problem.hidden = false;
}

/** Returns the token of the Turnstile check; "" until the check is done. */
function challengeToken(): string {
  return decision.querySelector<HTMLInputElement>("[name='cf-turnstile-response']")?.value ?? "";
}

async function decide(wanted: string): Promise<void> {
  const { code = "", proof = "" } = decision.dataset;
  const body = { device_code: code, proof, decision: wanted, turnstile_token: challengeToken() };
  const headers = { "Content-Type": "application/json", ...sessionHeaders() };
  const request = { method: "POST", headers, body: JSON.stringify(body) };
  const response = await fetch("/v1/claim/confirm", request).catch(() => null);
  if (response?.ok === true || ENDED.includes(response?.status ?? 0)) {
    // With the proof, so that the limit on wrong codes does not apply.
    return location.replace(`/claim?${new URLSearchParams({ code, proof }).toString()}`);
  }
  if (response?.status === FORBIDDEN && needsSignIn) showSignIn(true);
  tell(await problemText(response));
}

async function busy(work: () => Promise<void>): Promise<void> {
  const all = [...decision.querySelectorAll("button")];
  problem.hidden = true;
  for (const button of all) button.disabled = true;
  try {
    await work();
  } finally {
    for (const button of all) button.disabled = false;
  }
}

function showSignIn(isShown: boolean): void {
  find("#sign-in", HTMLFormElement).hidden = !isShown;
  buttons.hidden = isShown;
}

async function submitKey(key: HTMLInputElement): Promise<void> {
  const response = await signIn(key.value);
  if (response?.ok !== true) {
    tell(response?.status === UNAUTHORIZED ? "This is not the operator's key." : await problemText(response));
    return;
  }
  key.value = "";
  showSignIn(false);
  // Focuses the group, so that Enter presses neither button.
  buttons.tabIndex = -1;
  buttons.focus();
}

for (const button of buttons.querySelectorAll("button")) {
  button.addEventListener("click", () => void busy(() => decide(button.dataset.decision ?? "deny")));
}

if (needsSignIn) {
  keepTokenOfPath();
  const form = find("#sign-in", HTMLFormElement);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void busy(() => submitKey(find("#key", HTMLInputElement)));
  });
  void isSignedIn().then((isIn) => (isIn === true ? showSignIn(false) : undefined));
}
