/** To and Cc of mail that a service sent to a stranger. */
export const NAMING_A_STRANGER: readonly (readonly string[])[] = [
  ["To: eve@evil.example"],
  ['To: "TAG" <eve@evil.example>'],
  ["To: TAG <eve@evil.example>"],
  ["To: =?utf-8?q?x_=3Cbox=40mailkeep.test=3E?= <eve@evil.example>"],
  ["To: eve@evil.example (TAG)"],
  ['To: "TAG"@evil.example'],
  ["To: TAG.evil.example"],
  ["To: TAG@evil.example"],
  ["To: undisclosed-recipients:;"],
  ["To: "],
  [],
  ["Resent-To: TAG", "To: eve@evil.example"],
  ["Delivered-To: TAG", "X-Original-To: TAG", "To: eve@evil.example"],
];

/** Fields of a mail that a program wrote as an answer. */
export const AUTOMATIC_ANSWER: readonly string[] = [
  "Auto-Submitted: auto-replied",
  "Auto-Submitted: auto-replied (ticket 42)",
  "X-Autoreply: yes",
];
