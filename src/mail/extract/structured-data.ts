import { OpenElements, type OpenElement } from "../text/html-elements.ts";
import { TagReader } from "../text/tag-reader.ts";
import { thingsInJson } from "./json-ld.ts";
import { MAX_HTML_CHARS } from "./mail-text.ts";
import { localName, type Thing, type Value } from "./schema-org.ts";

/** Items of microdata; a mail describes one order or trip. */
const MAX_ITEMS = 1_000;
/** Properties whose text is gathered at once: they may lie in one another. */
const MAX_OPEN_TEXTS = 16;
/** Characters of the text of one property. */
const MAX_TEXT_CHARS = 1_000;

/** The things of schema.org that the HTML of a mail describes. */
interface StructuredData {
  jsonld: Thing[];
  microdata: Thing[];
}

/** Reads the JSON-LD (a script element each) and the microdata (HTML §5) of a mail. Linear in the input. */
export function structuredData(html: string): StructuredData {
  const read = html.slice(0, MAX_HTML_CHARS);
  if (!/ld\+json|itemscope/i.test(read)) return { jsonld: [], microdata: [] };
  return new StructuredDataReader(read).read();
}

interface OpenItem extends Thing {
  types: string[];
  properties: Map<string, Value[]>;
}

/** An item, or the text of a property, that ends where its element ends. */
interface Scope {
  item: OpenItem | null;
  text: { owner: OpenItem; names: readonly string[]; value: string } | null;
}

/** The attribute that is the value of a property on an element of this name; of others it is their text. */
const VALUE_ATTRIBUTES: ReadonlyMap<string, string> = new Map([
  ["meta", "content"],
  ["a", "href"],
  ["link", "href"],
  ["area", "href"],
  ["img", "src"],
  ["time", "datetime"],
  ["data", "value"],
  ["meter", "value"],
]);

class StructuredDataReader extends TagReader {
  readonly #elements = new OpenElements();
  readonly #scopes = new Map<OpenElement, Scope>();
  readonly #items: OpenItem[] = [];
  readonly #found: StructuredData = { jsonld: [], microdata: [] };
  #itemCount = 0;
  #openTexts: { value: string }[] = [];
  #script: string[] | null = null;

  read(): StructuredData {
    this.readTokens();
    return this.#found;
  }

  protected override text(text: string): void {
    if (this.#script !== null) this.#script.push(text);
    for (const open of this.#openTexts) {
      if (open.value.length < MAX_TEXT_CHARS) open.value += text.slice(0, MAX_TEXT_CHARS);
    }
  }

  protected override startTag(): void {
    const element = this.#elements.open(this.tag, this.attributes, this.#onEnd);
    const isJsonLd =
      this.tag === "script" && /^\s*application\/ld\+json/i.test(this.attributes.get("type") ?? "");
    if (isJsonLd) this.#script = [];
    if (this.attributes.has("itemscope") || this.attributes.has("itemprop")) this.#property(element);
  }

  protected override endTag(name: string): void {
    this.#elements.close(name, this.#onEnd);
  }

  #property(element: OpenElement): void {
    const owner = this.#items.at(-1);
    const names = words(this.attributes.get("itemprop")).map(localName);
    const item = this.attributes.has("itemscope") ? this.#openItem(owner, names) : null;
    if (item !== null) {
      this.#items.push(item);
      this.#scopes.set(element, { item, text: null });
      return;
    }
    if (owner === undefined || this.attributes.has("itemscope")) return;
    const value = this.attributes.get(VALUE_ATTRIBUTES.get(element.name) ?? "content");
    if (value !== undefined) add(owner, names, value);
    else if (this.#openTexts.length < MAX_OPEN_TEXTS) {
      const text = { owner, names, value: "" };
      this.#openTexts.push(text);
      this.#scopes.set(element, { item: null, text });
    }
  }

  #openItem(owner: OpenItem | undefined, names: readonly string[]): OpenItem | null {
    this.#itemCount += 1;
    if (this.#itemCount > MAX_ITEMS) return null;
    const types = words(this.attributes.get("itemtype")).map(localName);
    const item: OpenItem = { types, properties: new Map() };
    if (owner === undefined || names.length === 0) this.#found.microdata.push(item);
    else add(owner, names, item);
    return item;
  }

  readonly #onEnd = (ended: OpenElement): void => {
    if (ended.name === "script" && this.#script !== null) {
      this.#found.jsonld.push(...thingsInJson(this.#script.join("")));
      this.#script = null;
    }
    const scope = this.#scopes.get(ended);
    if (scope === undefined) return;
    this.#scopes.delete(ended);
    if (scope.item !== null) this.#items.splice(this.#items.lastIndexOf(scope.item));
    const { text } = scope;
    if (text === null) return;
    this.#openTexts = this.#openTexts.filter((open) => open !== text);
    add(text.owner, text.names, text.value);
  };
}

/** The words of an attribute, each once. */
const words = (list = ""): string[] => [...new Set(list.split(/\s+/).filter((word) => word !== ""))];

function add(owner: OpenItem, names: readonly string[], value: Value): void {
  for (const name of names) {
    const values = owner.properties.get(name);
    if (values === undefined) owner.properties.set(name, [value]);
    else values.push(value);
  }
}
