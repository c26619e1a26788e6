import type { SearchPage } from "../../contract/message.ts";
import type { Answer } from "../../contract/problem.ts";
import type { InboxFilters } from "../../contract/routes.ts";
import { fused } from "../../embeddings/fusion.ts";
import type { Neighbour } from "../../embeddings/vectors.ts";
import type { Seq } from "../../lib/ids.ts";
import { done, refused } from "../../lib/outcome.ts";
import type { Tables } from "../../lib/schemas.ts";
import { TokenBucket } from "../../lib/token-bucket.ts";
import type { SearchQuery } from "../../mail/search/search-query.ts";
import { UNSENT_HINT } from "../../outbound/unsent.ts";
import type { Access } from "../account/access.ts";
import { spentCalls } from "../account/call-limits.ts";
import type { MailboxContext } from "../context.ts";
import { writeCursor } from "../page.ts";
import type { Embeddings } from "../embeddings/embeddings.ts";
import type { Reach } from "../embeddings/vector-search.ts";
import { viewOf, type JsonText, type View } from "../messages/present.ts";
import { MESSAGES } from "../messages/schema.ts";
import type { PageCache } from "../reading/page-cache.ts";
import type { Outbox } from "../sending/outbox.ts";
import * as statements from "./rows.ts";
import type { SearchHit } from "./rows.ts";
import {
  cutHint,
  hasOperator,
  hasWords,
  hitText,
  isPlain,
  MAX_WORD_CANDIDATES,
  MEANING_DEPTH,
  misreadHint,
  readSearch,
  wantedOf,
  type Asked,
  type Meaning,
  type MeaningSearch,
  type Nearness,
  type SearchOptions,
  type Selection,
} from "./rules.ts";

const BY_WORDS: Nearness = { meaning: null, hint: "" };
const WITHOUT_MODEL: Nearness = {
  meaning: null,
  hint: "No embedding model is configured, so results come from keywords",
};

/** A request to search. */
export interface SearchRequest {
  text: string;
  /** keyword, semantic or hybrid. */
  mode: string;
  /** A hint to add to the answer; "" for none. */
  note?: string;
}

/** Searches emails by words, by meaning or by both. */
export class Search {
  readonly #context: MailboxContext;
  readonly #tables: Tables;
  readonly #embeddings: Embeddings;
  readonly #outbox: Outbox;
  readonly #pages: PageCache;
  readonly #modelCalls = new TokenBucket();

  constructor(context: MailboxContext, others: { embeddings: Embeddings; outbox: Outbox; pages: PageCache }) {
    this.#context = context;
    this.#tables = context.tables(MESSAGES);
    this.#embeddings = others.embeddings;
    this.#outbox = others.outbox;
    this.#pages = others.pages;
  }

