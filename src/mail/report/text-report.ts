import type { OriginalMessage, RecipientStatus } from "./delivery-report.ts";
import { diagnosticLine, readDeliveryStatus } from "./delivery-status.ts";
import { NO_ORIGINAL, originalOfHeader } from "./original-message.ts";
import { actionOfCodes, type Codes, codesIn, quotesReply } from "./status-code.ts";

/** Characters read of a text; a server's explanation comes first and is short. */
const MAX_TEXT_CHARS = 64 * 1024;
/** Characters read of one line; longer ones are quoted content. */
const MAX_LINE_CHARS = 2_000;
/** Recipients read out of prose. */
const MAX_TEXT_RECIPIENTS = 100;

/** The parts of a mail in which a server explains itself without RFC 3464. */
export interface ReportText {
  subject: string;
  text: string;
  /** The value of X-Failed-Recipients, which Exim and Gmail set; "" if there is none. */
  failedRecipients: string;
}

/** A report read from prose; all of it is a guess. */
export interface TextReport {
  /** Never empty. */
  recipients: RecipientStatus[];
  original: OriginalMessage;
}

const ADDRESS = String.raw`[^\s<>"'(),:;@[\]]{1,64}@[a-z0-9\x80-\u{10ffff}.-]{1,253}`;

/**
 * A line about one recipient, as servers begin it: `<ann@example.com>:` (qmail, Yahoo), `"ann@example.com":` (GMX),
 * `  ann@example.com` (Exim), `* ann@example.com`, `554 <ann@example.com>... Unknown` (old sendmail).
 */
const RECIPIENT_LINE = new RegExp(
  String.raw`^(?:\s*(?:[*•-]\s*)?(?:<(${ADDRESS})>|"(${ADDRESS})":|(${ADDRESS})(?=$|[\s:<(]))|[45]\d\d <(${ADDRESS})>\.\.\.)`,
  "iu",
);
/** A recipient named within a sentence, or in the RCPT command of a transcript. */
const RECIPIENT_IN_SENTENCE = new RegExp(
  String.raw`\b(?:to|recipient|userid|address)\s*(?::\s*)?<?(${ADDRESS})`,
  "iu",
);
/** `A message sent by`, then the sender on the next lines (Exim). */
const NAMES_SENDER = /\b(?:sent by|from):?\s{0,8}$/i;

/** Matches the line where the returned message or its header begins: its announcement, or its first field. */
const RETURNED_MESSAGE =
  /^[\s*=-]*(?:(?:this|included|enclosed|below) is a copy|below this line is a copy|(?:the )?headers? of the original|original message(?![^:]*\bwas\b)|unsent message|undelivered message|returned message|message headers? follow)|^(?:received|return-path|message-id|dkim-signature):/i;

