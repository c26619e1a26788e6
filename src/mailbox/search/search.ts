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
import type { Account } from "../account/account.ts";
import { spentCalls } from "../account/call-limits.ts";
import type { MailboxContext } from "../context.ts";
import { writeCursor } from "../page.ts";
import type { Embeddings } from "../embeddings/embeddings.ts";
import type { Reach } from "../embeddings/vector-search.ts";
import { viewOf, type JsonText, type View } from "../messages/present.ts";
import { MESSAGES } from "../messages/schema.ts";
import { seqScan } from "../reading/message-scan.ts";
import type { SearchIndex } from "../messages/search-index.ts";
import type { PageCache } from "../reading/page-cache.ts";
import { gathered, inTurns, type ScanCall, type Scans, type Turns } from "../turns.ts";
import type { Outbox } from "../sending/outbox.ts";
import type { Sought } from "./matches.ts";
import { inRanges, rangeWidth, scanWithin } from "./ranges.ts";
import { isTooBroad, MAX_RANKED, Ranking } from "./ranking.ts";
import * as statements from "./rows.ts";
import type { RankedHit, SearchHit } from "./rows.ts";
import {
  cutHint,
  hasOperator,
  hasWords,
  hitText,
  MAX_WORD_CANDIDATES,
  MEANING_DEPTH,
  queryHints,
  readSearch,
  soughtOf,
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
  /** Whether the search writes no rows (`inRanges`), so that a statement of a large mailbox may take long. */
  isReadOnly?: boolean;
  /** `forgetWait` ends the search with this id. */
  waitId?: string;
}

/** Searches emails by words, by meaning or by both. */
export class Search {
  readonly #context: MailboxContext;
  readonly #tables: Tables;
  readonly #embeddings: Embeddings;
  readonly #outbox: Outbox;
  readonly #pages: PageCache;
  readonly #index: SearchIndex;
  readonly #scans: Scans;
  readonly #modelCalls = new TokenBucket();

  constructor(
    context: MailboxContext,
    others: {
      embeddings: Embeddings;
      outbox: Outbox;
      pages: PageCache;
      searchIndex: SearchIndex;
      scans: Scans;
    },
  ) {
    this.#scans = others.scans;
    this.#index = others.searchIndex;
    this.#context = context;
    this.#tables = context.tables(MESSAGES);
    this.#embeddings = others.embeddings;
    this.#outbox = others.outbox;
    this.#pages = others.pages;
  }

  /**
   * Searches by the requested mode; by words if no model is configured or the model does not answer. 429 if too many searches
   * wait for their turn.
   */
  search(
    access: Access,
    filters: InboxFilters,
    request: SearchRequest,
  ): Promise<Answer<JsonText<SearchPage>>> {
    return this.#scans.call(request.waitId ?? "", (scan) => this.#search(access, filters, request, scan));
  }

