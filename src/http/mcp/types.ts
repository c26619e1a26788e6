// The values of the Model Context Protocol that this server sends, as its schema names them (revisions 2025-11-25 and 2026-07-28).

/** A part of a tool's result or of a prompt's message. */
export type ContentBlock =
  | { type: "text"; text: string }
  | { type: "image" | "audio"; data: string; mimeType: string }
  | { type: "resource"; resource: ResourceContents }
  | { type: "resource_link"; uri: string; name: string; mimeType: string; size: number };

/** The contents of a resource: a text, or bytes in base64. */
export type ResourceContents =
  | { uri: string; mimeType?: string; text: string }
  | { uri: string; mimeType?: string; blob: string };

/** The outcome of a tool's call. */
export interface CallToolResult {
  structuredContent?: Record<string, unknown>;
  content: ContentBlock[];
  isError?: boolean;
}

/** A tool as clients list it. */
export interface ListedTool {
  name: string;
  description: string;
  inputSchema: ObjectSchema;
  outputSchema: ObjectSchema;
  annotations: Record<"readOnlyHint" | "destructiveHint" | "idempotentHint" | "openWorldHint", boolean>;
}

/** The JSON Schema of an object. */
export type ObjectSchema = { type: "object" } & Record<string, unknown>;

/** A prompt as clients list it. */
export interface Prompt {
  name: string;
  description: string;
  arguments: { name: string; description: string; required?: boolean }[];
}

/** A prompt with the caller's arguments in it. */
export interface GetPromptResult {
  description: string;
  messages: { role: "user"; content: ContentBlock }[];
}

/** The addresses of resources of one kind. */
export interface ResourceTemplate {
  uriTemplate: string;
  name: string;
  description: string;
  mimeType?: string;
}

/** How long, and for whom, a client may keep an answer (2026-07-28). */
export interface CacheHint {
  ttlMs: number;
  cacheScope: "public" | "private";
}
