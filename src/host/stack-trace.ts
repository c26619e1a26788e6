import { readFileSync, statSync } from "node:fs";
import { SourceMap } from "node:module";

/** A position in the bundle, with the minified name of its function: `at x (file:///…/index.js:12:345)`. */
const POSITION = /at (?:[^\n(]+ \()?file:\/\/\S*\/index\.js:(\d+):(\d+)\)?/g;
/** The part of a source's path that does not depend on where the bundle was built. */
const SOURCE = /(?:^|\/)((?:src|node_modules)\/.*)$/;

/**
 * Returns a function that replaces positions in the minified bundle by those in its sources, for the log. `mapFile` is
 * read at the first stack trace, and not after a later build has replaced it.
 */
export function sourcePositions(mapFile: string): (text: string) => string {
  const builtMs = modifiedAt(mapFile);
  let map: SourceMap | undefined;
  return (text) =>
    text.replaceAll(POSITION, (position, line: string, column: string) => {
      if (map === undefined && (builtMs === null || modifiedAt(mapFile) !== builtMs)) return position;
      map ??= new SourceMap(JSON.parse(readFileSync(mapFile, "utf8")));
      const origin = map.findOrigin(Number(line), Number(column));
      if (!("fileName" in origin)) return position;
      const [, source = origin.fileName] = SOURCE.exec(origin.fileName) ?? [];
      return `at ${source}:${origin.lineNumber}:${origin.columnNumber}`;
    });
}

/** Milliseconds; null for a file that does not exist. */
function modifiedAt(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? null;
}
