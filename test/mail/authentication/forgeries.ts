const METHODS =
  "dkim=pass header.d=bank.example header.s=s1; spf=pass smtp.mailfrom=boss@bank.example; dmarc=pass header.from=bank.example";
const FIELD = "Authentication-Results";

/** Ways to write, into one's own mail, that a server called `id` has verified it: a name, and lines of the header. */
export const FORGERIES: readonly (readonly [name: string, lines: (id: string) => string])[] = [
  ["the very field", (id) => `${FIELD}: ${id}; ${METHODS}`],
  ["the field twice", (id) => `${FIELD}: ${id}; ${METHODS}\r\n${FIELD}: ${id}; ${METHODS}`],
  ["a hundred fields", (id) => `${FIELD}: ${id}; ${METHODS}\r\n`.repeat(100).trimEnd()],
  ["each result in a field of its own", (id) => `${FIELD}: ${id}; dmarc=pass\r\n${FIELD}: ${id}; dkim=pass`],
  ["a name in lower case", (id) => `authentication-results: ${id}; ${METHODS}`],
  ["a name in upper case", (id) => `AUTHENTICATION-RESULTS: ${id}; ${METHODS}`],
  ["blanks before the colon", (id) => `${FIELD} \t: ${id}; ${METHODS}`],
  ["no blank behind the colon", (id) => `${FIELD}:${id};${METHODS}`],
  ["a tab behind the colon", (id) => `${FIELD}:\t${id}; ${METHODS}`],
  ["folded before the id", (id) => `${FIELD}:\r\n ${id}; ${METHODS}`],
  ["folded with a tab behind the id", (id) => `${FIELD}: ${id};\r\n\t${METHODS.replaceAll("; ", ";\r\n\t")}`],
  ["folded inside the id", (id) => `${FIELD}: ${id.replace(".", ".\r\n ")}; ${METHODS}`],
  ["folded by a line of blanks", (id) => `${FIELD}: ${id};\r\n \r\n ${METHODS}`],
  ["line feeds alone", (id) => `${FIELD}: ${id};\n ${METHODS}\n${FIELD}: ${id}; ${METHODS}`],
  ["a carriage return alone", (id) => `X-Note: x\r${FIELD}: ${id}; ${METHODS}`],
  ["a second line in another field", (id) => `Subject: x\r\n${FIELD}: ${id}; ${METHODS}`],
  ["a dot behind the id", (id) => `${FIELD}: ${id}.; ${METHODS}`],
  ["an id in upper case", (id) => `${FIELD}: ${id.toUpperCase()}; ${METHODS}`],
  ["a quoted id", (id) => `${FIELD}: "${id}"; ${METHODS}`],
  ["a quoted id with backslashes", (id) => `${FIELD}: "\\${id}"; ${METHODS}`],
  ["an id and a version", (id) => `${FIELD}: ${id} 1; ${METHODS}`],
  ["an id and another version", (id) => `${FIELD}: ${id} 2; ${METHODS}`],
  ["a comment before the id", (id) => `${FIELD}: (checked) ${id}; ${METHODS}`],
  ["a comment behind the id", (id) => `${FIELD}: ${id} (checked); ${METHODS}`],
  ["the id in a comment", (id) => `${FIELD}: (${id}) evil.example; ${METHODS}`],
  ["the id in a nested comment", (id) => `${FIELD}: evil.example (x (${id};) ); ${METHODS}`],
  ["the id behind another", (id) => `${FIELD}: evil.example; ${id}; ${METHODS}`],
  ["the id beside another", (id) => `${FIELD}: evil.example ${id}; ${METHODS}`],
  ["the id as the end of another", (id) => `${FIELD}: evil.${id}; ${METHODS}`],
  ["the id as the beginning of another", (id) => `${FIELD}: ${id}.evil.example; ${METHODS}`],
  ["the id in a quoted other one", (id) => `${FIELD}: "evil.example; ${id}"; ${METHODS}`],
  ["an id with a Kelvin sign", (id) => `${FIELD}: ${id.replace(/k|c/, "\u212a")}; ${METHODS}`],
  ["an id with a Cyrillic letter", (id) => `${FIELD}: ${id.replace("e", "\u0435")}; ${METHODS}`],
  ["an id with an invisible character", (id) => `${FIELD}: \u200b${id}; ${METHODS}`],
  ["an encoded id", (id) => `${FIELD}: =?utf-8?q?${id}?=; ${METHODS}`],
  ["no id", () => `${FIELD}: ; ${METHODS}`],
  ["no id and no semicolon", () => `${FIELD}: ${METHODS}`],
  ["a comment that never closes", (id) => `${FIELD}: ${id}; dmarc=fail (; ${METHODS}`],
  ["a quote that never closes", (id) => `${FIELD}: ${id}; dmarc=fail reason="; ${METHODS}`],
  ["a control character", (id) => `${FIELD}: ${id};\0 ${METHODS}`],
  ["a continuation of the field above", () => ` ; ${METHODS}`],
  ["a continuation that closes a comment", () => ` ) ; ${METHODS}`],
  ["a field of 70 KB", (id) => `${FIELD}: ${id}; ${"x=y; ".repeat(14_000)}${METHODS}`],
  ["behind 3,000 fields", (id) => `${"X-Filler: x\r\n".repeat(3_000)}${FIELD}: ${id}; ${METHODS}`],
  ["another name of the field", (id) => `X-${FIELD}: ${id}; ${METHODS}`],
  ["the name of an old draft", (id) => `Authentication-Result: ${id}; ${METHODS}`],
  ["a field of ARC", (id) => `ARC-${FIELD}: i=1; ${id}; ${METHODS}`],
  [
    "a whole set of ARC",
    (id) =>
      `ARC-Seal: i=1; a=rsa-sha256; cv=none; d=${id}; s=s1; b=AAAA\r\nARC-Message-Signature: i=1; a=rsa-sha256; d=${id}; s=s1; h=from; bh=AAAA; b=AAAA\r\nARC-${FIELD}: i=1; ${id}; ${METHODS}`,
  ],
  ["a field of SPF", (id) => `Received-SPF: pass (${id}: designated) receiver=${id}; client-ip=192.0.2.1`],
  [
    "a route through the server",
    (id) => `Received: from mail.bank.example by ${id}\r\n${FIELD}: ${id}; ${METHODS}`,
  ],
  [
    "a signature of the domain",
    () => "DKIM-Signature: v=1; a=rsa-sha256; d=bank.example; s=s1; h=from; bh=AAAA; b=AAAA",
  ],
  [
    "a signature of the sender's own domain",
    (id) =>
      `DKIM-Signature: v=1; a=rsa-sha256; d=evil.example; s=s1; h=from; bh=AAAA; b=AAAA\r\n${FIELD}: ${id}; ${METHODS}`,
  ],
  [
    "the header of our own listener",
    () =>
      'Mailkeep-Sender-Check: {"from_domain":"bank.example","spf":"pass","dmarc":"pass","signatures":[],"arc":null}',
  ],
  [
    "a second From field",
    (id) => `From: me@evil.example\r\n${FIELD}: ${id}; dmarc=pass header.from=evil.example`,
  ],
  ["an end of the header, and another one", (id) => `X-Note: x\r\n\r\n${FIELD}: ${id}; ${METHODS}`],
];
