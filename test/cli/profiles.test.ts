import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { accountOf, checkUrl, type AccountChoice } from "../../src/cli/profile/account.ts";
import { configFolder, writePrivateFile, type Env } from "../../src/cli/profile/files.ts";
import { changeProfiles, profilesFile, readProfiles, storeProfile } from "../../src/cli/profile/profiles.ts";
import { readState, routeDigest, stateFile, writeState } from "../../src/cli/listen/state.ts";

let home: string;
let env: Env;
const KEY = `mk_${"1".repeat(64)}`;
const OTHER = `mk_${"2".repeat(64)}`;
const NONE: AccountChoice = { profile: undefined, url: undefined, mailbox: undefined, key: null };
const URL_A = "https://a.example";
const URL_B = "https://b.example";

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), "mailkeep-home-"));
  env = { HOME: home };
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const store = (name: string, url = URL_A, key = KEY) =>
  storeProfile(env, name, { url, key, mailbox: `${name}@a.example` });

function mailsConfig(members: Record<string, unknown>): void {
  mkdirSync(path.join(home, ".mails"), { recursive: true });
  writeFileSync(path.join(home, ".mails/config.json"), JSON.stringify(members));
}

describe("the profiles", () => {
  it("lie in a file that only their owner can read, whatever the mode was before", async () => {
    await store("box");
    const file = profilesFile(env);
    expect(file).toBe(path.join(home, ".config/mailkeep/config.json"));
    chmodSync(file, 0o644);
    await store("other");
    expect([statSync(file).mode & 0o777, statSync(path.dirname(file)).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(configFolder({ ...env, XDG_CONFIG_HOME: "relative" })).toBe(path.join(home, ".config/mailkeep"));
    expect(configFolder({ ...env, XDG_CONFIG_HOME: "/etc/xdg" })).toBe("/etc/xdg/mailkeep");
  });

  it("keep every key when many commands store one at the same time", async () => {
    const names = Array.from({ length: 20 }, (_, at) => `box-${at}`);
    await Promise.all(names.map((name) => store(name)));
    expect([...readProfiles(env).byName.keys()].toSorted()).toEqual(names.toSorted());
  });

  it("finds no profile named like a member of Object", () => {
    expect(readProfiles(env).byName.get("constructor")).toBeUndefined();
    expect(() => accountOf({ ...NONE, profile: "__proto__" }, env)).toThrow(/no profile/);
    expect(() => accountOf({ ...NONE, profile: "constructor" }, env)).toThrow(/no profile/);
  });

  it("refuse names that are none, and a damaged file", async () => {
    await expect(store("../up")).rejects.toThrow(/no name of a profile/);
    await expect(changeProfiles(env, () => {})).resolves.toBeDefined();
    writeFileSync(profilesFile(env), "{");
    expect(() => readProfiles(env)).toThrow(/no valid JSON/);
    await expect(store("box")).rejects.toThrow(/no valid JSON/);
    expect(readFileSync(profilesFile(env), "utf8")).toBe("{");
  });
});

describe("the account of a command", () => {
  it("is the first of stdin, the named profile, MAILKEEP_KEY, the current profile, and the command line `mails`", async () => {
    mailsConfig({ worker_url: URL_B, api_key: OTHER, mailbox: "m@b.example" });
    expect(accountOf(NONE, env)).toMatchObject({ url: URL_B, key: OTHER });
    await store("one");
    await store("two");
    expect(accountOf(NONE, env)).toMatchObject({ profile: "two", url: URL_A, mailbox: "two@a.example" });
    expect(accountOf({ ...NONE, profile: "one" }, env).profile).toBe("one");
    expect(accountOf(NONE, { ...env, MAILKEEP_PROFILE: "one" }).profile).toBe("one");
    const withKey = { ...env, MAILKEEP_KEY: OTHER, MAILKEEP_URL: URL_B };
    expect(accountOf(NONE, withKey)).toMatchObject({ key: OTHER, url: URL_B, profile: null });
    expect(accountOf({ ...NONE, profile: "one" }, { ...env, MAILKEEP_KEY: OTHER }).profile).toBe("one");
    expect(accountOf({ ...NONE, key: KEY }, withKey)).toMatchObject({ key: KEY, source: "--key-stdin" });
  });

  it("never sends a stored key to another deployment than its own", async () => {
    await store("one");
    mailsConfig({ worker_url: URL_A, api_key: OTHER });
    expect(accountOf({ ...NONE, url: URL_B }, env)).toMatchObject({ url: URL_B, key: null });
    expect(accountOf(NONE, { ...env, MAILKEEP_URL: URL_B })).toMatchObject({ url: URL_B, key: null });
    expect(() => accountOf({ ...NONE, url: URL_B, profile: "one" }, env)).toThrow(
      /is for https:\/\/a.example/,
    );
    expect(accountOf({ ...NONE, url: `${URL_A}/` }, env)).toMatchObject({ profile: "one", key: KEY });
  });

  it("sends the key in the file of `mails` to no deployment that a variable names", () => {
    mailsConfig({ worker_url: URL_A, api_key: OTHER });
    expect(accountOf(NONE, { ...env, MAILS_API_URL: URL_B })).toMatchObject({ key: null });
    expect(accountOf(NONE, env)).toMatchObject({ url: URL_A, key: OTHER });
  });

  it("sends MAILKEEP_KEY to no deployment of a stored profile", async () => {
    await store("one");
    expect(accountOf(NONE, { ...env, MAILKEEP_KEY: OTHER }).url).toBe("http://127.0.0.1:8787");
  });

  it("reads the variables and the file of `mails`", () => {
    const mails = { ...env, MAILS_API_URL: `${URL_B}/`, MAILS_API_KEY: KEY };
    expect(accountOf(NONE, mails)).toMatchObject({ url: URL_B, key: KEY, mailbox: null });
    mailsConfig({ worker_url: URL_A, worker_token: "operator-token", mailbox: "m@a.example" });
    expect(accountOf(NONE, env)).toMatchObject({ url: URL_A, key: "operator-token", mailbox: "m@a.example" });
    writeFileSync(path.join(home, ".mails/config.json"), "no JSON");
    expect(accountOf(NONE, env)).toMatchObject({ key: null });
  });

  it("takes no URL that is none, or that holds a password", () => {
    expect(checkUrl("https://mail.example/base/", "--url")).toBe("https://mail.example/base");
    expect(() => checkUrl("mail.example", "--url")).toThrow(/--url is no URL/);
    expect(() => checkUrl("file:///etc/passwd", "--url")).toThrow(/--url is no URL/);
    expect(() => checkUrl("https://me:secret@mail.example", "--url")).toThrow(/user name or a password/);
  });
});

describe("the state of listen", () => {
  const route = {
    url: URL_A,
    mailbox: "box@a.example",
    forward: "http://127.0.0.1:3000/",
    types: ["b", "a"],
  };
  const state = {
    secret: "whsec_x",
    progress: { after: 7, settled: [9], failed: new Map([[8, 2]]), underway: [10] },
  };

  it("is read as it was written, beside the profiles and as private", () => {
    const file = stateFile(env, route);
    expect(readState(file)).toBeNull();
    writeState(file, route, state);
    expect([readState(file), statSync(file).mode & 0o777]).toEqual([state, 0o600]);
    expect(path.dirname(path.dirname(file))).toBe(path.dirname(profilesFile(env)));
    expect(routeDigest(env, { ...route, types: ["a", "b"] })).toBe(routeDigest(env, route));
    expect(routeDigest(env, { ...route, forward: "http://127.0.0.1:3001/" })).not.toBe(
      routeDigest(env, route),
    );
  });

  it.each([
    ["an empty file", ""],
    ["half a file", '{"secret":"whsec_x","after":7,'],
    ["a file without its cursor", '{"secret":"whsec_x"}'],
    ["a cursor that is no number", '{"secret":"whsec_x","after":"7","settled":[],"underway":[]}'],
  ])("refuses %s, because to begin anew would lose events", (_, text) => {
    const file = stateFile(env, route);
    writePrivateFile(file, text);
    expect(() => readState(file)).toThrow(/is damaged/);
  });
});
