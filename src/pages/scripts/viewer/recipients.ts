import { make } from "../lib/dom.ts";
import { icon } from "../lib/icon.ts";
import { line } from "../lib/words.ts";
import { addresses } from "./draft.ts";

/** An address as people write it: bare, or in angle brackets behind a name. */
const ADDRESS = /^(?:[^<>]*<)?[^\s@<>]+@[^\s@<>.][^\s@<>]*>?$/;

/** A field of recipients: each becomes a chip when it is complete. A comma, Enter, leaving the field, and pasting complete one. */
export class Recipients {
  readonly element = make("div", { class: "recipients" });
  readonly #input: HTMLInputElement;
  readonly #changed: (text: string) => void;
  readonly #chips = make("ul", { class: "chips" });
  #entries: string[];

  /** @param changed called with all recipients as one text, separated by commas. */
  constructor(input: HTMLInputElement, text: string, changed: (text: string) => void) {
    this.#input = input;
    this.#changed = changed;
    this.#entries = addresses(text);
    this.element.append(this.#chips, input);
    this.element.addEventListener("click", (event) => event.target === this.element && input.focus());
    input.addEventListener("input", () => {
      if (/[,;\n]/.test(input.value) && !isOpen(input.value)) this.commit();
      else this.#tell();
    });
    // A field for one line drops the line breaks of what is pasted.
    input.addEventListener("paste", (event) => this.#paste(event));
    input.addEventListener("blur", () => this.commit());
    input.addEventListener("keydown", (event) => this.#press(event));
    this.#draw();
  }

  /** The name of the field in the API. */
  get name(): string {
    return this.#input.id.replace("draft-", "");
  }

  /** Whether every entry looks like an address. */
  get isRight(): boolean {
    return this.#entries.every((entry) => ADDRESS.test(entry));
  }

  focus(): void {
    this.#input.focus();
  }

  /** Makes chips of what is typed. */
  commit(): void {
    this.#add(this.#input.value);
  }

  #add(text: string): void {
    const typed = addresses(text);
    if (typed.length === 0) return;
    this.#input.value = "";
    this.#entries = [...this.#entries, ...typed.filter((entry) => !this.#entries.includes(entry))];
    this.#draw();
    this.#tell();
  }

  #paste(event: ClipboardEvent): void {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (addresses(text).length < 2) return;
    event.preventDefault();
    this.#add(`${this.#input.value},${text}`);
  }

  #press(event: KeyboardEvent): void {
    const { key, ctrlKey, metaKey } = event;
    if (key === "Enter" && !ctrlKey && !metaKey && this.#input.value.trim() !== "") {
      event.preventDefault();
      this.commit();
    } else if (key === "Backspace" && this.#input.value === "" && this.#entries.length > 0) {
      event.preventDefault();
      this.#remove(this.#entries.length - 1);
    }
  }

  #remove(index: number): void {
    this.#entries = this.#entries.filter((_, other) => other !== index);
    this.#draw();
    this.#tell();
    this.#input.focus();
  }

  #tell(): void {
    const typed = this.#input.value.trim();
    this.#changed([...this.#entries, ...(typed === "" ? [] : [typed])].join(", "));
  }

  #draw(): void {
    this.#chips.hidden = this.#entries.length === 0;
    this.#chips.replaceChildren(
      ...this.#entries.map((entry, index) => {
        const isRight = ADDRESS.test(entry);
        const chip = make("li", { class: isRight ? "chip" : "chip wrong" });
        const about = isRight ? [] : [make("span", { class: "sr" }, " (not an address)")];
        const remove = make("button", { type: "button", class: "chip-remove" }, icon("close"));
        remove.setAttribute("aria-label", `Remove ${line(entry)}`);
        remove.addEventListener("click", () => this.#remove(index));
        chip.append(make("span", { dir: "auto" }, line(entry)), ...about, remove);
        return chip;
      }),
    );
  }
}

/** Whether a name in quotes, or an address in brackets, is not ended yet. */
function isOpen(text: string): boolean {
  return text.split('"').length % 2 === 0 || text.lastIndexOf("<") > text.lastIndexOf(">");
}
