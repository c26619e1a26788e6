import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nameInHeader, safeFilename } from "../../src/cli/commands/attachments.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { completionScript, SHELLS, type Shell } from "../../src/cli/completion.ts";
import { explain, overview } from "../../src/cli/help.ts";
import { findCommand, parseInput } from "../../src/cli/parse.ts";
import { plain } from "../../src/cli/terminal/style.ts";
import { instantOf } from "../../src/cli/time.ts";
import { page } from "../docs/pages.ts";

const named = (name: string) => {
  const found = COMMANDS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no command ${name}`);
  return found;
};
const parse = (name: string, ...words: string[]) => parseInput(named(name), words);

describe("every command", () => {
  it.each(COMMANDS.map((one) => [one.name, one] as const))(
    "is explained with an example that it understands: %s",
    (name, one) => {
      expect(overview(COMMANDS, plain).join("\n")).toContain(`  ${name} `);
      const text = explain(one, plain).join("\n");
      for (const example of one.examples) expect(text).toContain(example);
      const typed = one.examples.filter(
        (example) => /(?:^|\s|\()mailkeep\s/.test(example) && !example.includes("{"),
      );
      for (const example of typed) {
        const line = example
          .replace(/^.*?mailkeep /, "")
          .replace(/\)$/, "")
          .replace(/ [<>|].*$/, "");
        const words = (line.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) =>
          word.replaceAll(/^["']|["']$/g, ""),
        );
        // "claude mcp add mailkeep -- npx mailkeep mcp": the last command counts.
        const own = words.slice(words.lastIndexOf("mailkeep") + 1);
        const found = findCommand(COMMANDS, own);
        expect(found?.command.name).toBe(name);
        if (one.passesOn?.(found?.rest ?? []) !== true) parseInput(one, found?.rest ?? []);
      }
      // Without a full stop: the help adds one.
      expect(one.summary).toMatch(/^[A-Z].*[^.]$/);
    },
  );

  it("says of the inbox first that it holds sent mail too, as the API does", () => {
    expect(COMMANDS.find(({ name }) => name === "inbox")?.summary).toBe(
      "List received and sent emails, newest first",
    );
    const { lines } = page("docs/api.md");
    expect(lines[lines.indexOf("### `GET /v1/inbox`") + 2]).toMatch(
      /^Lists received and sent emails, newest first;/,
    );
  });

  it("stands in docs/cli.md, as it is typed and with what it does, and no other does", () => {
    const rows = page("docs/cli.md").lines.flatMap((line) => {
      const [, typed, summary = ""] = /^\| `mailkeep ([^`]+)` +\| (.+?) +\|$/.exec(line) ?? [];
      return typed === undefined ? [] : [[typed, summary]];
    });
    const typedOf = ({ name, args }: (typeof COMMANDS)[number]) =>
      [name, ...args.map((arg) => (arg.isOptional === true ? `[${arg.name}]` : `<${arg.name}>`))].join(" ");
    expect(rows).toEqual(COMMANDS.map((one) => [typedOf(one), one.summary]));
  });

  it("has a name of its own, and no flag that would hold a secret", () => {
    expect(new Set(COMMANDS.map(({ name }) => name)).size).toBe(COMMANDS.length);
    const flags = COMMANDS.flatMap((one) => Object.keys(one.flags));
    expect(
      flags.filter((flag) => /^(?:key|api-key|token|secret|password|webhook-secret)$/.test(flag)),
    ).toEqual([]);
  });
});

describe("what was typed", () => {
  it("is read by the types of the route table", () => {
    expect(parse("inbox", "--limit", "5", "--has-attachment", "--from", "a").input.flags).toEqual({
      limit: 5,
      "has-attachment": true,
      from: "a",
    });
    expect(parse("inbox", "--no-has-attachment").input.flags).toEqual({ "has-attachment": false });
    expect(parse("send", "--to", "a", "--to", "b", "--subject", "x").input.flags).toMatchObject({
      to: ["a", "b"],
    });
    expect(parse("code", "--min-confidence", "0.9").input.flags).toEqual({ "min-confidence": 0.9 });
    expect(parse("thread").input.words).toEqual([""]);
  });

  it.each([
    [["inbox", "--form", "x"], /has no flag --form; did you mean --from\?/],
    [["inbox", "--limit", "many"], /--limit must be a whole number, not "many"/],
    [["inbox", "--limit", "1.5"], /--limit must be a whole number/],
    [["inbox", "--direction", "up"], /--direction must be one of inbound, outbound/],
    [["inbox", "--from"], /--from/],
    [["inbox", "extra"], /takes no "extra"/],
    [["read"], /needs <id>/],
    [["inbox", "--key", "mk_1"], /--key would show a secret/],
    [["inbox", "--api-key=mk_1"], /--api-key would show a secret/],
  ])("is refused where it is wrong: %j", (words, message) => {
    const found = findCommand(COMMANDS, words);
    expect(() => found && parseInput(found.command, found.rest)).toThrow(message);
  });

  it("finds the longest name of a command", () => {
    expect(findCommand(COMMANDS, ["webhooks", "set", "x"])).toMatchObject({
      command: { name: "webhooks set" },
      rest: ["x"],
    });
    expect(findCommand(COMMANDS, ["webhooks"])?.command.name).toBe("webhooks");
    expect(findCommand(COMMANDS, ["attachments"])).toBeNull();
  });

  it("may be a time, how long ago, or now", () => {
    const now = Date.parse("2026-11-22T10:00:00.000Z");
    expect(
      ["now", "90s", "10m", "2h", "3d", "2026-11-21", "2026-11-21T08:30:00", "2026-11-21T08:30:00+02:00"].map(
        (text) => instantOf("since", text, now),
      ),
    ).toEqual([
      "2026-11-22T10:00:00.000Z",
      "2026-11-22T09:58:30.000Z",
      "2026-11-22T09:50:00.000Z",
      "2026-11-22T08:00:00.000Z",
      "2026-11-19T10:00:00.000Z",
      "2026-11-21T00:00:00.000Z",
      "2026-11-21T08:30:00.000Z",
      "2026-11-21T06:30:00.000Z",
    ]);
    for (const text of ["yesterday", "10", "2026-13-40", ""])
      expect(() => instantOf("since", text, now)).toThrow(/--since must be/);
  });
});

