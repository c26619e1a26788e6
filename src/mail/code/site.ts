/** Second-level domains under which countries give names out: `co.uk`, `com.br`. */
const SECOND_LEVEL = /^(?:co|com|net|org|gov|gob|gouv|edu|ac|ne|or|go|in|info|biz|mil|nom|sch|firm)$/;

/** The labels of a host that its owner registered, enough to see that click.mail.example.com and example.com belong together. */
export function registrableSite(host: string): string {
  const labels = host.split(".");
  const isSecondLevel =
    labels.length > 2 && labels.at(-1)?.length === 2 && SECOND_LEVEL.test(labels.at(-2) ?? "");
  return labels.slice(isSecondLevel ? -3 : -2).join(".");
}
