import type { Evidence, LinkFeature } from "./evidence.ts";
import type { LabelKind } from "./key-words.ts";
import { isAgreement, isDenial, linkKindsIn, linkWordsIn, pathKindsIn, type LinkKind } from "./link-words.ts";
import type { MailLink } from "./mail-links.ts";
import type { Setting } from "./surroundings.ts";

/** A subject as read for its purpose. */
const MAX_SUBJECT_CHARS = 300;

/** The words right before a link that may announce it. */
const ANNOUNCEMENT_CHARS = 160;

/** A longer line above a link is a sentence, not its label. */
const CAPTION_CHARS = 50;

/** A label with more words is a sentence, not a button. */
const BUTTON_WORDS = 6;

/** The parts of a link's address. */
export interface WebAddress {
  host: string;
  /** In lower case. */
  path: string;
  /** As written. */
  written: string;
  query: string;
}

/** A link of a mail, wherever it stands in it. */
export interface LinkCandidate {
  url: string;
  address: WebAddress;
  /** Each place where it stands, in order. */
  places: readonly MailLink[];
}

/** The mail of a link, as it concerns all of its links. */
export interface LinkSetting {
  hasCode: boolean;
  subjectKinds: ReadonlySet<LinkKind>;
  /** The key words of the mail, as those around numbers are read. */
  mail: Setting;
}

type LinkEvidence = Evidence<LinkFeature>;

const evidence = (feature: LinkFeature, detail = ""): LinkEvidence => ({ feature, detail, amount: 1 });

/** Hosts whose pages explain. */
const PAGES_HOST =
  /^(?:help|support|faq|docs|blog|status|news|community|forum|kb|hilfe|ayuda|aide|info|pomoc|learn)\./;

/** Words of a path that are no secret: `how-to-sign-in`, `terms_of_use`. */
const SLUG = /^[a-z]+(?:[-_][a-z0-9]+)+$/;

/** A part of an address that looks like a secret: random characters by their number, or digits, which may only count something. */
type Secret = "long" | "short" | "number";

const LONG_SECRET_CHARS = 16;
const SHORT_SECRET_CHARS = 6;
/** Shorter numbers count something: customers, orders, milliseconds. */
const SECRET_DIGITS = 14;
/** A point in time, written as a number: 20261123094512, and fractions of its second. */
const TIMESTAMP =
  /^(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])(?:[01][0-9]|2[0-3])[0-5][0-9]/;

/** Letters and digits mixed, or letters that change their case within a word, as random tokens do. */
function isRandom(piece: string): boolean {
  if (/[0-9]/.test(piece)) return /[a-z]/i.test(piece);
  return piece.length >= SHORT_SECRET_CHARS + 2 && /[a-z]/.test(piece) && /[A-Z]/.test(piece.slice(1));
}

function numberIn(digits: string): Secret | null {
  if (digits.length >= SECRET_DIGITS && !TIMESTAMP.test(digits)) return "long";
  return digits.length >= 4 ? "number" : null;
}

function secretIn(piece: string): Secret | null {
  const bare = piece.replaceAll(/%[0-9a-f]{2}/gi, "");
  const digits = bare.replaceAll(/[-_.~]/g, "");
  if (/^[0-9]+$/.test(digits)) return numberIn(digits);
  const isSlug = SLUG.test(bare) && !/[0-9][^0-9]+[0-9]/.test(bare);
  if (bare.length < SHORT_SECRET_CHARS || isSlug || !isRandom(bare)) return null;
  return bare.length >= LONG_SECRET_CHARS ? "long" : "short";
}

/** The strongest secret of an address. */
function secretOf({ written, query }: WebAddress): Secret | null {
  const pieces = [
    ...written.split("/"),
    ...query
      .replace(/^\?/, "")
      .split("&")
      .map((pair) => pair.slice(pair.indexOf("=") + 1)),
  ];
  const found = pieces.map(secretIn);
  const strongest = (["long", "short", "number"] as const).find((kind) => found.includes(kind)) ?? null;
  // "/7hQz/2041/kP9": a secret in pieces.
  const inPieces = pieces.filter((piece) => piece.length >= 3 && isRandom(piece)).join("");
  return strongest !== "long" && inPieces.length >= SHORT_SECRET_CHARS ? "short" : strongest;
}

function ofAddress(address: WebAddress, secret: Secret | null): LinkEvidence[] {
  const { host } = address;
  const found: LinkEvidence[] = [];
  const kinds = kindsOfAddress(address);
  if (kinds.has("provesInPath")) found.push(evidence("link_path.proves"));
  if (kinds.has("otherPath")) found.push(evidence("link_against.path"));
  if (PAGES_HOST.test(host)) found.push(evidence("link_against.host"));
  if (secret === null || secret === "number") found.push(evidence("link_against.no_token"));
  else found.push(evidence("link_token"));
  return found;
}

