/** Quotes a word for sh: a text from a DNS answer or a setting must not run as a command when somebody pastes the line. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
