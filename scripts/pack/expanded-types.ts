import path from "node:path";
import { API, TypeFlags } from "typescript/unstable/sync";
import type { Checker, Symbol, Type } from "typescript/unstable/sync";

/** Shapes deeper than this repeat themselves. */
const MAX_DEPTH = 20;
/** A shape that occurs again gets a name of its own if it is at least so long. */
const MIN_NAMED_CHARS = 80;
const NO_TRUNCATION = 1;
/** An optional member. */
const OPTIONAL = 1 << 24;

/**
 * The types that a module exports, written out without any other module: the declarations of a client must not need the
 * schemas that its types are computed from.
 *
 * @param tsconfig absolute path of a configuration whose program holds the module.
 * @param file absolute path of the module. It exports types without parameters, and nothing else.
 */
export function expandedTypes(tsconfig: string, file: string): string {
  const api = new API({ cwd: path.dirname(tsconfig) });
  try {
    const project = api.updateSnapshot({ openProject: tsconfig }).getProject(tsconfig);
    const source = project?.program.getSourceFile(file);
    if (project === undefined || source === undefined) throw new Error(`${file} is not part of ${tsconfig}`);
    const module = project.checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${file} exports nothing`);
    const writer = new TypeWriter(project.checker);
    for (const symbol of project.checker.getExportsOfModule(module)) {
      const comment = project.checker.getDocumentationCommentOfSymbol(symbol);
      writer.add(symbol.name, project.checker.getDeclaredTypeOfSymbol(symbol), comment);
    }
    return writer.text();
  } finally {
    api.close();
  }
}

/** The members of an object. */
interface Shape {
  text: string;
  /** How often it occurs. */
  count: number;
  /** The name that its first place suggests. */
  name: string;
}

const MARK = /<#(\d+)>/g;
const isNamed = ({ count, text }: Shape): boolean => count > 1 && text.length >= MIN_NAMED_CHARS;

/** Writes types by their structure. Shapes that occur more than once get names. */
class TypeWriter {
  readonly #checker: Checker;
  readonly #exports: { name: string; text: string; comment: string }[] = [];
  /** In a text, `<#3>` stands for the fourth of these. */
  readonly #shapes: Shape[] = [];

  constructor(checker: Checker) {
    this.#checker = checker;
  }

  add(name: string, type: Type, comment: string): void {
    this.#exports.push({ name, text: this.#write(type, [name]), comment });
  }

  text(): string {
    const exported = this.#exports.map(({ name, text, comment }) => {
      const doc = comment === "" ? "" : `/** ${comment.replaceAll(/\s+/g, " ")} */\n`;
      return `${doc}export type ${name} = ${this.#resolved(text)};`;
    });
    const named = this.#shapes.filter((shape) => isNamed(shape));
    const shapes = named.map(({ name, text }) => `interface ${name} ${this.#resolved(text)}`);
    return `${[...exported, ...shapes].join("\n\n")}\n`;
  }

  /** A text whose marks are replaced by the shapes they stand for, or by their names. */
  #resolved(text: string): string {
    return text
      .split("\n")
      .map((line) => {
        const [indent = ""] = /^ */.exec(line) ?? [];
        return line.replaceAll(MARK, (_, index: string) => {
          const shape = this.#shapes[Number(index)];
          if (shape === undefined) throw new Error(`There is no shape ${index}`);
          return isNamed(shape) ? shape.name : this.#resolved(shape.text).replaceAll("\n", `\n${indent}`);
        });
      })
      .join("\n");
  }

  #write(type: Type, place: readonly string[]): string {
    if (place.length > MAX_DEPTH) throw new Error(`${place.join(".")} contains itself`);
    if (type.isUnionType()) return this.#writeUnion(type.getTypes(), place);
    if (!(type.flags & TypeFlags.Object) && !type.isIntersectionType()) return this.#plain(type);
    if (this.#checker.isArrayType(type)) return this.#writeArray(type, place);
    return this.#isOwnShape(type) ? this.#writeObject(type, place) : this.#plain(type);
  }

  /** As TypeScript itself prints it: a primitive, a literal, or a type that every runtime has, such as `Date`. */
  #plain(type: Type): string {
    const text = this.#checker.typeToString(type, undefined, NO_TRUNCATION);
    if (!PLAIN.test(text)) throw new Error(`The type ${text} cannot be written out`);
    return text;
  }

  #writeUnion(parts: readonly Type[], place: readonly string[]): string {
    const texts = new Set(parts.map((part) => this.#write(part, place)));
    if (texts.delete("true") && texts.delete("false")) texts.add("boolean");
    const rank = (text: string): number => ["null", "undefined"].indexOf(text);
    return [...texts].toSorted((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1)).join(" | ");
  }

  #writeArray(type: Type, place: readonly string[]): string {
    if (!type.isTypeReference()) throw new Error(`${place.join(".")}: a list without entries`);
    const [entry] = this.#checker.getTypeArguments(type);
    if (entry === undefined) throw new Error(`${place.join(".")}: a list without entries`);
    const text = this.#write(entry, place);
    const prefix = type.getSymbol()?.name === "ReadonlyArray" ? "readonly " : "";
    return text.includes(" | ") && !text.startsWith("{") ? `${prefix}(${text})[]` : `${prefix}${text}[]`;
  }

  /** Whether a type is made of members, and is not a class of the runtime. */
  #isOwnShape(type: Type): boolean {
    const name = type.getSymbol()?.name ?? "";
    return type.isIntersectionType() || !RUNTIME_TYPES.has(name);
  }

  #writeObject(type: Type, place: readonly string[]): string {
    const indexes = this.#checker.getIndexInfosOfType(type).map((index) => {
      const [key, value] = [this.#write(index.keyType, place), this.#write(index.valueType, place)];
      return `[name: ${key}]: ${value};`;
    });
    const members = this.#checker
      .getPropertiesOfType(type)
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
      .map((member) => this.#writeMember(member, place));
    const lines = [...indexes, ...members];
    if (lines.length === 0) return "{}";
    const text = `{\n${lines.map((line) => line.replaceAll(/^/gm, "  ")).join("\n")}\n}`;
    return this.#counted(text, place);
  }

  #writeMember(member: Symbol, place: readonly string[]): string {
    const type = this.#checker.getTypeOfSymbol(member);
    if (type === undefined) throw new Error(`${place.join(".")}.${member.name} has no type`);
    const name = /^[A-Za-z_]\w*$/.test(member.name) ? member.name : JSON.stringify(member.name);
    return `${name}${member.flags & OPTIONAL ? "?" : ""}: ${this.#write(type, [...place, member.name])};`;
  }

  /** The mark of a shape, the same for an equal one. */
  #counted(text: string, place: readonly string[]): string {
    const known = this.#shapes.findIndex((shape) => shape.text === text);
    const shape = this.#shapes[known];
    if (shape !== undefined) shape.count += 1;
    const index =
      shape === undefined ? this.#shapes.push({ text, count: 1, name: this.#freeName(place) }) - 1 : known;
    return `<#${index}>`;
  }

  #freeName(place: readonly string[]): string {
    const [root = "", ...inside] = place;
    const words = (inside.length === 0 ? [root, "members"] : inside).map((word) =>
      word.replaceAll(/(?:^|[^A-Za-z0-9])([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    );
    const name = words.join("").replaceAll(/[^A-Za-z0-9]/g, "");
    const taken = new Set(this.#shapes.map((shape) => shape.name));
    if (!taken.has(name)) return name;
    for (let number = 2; ; number += 1) if (!taken.has(`${name}${number}`)) return `${name}${number}`;
  }
}

/** Classes that are there in every runtime. */
const RUNTIME_TYPES: ReadonlySet<string> = new Set(["Date"]);
/** Primitives, literals and the classes above. */
const PLAIN =
  /^(?:string|number|boolean|null|undefined|unknown|never|object|true|false|Date|-?\d+|".*"|`.*`)$/s;
