/** What a refusal of the API says, for a person; a sentence of our own where there was no answer at all. */
export async function problemText(response: Response | null): Promise<string> {
  if (response === null) return "The server does not answer. Try again.";
  const body: unknown = await response.json().catch(() => null);
  const said =
    typeof body === "object" && body !== null
      ? [Reflect.get(body, "message"), Reflect.get(body, "error")].find((text) => typeof text === "string")
      : undefined;
  return typeof said === "string" ? said : `The server answered ${response.status}. Try again.`;
}
