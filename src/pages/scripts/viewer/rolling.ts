import { make } from "../lib/dom.ts";
import { fillRow, type Row } from "./rows.ts";

/** Lines beyond each edge of the window that are put into the document, so that scrolling shows them at once. */
const BEYOND = 16;
/** Lines beyond each edge after a jump to lines that are not in the document: that frame has less to do, and the next one adds the others. */
const BEYOND_JUMP = 3;
/** With fewer lines than this beyond an edge, the next ones are put into the document. */
const FEWEST_BEYOND = 12;
/** Height of a line before one was measured. */
const FIRST_HEIGHT_PX = 53;

interface Drawn {
  item: HTMLElement;
  link: HTMLAnchorElement;
  row: Row;
  isNew: boolean;
  /** Attributes as they are in the document: to write them again costs time in each frame. */
  written: string;
}

/** How lines look: which is the current one, which are new, and whether more follow than are loaded. */
export interface Looks {
  current: string;
  isNew: (row: Row) => boolean;
  isWhole: boolean;
}

/**
 * Lines of one height, of which only those near the window are in the document: a list of a hundred thousand mails has as many
 * elements as one of fifty. The room of the others is padding.
 */
export class Rolling {
  readonly element = make("ul", { class: "rows mails" });
  readonly #scroller: HTMLElement;
  readonly #drawn = new Map<string, Drawn>();
  #height = FIRST_HEIGHT_PX;
  #rows: readonly Row[] = [];
  /** The lines that are in the document. */
  #range = { from: 0, to: 0 };
  #shown: readonly Row[] = [];
  #isMeasured = false;
  #looks: Looks = { current: "", isNew: () => false, isWhole: true };

  constructor(scroller: HTMLElement) {
    this.#scroller = scroller;
  }

  /** The link of a line that is in the document. */
  link(id: string): HTMLAnchorElement | undefined {
    return this.#drawn.get(id)?.link;
  }

  /** Id of the line that has the focus; "" for none. */
  get focused(): string {
    const { activeElement } = document;
    if (activeElement === null || !this.element.contains(activeElement)) return "";
    return activeElement.closest("li")?.querySelector("a")?.dataset.id ?? "";
  }

  /** Whether the first line is above the window. */
  get isScrolled(): boolean {
    return this.#scroller.scrollTop > this.#offset() + this.#height / 2;
  }

  /** Shows these lines, which may be the same array, changed. The line at the top of the window stays there, unless it is the first. */
  show(rows: readonly Row[], looks: Looks): void {
    const before = this.isScrolled ? this.#first() : null;
    this.#rows = rows;
    this.#looks = looks;
    this.draw();
    if (before === null) return;
    const at = indexNear(rows, before.id, before.index);
    const moved = at === -1 ? 0 : (at - before.index) * this.#height;
    if (moved === 0) return;
    this.#scroller.scrollTop += moved;
    this.draw();
  }

