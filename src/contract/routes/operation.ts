import * as z from "zod";
import { Diagnosis, StoredDiagnosis } from "../diagnosis.ts";
import { none } from "../parameters.ts";
import { route } from "../route.ts";
import { OPERATORS } from "../scope.ts";
import { SendingState } from "../sending-state.ts";
import { emptyBody, json, PauseBody } from "./common.ts";

/** The most bytes of a diagnosis. */
const MAX_DIAGNOSIS_BYTES = 65_536;

/** The media type of metrics for Prometheus. */
export const METRICS_MEDIA = "text/plain; version=0.0.4; charset=utf-8";

/** How the deployment is doing, for its operator. */
export const operationRoutes = {
  metrics: route({
    method: "GET",
    path: "/metrics",
    tag: "Operator",
    summary: "Counts, queues and latencies of the deployment, for Prometheus",
    target: "deployment",
    scopes: OPERATORS,
    query: none,
    responses: {
      200: {
        media: METRICS_MEDIA,
        about: "Prometheus text format 0.0.4.",
        example:
          '# TYPE mailkeep_receipts_total counter\nmailkeep_receipts_total{door="smtp",result="stored"} 12\n',
      },
    },
  }),
  sendingState: route({
    method: "GET",
    path: "/v1/sending",
    tag: "Operator",
    summary: "Whether the sending of all mailboxes is halted",
    target: "deployment",
    scopes: OPERATORS,
    query: none,
    responses: { 200: json(SendingState) },
  }),
  haltSending: route({
    method: "PATCH",
    path: "/v1/sending/halt",
    tag: "Operator",
    summary: "Halt the sending of all mailboxes",
    target: "deployment",
    scopes: OPERATORS,
    query: none,
    body: PauseBody,
    responses: { 200: json(SendingState, "No attempt to hand a message over begins after 5 seconds.") },
  }),
  resumeSending: route({
    method: "PATCH",
    path: "/v1/sending/resume",
    tag: "Operator",
    summary: "Resume the sending of all mailboxes",
    target: "deployment",
    scopes: OPERATORS,
    query: none,
    body: emptyBody,
    responses: { 200: json(SendingState, "Within a minute each mailbox begins to send what waited.") },
  }),
  diagnosis: route({
    method: "GET",
    path: "/v1/doctor",
    tag: "Operator",
    summary: "What the doctor found when its report was last sent",
    target: "deployment",
    scopes: OPERATORS,
    query: none,
    responses: { 200: json(z.object({ diagnosis: StoredDiagnosis.nullable() })) },
  }),
  reportDiagnosis: route({
    method: "PUT",
    path: "/v1/doctor",
    tag: "Operator",
    summary: "Keep what the doctor found, for the operator console",
    target: "deployment",
    scopes: OPERATORS,
    query: none,
    body: Diagnosis,
    bodyLimit: {
      bytes: MAX_DIAGNOSIS_BYTES,
      error: `Request body too large (max ${MAX_DIAGNOSIS_BYTES} bytes)`,
    },
    responses: { 200: json(z.object({ diagnosis: StoredDiagnosis })) },
  }),
} as const;
