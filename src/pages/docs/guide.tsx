import { raw } from "hono/html";
import type { AppContext } from "../../http/dispatch.ts";
import { readAsset } from "../../service/static-asset.ts";
import { pageResponse } from "../shell.tsx";
import { compressed } from "../static-files.ts";
import { DocsFrame, pathOfGuide, REFERENCE_PATH, titleOfGuide } from "./frame.tsx";
import type { GuideName } from "./groups.ts";

/** /docs/<name>: a page of `docs/`, which the build renders. */
export async function guidePage(c: AppContext, name: GuideName): Promise<Response> {
  const stored = await readAsset(c.env.ASSETS, `guide-${name}.htm`);
  const article = await stored.text();
  const page = await pageResponse({
    title: titleOfGuide(name),
    place: REFERENCE_PATH,
    sheet: "docs.css",
    scripts: ["docs.js"],
    children: (
      <DocsFrame current={pathOfGuide(name)}>
        <div class="guide">{raw(article)}</div>
      </DocsFrame>
    ),
  });
  return compressed(page, c.req.raw);
}
