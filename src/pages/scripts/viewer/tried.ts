import { make } from "../lib/dom.ts";
import { failureNotice } from "./failures.ts";

/** Runs an action and shows its result in `said`; "" says nothing. */
export async function tried(said: HTMLElement, act: () => Promise<string>): Promise<void> {
  try {
    const text = await act();
    said.replaceChildren(...(text === "" ? [] : [make("p", { class: "notice good", role: "status" }, text)]));
  } catch (error) {
    const notice = failureNotice(error);
    said.replaceChildren(...(notice === null ? [] : [notice]));
  }
}