  async #search(
    access: Access,
    filters: InboxFilters,
    { text, mode, note = "", isReadOnly = false }: SearchRequest,
    scan: ScanCall,
  ): Promise<Answer<JsonText<SearchPage>>> {
    const nearness = await this.#nearness(access, text, mode);
    if (!nearness.ok) return nearness;
    const { meaning } = nearness.value;
    const hint = joined([nearness.value.hint, note, ...queryHints(text)]);
    const options = { text, mode, hint, isReadOnly };
    if (meaning !== null) {
      return this.#queued(access, scan, () =>
        this.#searchByMeaning(access, filters, { ...options, meaning }, scan),
      );
    }
    const name = `search ${JSON.stringify([filters, text, hint])}`;
    const find = () =>
      inTurns(
        this.#context,
        access,
        (account) => {
          this.#index.complete();
          return this.#pages.read(name, () => this.#searchPage(viewOf(account), filters, options));
        },
        { scan },
      );
    return this.#pages.has(name) ? find() : this.#queued(access, scan, find);
  }

  /** Searches when it is the turn of this search; before that, only its caller is judged. */
  async #queued<T>(access: Access, scan: ScanCall, search: () => Promise<Answer<T>>): Promise<Answer<T>> {
    const admitted = this.#context.admit(access);
    return admitted.ok ? this.#scans.run(scan, search) : admitted;
  }

  /** Other calls run during the comparison, so the caller is authenticated again afterwards. */
  async #searchByMeaning(
    access: Access,
    filters: InboxFilters,
    options: SearchOptions & { meaning: Meaning },
    scan: ScanCall,
  ): Promise<Answer<JsonText<SearchPage>>> {
    const { meaning } = options;
    const plan = (account: Account) => {
      // Here and not earlier: the first mail may have come while the model embedded the text.
      this.#index.complete();
      return this.#planMeaning(viewOf(account), filters, { ...options, reach: meaning });
    };
    const planned = await inTurns(this.#context, access, plan, { scan });
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
  *#searchPage(
    view: View,
    filters: InboxFilters,
    options: SearchOptions,
  ): Turns<Answer<JsonText<SearchPage>>> {
    const read = this.#read(view, filters, options);
    if (!read.ok) return read;
    const { query, selection } = read.value;
    const found = yield* this.#find(query, selection);
    const { hint } = options;
    return done(
      this.#pageText(view, read.value, { ...found, hits: this.#hitRows(found.hits), mode: "keyword", hint }),
    );
  }

  #read(view: View, filters: InboxFilters, options: SearchOptions): Answer<Asked> {
    return readSearch(view, filters, options, (prefixes) => isTooBroad(this.#tables, prefixes));
  }

  /**
   * Chooses the candidates of a search by meaning, or by words and meaning. The text has words. Filters and exclusions
   * apply as in a search by words. If there are more candidates than can be compared, the newest and the best by words are
   * taken, and a hint says so.
   */
  *#planMeaning(
    view: View,
    filters: InboxFilters,
    { reach, ...options }: SearchOptions & { reach: Reach },
  ): Turns<Answer<MeaningSearch>> {
    const read = this.#read(view, filters, options);
    if (!read.ok) return read;
    const { mode, hint } = options;
    const { query, selection } = read.value;
    const sought = soughtOf(query, selection);
    const { maxCandidates } = reach;
    const [, maxSeq] = selection.params;
    const isFiltered = sought?.isPlain !== true || query.without !== null;
    const among = isFiltered
      ? yield* this.#filtered(query, selection, { max: maxSeq, limit: maxCandidates + 1 })
      : null;
    const isCut = among === null ? !reach.isWhole : among.length > maxCandidates;
    const found = yield* this.#best(
      sought,
      isCut ? MAX_WORD_CANDIDATES : mode === "semantic" ? 0 : MEANING_DEPTH,
    );
    const besides = isCut ? found : [];
    return done({
      asked: read.value,
      candidates: { limit: MEANING_DEPTH, maxSeq, among: among?.slice(0, maxCandidates) ?? null, besides },
      found,
      mode,
      hint: isCut ? joined([hint, cutHint(maxCandidates, isFiltered)]) : hint,
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
      hits: this.#hitRows(
        ordered.slice(offset, offset + limit).map(({ id: seq, score }) => ({ seq, score })),
      ),
      isRanked: true,
      mode,
      hint,
    });
  }

  #pageText(
    view: View,
    asked: Asked,
    found: { hits: readonly SearchHit[]; isRanked: boolean; mode: string; hint: string },
  ): JsonText<SearchPage> {
    const { query, selection } = asked;
    const { hits } = found;
    const perPage = selection.limit - 1;
    const shown = hits.slice(0, perPage);
    const unsent = this.#outbox.unsentAmong(shown);
    const hints = joined([found.hint, asked.hint, unsent.size === 0 ? "" : UNSENT_HINT]);
    const hint = hints === "" ? "" : `"hint":${JSON.stringify(hints)},`;
    const next = hits.length > perPage ? JSON.stringify(cursorAfter(shown, asked, found.isRanked)) : "null";
    const emails = shown.map((hit) => hitText(hit, view, query.terms, unsent.has(hit.seq))).join(",");
    return `{"emails":[${emails}],"search_mode":"${found.mode}",${hint}"next_cursor":${next}}`;
  }

  /** The rows of the messages found, in the same order. */
  #hitRows(found: readonly RankedHit[]): SearchHit[] {
    const rows = this.#tables.all(statements.READ_HITS, JSON.stringify(found.map(({ seq }) => seq)));
    const bySeq = new Map(rows.map((row) => [row.seq, row]));
    return found.flatMap(({ seq, score }) => {
      const row = bySeq.get(seq);
      return row === undefined ? [] : [{ ...row, score }];
    });
  }

  /** The hits of a page and one more. */
  *#find(query: SearchQuery, selection: Selection): Turns<Found> {
    const { labels, limit, offset, below } = selection;
    const [, maxSeq] = selection.params;
    const sought = soughtOf(query, selection);
    if (sought === null) {
      if (!hasOperator(query) && labels.length === 0) return { hits: [], isRanked: false };
      const max = below === null ? maxSeq : below - 1;
      const seqs = yield* this.#filtered(query, selection, { max, limit, offset });
      return { hits: seqs.map((seq) => ({ seq, score: 0 })), isRanked: false };
    }
    const ranking = this.#ranking(sought, MAX_RANKED);
    if (below !== null) return { hits: yield* ranking.older(below, limit, 0), isRanked: false };
    const { best, oldest } = yield* ranking.ranked(offset + limit);
    const hits = best.slice(offset, offset + limit);
    if (oldest === null || hits.length === limit) return { hits, isRanked: true };
    const skip = Math.max(0, offset - best.length);
    const older = yield* ranking.older(oldest, limit - hits.length, skip);
    return { hits: [...hits, ...older], isRanked: older.length < 2 };
  }

  /** The best matches by words. */
  *#best(sought: Sought | null, limit: number): Turns<Seq[]> {
    if (sought === null || limit === 0) return [];
    const { best } = yield* this.#ranking(sought, MAX_WORD_CANDIDATES).ranked(limit);
    return best.slice(0, limit).map(({ seq }) => seq);
  }

  #ranking(sought: Sought, most: number): Ranking {
    return new Ranking(this.#tables, this.#index, sought, most);
  }

  /** Messages that pass the filters and operators and are not left out, newest first. */
  #filtered(
    query: SearchQuery,
    { params, labels, mails }: Selection,
    range: { max: Seq; limit: number; offset?: number },
  ): Turns<Seq[]> {
    const [label = null, ...moreLabels] = labels;
    const wanted = wantedOf(query, moreLabels);
    const { without, phrases } = query;
    const [min, ...others] = params;
    const scanFrom = (from: Seq) =>
      seqScan(this.#tables, { params: [from, ...others], wanted, label, without, isHiddenShown: true });
    if (without === null) return gathered(scanFrom(min), range);
    const asked = { min, width: rangeWidth(phrases, mails), texts: [without] };
    return gathered(scanWithin(inRanges(this.#tables, this.#index, asked), scanFrom), range);
  }
}

/** The hits of a page and one more; whether the last of the page has a rank. */
interface Found {
  hits: readonly RankedHit[];
  isRanked: boolean;
}

function cursorAfter(shown: readonly SearchHit[], { selection, newest }: Asked, isRanked: boolean): string {
  const offset = isRanked ? selection.offset + shown.length : 0;
  return writeCursor(newest, offset, isRanked ? 0 : (shown.at(-1)?.seq ?? 0));
}

/** Joins hints that are not empty. */
function joined(hints: readonly string[]): string {
  return hints.filter((hint) => hint !== "").join(". ");
}
