import { html, raw } from "hono/html";
import { configOf } from "../../config/env.ts";
import { ANY_ORIGIN } from "../../contract/any-origin.ts";
import { originOf, type AppContext } from "../../http/dispatch.ts";
import { readAsset } from "../../service/static-asset.ts";
import { DocsFrame, REFERENCE_PATH } from "../docs/frame.tsx";
import { pageResponse } from "../shell.tsx";
import { compressed } from "../static-files.ts";

/**
 * /docs: the reference of the API, which the build renders from the document that /openapi.json serves. The page can be read
 * without scripts; its script adds a search, buttons that copy, and a form that sends a request.
 */
export async function referencePage(c: AppContext): Promise<Response> {
  const origin = originOf(c, configOf(c.env));
  const contents = await (await readAsset(c.env.ASSETS, "reference.htm")).text();
  const escaped = (await html`${origin}`).toString();
  const page = await pageResponse({
    title: "API reference",
    place: REFERENCE_PATH,
    sheet: "reference.css",
    scripts: ["docs.js", "reference.js"],
    children: (
      <DocsFrame current={REFERENCE_PATH}>{raw(contents.replaceAll(ANY_ORIGIN, () => escaped))}</DocsFrame>
    ),
  });
  return compressed(page, c.req.raw);
}
