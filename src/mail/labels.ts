/** What a mail is, for filtering and per-label webhooks. */
export type MailLabel = "newsletter" | "notification" | "code" | "personal";

/** What labels are read from. */
export interface LabelledMail {
  /** Lower-case name to value, repeats joined by "\n". */
  headers: Record<string, string>;
  fromAddress: string;
  /** MAIL FROM; "" or "<>" for the null return path. */
  envelopeFrom: string;
  subject: string;
  hasCode: boolean;
}

/** Header values are cut here before they are read; only their first words matter. */
const MAX_VALUE_CHARS = 1_000;

/** Set by services that report events, list-like as their mails may be (GitHub, GitLab, Jira, Bugzilla, Phabricator). */
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

/** Local parts nobody reads, in the languages of our mails; compared without `.`, `-` and `_`. */
const UNREAD_LOCAL_PART =
  /^(?:noreply|donotreply|dontreply|noresponse|notifications?|notify|alerts?|automated|mailerdaemon|postmaster|bounces?|nepasrepondre|noresponder|naoresponda|naoresponder|nonrispondere|keineantwort|nichtantworten|nieodpowiadaj|geenantwoord|yanitlamayin)(?:$|[+0-9])/;

/** Answers of a machine on someone's behalf that some servers send without Auto-Submitted. */
const AUTOMATIC_SUBJECT =
  /^(?:automatic reply|auto-reply|autoreply|auto reply|out of office|automatische antwort|réponse automatique|respuesta automática|resposta automática|risposta automatica|automatisch antwoord|автоответ|自动回复|自動回覆|自動応答|자동 회신)(?![a-z])/;

function valueOf(mail: LabelledMail, name: string): string {
  return Object.hasOwn(mail.headers, name)
    ? (mail.headers[name] ?? "").slice(0, MAX_VALUE_CHARS).trim().toLowerCase()
    : "";
}

/** RFC 3834 §5: anything but "no" says that no person sent this mail. */
function isAutoSubmitted(mail: LabelledMail): boolean {
  return valueOf(mail, "auto-submitted")
    .split("\n")
    .some((value) => {
      const keyword = /^[a-z-]+/.exec(value.trim())?.[0];
      return keyword !== undefined && keyword !== "no";
    });
}

/** RFC 2369 §3.4: a list that takes posts is a discussion; `NO` marks an announcement list. */
function isDiscussion(mail: LabelledMail): boolean {
  return valueOf(mail, "list-post").includes("<mailto:");
}

function isBulk(mail: LabelledMail): boolean {
  const precedence = valueOf(mail, "precedence").split("\n");
  return (
    valueOf(mail, "list-id") !== "" ||
    valueOf(mail, "list-unsubscribe") !== "" ||
    valueOf(mail, "list-post") !== "" ||
    precedence.some((value) => ["bulk", "list", "junk"].includes(value.trim()))
  );
}

function isEvent(mail: LabelledMail): boolean {
  return isAutoSubmitted(mail) || EVENT_HEADERS.some((name) => valueOf(mail, name) !== "");
}

function isUnread(address: string): boolean {
  const local = address.slice(0, MAX_VALUE_CHARS).toLowerCase().split("@")[0] ?? "";
  return UNREAD_LOCAL_PART.test(local.replace(/[._-]/g, ""));
}

function isAutomatic(mail: LabelledMail): boolean {
  return (
    ["", "<>"].includes(mail.envelopeFrom.trim()) ||
    isUnread(mail.fromAddress) ||
    valueOf(mail, "x-auto-response-suppress") !== "" ||
    valueOf(mail, "feedback-id") !== "" ||
    valueOf(mail, "precedence") === "auto_reply" ||
    AUTOMATIC_SUBJECT.test(mail.subject.trimStart().slice(0, 60).toLowerCase())
  );
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
  return isAutomatic(mail) ? ["notification"] : ["personal"];
}