/** Matches the words of servers for a failed delivery. Servers write them in English. */
const FAILURE =
  /undeliver|non-?deliver|could ?n[o']t (?:be )?deliver|not be delivered|unable to deliver|delivery (?:has |to [^.]{1,80})?(?:fail|problem|status notif|error)|failed permanently|failure notice|permanent(?:ly)? (?:error|fail|fatal)|returned mail|did not reach|(?:error|trouble) (?:sending|delivering)|rejected (?:by|recipient)|mail (?:delivery|system) (?:fail|error)/i;

/** Matches the words of a server that keeps trying. */
const DELAY =
  /warning message only|will be retried|still being retried|(?:message|mail|delivery) (?:is |has been |status notification \()?delay|temporary (?:failure|problem|error)|do not need to re-?send|will (?:continue|keep|go on) (?:to )?try/i;

/** Fields of RFC 3464 that stand in running text. */
const STATUS_FIELD = /^(?:reporting-mta|original-recipient|final-recipient|action)[ \t]*:/im;

/**
 * Reads a report out of prose: the recipients it names and what is said about each. Null where nothing says that a
 * delivery failed, or nobody is named. The caller has made sure that a mail system wrote it.
 */
export function readTextReport(mail: ReportText): TextReport | null {
  const { explanation, returned } = splitText(mail.text.slice(0, MAX_TEXT_CHARS));
  const original = returned === "" ? NO_ORIGINAL : originalOfHeader(new TextEncoder().encode(returned));
  const recipients = statusFields(explanation) ?? explainedRecipients(mail, explanation);
  return recipients.length === 0 ? null : { recipients, original };
}

function splitText(text: string): { explanation: string; returned: string } {
  let start = 0;
  while (start < text.length) {
    const lineEnd = text.indexOf("\n", start);
    const end = lineEnd === -1 ? text.length : lineEnd + 1;
    const line = text.slice(start, Math.min(end, start + MAX_LINE_CHARS));
    if (RETURNED_MESSAGE.test(line)) {
      const isField = /^[a-z-]+:\s*\S/i.test(line);
      return {
        explanation: text.slice(0, start),
        returned: text.slice(isField ? start : end).replace(/^\n+/, ""),
      };
    }
    start = end;
  }
  return { explanation: text, returned: "" };
}

/** Recipients of status fields in the text; null if there are none. */
function statusFields(explanation: string): RecipientStatus[] | null {
  const start = STATUS_FIELD.exec(explanation)?.index;
  if (start === undefined) return null;
  const { recipients } = readDeliveryStatus(new TextEncoder().encode(explanation.slice(start)));
  return recipients.length === 0 ? null : recipients.slice(0, MAX_TEXT_RECIPIENTS);
}

function explainedRecipients(mail: ReportText, explanation: string): RecipientStatus[] {
  const failed = addressesIn(mail.failedRecipients);
  const isReport =
    failed.length > 0 || FAILURE.test(mail.subject) || FAILURE.test(explanation) || quotesReply(explanation);
  if (!isReport) return [];
  const lines = explanation.split("\n").map((line) => line.slice(0, MAX_LINE_CHARS));
  const own = recipientLines(lines);
  const recipients = failed.length > 0 ? failed : [...own.values()].map(({ address }) => address);
  const named = (recipients.length > 0 ? recipients : inSentences(lines)).slice(0, MAX_TEXT_RECIPIENTS);
  const starts = named.map((address) => lineAbout(address, own, lines));
  const isDelay = DELAY.test(mail.subject) || DELAY.test(explanation);
  return named.map((address, index) =>
    explainedRecipient(address, {
      section: sectionFrom(starts[index] ?? 0, starts, lines),
      explanation,
      isDelay,
    }),
  );
}

/** Reads the status of one recipient from the lines about it, or from the whole text where those quote no reply. */
function explainedRecipient(
  address: string,
  said: { section: string; explanation: string; isDelay: boolean },
): RecipientStatus {
  const text = [said.section, said.explanation].find((each) => namesCode(codesIn(each))) ?? said.section;
  const codes = codesIn(text);
  return {
    // Servers that give up use the same words for temporary and permanent errors.
    action: said.isDelay && actionOfCodes(codes.status, codes.replyCode) !== "failed" ? "delayed" : "failed",
    status: codes.status,
    finalRecipient: address,
    originalRecipient: null,
    diagnosticCode: diagnosticIn(text, codes, address),
    replyCode: codes.replyCode,
  };
}

function addressesIn(value: string): string[] {
  const whole = new RegExp(`^<?(${ADDRESS})>?$`, "iu");
  const addresses = value.split(/[,\s]+/).map((each) => whole.exec(each)?.[1]);
  return [...new Set(addresses.filter((address) => address !== undefined))];
}

interface RecipientLine {
  address: string;
  line: number;
}

/** The first line about each address, by the address in lower case. */
function recipientLines(lines: readonly string[]): Map<string, RecipientLine> {
  const found = new Map<string, RecipientLine>();
  let before = "";
  for (const [index, line] of lines.entries()) {
    const address = RECIPIENT_LINE.exec(line)
      ?.slice(1)
      .find((group) => group !== undefined);
    const isNew = address !== undefined && !found.has(address.toLowerCase()) && !NAMES_SENDER.test(before);
    if (isNew && found.size < MAX_TEXT_RECIPIENTS) found.set(address.toLowerCase(), { address, line: index });
    if (line.trim() !== "") before = line;
  }
  return found;
}

function inSentences(lines: readonly string[]): string[] {
  const addresses = lines.map((line) => RECIPIENT_IN_SENTENCE.exec(line)?.[1]?.replace(/\.+$/, ""));
  return [...new Set(addresses.filter((address) => address !== undefined))];
}

/** The line that begins with `address`, or the first that names it; the first of all where none does. */
function lineAbout(
  address: string,
  own: ReadonlyMap<string, RecipientLine>,
  lines: readonly string[],
): number {
  const line = own.get(address.toLowerCase())?.line ?? lines.findIndex((each) => each.includes(address));
  return Math.max(line, 0);
}

/** The lines from `start` to the next one about a recipient. */
function sectionFrom(start: number, starts: readonly number[], lines: readonly string[]): string {
  const next = starts.filter((line) => line > start).reduce((a, b) => Math.min(a, b), lines.length);
  return lines.slice(start, next).join("\n");
}

function namesCode({ replyCode, status }: Codes): boolean {
  return replyCode !== null || status !== null;
}

/** The line with the codes; where there are none, the one after the recipient's or that one. Rules and headings do not count. */
function diagnosticIn(text: string, { replyCode, status }: Codes, address: string): string | null {
  const code = replyCode === null ? status : String(replyCode);
  const lines = text.split("\n").filter((line) => /\p{L}/u.test(line) && !/^\s*[-=*]{2}/.test(line));
  if (code !== null) return diagnosticLine(lines.find((line) => line.includes(code)) ?? "");
  const isMore = (line: string): boolean => /\p{L}/u.test(line.replace(address, ""));
  return diagnosticLine(lines[1] ?? lines.find(isMore) ?? "");
}
