import type { Answer } from "../../contract/problem.ts";
import type { EventFilters } from "../../contract/routes.ts";
import type { Access } from "../account/access.ts";

/** A caller's request for a stream of events: the JSON body of the one request that the actor serves by `fetch` and not by RPC. */
export interface StreamRequest {
  access: Access;
  filters: EventFilters;
  /** The `Last-Event-ID` header as the client sent it; null without one. */
  lastEventId: string | null;
}

/** Reads the request that the router sends. */
export function readStreamRequest(request: Request): Promise<StreamRequest> {
  return request.json<StreamRequest>();
}

/** A response with the stream; if it is refused, status 400 with the problem as JSON. */
export function streamResponse(stream: Answer<ReadableStream>): Response {
  return stream.ok ? new Response(stream.value) : Response.json(stream.error, { status: 400 });
}
