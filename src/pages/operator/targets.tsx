import type { DeliveryError } from "../../contract/webhook.ts";
import type { TargetHealth } from "../../mailbox/account/overview.ts";
import { countText, Moment } from "./words.tsx";

/** URLs of webhooks and their state. Answers of the receivers are not shown: they belong to the mailbox's owner. */
export function Targets({ targets }: { targets: readonly TargetHealth[] }) {
  return (
    <ul class="rows">
      {targets.map((target) => (
        <li class="target">
          <div class="spread">
            <span class="mono break">{target.url}</span>
            <span class={target.status === "active" ? "badge good" : "badge bad"}>{target.status}</span>
          </div>
          <p class="small muted">
            {target.label === null ? (
              "For all mail"
            ) : (
              <>
                For mail with the label <span class="break">{target.label}</span>
              </>
            )}
            {target.failures === 0
              ? ""
              : `; ${countText(target.failures, "delivery", "deliveries")} in a row failed`}
            {target.latest === null ? null : (
              <>
                ; last tried <Moment at={target.latest.at} />: {outcomeText(target.latest)}
              </>
            )}
          </p>
        </li>
      ))}
    </ul>
  );
}

function outcomeText({ status, error }: { status: number | null; error: DeliveryError | null }): string {
  if (error === null) return "delivered";
  const said = ERRORS[error];
  return status === null ? said : `${said} (status ${status})`;
}

const ERRORS: Record<DeliveryError, string> = {
  timeout: "no answer in time",
  connection: "no connection",
  not_public: "the host is not on the public network",
  redirect: "it redirected, which is not followed",
  status: "it was refused",
  interrupted: "the service stopped in the middle",
  no_secret: "there is no secret to sign with",
  internal: "an internal error of this service",
};
