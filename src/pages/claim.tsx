import type { Child } from "hono/jsx";
import type { Problem } from "../contract/problem.ts";
import { STATUS } from "../contract/problem.ts";
import type { ClaimStatus, ClaimView } from "../claim/claim-session.ts";
import { configOf, type Config } from "../config/env.ts";
import { findClaim } from "../service/claims.ts";
import { claimCaller } from "../http/caller.ts";
import { CONSOLE } from "../http/console-path.ts";
import { originOf, type AppContext } from "../http/dispatch.ts";
import { CodeBlock } from "./components/code-block.tsx";
import { Facts } from "./components/facts.tsx";
import { Field } from "./components/field.tsx";
import { Notice, type Kind } from "./components/notice.tsx";
import type { Policy } from "./policy.ts";
import { pageResponse } from "./shell.tsx";

const MINUTE_MS = 60_000;
const TURNSTILE = "https://challenges.cloudflare.com";
/** https://developers.cloudflare.com/turnstile/reference/content-security-policy/ */
const TURNSTILE_POLICY: Policy = { "script-src": TURNSTILE, "frame-src": TURNSTILE };

/** The parts of a request that the page needs: the console, which has other variables, shows it too. */
type Asked = Pick<AppContext, "req" | "env">;

/**
 * /claim: where a person who has a device code sees who asks for what, and approves or denies. Asking for the page decides
 * nothing, whoever asks: scanners of mail and chat open links too. The console has it at /operator/claim, where a code that is
 * typed is heard at any time.
 */
export async function claimPage(c: Asked): Promise<Response> {
  const config = configOf(c.env);
  const typed = c.req.query("code");
  if (typed === undefined) return askForCode(c, config, null);
  const said = { typed, proof: c.req.query("proof") };
  const found = await findClaim(said, claimCaller(c.req.raw, c.env, config));
  if (!found.ok) return askForCode(c, config, { typed, problem: found.error });
  const { view, deviceCode, proof } = found.value;
  if (view.status !== "pending") return decidedPage(view.status, view.address);
  return pendingPage({ view, deviceCode, proof, config });
}

function askForCode(
  c: Asked,
  config: Config,
  wrong: { typed: string; problem: Problem } | null,
): Promise<Response> {
  const retry = wrong?.problem.retryAfterSeconds;
  return pageResponse({
    title: "Approve a mailbox",
    narrow: true,
    status: wrong === null ? 200 : STATUS[wrong.problem.code],
    headers: retry === undefined ? {} : { "Retry-After": String(retry) },
    children: (
      <>
        <h1>Approve a mailbox for your agent</h1>
        <p>Your agent shows a code when it asks for a mailbox. Type it here to see what it asks for.</p>
        <form method="get">
          <Field
            id="code"
            label="Code of your agent"
            hint="Eight letters, such as BCDF-GHJK"
            error={wrong === null ? undefined : wordsFor(wrong)}
            input={{ ...CODE_INPUT, value: wrong?.typed.slice(0, 64) }}
          />
          <button type="submit" class="primary">
            Continue
          </button>
        </form>
        <h2>No code yet?</h2>
        <p>
          Let your agent ask for an address at <span class="mono break">{config.mailDomain}</span>. It gets
          the code, and the key of the mailbox once you approve:
        </p>
        <CodeBlock label="Command" text={startCommand(originOf(c, config))} />
      </>
    ),
  });
}

/** The field for a code that an agent shows. */
export const CODE_INPUT = {
  name: "code",
  class: "mono",
  required: true,
  maxlength: 64,
  autocomplete: "off",
  autocapitalize: "characters",
  spellcheck: false,
} as const;

const wordsFor = ({ typed, problem }: { typed: string; problem: Problem }): Child =>
  problem.code === "rate_limited" ? <TooMany typed={typed} /> : UNKNOWN;

const UNKNOWN = "No agent is waiting with this code. It may have expired, or it may be mistyped.";

function TooMany({ typed }: { typed: string }) {
  const asOperator = `${CONSOLE}/claim?${new URLSearchParams({ code: typed }).toString()}`;
  return (
    <>
      Too many wrong codes were typed here. Open the whole link that your agent shows, try again in a few
      minutes, or <a href={asOperator}>go on as the operator</a>.
    </>
  );
}

/** How an agent begins a claim, as a shell command. */
export function startCommand(origin: string): string {
  return `curl -X POST ${origin}/v1/claim/start \\\n  -H 'Content-Type: application/json' \\\n  -d '{"name":"<name>"}'`;
}

interface Pending {
  view: ClaimView;
  deviceCode: string;
  proof: string;
  config: Config;
}

function pendingPage({ view, deviceCode, proof, config }: Pending): Promise<Response> {
  const needsSignIn = config.claimApproval === "operator";
  const turnstile = needsSignIn ? null : config.turnstile;
  return pageResponse({
    title: "Approve a mailbox",
    narrow: true,
    scripts: ["claim.js"],
    policy: turnstile === null ? {} : TURNSTILE_POLICY,
    children: (
      <>
        <h1>An agent asks for a mailbox</h1>
        <div class="card">
          <p class="label">Your agent must show this code</p>
          <p class="code">{deviceCode}</p>
          <ClaimFacts view={view} />
        </div>
        <h2>What the agent gets</h2>
        <Grant view={view} config={config} />
        <Notice kind="warn">
          Approve only if <strong>you started this</strong> and your agent shows the same code. If anybody
          sent you here to approve it for them, deny.
        </Notice>
        <Decision deviceCode={deviceCode} proof={proof} needsSignIn={needsSignIn} turnstile={turnstile} />
      </>
    ),
  });
}

