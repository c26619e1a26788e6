// Questions to a person at a terminal. Loaded only when there is something to ask.
import { isCancel, select, text } from "@clack/prompts";
import { CliError, EXIT } from "./exit.ts";

/** Asks which mailbox is wanted; resolves to the name of a permanent one, or to "" for a temporary one. */
export async function askForMailbox(): Promise<string> {
  const kind = answered(
    await select<"temporary" | "permanent">({
      message: "Which mailbox?",
      options: [
        { value: "temporary", label: "A temporary one", hint: "at once; receives for 72 hours" },
        { value: "permanent", label: "A permanent one", hint: "can send; somebody approves it in a browser" },
      ],
    }),
  );
  if (kind === "temporary") return "";
  const validate = (name: string | undefined) =>
    /^[a-z0-9](?:[a-z0-9._-]{0,38}[a-z0-9])?$/i.test(name ?? "")
      ? undefined
      : "Letters, digits and . _ -, at most 40";
  return answered(await text({ message: "Its name, before the @?", placeholder: "billing", validate }));
}

function answered<T extends string>(answer: T | symbol): T {
  if (isCancel(answer) || typeof answer === "symbol") throw new CliError(EXIT.usage, "cancelled");
  return answer;
}
