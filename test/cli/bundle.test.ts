import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VERSION } from "../../src/contract/product.ts";
import { Program } from "./program.ts";

let program: Program;

beforeAll(async () => {
  program = await Program.build();
}, 60_000);
afterAll(() => program.remove());

describe("the bundle", () => {
  it("needs nothing but Node, and holds no schema", async () => {
    const text = await readFile(program.file, "utf8");
    const required = [...text.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name = ""]) => name);
    expect(required.length).toBeGreaterThan(3);
    expect(required.filter((name) => !isBuiltin(name))).toEqual([]);
    expect(text).not.toMatch(/(?<![\w.])import\(|ZodType|toJSONSchema/);
    expect(text.startsWith("#!/usr/bin/env node\n")).toBe(true);
  });

  it("prints help and version without a configuration, and asks for one where it is needed", async () => {
    const { version } = JSON.parse(await readFile(path.resolve("package.json"), "utf8")) as {
      version: string;
    };
    expect(await program.run(["--version"])).toEqual({
      code: 0,
      stdout: `mailkeep ${version}\n`,
      stderr: "",
    });
    expect(await program.run([])).toMatchObject({ code: 0, stdout: expect.stringContaining("signup") });
    expect(await program.run(["code", "--help"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("--wait"),
    });
    const unknown = await program.run(["inbx"]);
    expect(unknown).toEqual({
      code: 2,
      stdout: "",
      stderr: 'error: there is no command "inbx"\nnext: mailkeep inbox\n',
    });
    const incomplete = await program.run(["claim"]);
    expect([incomplete.code, incomplete.stderr]).toEqual([
      2,
      expect.stringContaining("there are start, wait"),
    ]);
    expect(await program.run(["inbox"])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("mailkeep signup"),
    });
  });

  it("ends quietly when its reader has seen enough", async () => {
    const child = program.start(["help"]);
    child.stdout?.destroy();
    let stderr = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => void (stderr += text));
    expect(await new Promise((resolve) => void child.once("close", resolve))).toBe(0);
    expect(stderr).toBe("");
  });
});

describe("commands of mailkeep-server", () => {
  it("say how to install it where it is not installed", async () => {
    const ended = await program.run(["backup", "--to", "a b"], { env: { PATH: "/nowhere" } });
    expect(ended).toEqual({
      code: 5,
      stdout: "",
      stderr: `error: backup needs mailkeep-server, which is not installed
next: in Mailkeep's repository npm run pack; then here npm install <repository>/dist/packages/mailkeep-server-${VERSION}.tgz, and mailkeep backup --to 'a b'
`,
    });
  });

  it("are handed over with their words and their exit code where it is installed", async () => {
    const folder = path.join(path.dirname(program.file), "project");
    const installed = path.join(folder, "node_modules/mailkeep-server");
    await mkdir(installed, { recursive: true });
    const bin = { "mailkeep-server": "cli.js" };
    await writeFile(
      path.join(installed, "package.json"),
      JSON.stringify({ name: "mailkeep-server", type: "commonjs", bin }),
    );
    const script = "console.log(JSON.stringify(process.argv.slice(2))); process.exitCode = 8;";
    await writeFile(path.join(installed, "cli.js"), script);
    const words = ["doctor", "--json", "--help", "--key", "x"];
    const ended = await program.run(words, { cwd: folder });
    expect(ended).toEqual({ code: 8, stdout: `${JSON.stringify(words)}\n`, stderr: "" });

    const onPath = path.join(folder, "bin");
    await mkdir(onPath);
    await writeFile(path.join(onPath, "mailkeep-server"), "#!/bin/sh\necho from PATH: $@\n");
    await chmod(path.join(onPath, "mailkeep-server"), 0o755);
    const env = { PATH: `${onPath}:${process.env.PATH}` };
    expect(await program.run(["verify", "x"], { env })).toMatchObject({
      code: 0,
      stdout: "from PATH: verify x\n",
    });
  });
});
