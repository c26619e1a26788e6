import { readFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod";

const Root = z.object({
  version: z.string(),
  license: z.string(),
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
});

/** `package.json` of the repository: the version of both packages, and of everything that they use. */
export const REPOSITORY = Root.parse(
  JSON.parse(readFileSync(path.resolve(import.meta.dirname, "../../package.json"), "utf8")),
);

/** The members of a package's manifest that are written by hand; the rest follows from the repository and from its bundles. */
export interface Described {
  name: string;
  description: string;
  keywords: readonly string[];
  engines: { node: string };
  bin: Readonly<Record<string, string>>;
  exports: Readonly<Record<string, unknown>>;
  /** Test frameworks, with the versions that they may have: only whoever uses their fixtures needs them. */
  optionalPeers?: Readonly<Record<string, string>>;
}

/** The manifest of a package that imports `imports` when it runs. */
export function manifestOf(
  { optionalPeers = {}, exports, ...described }: Described,
  imports: readonly string[],
): Record<string, unknown> {
  const needed = imports.filter((name) => !Object.hasOwn(optionalPeers, name));
  const peers = Object.keys(optionalPeers);
  const { name, ...rest } = described;
  return {
    name,
    version: REPOSITORY.version,
    ...rest,
    license: REPOSITORY.license,
    type: "module",
    exports: { ...exports, "./package.json": "./package.json" },
    ...(needed.length === 0 ? {} : { dependencies: versionsOf(needed) }),
    ...(peers.length === 0
      ? {}
      : {
          peerDependencies: optionalPeers,
          peerDependenciesMeta: Object.fromEntries(peers.map((name) => [name, { optional: true }])),
        }),
  };
}

/** The exact versions that the repository is tested with. */
function versionsOf(names: readonly string[]): Record<string, string> {
  const versions = { ...REPOSITORY.devDependencies, ...REPOSITORY.dependencies };
  return Object.fromEntries(
    names.map((name) => {
      const version = versions[name];
      if (version === undefined) throw new Error(`${name} is imported and is not in package.json`);
      return [name, version];
    }),
  );
}
