/** RFC 5321 §4.5.3.1.1, in octets. */
const MAX_LOCAL_PART_OCTETS = 64;
/** RFC 1035 §2.3.4 as text without the root dot, in octets. */
const MAX_DOMAIN_OCTETS = 253;
/** RFC 5321 §4.5.3.1.3, in octets: a path of 256 without its brackets. */
const MAX_ADDRESS_OCTETS = 254;
/** Characters of an input that are read: room for quotes, brackets and an IDN that becomes shorter as A-labels. */
const MAX_INPUT_CHARS = 1_024;

/** RFC 5322 §3.2.3; ASCII only, because a mailbox here has no UTF-8 local part (RFC 6531). */
const DOT_ATOM = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
/** RFC 6531 §3.3: any UTF-8 besides; here nothing invisible, blank or unassigned. */
const UTF8_DOT_ATOM =
  /^(?:[a-z0-9!#$%&'*+/=?^_`{|}~-]|[^\p{ASCII}\p{C}\p{Z}])+(?:\.(?:[a-z0-9!#$%&'*+/=?^_`{|}~-]|[^\p{ASCII}\p{C}\p{Z}])+)*$/iu;
/** RFC 5890 §2.3.1: letters, digits, hyphens; no hyphen at either end. */
const LDH_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/**
 * A domain as people write it, IDN included. Nothing that a URL parser takes for a delimiter, and nothing invisible,
 * which UTS 46 would drop without a word.
 */
const WRITTEN_DOMAIN = /^[\p{L}\p{M}\p{N}.\u3002\uff0e\uff61_-]+$/u;

/** Names nobody may claim: those RFC 2142 and custom reserve, and those a reader takes for the operator. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(
  (
    "admin administrator postmaster webmaster hostmaster abuse security support help info contact noreply no-reply " +
    "mailer-daemon root system mail mails email test www ftp smtp imap pop api dev staging production demo"
  ).split(" "),
);

/**
 * The form of the names that bootstrap gives ({@link bootstrapName}). Nobody can claim one, so such an address never changes
 * hands.
 */
const BOOTSTRAP_NAME = /^agent-[0-9a-f]{16}$/;

const MAILBOX_NAME = /^[a-z0-9](?:[a-z0-9._-]{0,38}[a-z0-9])?$/;

/**
 * Whether a name can be claimed as the local part of a new mailbox: it fits the grammar, is a valid local part (so no `..`), is
 * not reserved, and has not the form that bootstrap gives. The caller lower-cases it first.
 */
export function isMailboxName(name: string): boolean {
  return (
    MAILBOX_NAME.test(name) &&
    DOT_ATOM.test(name) &&
    !RESERVED_NAMES.has(name) &&
    bootstrapNameFault(name) === null
  );
}

/** The local part of a bootstrapped mailbox, of 16 hex digits. */
export function bootstrapName(hexDigits: string): string {
  return `agent-${hexDigits}`;
}

/**
 * Why a name of the form that bootstrap gives cannot be claimed, as the end of a sentence after "name: "; null for any other
 * name.
 */
export function bootstrapNameFault(name: string): string | null {
  return BOOTSTRAP_NAME.test(name)
    ? "names of the form agent-<16 hex digits> are reserved for POST /v1/bootstrap; choose another name"
    : null;
}

/**
 * The canonical form of an address: lower case, domain in A-labels without trailing dot, local part without
 * quotes and `+tag`. Null for anything that is not exactly one ASCII-local address at a host name.
 */
export function canonicalAddress(input: string): string | null {
  const parts = addressParts(input);
  return parts === null ? null : `${parts.name}@${parts.domain}`;
}

/** The same checks as {@link canonicalAddress}, but the `+tag` stays: the form of `to_address`. */
export function trimmedAddress(input: string): string | null {
  const parts = addressParts(input);
  return parts === null ? null : `${parts.name}${parts.tag}@${parts.domain}`;
}

/**
 * An address that mail can be sent to, or null: the local part as written (its host alone may say what it means, RFC 5321
 * §2.4) but for needless quotes, the domain in A-labels. A local part in UTF-8 is let pass in NFC (see
 * {@link needsSmtpUtf8}); one that needs its quotes is not, nor is a domain literal.
 */
export function recipientAddress(written: string): string | null {
  if (written.length > MAX_INPUT_CHARS) return null;
  const at = written.lastIndexOf("@");
  const local = unquoted(written.slice(0, Math.max(at, 0))).normalize("NFC");
  const domain = domainName(written.slice(at + 1));
  if (domain === null || !UTF8_DOT_ATOM.test(local)) return null;
  const address = `${local}@${domain}`;
  const isShort =
    Buffer.byteLength(local) <= MAX_LOCAL_PART_OCTETS && Buffer.byteLength(address) <= MAX_ADDRESS_OCTETS;
  return isShort ? address : null;
}

/** Whether delivery to the address needs SMTPUTF8 (RFC 6531). Its domain is in A-labels already. */
export function needsSmtpUtf8(address: string): boolean {
  return /[^\p{ASCII}]/u.test(address);
}

interface AddressParts {
  name: string;
  /** With its plus sign; "" if there is none. */
  tag: string;
  domain: string;
}

function addressParts(input: string): AddressParts | null {
  if (input.length > MAX_INPUT_CHARS) return null;
  const written = withoutBrackets(input.trim());
  // A quoted local part may hold an @ of its own, so the last one splits; a second one outside quotes is no atom.
  const at = written.lastIndexOf("@");
  const local = localPart(written.slice(0, Math.max(at, 0)));
  const domain = domainName(written.slice(at + 1));
  if (local === null || domain === null) return null;
  const plus = local.indexOf("+");
  const name = plus === -1 ? local : local.slice(0, plus);
  // A bare tag names no mailbox, and `a.+tag` must not become `a.`, which is no address.
  return DOT_ATOM.test(name) ? { name, tag: local.slice(name.length), domain } : null;
}

function withoutBrackets(text: string): string {
  return text.startsWith("<") && text.endsWith(">") ? text.slice(1, -1) : text;
}

/** RFC 5321 §4.1.2: "a"@x and a@x are one mailbox; quoted contents that are no atom fail where they are checked. */
function unquoted(local: string): string {
  return local.length > 2 && local.startsWith('"') && local.endsWith('"') ? local.slice(1, -1) : local;
}

function localPart(written: string): string | null {
  const plain = unquoted(written);
  // Checked before lower-casing: U+212A (Kelvin) lower-cases to an ASCII k.
  if (plain.length > MAX_LOCAL_PART_OCTETS || !/^[\x21-\x7e]+$/.test(plain)) return null;
  const lower = plain.toLowerCase();
  return DOT_ATOM.test(lower) ? lower : null;
}

/** The canonical form of a domain, IDN included: lower case, A-labels, no trailing dot. Null for text that is no domain. */
export function canonicalDomain(written: string): string | null {
  return written.length > MAX_INPUT_CHARS ? null : domainName(written.trim());
}

/** The domain of an address that has been read already. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1);
}

/**
 * Matches host names that are canonical already: lower-case letters, digits and hyphens, no A-label that might be invalid, no
 * number as the last label. Most are, and this is much faster than the URL parser.
 */
const PLAIN_DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

function domainName(written: string): string | null {
  const isPlain =
    written.length <= MAX_DOMAIN_OCTETS && PLAIN_DOMAIN.test(written) && !written.includes("xn--");
  if (isPlain) return written;
  if (!WRITTEN_DOMAIN.test(written)) return null;
  // The URL parser applies UTS 46 as DNS clients do; null where the name is no valid IDN.
  const ascii = URL.parse(`http://${written.normalize("NFC")}/`)?.hostname.replace(/\.$/, "") ?? "";
  if (ascii.length > MAX_DOMAIN_OCTETS) return null;
  const labels = ascii.split(".");
  if (!labels.every((label) => LDH_LABEL.test(label))) return null;
  // WHATWG URL §3.5: a last label of digits is an IPv4 address, never a host name.
  return /^[0-9]+$/.test(labels.at(-1) ?? "") ? null : ascii;
}