/** The label in lower case; "" if it is the address itself, which says no more than the address. */
const labelOf = ({ label }: MailLink): string => (/^https?:/i.test(label) ? "" : label.toLowerCase());

/** The end of a sentence. Words before it do not speak of the link. */
const SENTENCE_END = /[.!?。！？؟।]\s/g;

function ofLabel(label: string, isButton: boolean): LinkEvidence[] {
  const kinds = linkKindsIn(label);
  const found: LinkEvidence[] = [];
  if (kinds.has("proves")) found.push(evidence("link_label.proves", label));
  else if (kinds.has("password")) found.push(evidence("link_label.password", label));
  else if (kinds.has("signsIn")) found.push(evidence("link_label.signs_in", label));
  else if (kinds.has("goesOn")) found.push(evidence("link_label.goes_on", label));
  else if (label !== "") found.push(evidence("link_against.unknown_label"));
  if (kinds.has("proves") && kinds.has("account")) found.push(evidence("link_label.account", label));
  if (kinds.has("otherPurpose") || kinds.has("refuses")) found.push(evidence("link_against.label", label));
  if (label.split(/\s+/).length > BUTTON_WORDS) found.push(evidence("link_against.sentence"));
  if (isButton) found.push(evidence("link_label.button"));
  return found;
}

function ofPlace(place: MailLink): LinkEvidence[] {
  const found = ofLabel(labelOf(place), place.isButton);
  const before = place.before.slice(-ANNOUNCEMENT_CHARS).toLowerCase();
  const words = linkWordsIn(before);
  if (words.length === 0) return found;
  const kinds = new Set(words.map(({ kind }) => kind));
  if (kinds.has("proves")) found.push(evidence("link_announced.proves"));
  else if (kinds.has("password")) found.push(evidence("link_announced.password"));
  else if (kinds.has("signsIn")) found.push(evidence("link_announced.signs_in"));
  // "If this wasn't you: …": the words of its sentence belong to the link.
  const sentence = [...before.matchAll(SENTENCE_END)].at(-1)?.index ?? 0;
  const isOther = (kind: LinkKind): boolean => kind === "otherPurpose" || kind === "refuses";
  if (words.some(({ kind, start }) => isOther(kind) && start >= sentence)) {
    found.push(evidence("link_against.announced"));
  }
  return found;
}

/** The words of an address, as a text: `/device/not-me`, `?action=denyRequest`. A name that a parameter has says nothing. */
function wordsOfAddress({ written, query }: WebAddress): string {
  const values = [...new URLSearchParams(query)].map(([name, value]) =>
    value === "" || value === "1" || value === "true" ? name : value,
  );
  const plain = values.filter((value) => !/[/:]/.test(value));
  return [unescaped(written), ...plain]
    .join(" / ")
    .replaceAll(/(?<=[a-z])(?=[A-Z][a-z])/g, " ")
    .replaceAll(/[-_.+]/g, " ")
    .toLowerCase();
}

function unescaped(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // Not UTF-8: only its ASCII can be read.
    return path;
  }
}

/** Answers that an address gives in the place of its reader: `?approve=false`, `?answer=no`. */
const DENYING_ANSWER =
  /[?&](?:confirm(?:ed)?|approved?|accept(?:ed)?|allow(?:ed)?|authorize|valid|ok|me|its_?me|is_?me)=(?:0|false|no?)(?:&|$)|[?&](?:answer|action|response|reply|decision|choice|result|r|a)=no?(?:&|$)/i;

/** The text right before a link that has no words of its own: the rest of its sentence, or the caption above it. */
function captionOf({ before }: MailLink): string {
  const near = before.slice(-ANNOUNCEMENT_CHARS).trimEnd();
  const paragraph = near.slice(near.lastIndexOf("\n\n") + 1);
  // What stands a line apart belongs to the link only if it points at it.
  if (/\n\s*\n\s*$/.test(before) && !/[:：]$/.test(near)) return "";
  const sentence = [...paragraph.matchAll(SENTENCE_END)].at(-1);
  return paragraph.slice(sentence === undefined ? 0 : sentence.index + sentence[0].length).toLowerCase();
}

