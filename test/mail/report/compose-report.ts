import { xtextEncoded } from "../../../src/mail/report/generic-address.ts";

/** One recipient as a report is to write it; null leaves the field out. */
export interface WrittenRecipient {
  finalRecipient: string | null;
  originalRecipient: string | null;
  action: string | null;
  status: string | null;
  diagnosticCode: string | null;
}

/** A part of a multipart/report. */
export interface WrittenPart {
  type: string;
  content: string;
}

const CRLF = "\r\n";

/** Fields with a value, one a line. */
export function fieldLines(fields: readonly (readonly [name: string, value: string | null])[]): string {
  return fields
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${value}${CRLF}`)
    .join("");
}

/** The block of one recipient (RFC 3464 §2.3), the original address in xtext as a careful server copies it. */
export function recipientBlock(recipient: WrittenRecipient): string {
  const { finalRecipient, originalRecipient, diagnosticCode } = recipient;
  return fieldLines([
    ["Final-Recipient", finalRecipient === null ? null : `rfc822; ${finalRecipient}`],
    ["Original-Recipient", originalRecipient === null ? null : `rfc822;${xtextEncoded(originalRecipient)}`],
    ["Action", recipient.action],
    ["Status", recipient.status],
    ["Diagnostic-Code", diagnosticCode === null ? null : `smtp; ${diagnosticCode}`],
  ]);
}

/** The content of a message/delivery-status part. */
export function statusContent(
  recipients: readonly WrittenRecipient[],
  envelopeId: string | null = null,
): string {
  const perMessage = fieldLines([
    ["Original-Envelope-Id", envelopeId === null ? null : xtextEncoded(envelopeId)],
    ["Reporting-MTA", "dns; mx.example.net"],
  ]);
  return [perMessage, ...recipients.map(recipientBlock)].join(CRLF);
}

/** A whole report: an explanation and the parts, under `contentType` with a boundary added. */
export function reportMail(
  parts: readonly WrittenPart[],
  { contentType = "multipart/report; report-type=delivery-status", header = "", text = "See below." } = {},
): Uint8Array {
  const all: WrittenPart[] = [{ type: "text/plain", content: text }, ...parts];
  const body = all.map(
    ({ type, content }) => `--=_x${CRLF}Content-Type: ${type}${CRLF}${CRLF}${content}${CRLF}`,
  );
  return new TextEncoder().encode(
    `From: MAILER-DAEMON@mx.example.net${CRLF}To: ann@mailkeep.test${CRLF}Subject: Report${CRLF}${header}` +
      `Content-Type: ${contentType}; boundary="=_x"${CRLF}${CRLF}${body.join("")}--=_x--${CRLF}`,
  );
}

/** A mail of text alone. */
export function textMail(
  text: string,
  header = "From: MAILER-DAEMON@mx.example.net\r\nSubject: failure notice\r\n",
): Uint8Array {
  return new TextEncoder().encode(`${header}${CRLF}${text}`);
}
