import { env } from "cloudflare:workers";

/** The real bucket; tests may replace the binding. */
export const bucket = env.BLOBS;

/** The bucket with some of its methods replaced. */
export function bucketWith(methods: Record<string, unknown>): R2Bucket {
  return new Proxy(bucket, {
    get: (target, name) => {
      if (typeof name === "string" && name in methods) return methods[name];
      const own: unknown = Reflect.get(target, name);
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
}

/** Keys of all objects in the bucket. */
export const keysOf = async () => (await bucket.list()).objects.map((object) => object.key);
