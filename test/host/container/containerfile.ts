import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";

const FILE = path.resolve(import.meta.dirname, "../../../Containerfile");

/** The instructions of all stages, as pairs of name and arguments. */
export const instructions = readFileSync(FILE, "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)] as const);
const lastStage = instructions.slice(instructions.findLastIndex(([name]) => name === "FROM"));

/** The arguments of an instruction that the last stage has once. */
export function only(wanted: string): string {
  const found = lastStage.filter(([name]) => name === wanted);
  expect(found).toHaveLength(1);
  return found[0]?.[1] ?? "";
}

/** The variables of the image. */
export function imageVariables(): Record<string, string> {
  const pairs = only("ENV").split(" ");
  return Object.fromEntries(pairs.map((pair) => pair.split("=") as [string, string]));
}

/** The words that start the server in the image. */
export function entrypoint(): string[] {
  return JSON.parse(only("ENTRYPOINT"));
}

/** Runs the command of HEALTHCHECK with these variables; resolves to its exit code. */
export function healthCheck(env: Record<string, string>): Promise<number | null> {
  const words: string[] = JSON.parse(/ CMD (\[.*\])$/.exec(` ${only("HEALTHCHECK")}`)?.[1] ?? "[]");
  expect(words[0]).toBe("node");
  const check = spawn(process.execPath, words.slice(1), {
    env: { ...process.env, ...env },
    stdio: "inherit",
  });
  return new Promise((resolve) => check.once("close", resolve));
}
