/**
 * The cause of a refusal. `address`: the address will never take mail; it, or its domain, does not exist or has moved.
 * `recipient`: this recipient or his host does not want this message: its content, a full mailbox, whom he lets write. `us`:
 * our relay, our address, our login, our encryption, our amounts and sizes: what an operator mends. `passing`: not now.
 */
export type Fault = "address" | "recipient" | "us" | "passing";

/** The SMTP command that was refused; a report may quote a reply to any of them. */
export type RefusedStage = "sender" | "recipient" | "message" | "report";

/** A refusal in SMTP, or as a report quotes it. */
export interface Refusal {
  stage: RefusedStage;
  /** Reply code; null if not told. */
  code: number | null;
  /** Enhanced status code (RFC 3463); null if not told. */
  status: string | null;
  /** The text of the reply. */
  text: string;
}

/**
 * RFC 3463 §3.2 and §3.5: bad mailbox, system, syntax, moved; null MX (RFC 7505); no such host. `5.1.10` and `5.1.12` are
 * Exchange's.
 */
const DEAD_ADDRESS = codes("5.1.1 5.1.2 5.1.3 5.1.4 5.1.6 5.1.10 5.1.12 5.4.4");
/** Codes that say no more than "permanent", or that servers use for much else: there the words decide. */
const VAGUE = codes("5.0.0 5.1.0 5.2.0 5.2.1 5.3.0 5.5.0");
/** RFC 3463 §3.3, and those of Exchange for whom a recipient lets write. */
const RECIPIENTS_OWN = codes("5.2.2 5.7.12 5.7.124 5.7.133 5.7.134 5.7.136 5.7.505 5.7.507");
/**
 * RFC 3463, RFC 4954 §6, RFC 7372, RFC 8617: the sender's address, size, login, encryption, authentication of the domain and
 * of the host. The longer ones are Exchange's: sender or tenant banned, limits exceeded, relay denied.
 */
const ABOUT_US = codes(
  "5.1.7 5.1.8 5.3.4 5.7.3 5.7.4 5.7.8 5.7.10 5.7.11 5.7.14 5.7.20 5.7.21 5.7.22 5.7.23 5.7.24 5.7.25 5.7.26 5.7.27 " +
    "5.7.28 5.7.29 5.7.30 5.7.57 5.7.60 5.7.64 5.1.90",
);
const ABOUT_US_EXCHANGE = /^5\.7\.(?:50[1-3]|506|508|509|51[0-5]|6[0-4]\d|7\d\d)$/;
/** RFC 4954 §6: login required, too weak, wrong, or only encrypted. */
const LOGIN_CODES: ReadonlySet<number> = new Set([530, 534, 535, 538]);
/** RFC 5321 §4.2.2: a command that was not understood, not known, or out of its turn. */
const COMMAND_CODES: ReadonlySet<number> = new Set([500, 502, 503, 504]);