  /**
   * After the reader scrolled, puts lines into the document where few are left. Returns whether the next frame must add more, and
   * the number of lines that are loaded below.
   */
  scrolled(): { isMore: boolean; below: number } {
    const { first, last } = this.#inWindow();
    const { from, to } = this.#range;
    const isJump = last < from || first >= to;
    if (isJump || this.#hasFewLeft()) this.draw(isJump ? BEYOND_JUMP : BEYOND);
    return { isMore: isJump && this.#hasFewLeft(), below: this.#rows.length - this.#range.to };
  }

  /** The heights are measured again, as the window has another size. */
  resized(): void {
    this.#isMeasured = false;
    this.draw();
  }

  /** Puts the lines near the window into the document, with so many beyond each edge. */
  draw(beyond = BEYOND): void {
    const { first, last } = this.#inWindow();
    const from = Math.max(0, Math.min(first - beyond, this.#rows.length));
    const to = Math.min(this.#rows.length, last + 1 + beyond);
    this.#range = { from, to };
    const shown = this.#rows.slice(from, to);
    this.#shown = shown;
    this.#drop(new Set(shown.map(({ id }) => id)));
    for (const [index, row] of shown.entries()) {
      const { item } = this.#fill(row, from + index);
      const there = this.element.children[index];
      if (there !== item) this.element.insertBefore(item, there ?? null);
    }
    this.element.style.paddingBlock = `${from * this.#height}px ${(this.#rows.length - to) * this.#height}px`;
    if (!this.#isMeasured) this.#measure();
  }

  /** Scrolls until a line is in the window, and returns its link. */
  reveal(index: number): HTMLAnchorElement | undefined {
    const top = this.#offset() + index * this.#height;
    const { scrollTop, clientHeight } = this.#scroller;
    if (top < scrollTop) this.#scroller.scrollTop = top;
    else if (top + this.#height > scrollTop + clientHeight) {
      this.#scroller.scrollTop = top + this.#height - clientHeight;
    }
    this.draw();
    return this.link(this.#rows[index]?.id ?? "");
  }

  /** The line at the top of the window, else the one nearest to it in the document; null for none. */
  #first(): { id: string; index: number } | null {
    const { from, to } = this.#range;
    const index = Math.max(from, Math.min(this.#indexAt(this.#scroller.scrollTop), to - 1));
    const row = this.#shown[index - from];
    return row === undefined ? null : { id: row.id, index };
  }

  /** Whether fewer lines are left beyond an edge of the window than a reader scrolls past before the next frame. */
  #hasFewLeft(): boolean {
    const { first, last } = this.#inWindow();
    const { from, to } = this.#range;
    return (
      (from > 0 && first - from < FEWEST_BEYOND) || (to < this.#rows.length && to - last < FEWEST_BEYOND)
    );
  }

  /** The places of the first and the last line in the window, as if the list went on. */
  #inWindow(): { first: number; last: number } {
    const { scrollTop, clientHeight } = this.#scroller;
    return { first: this.#indexAt(scrollTop), last: this.#indexAt(scrollTop + clientHeight) };
  }

  #offset(): number {
    return this.element.offsetTop - this.#scroller.offsetTop;
  }

  #indexAt(px: number): number {
    return Math.max(0, Math.floor((px - this.#offset()) / this.#height));
  }

  #drop(kept: ReadonlySet<string>): void {
    const focused = this.focused;
    for (const [id, { item }] of this.#drawn) {
      if (kept.has(id)) continue;
      // The keys go on working from the list itself.
      if (id === focused) this.#scroller.focus({ preventScroll: true });
      item.remove();
      this.#drawn.delete(id);
    }
  }

  /** Makes or updates a line. The element of a mail stays the same, so the focus stays on it. */
  #fill(row: Row, index: number): Drawn {
    const isNew = this.#looks.isNew(row);
    const known = this.#drawn.get(row.id);
    const link = known?.link ?? make("a", { "data-id": row.id });
    const item = known?.item ?? make("li", {}, link);
    if (known?.row !== row || known.isNew !== isNew) fillRow(item, link, row, isNew);
    const isCurrent = row.id === this.#looks.current;
    const size = this.#looks.isWhole ? this.#rows.length : -1;
    const written = `${isCurrent} ${index} ${size}`;
    if (known?.written !== written) {
      if (isCurrent) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
      item.setAttribute("aria-posinset", String(index + 1));
      item.setAttribute("aria-setsize", String(size));
    }
    const drawn = { item, link, row, isNew, written };
    this.#drawn.set(row.id, drawn);
    return drawn;
  }

  #measure(): void {
    const height = this.element.firstElementChild?.getBoundingClientRect().height ?? 0;
    // Nothing is measured while the list is not shown.
    if (height === 0) return;
    this.#isMeasured = true;
    if (height === this.#height) return;
    this.#height = height;
    this.draw();
  }
}

/** The place of a line that stood at `near`: it is looked for from there in both directions. -1 if it is gone. */
function indexNear(rows: readonly Row[], id: string, near: number): number {
  for (let away = 0; away <= Math.max(near, rows.length - near); away += 1) {
    if (rows[near - away]?.id === id) return near - away;
    if (rows[near + away]?.id === id) return near + away;
  }
  return -1;
}
