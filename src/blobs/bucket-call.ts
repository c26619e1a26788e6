/** A bucket that has not answered by then is taken for one that failed: what was asked of it may still happen. */
export const BUCKET_TIMEOUT_MS = 60_000;

/**
 * Waits for an answer of a bucket, or for the bytes of one, no longer than `ms`. A call cannot be taken back: whoever writes
 * keeps a reservation, which erases what arrives later.
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
