import { shownSendingState } from "../../contract/sending-state.ts";
import { VERSION } from "../../contract/product.ts";
import { METRICS_MEDIA, type operationRoutes } from "../../contract/routes/operation.ts";
import { done } from "../../lib/outcome.ts";
import { monitorOf, metricsText } from "../../metrics/flush.ts";
import { haltSending, resumeSending } from "../../service/sending-switch.ts";
import { Bytes } from "../answers.ts";
import type { HandlersOf } from "../call.ts";

export const operationHandlers = {
  async metrics({ env }) {
    return done(new Bytes(200, await metricsText(env, VERSION), { "Content-Type": METRICS_MEDIA }));
  },
  sendingState: async ({ env }) => done(shownSendingState(await monitorOf(env).sendingHalt())),
  haltSending: async ({ env, input }) =>
    done(shownSendingState(await haltSending(env, input.body.reason ?? null))),
  async resumeSending({ env }) {
    await resumeSending(env);
    return done(shownSendingState(null));
  },
  diagnosis: async ({ env }) => done({ diagnosis: await monitorOf(env).diagnosis() }),
  reportDiagnosis: async ({ env, input }) =>
    done({ diagnosis: await monitorOf(env).keepDiagnosis(input.body) }),
} satisfies HandlersOf<typeof operationRoutes>;
