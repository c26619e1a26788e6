import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import packageLock from "../../package-lock.json" with { type: "json" };
import { storedVersions } from "../served/stored/archive.ts";

const root = path.resolve(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(path.join(root, file), "utf8");
const { version } = packageJson;
/** Versions of the changelog, the newest first. */
const versions = [...read("CHANGELOG.md").matchAll(/^## (\S+) \(\d{4}-\d\d-\d\d\)$/gm)].map(
  ([, version = ""]) => version,
);

describe("the version", () => {
  it("of package.json is that of the lockfile and the newest of the changelog", () => {
    expect([packageLock.version, packageLock.packages[""].version, versions[0]]).toEqual([
      version,
      version,
      version,
    ]);
  });

  it("of a release has its section in the changelog and its stored data, but for the newest", () => {
    const [, ...released] = versions;
    expect(released.length).toBeGreaterThan(0);
    expect(released.filter((one) => !storedVersions().includes(one))).toEqual([]);
    const numbered = storedVersions().filter((name) => /^\d+\.\d+\.\d+$/.test(name));
    expect(numbered.filter((one) => !versions.includes(one))).toEqual([]);
  });

  it("is the one in the names of tarballs that the documentation installs", () => {
    const pages = ["README.md", ...readdirSync(path.join(root, "docs")).map((name) => `docs/${name}`)];
    const names = pages
      .filter((page) => page.endsWith(".md"))
      .flatMap((page) => read(page).match(/mailkeep(?:-server)?-\d+\.\d+\.\d+\.tgz/g) ?? []);
    expect(names.length).toBeGreaterThan(2);
    expect(new Set(names)).toEqual(new Set([`mailkeep-${version}.tgz`, `mailkeep-server-${version}.tgz`]));
  });
});
