/** The kinds of DNS records that the checks of a mail read. */
export type RecordType = "A" | "AAAA" | "MX" | "PTR" | "TXT";

/** The records of one name and type. */
export interface DnsAnswer {
  /**
   * A and AAAA: addresses. MX: `<preference> <host>`. PTR: names. TXT: the strings of each record joined, a character for each
   * byte. Names are in lower case without the dot at their end. Empty if there is no such record.
   */
  records: readonly string[];
  /** False if the name itself does not exist (NXDOMAIN). */
  exists: boolean;
}

/** A DNS resolver. */
export interface Dns {
  /**
   * The records of one type. Rejects where they cannot be known: no answer in time, a failure of the resolver or of the servers
   * behind it, or an answer that is too large.
   */
  look(name: string, type: RecordType, signal?: AbortSignal): Promise<DnsAnswer>;
}

/** A resolver could not find out what DNS says. */
export class DnsFailure extends Error {
  override readonly name = "DnsFailure";
}

export const NOTHING: DnsAnswer = { records: [], exists: true };
export const NO_SUCH_NAME: DnsAnswer = { records: [], exists: false };

/** RFC 1035 §2.3.4, as text without the root dot. */
export const MAX_NAME_CHARS = 253;
const MAX_LABEL_CHARS = 63;

/** Whether DNS can be asked for a name: labels of 1 to 63 bytes, 253 characters in all, no control. */
export function isAskable(name: string): boolean {
  if (name === "" || name.length > MAX_NAME_CHARS || !/^[ -~]+$/.test(name)) return false;
  return name.split(".").every((label) => label !== "" && label.length <= MAX_LABEL_CHARS);
}
