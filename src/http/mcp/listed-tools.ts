import { readAsset } from "../../service/static-asset.ts";
import type { ListedTool } from "./types.ts";

/** The static asset, once this isolate has read it. */
let listed: Readonly<Record<string, ListedTool>> | null = null;

/** Every tool as clients list it, by its name. */
export async function listedTools(assets: Fetcher): Promise<Readonly<Record<string, ListedTool>>> {
  listed ??= await (await readAsset(assets, "mcp-tools.json")).json<Record<string, ListedTool>>();
  return listed;
}
