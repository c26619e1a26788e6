import type { Answer } from "../../contract/problem.ts";
import type { EventFilters } from "../../contract/routes.ts";
import type { Access } from "../account/access.ts";

/** A caller's wish for a stream: the JSON body of the one request that an actor serves by `fetch`. */
export interface StreamWish {
  access: Access;
  filters: EventFilters;
  /** The header as it came. */
  lastEventId: string | null;
}

/** Reads what the router asks for. */
export function readStreamRequest(request: Request): Promise<StreamWish> {
  return request.json<StreamWish>();
}

/** The stream, or with status 400 the problem as JSON. */
export function streamResponse(stream: Answer<ReadableStream>): Response {
  return stream.ok ? new Response(stream.value) : Response.json(stream.error, { status: 400 });
}
