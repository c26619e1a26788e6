/** The JSON of a refusal. An answer that is no JSON comes from what stands between: its status is all there is. */
export async function bodyOfProblem(response: Response): Promise<Record<string, unknown>> {
  const body: unknown = await response.json().catch(() => null);
  return typeof body === "object" && body !== null ? { ...body } : {};
}

/** What a refusal says: its sentence, else its `error`, which may be but a word; null if neither is a text. */
export function textOfProblem({ message, error }: Readonly<Record<string, unknown>>): string | null {
  if (typeof message === "string") return message;
  return typeof error === "string" ? error : null;
}

/** What a refusal of the API says, for a person; a sentence of our own where there was no answer at all. */
export async function problemText(response: Response | null): Promise<string> {
  if (response === null) return "The server does not answer. Try again.";
  return textOfProblem(await bodyOfProblem(response)) ?? `The server answered ${response.status}. Try again.`;
}
