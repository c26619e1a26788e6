import * as z from "zod";
import { DeletedDomain, Domain, DomainCheck, DomainList } from "../domain.ts";
import { route } from "../route.ts";
import { OWNERS } from "../scope.ts";
import { byId, emptyBody, json } from "./common.ts";

/** The most characters of the field; a domain name has fewer, and its own rule says so. */
const MAX_WRITTEN_CHARS = 1_024;

/** Domains of one's own: mail to all their addresses, and mail from any of them. */
export const domainRoutes = {
  addDomain: route({
    method: "POST",
    path: "/v1/domains",
    tag: "Domains",
    summary: "Ask for a domain; the answer says which records to set",
    target: "mailbox",
    scopes: OWNERS,
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
    tag: "Domains",
    summary: "Domains and how they stand",
    target: "mailbox",
    scopes: OWNERS,
    responses: { 200: json(DomainList) },
    calls: "listDomains",
  }),
  getDomain: route({
    method: "GET",
    path: "/v1/domains/:id",
    tag: "Domains",
    summary: "One domain and its records",
    target: "mailbox",
    scopes: OWNERS,
    params: byId,
    responses: { 200: json(Domain) },
    calls: "getDomain",
    args: ({ params }) => [params.id],
  }),
  verifyDomain: route({
    method: "POST",
    path: "/v1/domains/:id/verify",
    tag: "Domains",
    summary: "Look its records up now; with MX and DKIM in place the domain is the mailbox's",
    target: "mailbox",
    scopes: OWNERS,
    params: byId,
    body: emptyBody,
    responses: { 200: json(DomainCheck, "What was found; `status` says what it came to.") },
    calls: "verifyDomain",
    args: ({ params }) => [params.id],
  }),
  deleteDomain: route({
    method: "DELETE",
    path: "/v1/domains/:id",
    tag: "Domains",
    summary: "Give a domain up; its key is erased",
    target: "mailbox",
    scopes: OWNERS,
    params: byId,
    responses: { 200: json(DeletedDomain) },
    calls: "removeDomain",
    args: ({ params }) => [params.id],
  }),
} as const;
