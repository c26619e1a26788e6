/** Reads the JSON of a refusal; empty for an answer of a proxy, which is not JSON. */
export async function bodyOfProblem(response: Response): Promise<Record<string, unknown>> {
  const body: unknown = await response.json().catch(() => null);
  return typeof body === "object" && body !== null ? { ...body } : {};
}

/** Returns the `message` of a refusal, else its `error`; null if neither is a string. */
export function textOfProblem({ message, error }: Readonly<Record<string, unknown>>): string | null {
  if (typeof message === "string") return message;
  return typeof error === "string" ? error : null;
}

/** Returns the text of a refusal for a person; without an answer, a sentence of our own. */
export async function problemText(response: Response | null): Promise<string> {
  if (response === null) return "The server does not answer. Try again.";
  return textOfProblem(await bodyOfProblem(response)) ?? `The server answered ${response.status}. Try again.`;
}