  /** Searches by the requested mode; by words if no model is configured or the model does not answer. */
  async search(
    access: Access,
    filters: InboxFilters,
    { text, mode, note = "" }: SearchRequest,
  ): Promise<Answer<JsonText<SearchPage>>> {
    const nearness = await this.#nearness(access, text, mode);
    if (!nearness.ok) return nearness;
    const { meaning } = nearness.value;
    const hint = [nearness.value.hint, note, misreadHint(text)].filter((part) => part !== "").join(". ");
    const options = { text, mode, hint };
    if (meaning !== null) return this.#searchByMeaning(access, filters, { ...options, meaning });
    return this.#context.answer(access, (account) => {
      const read = () => this.#searchPage(viewOf(account), filters, options);
      return this.#pages.read(`search ${JSON.stringify([filters, text, hint])}`, read);
    });
  }

  /** Other calls run during the comparison, so the caller is authenticated again afterwards. */
  async #searchByMeaning(
    access: Access,
    filters: InboxFilters,
    options: SearchOptions & { meaning: Meaning },
  ): Promise<Answer<JsonText<SearchPage>>> {
    const { meaning } = options;
    const planned = this.#context.answer(access, (account) =>
      this.#planMeaning(viewOf(account), filters, { ...options, reach: meaning }),
    );
    if (!planned.ok) return planned;
    const nearest = await meaning.nearest(planned.value.candidates);
    return this.#context.answer(access, (account) =>
      done(this.#meaningPage(viewOf(account), planned.value, nearest)),
    );
  }

  /** Embeds the text if the mode needs it. */
  async #nearness(access: Access, text: string, mode: string): Promise<Answer<Nearness>> {
    if (mode === "keyword") return done(BY_WORDS);
    if (!this.#embeddings.isOn) return done(WITHOUT_MODEL);
    if (!hasWords(text)) return done(BY_WORDS);
    // Only authorized callers may use the model.
    const admitted = this.#context.admit(access);
    if (!admitted.ok) return admitted;
    const limit = { name: "searches by meaning", limit: this.#context.config().modelSearchesPerMinute };
    const spent =
      access.credential.kind === "operator" ? null : spentCalls(this.#modelCalls, limit, this.#context.now());
    return spent === null ? done(await this.#embeddings.nearness(text)) : refused(spent);
  }

  /** Emails that match `text` and the filters, best first; newest first if the text has only operators. */
  #searchPage(
    view: View,
    filters: InboxFilters,
    { text, hint }: SearchOptions,
  ): Answer<JsonText<SearchPage>> {
    const read = readSearch(view, filters, text);
    if (!read.ok) return read;
    const { query, selection } = read.value;
    return done(
      this.#pageText(view, read.value, { hits: this.#findHits(query, selection), mode: "keyword", hint }),
    );
  }

  /**
   * Chooses the candidates of a search by meaning, or by words and meaning. The text has words. Filters and exclusions
   * apply as in a search by words. If there are more candidates than can be compared, the newest and the best by words are
   * taken, and a hint says so.
   */
  #planMeaning(
    view: View,
    filters: InboxFilters,
    { text, mode, hint, reach }: SearchOptions & { reach: Reach },
  ): Answer<MeaningSearch> {
    const read = readSearch(view, filters, text);
    if (!read.ok) return read;
    const { query, selection } = read.value;
    const { params, labels } = selection;
    const wanted = wantedOf(query, labels);
    const isPlainText = isPlain(selection, wanted);
    const { maxCandidates } = reach;
    const among =
      isPlainText && query.without === null
        ? null
        : this.#tables
            .all(statements.FILTER_SEQS, ...params, maxCandidates + 1, 0, ...wanted, query.without)
            .map(({ seq }) => seq);
    const isCut = among === null ? !reach.isWhole : among.length > maxCandidates;
    const depth = isCut ? MAX_WORD_CANDIDATES : mode === "semantic" ? 0 : MEANING_DEPTH;
    const found = depth === 0 ? [] : this.#ranked(query, selection, depth);
    const [, maxSeq] = params;
    return done({
      asked: read.value,
      candidates: {
        limit: MEANING_DEPTH,
        maxSeq,
        among: among?.slice(0, maxCandidates) ?? null,
        besides: isCut ? found : [],
      },
      found,
      mode,
      hint: [hint, isCut ? cutHint(maxCandidates, among !== null) : ""]
        .filter((part) => part !== "")
        .join(". "),
    });
  }

  /** The page of a search by meaning, made of the nearest candidates. */
  #meaningPage(
    view: View,
    { asked, found, mode, hint }: MeaningSearch,
    nearest: readonly Neighbour[],
  ): JsonText<SearchPage> {
    const { limit, offset } = asked.selection;
    const ordered =
      mode === "semantic"
        ? nearest
        : fused(
            found.slice(0, MEANING_DEPTH),
            nearest.map(({ id }) => id),
          );
    return this.#pageText(view, asked, {
      hits: this.#hitRows(ordered.slice(offset, offset + limit)),
      mode,
      hint,
    });
  }

  #pageText(
    view: View,
    { query, selection, newest }: Asked,
    found: { hits: readonly SearchHit[]; mode: string; hint: string },
  ): JsonText<SearchPage> {
    const { hits } = found;
    const perPage = selection.limit - 1;
    const shown = hits.slice(0, perPage);
    const unsent = this.#outbox.unsentAmong(shown);
    const hints = [found.hint, unsent.size === 0 ? "" : UNSENT_HINT].filter((hint) => hint !== "");
    const hint = hints.length === 0 ? "" : `"hint":${JSON.stringify(hints.join(". "))},`;
    const next =
      hits.length > perPage ? JSON.stringify(writeCursor(newest, selection.offset + perPage)) : "null";
    const emails = shown.map((hit) => hitText(hit, view, query.terms, unsent.has(hit.seq))).join(",");
    return `{"emails":[${emails}],"search_mode":"${found.mode}",${hint}"next_cursor":${next}}`;
  }

  /** Messages that match the words, best first. */
  #ranked(query: SearchQuery, selection: Selection, limit: number): Seq[] {
    const { params, labels } = selection;
    const [match, wanted] = [query.match ?? "", wantedOf(query, labels)];
    const [, maxSeq] = params;
    const found = isPlain(selection, wanted)
      ? this.#tables.all(statements.RANK_PLAIN, maxSeq, limit, 0, match)
      : this.#tables.all(statements.RANK_MESSAGES, ...params, limit, 0, ...wanted, match);
    return found.map(({ seq }) => seq);
  }

  /** The rows of the messages found, in the same order. */
  #hitRows(found: readonly Neighbour[]): SearchHit[] {
    const rows = this.#tables.all(statements.READ_HITS, JSON.stringify(found.map(({ id }) => id)));
    const bySeq = new Map(rows.map((row) => [row.seq, row]));
    return found.flatMap(({ id, score }) => {
      const row = bySeq.get(id);
      return row === undefined ? [] : [{ ...row, score }];
    });
  }

  #findHits(query: SearchQuery, selection: Selection): SearchHit[] {
    const { params, labels, limit, offset } = selection;
    const wanted = wantedOf(query, labels);
    if (query.match !== null && isPlain(selection, wanted)) {
      const [, maxSeq] = params;
      return this.#tables.all(statements.SEARCH_PLAIN, maxSeq, limit, offset, query.match);
    }
    if (query.match !== null) {
      return this.#tables.all(statements.SEARCH_MESSAGES, ...params, limit, offset, ...wanted, query.match);
    }
    return hasOperator(query) || labels.length > 0
      ? this.#tables.all(statements.FILTER_MESSAGES, ...params, limit, offset, ...wanted, query.without)
      : [];
  }
}
