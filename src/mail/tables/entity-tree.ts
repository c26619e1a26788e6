// Stands for a generated module of `entities`, of 14 KiB compressed, in the script of a deployment (`alias` in wrangler.jsonc).

/** The tree in which named character references of HTML are looked up; undefined before the tables are loaded. */
export let htmlDecodeTree: Uint16Array;

/** Makes the tree from the units of the static asset. */
export function fillEntities(units: readonly number[]): void {
  htmlDecodeTree = Uint16Array.from(units);
}
