/**
 * A service worker that adds the headers of cross-origin isolation to what a host sends that cannot be told to
 * send them, as hosts of static pages cannot. Only `bench.html` installs it.
 */

interface FetchEvent extends Event {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}
interface ServiceWorker {
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
  addEventListener(type: string, listener: (event: FetchEvent & { waitUntil(done: Promise<unknown>): void }) => void): void;
}
const worker = globalThis as unknown as ServiceWorker;

worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()));
worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()));
worker.addEventListener('fetch', (event) => {
  const { request } = event;
  if (new URL(request.url).origin === location.origin) event.respondWith(isolated(request));
});

async function isolated(request: Request): Promise<Response> {
  const response = await fetch(request);
  if (response.status === 0) return response; // a redirect of a page, which the browser follows by itself
  const headers = new Headers(response.headers);
  headers.set('Cross-Origin-Opener-Policy', 'same-origin');
  headers.set('Cross-Origin-Embedder-Policy', 'require-corp');
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
