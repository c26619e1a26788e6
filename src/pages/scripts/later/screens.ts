import type { Context } from "../viewer/context.ts";
import { keysView } from "../viewer/keys.ts";
import type { ScreenName } from "../viewer/place.ts";
import { refusedView } from "../viewer/refused.ts";
import { routesView } from "../viewer/routes.ts";
import { rulesView } from "../viewer/rules.ts";
import { settingsView } from "../viewer/settings.ts";
import { suppressionsView } from "../viewer/suppressions.ts";
import { webhooksView } from "../viewer/webhooks.ts";

/** The screens about the mailbox itself: loaded when the first of them is opened. */
export const screens: Readonly<
  Record<ScreenName, (context: Context, signal: AbortSignal) => Promise<HTMLElement>>
> = {
  rules: rulesView,
  refused: refusedView,
  routes: routesView,
  webhooks: webhooksView,
  suppressions: suppressionsView,
  keys: keysView,
  settings: settingsView,
};
