import { MailkeepError } from "./error.ts";

/** A listing: await it for its first page, or iterate over its items or its pages. Further pages are read when they are needed. */
export interface Listing<Page, Item> extends Promise<Page>, AsyncIterable<Item> {
  /** The pages, each as the service answers it. */
  pages(): AsyncGenerator<Page, void, undefined>;
}

interface AnyPage {
  next_cursor: string | null;
  [items: string]: unknown;
}

/** The listing whose pages `read` answers: the first without a cursor. `items` is the member of a page that has its items. */
export function pagesFrom(
  items: string,
  read: (cursor: string | null) => Promise<AnyPage>,
): Listing<AnyPage, unknown> {
  const first = read(null);
  async function* pages(): AsyncGenerator<AnyPage, void, undefined> {
    let page = await first;
    for (;;) {
      yield page;
      const { next_cursor: cursor } = page;
      if (cursor === null) return;
      page = await read(cursor);
      if (page.next_cursor === cursor) throw endless();
    }
  }
  async function* each(): AsyncGenerator<unknown, void, undefined> {
    for await (const page of pages()) yield* page[items] as unknown[];
  }
  return Object.assign(first, { pages, [Symbol.asyncIterator]: each });
}

function endless(): MailkeepError {
  return new MailkeepError({
    status: 200,
    code: "bad_answer",
    message: "The cursor of a page leads to the same page",
  });
}
