const parsed = new WeakMap<Request, URL>();

/** The URL of a request, parsed once however many ask. */
export function urlOf(request: Request): URL {
  let url = parsed.get(request);
  if (url === undefined) {
    url = new URL(request.url);
    parsed.set(request, url);
  }
  return url;
}

/** A request's query as it was sent, in order; most requests have none, and read no URL for it. */
export function queryOf(request: Request): readonly (readonly [string, string])[] {
  return request.url.includes("?") ? [...urlOf(request).searchParams] : [];
}
