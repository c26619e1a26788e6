import { accessSync, constants } from "node:fs";
import path from "node:path";

/** The path of a program: what a variable of the environment says, or the first of its names on PATH; null: there is none. */
export function findProgram(variable: string, names: readonly string[]): string | null {
  // The Worker's types leave out what is not among its variables.
  const named: string | undefined = Reflect.get(process.env, variable);
  if (named) return named;
  const folders = (process.env.PATH ?? "").split(path.delimiter);
  const places = names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  return places.find(isProgram) ?? null;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
