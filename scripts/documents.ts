// Documents of a deployment that need no code at run time: `build-assets.ts` bundles this module and writes its texts as static
// assets.
import { ANY_ORIGIN } from "../src/contract/any-origin.ts";
import { listedTool } from "../src/http/mcp/listing.ts";
import { ALL_TOOLS } from "../src/http/mcp/tools.ts";
import { openApi } from "../src/http/openapi.ts";
import { renderReference } from "../src/pages/reference/reference.tsx";

/** The documents by their file names, with `ANY_ORIGIN` for the origin of the deployment. */
export async function documents(): Promise<Record<string, string>> {
  const description = openApi(ANY_ORIGIN);
  const tools = Object.fromEntries(ALL_TOOLS.map(({ name, spec }) => [name, listedTool(spec)]));
  return {
    "openapi.json": JSON.stringify(description),
    "reference.htm": await renderReference(description),
    "mcp-tools.json": JSON.stringify(tools),
  };
}