/** Who asks for what, and until when. */
function ClaimFacts({ view }: { view: ClaimView }) {
  const nowMs = Date.now();
  return (
    <Facts
      of={[
        ["Address", <strong>{view.address}</strong>],
        ["Program", view.userAgent === "" ? "unknown program" : view.userAgent],
        ["Asked from", view.client ?? "unknown IP address"],
        [
          "Asked at",
          <>
            <Moment at={view.createdAt} /> ({minutes(nowMs - view.createdAt)} ago)
          </>,
        ],
        [
          "Waits until",
          <>
            <Moment at={view.expiresAt} /> ({minutes(view.expiresAt - nowMs)} more)
          </>,
        ],
      ]}
    />
  );
}

interface Deciding {
  deviceCode: string;
  proof: string;
  needsSignIn: boolean;
  turnstile: Config["turnstile"];
}

function Decision({ deviceCode, proof, needsSignIn, turnstile }: Deciding) {
  return (
    <div
      id="decision"
      data-code={deviceCode}
      data-proof={proof}
      data-sign-in={needsSignIn ? "needed" : "none"}
    >
      <p id="problem" class="notice bad" role="alert" hidden></p>
      {needsSignIn && <SignIn />}
      {turnstile !== null && <Challenge siteKey={turnstile.siteKey} />}
      {/* Neither is a submit button, so that Enter in a field decides nothing. */}
      <div id="buttons" class="actions" hidden={needsSignIn}>
        <button type="button" class="primary" data-decision="deny">
          Deny
        </button>
        <button type="button" data-decision="approve">
          Approve
        </button>
      </div>
      <noscript>
        <Notice kind="warn">This page needs JavaScript to approve or deny.</Notice>
      </noscript>
    </div>
  );
}

function Grant({ view, config }: { view: ClaimView; config: Config }) {
  return (
    <>
      <ul>
        <li>
          A key that reads and erases all mail to this address
          {config.outbound !== "none" && `, and sends from it, up to ${config.dailySendLimit} messages a day`}
          .
        </li>
        <li>With that key it can set webhooks, make further keys, and pause or erase the mailbox.</li>
        {view.keepFrom !== null && (
          <li>
            A copy of the mail of its temporary mailbox, <span class="break">{view.keepFrom}</span>.
          </li>
        )}
      </ul>
      <p class="muted">
        It gets no other mailbox, and you are not shown the key. The operator can pause or erase the mailbox
        at any time.
      </p>
    </>
  );
}

/** For who is not signed in: the page's script, which keeps the session's page token, finds that out and hides it. */
function SignIn() {
  return (
    <form id="sign-in" class="card">
      <h2>Sign in to decide</h2>
      <p>Only the operator of this deployment can approve or deny.</p>
      <Field
        id="key"
        label="Operator key"
        hint={
          <>
            The value of <code>AUTH_TOKEN</code>. You stay signed in on this browser for 12 hours.
          </>
        }
        input={{ name: "key", type: "password", required: true, autocomplete: "current-password" }}
      />
      <button type="submit" class="primary">
        Sign in
      </button>
    </form>
  );
}

function Challenge({ siteKey }: { siteKey: string }) {
  return (
    <>
      <div class="cf-turnstile" data-sitekey={siteKey}></div>
      <script async defer src={`${TURNSTILE}/turnstile/v0/api.js`}></script>
    </>
  );
}

function Moment({ at }: { at: number }) {
  const iso = new Date(at).toISOString();
  return <time datetime={iso}>{`${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`}</time>;
}

/** A time in words; it is shown for minutes only. */
function minutes(ms: number): string {
  const whole = Math.floor(ms / MINUTE_MS);
  if (whole < 1) return "less than a minute";
  return whole === 1 ? "a minute" : `${whole} minutes`;
}

function decidedPage(status: Exclude<ClaimStatus, "pending">, address: string): Promise<Response> {
  const { title, kind, text } = DECIDED[status];
  return pageResponse({
    title,
    narrow: true,
    children: (
      <>
        <h1>{title}</h1>
        <Notice kind={kind}>{text(address)}</Notice>
        <p>You can close this page.</p>
      </>
    ),
  });
}

const DECIDED: Record<
  Exclude<ClaimStatus, "pending">,
  { title: string; kind: Kind; text: (address: string) => Child }
> = {
  complete: {
    title: "Approved",
    kind: "good",
    text: (address) => (
      <>
        <strong>{address}</strong> is your agent's mailbox now. It fetches the key by itself.
      </>
    ),
  },
  denied: {
    title: "Denied",
    kind: "warn",
    text: (address) => (
      <>
        Nobody gets <strong>{address}</strong>. The agent has been told.
      </>
    ),
  },
  taken: {
    title: "Taken",
    kind: "bad",
    text: (address) => (
      <>
        <strong>{address}</strong> went to another claim before. Let your agent ask for another name.
      </>
    ),
  },
  expired: {
    title: "Expired",
    kind: "warn",
    text: (address) => (
      <>
        Nobody approved <strong>{address}</strong> in time. Let your agent ask again.
      </>
    ),
  },
};