describe("the name of a stranger's file", () => {
  it.each([
    ["../../.bashrc", "bashrc"],
    ["C:\\Windows\\evil.exe", "evil.exe"],
    ["a/b/..", "attachment"],
    ["\u202egpj.exe", "gpj.exe"],
    ["con.txt", "attachment-con.txt"],
    ["-rf", "rf"],
    ["", "attachment"],
    ["Rechnung Größe (1).pdf", "Rechnung Größe (1).pdf"],
    ["x\u001b[2J$(id).txt", "x_[2J_(id).txt".replace("[", "_")],
  ])("becomes a plain name here: %j", (name, safe) => {
    expect(safeFilename(name)).toBe(safe);
  });

  it("is read from its header", () => {
    expect(nameInHeader(`attachment; filename="a\\"b.txt"; filename*=UTF-8''gr%C3%B6%C3%9Fe.txt`)).toBe(
      "größe.txt",
    );
    expect(nameInHeader('attachment; filename="a\\"b.txt"')).toBe('a"b.txt');
    expect(nameInHeader(`attachment; filename="x"; filename*=UTF-8''%FF`)).toBe("x");
    expect(nameInHeader(null)).toBe("");
  });
});

const has = (shell: Shell): boolean => spawnSync(shell, ["--version"]).status === 0;
const missing = SHELLS.filter((shell) => !has(shell));
if (missing.length > 0)
  console.warn(`No ${missing.join(", ")} here: their completions are NOT run. Install them.`);

describe("completions", () => {
  let folder: string;
  const file = (shell: Shell) => path.join(folder, `mailkeep.${shell}`);

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), "mailkeep-completion-"));
    for (const shell of SHELLS) writeFileSync(file(shell), completionScript(shell, COMMANDS));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** The words that a shell offers for a line, as far as it is typed. */
  const OFFERS: Readonly<Record<Shell, (line: string) => string[]>> = {
    bash: (line) => {
      const words = line.split(" ");
      const set = `COMP_WORDS=(${words.map((word) => `"${word}"`).join(" ")}); COMP_CWORD=${words.length - 1}`;
      return offered("bash", [
        "--norc",
        "-c",
        `source ${file("bash")}; ${set}; _mailkeep; printf '%s\\n' "\${COMPREPLY[@]}"`,
      ]);
    },
    zsh: (line) => {
      const words = line.split(" ");
      // The function that describes a completion to zsh is replaced by one that collects it.
      const script = `compdef() { :; }; _files() { :; }; _describe() { print -l -- "\${(@P)2}"; }; source ${file("zsh")};
        words=(${words.map((word) => `"${word}"`).join(" ")}); CURRENT=${words.length}; _mailkeep`;
      const typed = words.at(-1) ?? "";
      return offered("zsh", ["-f", "-c", script])
        .map((one) => one.replace(/(?<!\\):.*/, ""))
        .filter((one) => one.startsWith(typed));
    },
    fish: (line) =>
      offered("fish", ["--no-config", "-c", `source ${file("fish")}; complete -C '${line}'`]).map(
        (one) => one.split("\t")[0] ?? "",
      ),
  };

  function offered(shell: Shell, args: readonly string[]): string[] {
    const text = execFileSync(shell, args, { encoding: "utf8", env: { ...process.env, HOME: folder } });
    return text.split("\n").filter((one) => one !== "");
  }

  describe.each(SHELLS)("in %s", (shell) => {
    const offers = (line: string) => OFFERS[shell](line).toSorted((a, b) => a.localeCompare(b));

    it.skipIf(!has(shell))("complete commands, their commands, flags and values", () => {
      expect(offers("mailkeep in")).toEqual(["inbox"]);
      expect(offers("mailkeep webhooks re")).toEqual(["recovery", "redeliver", "remove", "replay"]);
      expect(offers("mailkeep inbox --has")).toEqual(["--has-attachment"]);
      expect(offers("mailkeep webhooks set --lab")).toEqual(["--label"]);
      expect(offers("mailkeep code --kind ")).toEqual(["any", "code", "link"]);
      expect(offers("mailkeep inbox --from x --su")).toEqual(["--subject"]);
    });
  });
});
