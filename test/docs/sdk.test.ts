import { expect, it } from "vitest";
import { METHODS } from "../../src/client/index.ts";
import { page } from "./pages.ts";

/** The groups and methods that the table of docs/sdk.md names. */
function tabled(): Record<string, string[]> {
  const { lines } = page("docs/sdk.md");
  const from = lines.indexOf("<!-- methods -->");
  const rows = lines.slice(from + 4, lines.indexOf("", from + 4));
  return Object.fromEntries(
    rows.map((row) => {
      const [, group = "", methods = ""] = row.split("|");
      const names = [...methods.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name);
      return [group.replaceAll(/[` ]/g, ""), names.toSorted()];
    }),
  );
}

it("names every method of the SDK, by its group", () => {
  const groups = Object.entries<object>(METHODS).map(([group, methods]) => [
    group === "" ? "mail" : `mail.${group}`,
    Object.keys(methods).toSorted(),
  ]);
  expect(tabled()).toEqual(Object.fromEntries(groups));
});