const UNKNOWN_RECIPIENT =
  /(?:user|recipient|mailbox|account|address(?:ee)?|userid)[^.;]{0,60}?(?:unknown|not (?:found|exist|recognized|known)|invalid|does(?:n't| not) exist|doesn't have)|(?:unknown|no such|invalid|bad|unrouteable|illegal) (?:local )?(?:user|recipient|mailbox|account|address|alias|domain|host|destination)|no mailbox here|(?:host|domain)[^;]{0,80}(?:unknown|not found|nonexistent)|null mx|not taken: mailbox unavailable/i;
/** The reply of Exchange Online for a recipient that its directory does not know. */
const NOT_IN_DIRECTORY = /recipient address rejected: access denied/i;
/** Words that outweigh a code for a dead address: servers send 5.1.1 for these as well. */
const PASSING =
  /quota|mailbox (?:is )?full|over ?limit|temporar|try again|blocked|spam|reputation|rate limit/i;

const FULL =
  /(?:mailbox|inbox|account|recipient|user)[^.;]{0,40}(?:full|quota|storage|(?:size|space) limit|out of space)|over ?quota|quota exceeded|(?:insufficient|not enough|out of)[^.;]{0,20}(?:storage|space)|for this recipient/i;
/** Limits of the sending side; other quotas and limits are the recipient's. */
const SENDING_LIMIT =
  /(?:sending|sent|send|daily|hourly|outbound)[^.;]{0,30}(?:limit|quota|rate)[^.;]{0,30}(?:exceed|reach)|exceed\w*[^.;]{0,40}(?:daily|hourly|sending|messages? per)|permitted limits/i;
/** Words that blame the sending side, with any reply code. */
const WORDS_ABOUT_US: readonly RegExp[] = [
  // Login.
  /authentication (?:is )?(?:required|needed|failed|unsuccessful)|(?:must|please|need to)[^.;]{0,20}(?:authenticate|log ?in)|not (?:been )?authenticated|log ?in first/i,
  // Relaying.
  /relay(?:ing|ed)?\b[^.;]{0,20}(?:denied|not (?:permitted|allowed)|prohibited|disabled)|(?:unable|not (?:permitted|allowed|authori[sz]ed)|cannot|refuse\w*) (?:to )?relay|do(?:es)?(?: not|n't) (?:allow )?relay/i,
  // The sender's address and domain.
  /sender (?:address )?(?:rejected|denied|refused|invalid|unknown|verif\w+|not)|sender domain|sender id|sending domain|envelope sender|not owned by user|send ?as (?:this|denied)|permissions? to send as|domain of sender|(?:from|sender|identity|domain|address)[^.;]{0,40}not (?:been )?verified|invalid dns mx/i,
  /\b(?:spf|dkim|dmarc|rdns|ptr|helo|ehlo)\b|reverse (?:dns|lookup|hostname)|unauthenticated (?:e-?mail|sender)|authentication (?:checks?|information|requirements)/i,
  // Block lists and the reputation of the sender.
  /block ?list|black ?list|\bd?n?s?rbl\b|dnsbl|spamhaus|spamcop|sorbs|barracuda(?:central|networks)|senderbase|abusix|uceprotect|cloudmark|\bipcheck\b|reputation|banned send/i,
  /\b(?:your|the|this|sending|client|remote|connecting) (?:ip|host|server|network|mail server|mta)\b[^;]{0,80}(?:block|ban|reject|den(?:y|ied)|refus|listed|not authori[sz]ed|not allowed)|(?:block|bann|listed|reject)\w*[^.;]{0,40}\bip\b|connections? (?:will )?not (?:be )?accepted|traffic not accepted/i,
  // Amounts.
  /rate ?limit|throttl|too many (?:messages|connections|e?mails|recipients|errors|concurrent|sessions|requests)/i,
  // Encryption.
  /starttls|(?:encryption|tls|secure connection)[^.;]{0,20}(?:required|needed|must)|requires? (?:tls|encryption|an encrypted)/i,
  // Sizes.
  /(?:message|mail|size|data)[^.;]{0,40}(?:too (?:large|big|long)|exceed)[^.;]{0,60}|(?:maximum|message) size/i,
];

/** Addresses in a reply may look like any word. */
const ADDRESS = /[^\s<>"]+@[^\s<>"]+/g;
/** Characters of a reply that are read: its explanation comes first and is short. */
const MAX_TEXT_CHARS = 1_000;

/** Judges a refusal in SMTP or in a report: the only place where this is decided. */
export function faultOf(refusal: Refusal): Fault {
  const { stage, code, status } = refusal;
  const words = refusal.text.slice(0, MAX_TEXT_CHARS).replace(ADDRESS, "<>");
  if (isPassing(code, status)) return isAboutUs(code, status, words) ? "us" : "passing";
  if (status !== null && RECIPIENTS_OWN.has(status)) return "recipient";
  if (stage === "sender" || isAboutUs(code, status, words)) return "us";
  if (isDead(status, words)) return "address";
  return stage === "report" || FULL.test(words) ? "recipient" : faultByCode(stage, code);
}

/** RFC 5321 §4.2.1, RFC 3463 §3.1: of class 4. */
function isPassing(code: number | null, status: string | null): boolean {
  return status === null ? code !== null && code < 500 : !status.startsWith("5");
}

/** Where the words say nothing. */
function faultByCode(stage: "recipient" | "message", code: number | null): Fault {
  // RFC 5321 §4.5.3.1.10: too many recipients, the rest are to come later.
  if (stage === "recipient" && code === 552) return "passing";
  return code !== null && COMMAND_CODES.has(code) ? "us" : "recipient";
}

function isAboutUs(code: number | null, status: string | null, words: string): boolean {
  if (code !== null && LOGIN_CODES.has(code)) return true;
  if (status !== null && (ABOUT_US.has(status) || ABOUT_US_EXCHANGE.test(status))) return true;
  return (
    SENDING_LIMIT.test(words) || (!FULL.test(words) && WORDS_ABOUT_US.some((pattern) => pattern.test(words)))
  );
}

function isDead(status: string | null, words: string): boolean {
  if (PASSING.test(words)) return false;
  if (status === "5.4.1") return NOT_IN_DIRECTORY.test(words);
  if (status !== null && DEAD_ADDRESS.has(status)) return true;
  return (status === null || VAGUE.has(status)) && UNKNOWN_RECIPIENT.test(words);
}

function codes(list: string): ReadonlySet<string> {
  return new Set(list.split(" "));
}
