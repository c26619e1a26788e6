import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

export const ROOT = path.resolve(import.meta.dirname, "../..");

/** A fenced block of a page. */
export interface Block {
  /** Of the fence, from 1. */
  line: number;
  /** After the fence: `sh`, `json`, `js`, … */
  language: string;
  text: string;
  /** The HTML comment right above it; "" if there is none. */
  mark: string;
}

/** A page of the documentation, read once. */
export interface Page {
  /** Relative to the root of the repository. */
  file: string;
  text: string;
  lines: readonly string[];
  blocks: readonly Block[];
  /** `## Titles`, with the words of GitHub's anchors. */
  headings: readonly { level: number; title: string; anchor: string; line: number }[];
  /** The text outside of fenced blocks and comments. */
  prose: string;
}

const FENCE = /^( *)```(\w*)\s*$/;
const COMMENT = /^ *<!-- (.*?) -->\s*$/;

function blocksOf(lines: readonly string[]): { blocks: Block[]; prose: string[] } {
  const blocks: Block[] = [];
  const prose: string[] = [];
  let mark = "";
  let open: (Block & { indent: number }) | null = null;
  for (const [index, line] of lines.entries()) {
    const fence = FENCE.exec(line);
    if (open !== null) {
      if (fence !== null) {
        blocks.push(open);
        open = null;
      } else open.text += `${line.slice(open.indent)}\n`;
    } else if (fence !== null) {
      const [, indent = "", language = ""] = fence;
      open = { line: index + 1, language, text: "", mark, indent: indent.length };
      mark = "";
    } else if (COMMENT.test(line)) mark = COMMENT.exec(line)?.[1] ?? "";
    else {
      if (line.trim() !== "") mark = "";
      prose.push(line);
    }
  }
  return { blocks, prose };
}

/** As GitHub makes it: lower case, without punctuation, hyphens for blanks. */
export function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");
}

function readPage(file: string): Page {
  const text = readFileSync(path.join(ROOT, file), "utf8");
  const lines = text.split("\n");
  const { blocks, prose } = blocksOf(lines);
  const fenced = new Set(
    blocks.flatMap(({ line, text: code }) => code.split("\n").map((_, offset) => line + offset)),
  );
  const headings = lines.flatMap((line, index) => {
    const [, marks, title] = /^(#{1,6}) (.+)$/.exec(line) ?? [];
    if (marks === undefined || title === undefined || fenced.has(index + 1)) return [];
    return [{ level: marks.length, title, anchor: anchorOf(title), line: index + 1 }];
  });
  return { file, text, lines, blocks, headings, prose: prose.join("\n") };
}

const docs = readdirSync(path.join(ROOT, "docs")).filter((file) => file.endsWith(".md"));

/** The pages beside the README, and every page of `docs`. */
export const PAGES: readonly Page[] = [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...docs.map((file) => `docs/${file}`),
].map(readPage);

/** A page by its file name; throws if it is not there. */
export function page(file: string): Page {
  const found = PAGES.find((one) => one.file === file);
  if (found === undefined) throw new Error(`There is no page ${file}`);
  return found;
}

/** `[text](target)` and `<https://…>` outside of code, with the page that has them. */
export function linksOf({ prose }: Page): string[] {
  const plain = prose.replaceAll(/`[^`]*`/g, "");
  const linked = [...plain.matchAll(/\]\(([^)\s]+)\)/g)];
  const bare = [...plain.matchAll(/<(https?:[^>\s]+)>/g)];
  return [...linked, ...bare].map(([, target = ""]) => target);
}

/** Texts in backticks outside of fenced blocks. */
export function codeSpansOf({ prose }: Page): string[] {
  return [...prose.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
}

/** Whether the repository holds a path; `<name>` in it stands for any one name. */
export function holds(written: string): boolean {
  const [first = "", ...rest] = written.replace(/\/$/, "").split("/");
  return [first, ...rest].reduce<string[]>(matching, [ROOT]).length > 0;
}

/** The entries of `folders` that a part of a path stands for. */
function matching(folders: string[], part: string): string[] {
  if (!part.includes("<")) {
    return folders.map((folder) => path.join(folder, part)).filter((file) => existsSync(file));
  }
  const pattern = new RegExp(`^${part.replaceAll(".", "\\.").replaceAll(/<[^>]+>/g, ".+")}$`);
  return folders
    .filter((folder) => statSync(folder).isDirectory())
    .flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => pattern.test(name))
        .map((name) => path.join(folder, name)),
    );
}