/** Whether the words beside a link without a label of its own make it one to refuse by. */
function isRefusalBeside(place: MailLink): boolean {
  const own = linkKindsIn(labelOf(place));
  if (own.has("proves") || own.has("signsIn") || own.has("password")) return false;
  const caption = captionOf(place);
  // "The button does not work?" stands above the same link once more.
  if (!/[?？؟]/.test(caption) && isDenial(caption)) return true;
  const words = linkWordsIn(caption).filter(({ kind }) => kind === "proves" || kind === "refuses");
  // A caption that ends with a colon is a label: "Cancel registration:".
  const deciding = /[:：]\s*$/.test(caption) && caption.length <= CAPTION_CHARS ? words.at(0) : words.at(-1);
  return deciding?.kind === "refuses";
}

/**
 * Whether a link may be an answer at all. One that refuses, reports, cancels or unsubscribes is none, whatever else speaks for
 * it: an agent that follows it locks itself out. Refusals are worded in many ways, so a label of unknown words is no answer
 * either, unless it agrees or the address says what it is for.
 */
export function mayAnswer({ address, places }: Pick<LinkCandidate, "address" | "places">): boolean {
  if (DENYING_ANSWER.test(address.query) || linkKindsIn(wordsOfAddress(address)).has("refuses")) return false;
  const labels = places.map(labelOf);
  if (labels.some((label) => linkKindsIn(label).has("refuses") || isDenial(label))) return false;
  if (places.every(isRefusalBeside)) return false;
  const isKnown = labels.some((label) => label === "" || linkKindsIn(label).size > 0 || isAgreement(label));
  return isKnown || kindsOfAddress(address).has("provesInPath");
}

const kindsOfAddress = ({ host, path, query }: WebAddress) =>
  pathKindsIn(`${host} ${path} ${query.toLowerCase()}`);

/** Evidence that is the same for all links of a mail: of its subject, and of its key words. */
function mailLinkEvidence(setting: LinkSetting): LinkEvidence[] {
  const { subjectKinds, hasCode, mail } = setting;
  const found: LinkEvidence[] = [evidence("link_against.any")];
  const say = (feature: LinkFeature, holds: boolean): void => {
    if (holds) found.push(evidence(feature));
  };
  const subject = mail.subject();
  const kinds = mail.mail();
  const hasSubject = (...wanted: readonly LabelKind[]): boolean => wanted.some((kind) => subject.has(kind));
  say("link_subject.proves", subjectKinds.has("proves"));
  say("link_subject.password", subjectKinds.has("password"));
  say("link_subject.signs_in", subjectKinds.has("signsIn"));
  say("link_subject.account", subjectKinds.has("account"));
  say("link_against.subject", hasSubject("number", "booking", "coupon", "meeting"));
  say("link_mail.code", hasCode);
  say("link_mail.expiry", kinds.has("expiry"));
  say("link_mail.requested", kinds.has("requested"));
  say("link_mail.secret", kinds.has("secret"));
  say("link_against.coupon", kinds.has("coupon"));
  say("link_against.meeting", kinds.has("meeting"));
  say("link_mail.lifetime", mail.form().hasLifetime);
  return found;
}

/** The kinds of the words in a subject that say something of links. */
export const subjectKindsOf = (subject: string): Set<LinkKind> =>
  linkKindsIn(subject.slice(0, MAX_SUBJECT_CHARS).toLowerCase());

/** Features that tell a purpose; without any, only form and place speak for a link. */
const PURPOSE = /^link_(?:label\.(?:proves|password|signs_in|account)|announced|subject|path)(?:\.|$)/;

/** Evidence that a link bears itself: its address, its label, and the words before it. */
function ownEvidence({ address, places }: LinkCandidate): LinkEvidence[] {
  const own = [...ofAddress(address, secretOf(address)), ...places.flatMap(ofPlace)];
  // A link that stands in several places says everything several times.
  return [...new Map(own.map((each) => [each.feature, each])).values()];
}

/** Whether the label of a link, or the caption of one without a label, has a word that only a link to prove has. */
const isNamedProof = ({ places }: LinkCandidate): boolean =>
  places.some((place) => linkKindsIn(labelOf(place) || captionOf(place)).has("proves"));

/** Evidence for and against each link of a mail being the one that signs in, verifies, confirms or resets. */
export function linkEvidence(candidates: readonly LinkCandidate[], setting: LinkSetting): LinkEvidence[][] {
  const ofMail = mailLinkEvidence(setting);
  const own = candidates.map(ownEvidence);
  // The first place says much, but less than words that prove: a link above them may be the one to refuse by.
  const proving = candidates.findIndex(isNamedProof);
  return own.map((ofLink, index) => {
    const found = [...ofLink, ...ofMail];
    if (index === Math.max(proving, 0)) found.push(evidence("link_place.first"));
    if (!found.some(({ feature }) => PURPOSE.test(feature))) found.push(evidence("link_against.no_purpose"));
    return found;
  });
}
