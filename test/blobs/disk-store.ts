import { env } from "cloudflare:workers";
import { DiskBlobStore, type BlobDisk } from "../../src/blobs/disk.ts";
import { R2BlobStore } from "../../src/blobs/r2.ts";

const DISK: BlobDisk = { fetch: () => Promise.resolve(new Response(null, { status: 204 })) };

/** The folder that test/vitest.config.ts binds. */
const { TEST_FILES } = env as unknown as { TEST_FILES: Fetcher };

/** The store of one machine. Its folder fails, or answers nothing, as long as `ready` does. */
export function diskStore(ready: () => Promise<unknown> = () => Promise.resolve()): DiskBlobStore {
  const fetch: Fetcher["fetch"] = (...request) => ready().then(() => TEST_FILES.fetch(...request));
  return new DiskBlobStore({ fetch }, DISK, new R2BlobStore(env.BLOBS));
}
