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
