import { clientOf } from "../lib/client.ts";
import { find } from "../lib/dom.ts";
import { isAbort, isRefusal } from "../lib/refusals.ts";
import type { MeShape } from "./context.ts";
import { failureText } from "./failures.ts";
import type { Session } from "./session.ts";

/** The form into which a key is pasted. */
export class SignIn {
  readonly #section = find("[data-part=sign-in]", HTMLElement);
  readonly #form = find("form", HTMLFormElement, this.#section);
  readonly #key = find("#key", HTMLInputElement);
  readonly #address = find("#address", HTMLInputElement);
  readonly #which = find("[data-part=which]", HTMLElement);
  readonly #error = find("#key-error", HTMLElement);
  readonly #button = find("button", HTMLButtonElement, this.#form);

  /** `open` is called with each session that the service let in, or that is paused. */
  constructor(open: (session: Session) => void) {
    // Some browsers send the text that they check to their maker.
    this.#key.spellcheck = false;
    this.#address.spellcheck = false;
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#try(open);
    });
  }

  /** Asks for a key; `reason` explains why the reader must sign in again, `address` names the mailbox for the operator's key. */
  show(reason = "", address: string | null = null): void {
    this.#address.value = address ?? "";
    this.#which.hidden = address === null;
    this.#section.hidden = false;
    this.#say(reason);
    this.#key.focus();
  }

  async #try(open: (session: Session) => void): Promise<void> {
    const key = this.#key.value.trim();
    const mailbox = this.#address.value.trim() || null;
    if (!/^[\x21-\x7e]+$/.test(key)) {
      return this.#say(
        key === ""
          ? "Paste a key first."
          : "This is not a key: it contains spaces or other characters that keys do not have.",
      );
    }
    this.#button.disabled = true;
    const outcome = await whoIs(key, mailbox);
    this.#button.disabled = false;
    if (typeof outcome === "string") return this.#say(outcome);
    if (outcome?.mailbox === null) {
      this.#which.hidden = false;
      this.#say("");
      return this.#address.focus();
    }
    this.#form.reset();
    this.#which.hidden = true;
    this.#section.hidden = true;
    const named = outcome?.scope === "operator" ? outcome.mailbox : null;
    // A paused mailbox does not say whose key it is.
    open({ key, mailbox: outcome === null ? mailbox : named });
  }

  #say(text: string): void {
    this.#error.textContent = text;
    this.#error.parentElement?.classList.toggle("wrong", text !== "");
    this.#key.setAttribute("aria-invalid", String(text !== ""));
  }
}

/** Returns the mailbox and scope of a key; null if its mailbox is paused; a text if the key is refused. */
async function whoIs(key: string, mailbox: string | null): Promise<MeShape | null | string> {
  try {
    return await clientOf({ key, mailbox }).me();
  } catch (error) {
    if (isAbort(error)) return "";
    if (isRefusal(error) && error.code === "paused") return null;
    if (isRefusal(error) && error.status === 401) {
      return "Unknown key: it may be mistyped, expired or revoked.";
    }
    return failureText(error) ?? "";
  }
}
