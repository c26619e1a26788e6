import * as z from "zod";
import { path, type CloudflareApi } from "./api.ts";
import { CloudflareFailure } from "./failure.ts";

/** Whether the bucket is there; `off` where the account has not turned R2 on. */
export type BucketState = "there" | "missing" | "off";

/** Error codes that mean that R2 is not turned on. */
export const R2_OFF_CODES = [10042, 10136] as const;

/** Looks a bucket up. */
export async function bucketState(api: CloudflareApi, accountId: string, name: string): Promise<BucketState> {
  try {
    const bucket = await api.find({
      what: "look up the R2 bucket",
      method: "GET",
      path: path`/accounts/${accountId}/r2/buckets/${name}`,
      permission: "Workers R2 Storage: Edit",
      answer: z.object({ name: z.string().optional() }),
    });
    return bucket === null ? "missing" : "there";
  } catch (error) {
    if (error instanceof CloudflareFailure && error.has(...R2_OFF_CODES)) return "off";
    throw error;
  }
}

/** Makes a bucket. */
export async function createBucket(api: CloudflareApi, accountId: string, name: string): Promise<void> {
  await api.call({
    what: `make the R2 bucket ${name}`,
    method: "POST",
    path: path`/accounts/${accountId}/r2/buckets`,
    body: { name },
    permission: "Workers R2 Storage: Edit",
    answer: z.unknown(),
  });
}

/** Deletes a bucket, which must be empty. */
export async function deleteBucket(api: CloudflareApi, accountId: string, name: string): Promise<void> {
  await api.find({
    what: `delete the R2 bucket ${name}`,
    method: "DELETE",
    path: path`/accounts/${accountId}/r2/buckets/${name}`,
    permission: "Workers R2 Storage: Edit",
    answer: z.unknown(),
  });
}

/** The keys of some objects of a bucket, a page of them. */
export async function someObjects(api: CloudflareApi, accountId: string, bucket: string): Promise<string[]> {
  const objects = await api.call({
    what: "list the objects of the R2 bucket",
    method: "GET",
    path: path`/accounts/${accountId}/r2/buckets/${bucket}/objects`,
    query: { per_page: "1000" },
    permission: "Workers R2 Storage: Edit",
    answer: z.array(z.object({ key: z.string() })),
  });
  return objects.map(({ key }) => key);
}

/** Deletes an object. */
export async function deleteObject(
  api: CloudflareApi,
  accountId: string,
  { bucket, key }: { bucket: string; key: string },
): Promise<void> {
  await api.find({
    what: "delete an object of the R2 bucket",
    method: "DELETE",
    path: path`/accounts/${accountId}/r2/buckets/${bucket}/objects/${key}`,
    permission: "Workers R2 Storage: Edit",
    answer: z.unknown(),
  });
}
