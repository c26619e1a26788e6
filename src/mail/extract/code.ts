import type { ExtractionOf } from "../../contract/extraction.ts";
import { findCode } from "../code/find-code.ts";
import type { ExtractMail } from "./mail-text.ts";

/** The verification code and link, as the code reader finds them; null if it finds none. */
export function readCode(mail: ExtractMail): ExtractionOf<"code"> | null {
  const { subject, text, html, from } = mail;
  const { code, link, confidence } = findCode({ subject, text, html, fromAddress: from.address });
  return code === null && link === null ? null : { type: "code", code, link, source: "text", confidence };
}
