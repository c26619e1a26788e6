import { find, make } from "../lib/dom.ts";

/** The operators of a search, and what each finds. */
const OPERATORS: readonly (readonly [operator: string, about: string])[] = [
  ["from:", "Part of the sender's name or address"],
  ["to:", "Part of a recipient's address"],
  ["subject:", "Part of the subject"],
  ["label:", "Mail with this label"],
  ["has:attachment", "With files"],
  ["-has:attachment", "Without files"],
  ["after:", "On this day or later: 2026-11-01"],
  ["before:", "Before this day"],
];

interface Option {
  text: string;
  about: string;
}

/** The field to search with, which suggests operators and labels for the word before the cursor. */
export class SearchBox {
  readonly #input = find("#query", HTMLInputElement);
  readonly #list = find("#suggestions", HTMLElement);
  readonly #labels: () => readonly string[];
  #options: readonly Option[] = [];
  /** Index of the chosen option; -1: none. */
  #chosen = -1;

  /**
   * @param labels the labels that are known.
   * @param search called with the trimmed text when the reader wants it found.
   */
  constructor(labels: () => readonly string[], search: (text: string) => void, signal: AbortSignal) {
    this.#labels = labels;
    const input = this.#input;
    this.#close();
    find("[data-part=search]", HTMLFormElement).addEventListener(
      "submit",
      (event) => {
        event.preventDefault();
        this.#close();
        search(input.value.trim());
      },
      { signal },
    );
    input.addEventListener("input", () => this.#suggest(), { signal });
    input.addEventListener("focus", () => this.#suggest(), { signal });
    input.addEventListener("blur", () => this.#close(), { signal });
    input.addEventListener("keydown", (event) => this.#press(event), { signal });
    this.#list.addEventListener(
      "mousedown",
      (event) => {
        // The field keeps the focus.
        event.preventDefault();
        const option = event.target instanceof Element ? event.target.closest("[role=option]") : null;
        if (option !== null) this.#accept([...this.#list.children].indexOf(option));
      },
      { signal },
    );
  }

  set text(text: string) {
    this.#input.value = text;
  }

  focus(): void {
    this.#input.select();
    this.#input.focus();
  }

  /** The word before the cursor. */
  #word(): string {
    const before = this.#input.value.slice(0, this.#input.selectionStart ?? 0);
    return /[^\s"“”„＂]*$/.exec(before)?.[0] ?? "";
  }

  #suggest(): void {
    const word = this.#word().toLowerCase();
    const ofLabels = this.#labels().map((label) => ({
      text: /\s/.test(label) ? `label:"${label}"` : `label:${label}`,
      about: "",
    }));
    const all = OPERATORS.map(([text, about]) => ({ text, about }));
    const fitting = (word.startsWith("label:") ? ofLabels : all).filter(
      ({ text }) => text.toLowerCase().startsWith(word) && text.toLowerCase() !== word,
    );
    // With a text before it, an empty word begins no operator.
    this.#options = word === "" && this.#input.value !== "" ? [] : fitting;
    this.#chosen = -1;
    this.#draw();
  }

  #press(event: KeyboardEvent): void {
    if (this.#options.length === 0) return;
    const { key } = event;
    if (key === "ArrowDown" || key === "ArrowUp") {
      const by = key === "ArrowDown" ? 1 : -1;
      const states = this.#options.length + 1;
      this.#chosen = ((this.#chosen + 1 + by + states) % states) - 1;
      this.#draw();
    } else if (key === "Escape") this.#close();
    else if ((key === "Enter" || key === "Tab") && this.#chosen !== -1) this.#accept(this.#chosen);
    else return;
    event.preventDefault();
  }

  #accept(index: number): void {
    const option = this.#options[index];
    if (option === undefined) return;
    const { value, selectionStart } = this.#input;
    const end = selectionStart ?? value.length;
    const start = end - this.#word().length;
    // A value follows an operator; a blank follows a whole one.
    const text = option.text.endsWith(":") ? option.text : `${option.text} `;
    this.#input.value = `${value.slice(0, start)}${text}${value.slice(end).trimStart()}`;
    this.#input.setSelectionRange(start + text.length, start + text.length);
    this.#suggest();
  }

  #close(): void {
    this.#options = [];
    this.#draw();
  }

  #draw(): void {
    const isOpen = this.#options.length > 0;
    this.#input.setAttribute("aria-expanded", String(isOpen));
    this.#list.hidden = !isOpen;
    this.#list.replaceChildren(
      ...this.#options.map(({ text, about }, index) =>
        make(
          "li",
          { role: "option", id: `suggestion-${index}`, "aria-selected": String(index === this.#chosen) },
          make("span", { class: "mono" }, text),
          " ",
          make("span", { class: "muted" }, about),
        ),
      ),
    );
    if (isOpen && this.#chosen !== -1) {
      this.#input.setAttribute("aria-activedescendant", `suggestion-${this.#chosen}`);
    } else this.#input.removeAttribute("aria-activedescendant");
  }
}
