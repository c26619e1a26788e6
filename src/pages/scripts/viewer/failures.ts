import { isAbort, Refusal, Unreachable } from "../lib/client.ts";
import { make } from "../lib/dom.ts";
import { duration } from "../lib/words.ts";

/** What went wrong, for a reader; null if nothing did: he went elsewhere in the meantime. */
export function failureText(error: unknown): string | null {
  if (isAbort(error)) return null;
  if (error instanceof Unreachable) return "The service cannot be reached. Check your connection.";
  if (!(error instanceof Refusal)) {
    console.error(error);
    return "Something went wrong in this page. Load it again.";
  }
  if (error.status === 429) return busyText(error);
  if (error.isFault) return "The service had a fault. Try again.";
  return `${error.message.replace(/\.$/, "")}.`;
}

function busyText({ message, retryAfterSeconds }: Refusal): string {
  const when = retryAfterSeconds === null ? "later" : `in ${duration(retryAfterSeconds)}`;
  return `${message.replace(/\.$/, "")}. Try again ${when}.`;
}

/** A notice that says what went wrong, with a way to try again; null if nothing did. */
export function failureNotice(error: unknown, again?: () => void): HTMLElement | null {
  const text = failureText(error);
  if (text === null) return null;
  const notice = make("div", { class: "notice bad", role: "alert" }, make("p", {}, text));
  if (again === undefined) return notice;
  const button = make("button", { type: "button" }, "Try again");
  button.addEventListener("click", () => {
    notice.remove();
    again();
  });
  notice.append(button);
  return notice;
}
