import type * as z from "zod";
import { fieldRule } from "../../contract/field-rule.ts";
import {
  fixOf,
  invalid,
  isRetryable,
  retryAfterSeconds,
  type Answer,
  type Problem,
  type ProblemCode,
} from "../../contract/problem.ts";
import { routes, type RouteId } from "../../contract/routes.ts";
import type { Scope } from "../../contract/scope.ts";
import type { McpCall } from "./call.ts";
import type { CallToolResult, ContentBlock } from "./types.ts";

/** The circumstances of one call of a tool. */
export interface ToolContext {
  /** Ends when the client is gone or cancelled. */
  signal: AbortSignal;
  /** By this another request ends the waits of the call. */
  waitTag: string;
  /** Tells the client how far the call is, if it asked to hear of it. */
  report(elapsedSeconds: number, totalSeconds: number): void;
}

/** A tool, by what a model is told of it and what it does. */
export interface ToolSpec<Input extends z.ZodObject, Output extends z.ZodType> {
  name: string;
  /** The route whose scopes say who may call the tool. */
  route: RouteId;
  input: Input;
  output: Output;
  /** It changes nothing. */
  reads?: boolean;
  /** It may erase for good. */
  destroys?: boolean;
  /** A second call with the same input changes nothing more. */
  repeatable?: boolean;
  /** It reaches others than this deployment. */
  reachesOthers?: boolean;
  /** It may wait for what has not happened yet. */
  waits?: boolean;
  /** Content beside the text of the output. */
  blocks?(value: z.output<Output>): ContentBlock[];
  run(call: McpCall, input: z.output<Input>, context: ToolContext): Promise<Answer<z.input<Output>>>;
}

/** A tool as far as clients are told of it. */
export type ListedSpec = Omit<ToolSpec<z.ZodObject, z.ZodType>, "run" | "blocks">;

/** A tool without the types of its input and output, which `tool` bound together. */
export interface Tool {
  name: string;
  waits: boolean;
  /** Scopes whose keys may call it. */
  scopes: readonly Scope[];
  /** The part that `listing.ts` describes to clients. */
  spec: ListedSpec;
  call(call: McpCall, input: unknown, context: ToolContext): Promise<CallToolResult>;
}

const IN_OUR_WORDS = { error: fieldRule };

/** Makes a tool of its description. */
export function tool<Input extends z.ZodObject, Output extends z.ZodType>(
  spec: ToolSpec<Input, Output>,
): Tool {
  return {
    name: spec.name,
    waits: spec.waits === true,
    scopes: routes[spec.route].scopes,
    spec,
    async call(call, input, context) {
      const read = spec.input.safeParse(input ?? {}, IN_OUR_WORDS);
      const answer = read.success
        ? await spec.run(call, read.data, context)
        : await call.refuse(spec.route, faultOf(read.error.issues));
      if (!answer.ok) return errorResult(answer.error);
      return result(answer.value, spec.blocks?.(answer.value as z.output<Output>));
    },
  };
}

function faultOf(issues: readonly z.core.$ZodIssue[]): Problem {
  const [first] = issues;
  return invalid(first?.path.join(".") || "arguments", first?.message ?? "are not valid");
}

/** The result of a call: the same value for programs, and as text for models that read text. */
function result(value: unknown, blocks: ContentBlock[] = []): CallToolResult {
  return {
    content: [{ type: "text", text: JSON.stringify(value) }, ...blocks],
    structuredContent: value as Record<string, unknown>,
  };
}

/** A result as JSON. Its text is the JSON of its structured content already. */
export function jsonOf({ content, isError }: CallToolResult): string {
  const [first] = content;
  const json = first?.type === "text" ? first.text : "null";
  return `{"structuredContent":${json},${JSON.stringify({ content, isError }).slice(1)}`;
}

/** The next step after a refusal, for callers of tools: where that of the API speaks of paths and header fields. */
const FIX: Partial<Record<ProblemCode, string>> = {
  paused: "Ask the owner of the mailbox to end the pause: PATCH /v1/mailbox/resume.",
  not_found: "Call check_mail or search_mail, and use an id of the answer.",
  invalid: "Correct what `message` names, then call again.",
  gone: "Call check_mail without unread_since.",
  rate_limited: "Call again after retry_after_seconds.",
  unavailable: "Call again after retry_after_seconds.",
  mailbox_full: "Erase emails with organize (delete: true), then call again.",
  internal: "Call again; if it fails again, tell the operator.",
};

/** The result of a refused call. */
export function errorResult(problem: Problem): CallToolResult {
  const upgrade = problem.extra?.upgrade;
  const fix =
    upgrade === undefined ? (problem.fix ?? FIX[problem.code] ?? fixOf(problem)) : upgradeFix(upgrade);
  const error = {
    code: problem.code,
    message: problem.message ?? problem.error,
    fix,
    retryable: isRetryable(problem),
    retry_after_seconds: retryAfterSeconds(problem),
  };
  return { ...result(error), isError: true };
}

function upgradeFix(url: string): string {
  return `Ask your person to open ${url} and claim a permanent mailbox; its key may do this.`;
}
