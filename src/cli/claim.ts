import { Mailkeep, type Api } from "../client/index.ts";
import { changeProfiles, type PendingClaim } from "./profile/profiles.ts";
import type { Context } from "./context.ts";
import { CliError, EXIT, type ExitCode } from "./exit.ts";

type Polled = Api["claimPoll"]["answer"];

/** How often a claim is asked for, in ms; the service refuses more than one call in two seconds. */
const POLL_MS = 2_100;

/** Asks for a permanent mailbox, stores the session, and shows where a person approves it. */
export async function startClaim(context: Context, name: string, keepMail: boolean): Promise<PendingClaim> {
  const { account, output, env, signal } = context;
  // The key of a temporary mailbox proves whose mail is to be copied; a claim itself needs none.
  const key = keepMail ? account.key : null;
  if (keepMail && key === null) {
    throw new CliError(EXIT.usage, "--keep-mail needs the key of a temporary mailbox", "mailkeep signup");
  }
  const mail = new Mailkeep({ url: account.url, key });
  const started = await mail.claim.start({ name, keep_mail: keepMail }, { signal });
  const { session_id, mailbox, device_code, verification_uri_complete, expires_in } = started;
  const claim = { url: account.url, session: session_id, mailbox };
  await changeProfiles(env, ({ claims }) => void claims.set(mailbox, claim));
  await output.fields(
    { status: "pending", mailbox, device_code, verification_uri_complete, expires_in },
    {
      Mailbox: mailbox,
      Open: verification_uri_complete,
      Code: device_code,
      Until: `${Math.round(expires_in / 60)} minutes from now`,
    },
  );
  return claim;
}

/** Waits for the decision about a claim; stores the key under the name that `profileOf` chooses. */
export async function approved(
  context: Context,
  claim: PendingClaim,
  profileOf: () => string,
): Promise<ExitCode> {
  const { output, env } = context;
  const { mailbox, url } = claim;
  const polled = await output.progress.during("Waiting for somebody to approve it", () =>
    decided(context, claim),
  );
  const key = polled.api_key;
  if (polled.status !== "complete" || key === undefined) return notApproved(context, claim, polled);
  const profile = profileOf();
  await changeProfiles(env, (profiles) => {
    profiles.byName.set(profile, { url, key, mailbox: polled.mailbox ?? mailbox });
    profiles.current = profile;
    profiles.claims.delete(mailbox);
  });
  await output.fields(
    { status: "complete", mailbox: polled.mailbox ?? mailbox, scope: "mailbox", profile, url },
    { Approved: polled.mailbox ?? mailbox, Profile: profile },
  );
  context.warnIfHidden(profile);
  return EXIT.ok;
}

async function decided({ signal }: Context, { url, session }: PendingClaim): Promise<Polled> {
  const mail = new Mailkeep({ url, key: null });
  for (;;) {
    const polled = await mail.claim.poll({ session }, { signal });
    if (polled.status !== "pending") return polled;
    await pause(POLL_MS, signal);
  }
}

async function notApproved({ env }: Context, { mailbox }: PendingClaim, polled: Polled): Promise<never> {
  await changeProfiles(env, ({ claims }) => void claims.delete(mailbox));
  const name = mailbox.split("@")[0] ?? "";
  if (polled.status === "expired") {
    throw new CliError(EXIT.nothing, `nobody approved ${mailbox} in time`, `mailkeep signup ${name}`);
  }
  const why = polled.status === "denied" ? "was denied" : "was approved, but its key was collected before";
  throw new CliError(
    EXIT.refused,
    `${mailbox} ${why}${polled.error === undefined ? "" : `: ${polled.error}`}`,
  );
}

/** Waits; rejects when the signal ends the command. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
