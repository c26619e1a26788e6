import type { Evidence, LinkFeature } from "./evidence.ts";
import type { LabelKind } from "./key-words.ts";
import { linkKindsIn, linkWordsIn, pathKindsIn, type LinkKind } from "./link-words.ts";
import type { MailLink } from "./mail-links.ts";
import type { Setting } from "./surroundings.ts";

/** A subject as read for its purpose. */
const MAX_SUBJECT_CHARS = 300;

/** The words right before a link that may announce it. */
const ANNOUNCEMENT_CHARS = 160;

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
  /** Its place among the links of the mail that may be meant, from 0. */
  index: number;
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

/** Letters and digits mixed, or letters that change their case within a word, as random tokens do. */
function isRandom(piece: string): boolean {
  if (/[0-9]/.test(piece)) return /[a-z]/i.test(piece);
  return piece.length >= SHORT_SECRET_CHARS + 2 && /[a-z]/.test(piece) && /[A-Z]/.test(piece.slice(1));
}

function secretIn(piece: string): Secret | null {
  const bare = piece.replaceAll(/%[0-9a-f]{2}/gi, "");
  if (/^[0-9]+$/.test(bare)) return bare.length >= 4 ? "number" : null;
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
  const { host, path, query } = address;
  const found: LinkEvidence[] = [];
  const kinds = pathKindsIn(`${host} ${path} ${query.toLowerCase()}`);
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
  if (kinds.has("otherPurpose")) found.push(evidence("link_against.label", label));
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
  if (words.some(({ kind, start }) => kind === "otherPurpose" && start >= sentence)) {
    found.push(evidence("link_against.announced"));
  }
  return found;
}

/** Evidence that is the same for all links of a mail: of its subject, and of its key words. */
export function mailLinkEvidence(setting: LinkSetting): LinkEvidence[] {
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

/** Evidence for and against a link being the one that signs in, verifies, confirms or resets. */
export function linkEvidence(candidate: LinkCandidate, ofMail: readonly LinkEvidence[]): LinkEvidence[] {
  const { address, places, index } = candidate;
  const own = [...ofAddress(address, secretOf(address)), ...places.flatMap(ofPlace)];
  // A link that stands in several places says everything several times.
  const byFeature = new Map(own.map((each) => [each.feature, each]));
  const found = [...byFeature.values(), ...ofMail];
  if (index === 0) found.push(evidence("link_place.first"));
  if (!found.some(({ feature }) => PURPOSE.test(feature))) found.push(evidence("link_against.no_purpose"));
  return found;
}
