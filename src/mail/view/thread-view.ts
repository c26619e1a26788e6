import { mostTokensIn } from "./token-count.ts";
import { dividedText } from "../text/new-text.ts";
import { marked, viewOfSeen, type MailView, type ViewOptions } from "./mail-view.ts";
import type { SeenMail } from "./seen-mail.ts";

/** Lines of at least so many characters that an older mail has too are repeated, not written again. */
const LEAST_REPEATED_CHARS = 40;

/** The view of a thread: its mails, oldest first, each with its new text only. The budget goes to the newest first. */
export function threadViews(
  mails: readonly { seen: SeenMail; code: string | null }[],
  options: Omit<ViewOptions, "code">,
): MailView[] {
  const known = new Set<string>();
  const fresh = mails.map(({ seen }) => newLines(dividedText(seen.text, seen.subject).fresh, known));
  const least = mostTokensIn(marked("", options.nonce));
  let left = options.budget;
  const views = mails.toReversed().map(({ seen, code }, index) => {
    const own = fresh[mails.length - 1 - index];
    const view = viewOfSeen(seen, { ...options, code, budget: Math.max(left, least) }, own);
    left -= mostTokensIn(view.text);
    return view;
  });
  return views.reverse();
}

/** The lines of a text that no earlier text had, with which `known` grows. */
function newLines(text: string, known: Set<string>): string {
  return text
    .split("\n")
    .filter((line) => {
      const key = line.trim();
      if (key.length < LEAST_REPEATED_CHARS) return true;
      const isNew = !known.has(key);
      known.add(key);
      return isNew;
    })
    .join("\n");
}
