import type { MailkeepError } from "../../../client/error.ts";
import { isAbort, isFault, isRefusal, isUnreachable } from "../lib/refusals.ts";
import { make } from "../lib/dom.ts";
import { duration } from "../lib/words.ts";

/** Describes an error for a reader; null for a request that was cancelled because the reader left. */
export function failureText(error: unknown): string | null {
  if (isAbort(error)) return null;
  if (isUnreachable(error)) return "The service cannot be reached. Check your connection.";
  if (!isRefusal(error)) {
    console.error(error);
    return "Something went wrong in this page. Load it again.";
  }
  if (error.status === 429) return busyText(error);
  if (isFault(error)) return "The service had an internal error. Try again.";
  return `${error.message.replace(/\.$/, "")}.`;
}

function busyText({ message, retryAfterMs }: MailkeepError): string {
  const when = retryAfterMs === null ? "later" : `in ${duration(Math.ceil(retryAfterMs / 1_000))}`;
  return `${message.replace(/\.$/, "")}. Try again ${when}.`;
}

/** Shows an error, with a button to try again, or to reload the page if the page itself failed; null for a cancelled request. */
export function failureNotice(error: unknown, again?: () => void): HTMLElement | null {
  const text = failureText(error);
  if (text === null) return null;
  const notice = make("div", { class: "notice bad", role: "alert" }, make("p", {}, text));
  const offer = (label: string, act: () => void): void => {
    const button = make("button", { type: "button" }, label);
    button.addEventListener("click", act);
    notice.append(button);
  };
  // Browsers may remember that a script did not come, until the page is loaded again.
  if (!isRefusal(error) && !isUnreachable(error)) {
    offer("Reload the page", () => location.reload());
  } else if (again !== undefined) {
    offer("Try again", () => {
      notice.remove();
      again();
    });
  }
  return notice;
}
