/** After this time a call of the bucket counts as failed, although what it asked for may still happen. */
export const BUCKET_TIMEOUT_MS = 60_000;

/**
 * Waits for an answer of a bucket, or for its bytes, at most `ms`. A call cannot be taken back, so a writer keeps a reservation,
 * by which a blob that arrives later is erased.
 */
export async function inTime<T>(call: Promise<T>, ms: number = BUCKET_TIMEOUT_MS): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The bucket did not answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
  }
}
