import type { Api } from "../client/api.ts";
import type { Flag } from "./command.ts";
import { OPERATIONS, type Field, type NamedRoute } from "./operations.ts";
import { instantOf } from "./time.ts";

/** The name of a parameter as a flag: `has_attachment` is `--has-attachment`. */
export function kebab(name: string): string {
  return name.replaceAll("_", "-");
}

/** The flags of an endpoint's parameters, and how their values become parameters again. */
export interface RouteFlags<Parameters> {
  flags: Record<string, Flag>;
  read: (values: Readonly<Record<string, unknown>>) => Partial<Parameters>;
}

/** The parameters in the query of an endpoint as flags, but for those of `without`. */
export function queryFlags<Id extends NamedRoute>(
  id: Id,
  without: readonly (keyof Api[Id]["query"])[] = [],
): RouteFlags<Api[Id]["query"]> {
  return flagsOf(OPERATIONS[id].query, without.map(String));
}

/** The members of the JSON body of an endpoint as flags, but for those of `without`. */
export function bodyFlags<Id extends NamedRoute>(
  id: Id,
  without: readonly (keyof Api[Id]["body"])[] = [],
): RouteFlags<Api[Id]["body"]> {
  return flagsOf(OPERATIONS[id].body, without.map(String));
}

function flagsOf<Parameters>(
  fields: Readonly<Record<string, Field>>,
  without: readonly string[],
): RouteFlags<Parameters> {
  const names = Object.keys(fields).filter((name) => !without.includes(name));
  return {
    flags: Object.fromEntries(
      names.map((name) => [kebab(name), fields[name] ?? { type: "text", about: "" }]),
    ),
    read: (values) => {
      const given = names.filter((name) => values[kebab(name)] !== undefined);
      return Object.fromEntries(
        given.map((name) => [name, parameterOf(name, values[kebab(name)])]),
      ) as Partial<Parameters>;
    },
  };
}

/** Parameters that are times. */
const TIMES: readonly string[] = ["since", "until", "expires_at"];

/** A parameter as the client takes it. */
function parameterOf(name: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (name === "types") return value.split(",");
  return TIMES.includes(name) ? instantOf(kebab(name), value, Date.now()) : value;
}
