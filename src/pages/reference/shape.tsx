import { shapeName, variantsOf, type Schema } from "./document.ts";

/** Deeper properties are named by their type only. */
const MAX_DEPTH = 4;

interface Row {
  /** The property with the names above it: `items[].price`. */
  name: string;
  schema: Schema;
  isRequired: boolean;
}

/** Shows a schema: its properties as a table, or its type where it has none. */
export function Shape({ schema }: { schema: Schema }) {
  const variants = variantsOf(schema).filter(({ properties }) => properties !== undefined);
  if (variants.length > 1) {
    return (
      <>
        <p>One of:</p>
        {variants.map((variant) => (
          <Properties schema={variant} />
        ))}
      </>
    );
  }
  const rows = rowsOf(schema, "", 0);
  return rows.length === 0 ? (
    <p>
      <Type schema={schema} />
    </p>
  ) : (
    <Properties schema={schema} />
  );
}

function Properties({ schema }: { schema: Schema }) {
  return (
    <dl class="properties">
      {rowsOf(schema, "", 0).map(({ name, schema: property, isRequired }) => (
        <Property name={name} schema={property} isRequired={isRequired} />
      ))}
    </dl>
  );
}

/** One name with its type, and what is said of it. */
export function Property(property: Row & { about?: string; data?: Record<string, string | undefined> }) {
  const { name, schema, isRequired, about = schema.description, data = {} } = property;
  const notes = [data["data-in"] ?? "", ...limitsOf(schema)].filter((note) => note !== "").join(", ");
  return (
    <div {...data}>
      <dt>
        <code class="break">{name}</code> {isRequired && <span class="small">required</span>}
      </dt>
      <dd>
        <span class="mono small muted break">
          <Type schema={schema} />
        </span>
        {notes !== "" && <span class="small muted"> · {notes}</span>}
        {about !== undefined && (
          <p>
            <Prose text={about} />
          </p>
        )}
      </dd>
    </div>
  );
}

/** Text of the document: what stands between backticks is code. */
export function Prose({ text }: { text: string }) {
  return (
    <>{text.split("`").map((part, index) => (index % 2 === 0 ? part : <code class="break">{part}</code>))}</>
  );
}

function rowsOf(schema: Schema, prefix: string, depth: number): Row[] {
  return variantsOf(schema).flatMap(({ properties = {}, required = [], items }) => [
    ...Object.entries(properties).flatMap(([name, property]) => [
      { name: `${prefix}${name}`, schema: property, isRequired: required.includes(name) },
      ...(depth < MAX_DEPTH ? rowsOf(property, `${prefix}${name}.`, depth + 1) : []),
    ]),
    ...(items === undefined ? [] : rowsOf(items, `${prefix.replace(/\.$/, "")}[].`, depth + 1)),
  ]);
}

/** The type in TypeScript's spelling; named shapes are links. */
function Type({ schema }: { schema: Schema }) {
  const parts = typesOf(schema);
  return (
    <>
      {parts.map((part, index) => (
        <>
          {index > 0 && " | "}
          {part.link === null ? part.text : <a href={`#shape-${part.link}`}>{part.text}</a>}
        </>
      ))}
    </>
  );
}

interface TypeName {
  text: string;
  /** The shape that it names. */
  link: string | null;
}

function typesOf(schema: Schema): TypeName[] {
  const name = shapeName(schema);
  if (name !== null) return [{ text: name, link: name }];
  const variants = variantsOf(schema);
  if (variants.length > 1) return unique(variants.flatMap(typesOf));
  const plain = (text: string): TypeName => ({ text, link: null });
  if (schema.const !== undefined) return [plain(JSON.stringify(schema.const))];
  if (schema.enum !== undefined) return schema.enum.map((value) => plain(JSON.stringify(value)));
  if (schema.items !== undefined)
    return typesOf(schema.items).map(({ text, link }) => ({ text: `${text}[]`, link }));
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? "any"];
  return types.map((type) => plain(type === "string" && schema.format !== undefined ? schema.format : type));
}

const unique = (types: TypeName[]): TypeName[] => [
  ...new Map(types.map((type) => [type.text, type])).values(),
];

/** States the limits of a value in words; "" for those that it does not have. */
function limitsOf(schema: Schema): string[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  return [
    range(minimum, maximum, ""),
    range(minLength, maxLength, " characters"),
    range(minItems, maxItems, " items"),
    schema.default === undefined ? "" : `default ${JSON.stringify(schema.default)}`,
  ];
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  // JSON Schema states the limits of exact integers, which tell a reader nothing.
  const top = most === Number.MAX_SAFE_INTEGER ? undefined : most;
  const bottom = least === Number.MIN_SAFE_INTEGER ? undefined : least;
  if (top === undefined) return bottom === undefined ? "" : `at least ${bottom}${unit}`;
  return bottom === undefined ? `at most ${top}${unit}` : `${bottom} to ${top}${unit}`;
}
