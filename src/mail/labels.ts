import { type HeadedMail, isAutoSubmitted, isBulk, isFilled, isUnattended, valuesOf } from "./automatic.ts";

/** A label that a mail gets at receipt, for filters and for webhooks of one label. */
export type MailLabel = "newsletter" | "notification" | "code" | "personal";

/** The parts of a mail that its labels depend on. */
export interface LabelledMail extends HeadedMail {
  hasCode: boolean;
}

/** Header fields of services that report events (GitHub, GitLab, Jira, Bugzilla, …), some of which write as lists do. */
const EVENT_HEADERS = [
  "x-github-reason",
  "x-github-sender",
  "x-gitlab-project",
  "x-gitlab-notificationreason",
  "x-jira-fingerprint",
  "x-bugzilla-type",
  "x-phabricator-sent-this-message",
  "x-gerrit-messagetype",
  "x-discourse-post-id",
];

/** RFC 2369 §3.4: a list that takes posts is a discussion; `NO` marks an announcement list. */
function isDiscussion(mail: LabelledMail): boolean {
  return valuesOf(mail, "list-post").some((value) => value.includes("<mailto:"));
}

function isEvent(mail: LabelledMail): boolean {
  return isAutoSubmitted(mail) || EVENT_HEADERS.some((name) => isFilled(mail, name));
}

/**
 * The labels of a mail at receipt, in the order newsletter, notification, code, personal.
 *
 * - `newsletter`: sent to many by a list or campaign header, and nothing says that it is about one event.
 * - `notification`: sent by a machine, or through a list on which people write (GitHub, GitLab, discussion lists): one
 *   event or post, which a filter for newsletters must not swallow.
 * - `code`: with a verification code; always a notification and never a newsletter, for mail services put
 *   List-Unsubscribe into everything they send.
 * - `personal`: nothing of these.
 */
export function labelsFor(mail: LabelledMail): MailLabel[] {
  if (mail.hasCode) return ["notification", "code"];
  if (isEvent(mail) || isDiscussion(mail)) return ["notification"];
  if (isBulk(mail)) return ["newsletter"];
  return isUnattended(mail) ? ["notification"] : ["personal"];
}
