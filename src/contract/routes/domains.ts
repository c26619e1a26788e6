import * as z from "zod";
import { DeletedDomain, Domain, DomainCheck, DomainList } from "../domain.ts";
import { route } from "../route.ts";
import { OWNERS } from "../scope.ts";
import { byId, emptyBody, json, named, none } from "./common.ts";

/** More than any name has: what is wrong with one is said of the name itself. */
const MAX_WRITTEN_CHARS = 1_024;

const tag = "Domains";

/** Domains of one's own: mail to all their addresses, and mail from any of them. */
export const domainRoutes = {
  addDomain: route({
    method: "POST",
    path: "/v1/domains",
    tag,
    summary: "Ask for a domain; the answer says which records to set",
    target: "mailbox",
    scopes: OWNERS,
    params: none,
    query: named,
    body: z.strictObject({
      domain: z
        .string()
        .max(MAX_WRITTEN_CHARS, `must be at most ${MAX_WRITTEN_CHARS} characters`)
        .meta({ description: "Such as `example.org`." }),
    }),
    responses: { 201: json(Domain, "Pending until its records are seen.") },
  }),
  listDomains: route({
    method: "GET",
    path: "/v1/domains",
    tag,
    summary: "Domains and how they stand",
    target: "mailbox",
    scopes: OWNERS,
    params: none,
    query: named,
    body: null,
    responses: { 200: json(DomainList) },
  }),
  getDomain: route({
    method: "GET",
    path: "/v1/domains/:id",
    tag,
    summary: "One domain and its records",
    target: "mailbox",
    scopes: OWNERS,
    params: byId,
    query: named,
    body: null,
    responses: { 200: json(Domain) },
  }),
  verifyDomain: route({
    method: "POST",
    path: "/v1/domains/:id/verify",
    tag,
    summary: "Look its records up now; with MX and DKIM in place the domain is the mailbox's",
    target: "mailbox",
    scopes: OWNERS,
    params: byId,
    query: named,
    body: emptyBody,
    responses: { 200: json(DomainCheck, "What was found; `status` says what it came to.") },
  }),
  deleteDomain: route({
    method: "DELETE",
    path: "/v1/domains/:id",
    tag,
    summary: "Give a domain up; its key is erased",
    target: "mailbox",
    scopes: OWNERS,
    params: byId,
    query: named,
    body: null,
    responses: { 200: json(DeletedDomain) },
  }),
} as const;
