import * as z from "zod";
import { Thread, ThreadPage } from "../message.ts";
import { cursor, id, integer, mailbox } from "../parameters.ts";
import { route } from "../route.ts";
import { ANYONE } from "../scope.ts";
import { byId, json, page } from "./common.ts";

const ThreadQuery = z.object({
  mailbox,
  limit: integer({ min: 1, max: 100, fallback: 100, about: "Emails at most." }),
  cursor,
});

/** Threads: the emails of one conversation. */
export const threadRoutes = {
  threads: route({
    method: "GET",
    path: "/v1/threads",
    tag: "Reading",
    summary: "List threads, newest first",
    target: "mailbox",
    scopes: ANYONE,
    query: page,
    responses: { 200: json(ThreadPage) },
    calls: "threads",
    args: ({ query }) => [query],
  }),
  threadByQuery: route({
    method: "GET",
    path: "/v1/thread",
    tag: "Reading",
    summary: "One thread, oldest email first",
    target: "mailbox",
    scopes: ANYONE,
    query: ThreadQuery.extend({ id }),
    responses: { 200: json(Thread) },
  }),
  thread: route({
    method: "GET",
    path: "/v1/threads/:id",
    tag: "Reading",
    summary: "One thread, oldest email first",
    target: "mailbox",
    scopes: ANYONE,
    params: byId,
    query: ThreadQuery,
    responses: { 200: json(Thread) },
  }),
} as const;
