import { createConfig, lintFromString } from "@redocly/openapi-core";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { exampleOf } from "../../src/contract/examples.ts";
import { ProblemBody } from "../../src/contract/problem.ts";
import type { RouteSpec } from "../../src/contract/route.ts";
import { routes } from "../../src/contract/routes.ts";
import { openApi } from "../../src/http/openapi.ts";
import { strictFault } from "../answer-schema.ts";

interface Content {
  required?: boolean;
  content: Record<string, { example?: unknown }>;
}

interface Operation {
  operationId: string;
  description: string;
  parameters: { name: string; in: string; example?: unknown }[];
  requestBody?: Content;
  responses: Record<string, Content>;
}

const description = openApi("https://mail.agents.dev") as {
  paths: Record<string, Record<string, Operation>>;
};
const operations = new Map(
  Object.values(description.paths).flatMap((path) =>
    Object.values(path).map((operation) => [operation.operationId, operation] as const),
  ),
);
const all = Object.entries<RouteSpec>(routes);

function examplesIn(described: Content | undefined): unknown[] {
  return Object.values(described?.content ?? {}).map(({ example }) => example);
}

describe("the OpenAPI description", () => {
  it("passes the recommended rules of Redocly, none left out", async () => {
    const problems = await lintFromString({
      source: JSON.stringify(description),
      absoluteRef: "/openapi.json",
      config: await createConfig({ extends: ["recommended"] }),
    });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
      [],
    );
  });

  it("says of each operation who may call it, and of the service whom to ask", () => {
    const document = openApi("https://mail.agents.dev") as { info: { contact: unknown } };
    expect(document.info.contact).toEqual({
      name: "Whoever runs this deployment",
      url: "https://mail.agents.dev",
    });
    const said = Object.fromEntries([...operations].map(([id, { description: text }]) => [id, text]));
    expect(said["bootstrap"]).toBe("Needs no key.");
    expect(said["createMailbox"]).toBe("Needs a key with the scope operator.");
    expect(said["resumeMailbox"]).toContain("Works while the mailbox is paused.");
    expect(Object.values(said).filter((text) => !/^Needs (?:no|a) key/.test(text))).toEqual([]);
  });

  it("shows a value of each parameter that its schema accepts, except of opaque ones", () => {
    for (const [id, spec] of all) {
      const shown = operations.get(id)?.parameters ?? [];
      const refused = shown.filter(({ name, in: place, example }) => {
        if (place === "header")
          return !new RegExp(spec.headers?.[name]?.pattern ?? "^$").test(String(example));
        const shape = (place === "path" ? spec.params : spec.query).shape[name];
        const sent = Array.isArray(example) ? example.map(String) : String(example);
        return name === "cursor" ? example !== undefined : shape?.safeParse(sent).success !== true;
      });
      expect([id, refused]).toEqual([id, []]);
    }
  });

  it("requires a body where a member of it is required", () => {
    const required = [...operations].filter(([, { requestBody }]) => requestBody?.required === true);
    const ids = required.map(([id]) => id);
    expect(ids).toEqual(expect.arrayContaining(["send", "claimStart", "extract", "upload", "inbound"]));
    for (const id of ["bootstrap", "createKey", "pauseMailbox", "testWebhook"]) expect(ids).not.toContain(id);
  });

  const answers = all.flatMap(([id, { responses }]) =>
    Object.entries(responses).map(([status, shape]) => ({
      answer: `${id} ${status}`,
      examples: examplesIn(operations.get(id)?.responses[status]),
      shape: "json" in shape ? shape.json : z.string().min(1),
    })),
  );
  it.each(answers)("shows one answer of $answer that its schema accepts", ({ examples, shape }) => {
    expect(examples.map((example) => strictFault(shape, example))).toEqual([null]);
  });

  const bodies = all.flatMap(([id, { body, rawBody }]) => {
    const shape = rawBody === undefined ? body : z.string().min(1);
    return shape === null ? [] : [{ id, examples: examplesIn(operations.get(id)?.requestBody), shape }];
  });
  it.each(bodies)("shows one body of $id that its schema accepts", ({ examples, shape }) => {
    expect(examples.map((example) => shape.safeParse(example).error)).toEqual([undefined]);
  });

  it.each(all)("shows a refusal of %s as it is", (id) => {
    const responses = operations.get(id)?.responses ?? {};
    for (const status of ["4XX", "5XX"]) {
      const example = responses[status]?.content["application/json"]?.example;
      expect(strictFault(ProblemBody, example)).toBeNull();
    }
  });

  it("has no example for a member that states none", () => {
    const shape = z.toJSONSchema(z.object({ unheard_of: z.string() }));
    expect(() => exampleOf(shape as object, {})).toThrow("State an example of unheard_of");
  });
});
