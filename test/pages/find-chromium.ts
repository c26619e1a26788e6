import { findProgram } from "./find-program.ts";

/** Names that Debian, Ubuntu, Fedora and Google give the program. */
const PROGRAMS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** The path of Chromium: `CHROMIUM` of the environment, or the first of its names on PATH; null: there is none. */
export const findChromium = (): string | null => findProgram("CHROMIUM", PROGRAMS);
