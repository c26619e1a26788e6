import { type HeaderField, readHeaderBlock, skipEmptyLines } from "../mime/header-block.ts";

/** Bytes read of the machine-readable part: 1,000 recipients with 1 KB each. */
export const MAX_PART_BYTES = 1024 * 1024;
/** Groups of fields read of one part: empty lines between all fields of as many recipients as are kept. */
const MAX_GROUPS = 10_000;

/** The fields of message/delivery-status or message/feedback-report, in groups that empty lines separate. */
export interface FieldGroups {
  groups: HeaderField[][];
  /** Whether the part is longer than the limits let in; the last group is then left out, for it may be half of one. */
  isCut: boolean;
}

/** Reads the fields of a report part, in time linear in its length and bounded. Groups without a field are passed over. */
export function readFieldGroups(part: Uint8Array): FieldGroups {
  const bytes = part.subarray(0, MAX_PART_BYTES);
  const groups: HeaderField[][] = [];
  for (let at = skipEmptyLines(bytes); at < bytes.length && groups.length < MAX_GROUPS;) {
    const { fields, bodyStart } = readHeaderBlock(bytes.subarray(at));
    if (fields.length > 0) groups.push(fields);
    at += bodyStart;
    at += skipEmptyLines(bytes.subarray(at));
  }
  const isCut = part.length > MAX_PART_BYTES || groups.length === MAX_GROUPS;
  return { groups: isCut ? groups.slice(0, -1) : groups, isCut };
}
