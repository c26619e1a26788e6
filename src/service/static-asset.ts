import files from "../../dist/assets.json" with { type: "json" };

/**
 * Reads a static asset that was built with this script. Rejects if it is not there: a deployment has the assets of its script, and
 * their names change with their contents, so an older asset is never read.
 */
export async function readAsset(assets: Fetcher, name: keyof typeof files): Promise<Response> {
  const path = `/assets/${files[name]}`;
  const response = await assets.fetch(new Request(new URL(path, "https://assets.invalid")));
  if (response.ok) return response;
  await response.body?.cancel();
  throw new Error(`The static asset ${path} answered ${response.status}; deploy the script with its assets`);
}
